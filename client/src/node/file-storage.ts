import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LicenseStorage } from '../storage';

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/**
 * Keeps each item in a file of its own, that only its owner may read. A file is replaced whole or not at all,
 * whenever the process or the machine stops.
 *
 * @param folder of this app and this user, made where it is missing: Electron's `app.getPath('userData')`, say
 */
export function fileStorage(folder: string): LicenseStorage {
  const fileOf = (name: string): string => join(folder, `${encodeURIComponent(name)}.json`);
  return {
    async getItem(name) {
      try {
        return await readFile(fileOf(name), 'utf8');
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
    async setItem(name, value) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = fileOf(name);
      const draft = `${file}.${randomBytes(6).toString('hex')}.tmp`;
      try {
        const handle = await open(draft, 'wx', 0o600);
        try {
          await handle.writeFile(value);
          // Before the rename: a machine that loses power must not find a name without content.
          await handle.sync();
        } finally {
          await handle.close();
        }
        await rename(draft, file);
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
    },
  };
}
