/** @jsxImportSource preact */
import { useEffect, useState } from 'preact/hooks';
import { pagesOf } from './api';
import type { Buyer } from './buyer';
import { texts } from './texts';
import { Alert, Button, dayOf, useRun } from './ui';

interface Download {
  readonly license_id: number;
  readonly version: string;
  readonly released_at: string;
  readonly artifacts: readonly { readonly filename: string; readonly size: number; readonly url: string }[];
}

const megabytes = new Intl.NumberFormat(texts.language, { style: 'unit', unit: 'megabyte', maximumFractionDigits: 1 });

/** Reads the downloads of all licenses. A page of the list has the downloads of at most 100 licenses. */
async function read(session: string): Promise<readonly Download[]> {
  const downloads: Download[] = [];
  for await (const page of pagesOf<Download>('/downloads', session)) downloads.push(...page);
  return downloads;
}

/** The newest release for each license of the buyer. A release that several licenses cover is shown once. */
export function Downloads({ buyer: { session, isEnded } }: { readonly buyer: Buyer }) {
  const [downloads, setDownloads] = useState<readonly Download[]>([]);
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
      <h3>{texts.downloads.heading}</h3>
      {releases.map(({ version, released_at, artifacts }) => (
        <div key={version} role="group" aria-labelledby={`version-${version}`}>
          <p id={`version-${version}`}>{texts.downloads.version(version, dayOf(released_at))}</p>
          <div class="buttons">
            {artifacts.map(({ filename, size }) => (
              <Button key={filename} busy={run.busy} aria-label={texts.downloads.get(filename)} onClick={() => get(version, filename)}>
                {filename} ({megabytes.format(size / 1e6)})
              </Button>
            ))}
          </div>
        </div>
      ))}
      <Alert>{run.problem}</Alert>
    </section>
  );
}
