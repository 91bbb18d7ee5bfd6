import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { filename as filenameSchema } from '../../lambdas/contract/resources/release';
import { targetOf, type Target } from '../../lambdas/domain/releases/target';
import { UsageError } from '../command-line';
import type { Feed } from './feeds';

/** A file of the release, with the data that the service needs before the upload. */
export interface ReleaseFile extends Target {
  readonly path: string;
  readonly filename: string;
  /** The size of the file in bytes. */
  readonly size: number;
  /** The SHA-256 hash of the file, in hexadecimal. */
  readonly sha256: string;
  readonly sha512: string;
  /** The text of the `.sig` file next to this file; null if there is none. */
  readonly signature: string | null;
  /** The size of the file's block map in bytes, from electron-builder's update feed; null if no feed contains it. */
  readonly block_map_size: number | null;
}

const isSkipped = (path: string): boolean => /(\.(ya?ml|sig)|^\.[^/]*)$/.test(basename(path)) || !statSync(path).isFile();

async function hashes(path: string): Promise<{ sha256: string; sha512: string }> {
  const [sha256, sha512] = [createHash('sha256'), createHash('sha512')];
  for await (const chunk of createReadStream(path)) {
    sha256.update(chunk as Buffer);
    sha512.update(chunk as Buffer);
  }
  return { sha256: sha256.digest('hex'), sha512: sha512.digest('hex') };
}

/**
 * Hashes the files. Each file's target comes from its name or from `targets`. The signature and the block map size come from other files in
 * the same folder.
 *
 * @param feeds the feeds in the files' folders
 *
 * @throws UsageError if a release can't contain one of the files
 */
export async function readFiles(
  paths: readonly string[],
  targets: ReadonlyMap<string, Target>,
  feeds: readonly Feed[],
): Promise<readonly ReleaseFile[]> {
  const chosen = paths.filter((path) => !isSkipped(path)).map((path) => ({ path, filename: basename(path).replaceAll(' ', '-') }));
  if (chosen.length === 0) throw new UsageError('The arguments name no file that a release can contain.');
  const problems: string[] = [];
  const unknownTargets = [...targets.keys()].filter(
    (name) => !chosen.some(({ path, filename }) => [basename(path), filename].includes(name)),
  );
  for (const name of unknownTargets) problems.push(`--target names ${name}, but no such file was given.`);
  const found = chosen.map(({ path, filename }) => {
    const target = targets.get(basename(path)) ?? targets.get(filename) ?? targetOfMain(filename, targets) ?? targetOf(filename);
    if (!filenameSchema.safeParse(filename).success)
      problems.push(`${path}: the name of a file may have letters, digits, ".", "_", "+" and "-", at most 200 of them.`);
    else if (!target)
      problems.push(`${path}: its name does not show its platform and architecture. Add --target ${filename}=macos/arm64, for example.`);
    if (statSync(path).size === 0) problems.push(`${path} is empty.`);
    if (chosen.filter((other) => other.filename === filename).length > 1)
      problems.push(`${path}: another file is called ${filename} as well.`);
    return { path, filename, target };
  });
  if (problems.length > 0) throw new UsageError([...new Set(problems)].join('\n'));

  const files: ReleaseFile[] = [];
  for (const { path, filename, target } of found) {
    if (!target) continue;
    files.push({
      path,
      filename,
      ...target,
      size: statSync(path).size,
      ...(await hashes(path)),
      signature: existsSync(`${path}.sig`) ? readFileSync(`${path}.sig`, 'utf8').trim() : null,
      block_map_size:
        feeds.filter(({ folder }) => folder === dirname(path)).flatMap(({ blockMapSizes }) => blockMapSizes.get(filename) ?? [])[0] ?? null,
    });
  }
  return files;
}

/** A block map has the same target as the file that it describes. */
const targetOfMain = (filename: string, targets: ReadonlyMap<string, Target>): Target | undefined =>
  filename.endsWith('.blockmap') ? targets.get(filename.slice(0, -'.blockmap'.length)) : undefined;
