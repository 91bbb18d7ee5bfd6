import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];

/**
 * Makes an empty folder that is deleted when the process ends.
 *
 * @param parent where it is made; by default among the system's temporary files
 */
export function temporaryFolder(prefix: string, parent = tmpdir()): string {
  if (folders.length === 0) process.once('exit', () => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));
  const folder = mkdtempSync(join(parent, prefix));
  folders.push(folder);
  return folder;
}
