import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];

/**
 * Creates an empty folder that is deleted when the process ends.
 *
 * @param parent the folder that contains the new folder; by default the system's folder for temporary files
 */
export function temporaryFolder(prefix: string, parent = tmpdir()): string {
  if (folders.length === 0) process.once('exit', () => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));
  const folder = mkdtempSync(join(parent, prefix));
  folders.push(folder);
  return folder;
}
