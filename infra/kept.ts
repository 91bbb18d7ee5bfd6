import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(__dirname, '..');

/** What esbuild builds, and the sources that affect the result. */
export interface Kept {
  /** The name of the folder below `node_modules/.cache`. */
  readonly name: string;
  /** The files and folders that affect the result, relative to the repository's root. Installed packages always affect it. */
  readonly sources: readonly string[];
  /** Builds the result in a new folder below `parent`, and returns the new folder. */
  readonly build: (parent: string) => string;
}

/**
 * Returns the folder that `build` creates, but caches the folder in `node_modules/.cache` until a source file changes. Without the cache,
 * the first page after each start of a local run would take seconds. A deployment does not use the cache.
 */
export function kept({ name, sources, build }: Kept): string {
  const hash = hashOfSources(root, sources);
  const cache = join(root, 'node_modules/.cache', name);
  if (hash === undefined || !isWritable(cache)) return build(tmpdir());
  const folder = join(cache, hash);
  if (!existsSync(folder)) {
    const before = readdirSync(cache).filter((entry) => /^[0-9a-f]{64}$/.test(entry));
    const made = build(cache);
    try {
      // Renaming is atomic. This matters if another process renames its folder to the same path at the same time.
      renameSync(made, folder);
    } catch (error) {
      if (!existsSync(folder)) throw error;
    }
    for (const entry of before) rmSync(join(cache, entry), { recursive: true, force: true });
  }
  return folder;
}

/**
 * Creates the folder if it is missing, and returns whether this process may write to it. For example, the process may not write if
 * `node_modules` belongs to another user.
 */
function isWritable(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** A hash of the given sources and of the installed packages; undefined if npm's record of installed packages is missing. */
export function hashOfSources(folder: string, sources: readonly string[]): string | undefined {
  const installed = 'node_modules/.package-lock.json';
  if (!existsSync(join(folder, installed))) return undefined;
  const hash = createHash('sha256');
  for (const file of [...sources, 'package.json', 'tsconfig.json', installed].flatMap((source) => filesOf(folder, source))) {
    const content = readFileSync(join(folder, file));
    hash.update(`${file} ${content.length} `).update(content);
  }
  return hash.digest('hex');
}

/** The path of a file, or the paths of all files in a folder. */
const filesOf = (folder: string, source: string): string[] =>
  statSync(join(folder, source)).isFile()
    ? [source]
    : readdirSync(join(folder, source), { recursive: true, encoding: 'utf8' })
        .map((file) => join(source, file))
        .filter((file) => statSync(join(folder, file)).isFile())
        .sort();
