import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';

/** Finds the texts of the repository that people write: source files, tests and documents. */

export const root = resolve(__dirname, '../..');

export interface TextFile {
  /** The path, relative to the repository's root. */
  readonly path: string;
  readonly text: string;
}

/** Folders with installed or generated files, and with data that a test keeps between runs. */
const GENERATED = new Set([
  'node_modules',
  'cdk.out',
  'coverage',
  'build',
  'dist',
  'generated',
  'target',
  '__pycache__',
  '.git',
  '.local',
  '.mypy_cache',
]);
const TEXT = /\.(?:[cm]?[jt]sx?|css|go|html|java|md|py|rs|toml)$/;

function filesIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) return GENERATED.has(entry.name) || entry.name.endsWith('.egg-info') ? [] : filesIn(path);
    // Scripts in the folder `.ci` have no file extension, so all files there are included.
    return TEXT.test(entry.name) || folder === '.ci' ? [path] : [];
  });
}

export const textFiles = (): readonly TextFile[] =>
  filesIn('')
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

export const exists = (path: string): boolean => existsSync(join(root, path));
