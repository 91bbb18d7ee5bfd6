/** @jsxImportSource preact */
import { useEffect, useState } from 'preact/hooks';
import type { PortalDownload } from '../../lambdas/contract/portal';
import { pagesOf } from './api';
import type { Buyer } from './buyer';
import { fileSize } from './file-size';
import { Notes } from './notes';
import { texts } from './texts';
import type { FileKind } from './texts/model';
import { Alert, Button, dayOf, useRun } from './ui';

type Artifact = PortalDownload['artifacts'][number];

const words = texts.downloads;

/** Reads the downloads of all licenses. A page of the list has the downloads of at most 100 licenses. */
async function read(session: string): Promise<readonly PortalDownload[]> {
  const downloads: PortalDownload[] = [];
  for await (const page of pagesOf<PortalDownload>('/downloads', session)) downloads.push(...page);
  return downloads;
}

const kinds: readonly (readonly [RegExp, FileKind])[] = [
  [/\.(exe|msi|msix|appx|pkg)$/i, 'installer'],
  [/\.dmg$/i, 'image'],
  [/\.(zip|7z|tar|tgz|(tar\.)?(gz|xz|zst|bz2))$/i, 'archive'],
  [/\.(deb|rpm|flatpak|snap|appimage)$/i, 'package'],
];

/** The name of a file for people, such as `Windows, 64-bit installer`. */
function nameOf({ platform, arch, filename }: Artifact): string {
  const kind = kinds.find(([ending]) => ending.test(filename))?.[1] ?? 'file';
  return words.name(words.systems[platform], (platform === 'macos' ? words.macs : words.processors)[arch], words.kinds[kind]);
}

/** The system of the visitor's computer; undefined if it is none for which files can be published. */
function systemHere(): Artifact['platform'] | undefined {
  const { platform } = navigator;
  return /^mac/i.test(platform) ? 'macos' : /^win/i.test(platform) ? 'windows' : /^linux/i.test(platform) ? 'linux' : undefined;
}

/** The files for the visitor's system come first. */
const sorted = (artifacts: readonly Artifact[]): readonly Artifact[] => {
  const here = systemHere();
  return [...artifacts].sort((a, b) => Number(b.platform === here) - Number(a.platform === here));
};

/** The newest release for each license of the buyer. A release that several licenses cover is shown once. */
export function Downloads({ buyer: { session, isEnded } }: { readonly buyer: Buyer }) {
  const [downloads, setDownloads] = useState<readonly PortalDownload[]>([]);
  const run = useRun(undefined, isEnded);
  useEffect(() => run.start(async () => setDownloads(await read(session))), [session]);
  const releases = downloads.filter(({ version }, place) => downloads.findIndex((one) => one.version === version) === place);
  // A download URL expires after some minutes, and the page may have been open for longer, so each click requests a new URL.
  const get = (version: string, filename: string): void =>
    run.start(async () => {
      const release = (await read(session)).find((one) => one.version === version);
      const file = release?.artifacts.find((one) => one.filename === filename);
      if (file) location.assign(file.url);
    });
  if (releases.length === 0) return <Alert>{run.problem}</Alert>;
  return (
    <section class="card">
      <h3>{words.heading}</h3>
      {releases.map(({ version, released_at, notes, artifacts }) => (
        <div key={version} class="release" role="group" aria-labelledby={`version-${version}`}>
          <p id={`version-${version}`}>{words.version(version, dayOf(released_at))}</p>
          <div class="files">
            {sorted(artifacts).map((artifact) => (
              <Button key={artifact.filename} busy={run.busy} onClick={() => get(version, artifact.filename)}>
                {nameOf(artifact)}
                <span class="dim">
                  {artifact.filename} · {fileSize(artifact.size, texts.language)}
                </span>
              </Button>
            ))}
          </div>
          {notes ? (
            <details>
              <summary>{words.notes(version)}</summary>
              <Notes text={notes} />
            </details>
          ) : null}
        </div>
      ))}
      <Alert>{run.problem}</Alert>
    </section>
  );
}
