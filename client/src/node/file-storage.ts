import { randomBytes } from 'node:crypto';
import { constants, copyFile, link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LicenseStorage } from '../storage';

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** Gives a file a second name, unless that is taken: in one step for all processes. */
async function linkUnlessTaken(draft: string, file: string): Promise<void> {
  try {
    await link(draft, file);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw error;
    // File systems without hard links (FAT): a copy may be seen half-written, for a moment.
    await copyFile(draft, file, constants.COPYFILE_EXCL);
  }
}

/**
 * Keeps each item in a file of its own, that only its owner may read. A file is replaced whole or not at all,
 * whenever the process or the machine stops.
 *
 * @param folder of this app and this user, made if it is missing: Electron's `app.getPath('userData')`, for example
 */
export function fileStorage(folder: string): Required<LicenseStorage> {
  const fileOf = (name: string): string => join(folder, `${encodeURIComponent(name)}.json`);

  async function getItem(name: string): Promise<string | null> {
    try {
      return await readFile(fileOf(name), 'utf8');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return null;
      throw error;
    }
  }

  /** Writes a draft, and has it put in its place. */
  async function put(name: string, value: string, place: (draft: string, file: string) => Promise<void>): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = fileOf(name);
    const draft = `${file}.${randomBytes(6).toString('hex')}.tmp`;
    try {
      const handle = await open(draft, 'wx', 0o600);
      try {
        await handle.writeFile(value);
        // Before the draft gets its name: a machine that loses power must not find a name without content.
        await handle.sync();
      } finally {
        await handle.close();
      }
      await place(draft, file);
    } finally {
      await rm(draft, { force: true });
    }
  }

  return {
    getItem,
    setItem: (name, value) => put(name, value, rename),
    removeItem: (name) => rm(fileOf(name), { force: true }),
    async createItem(name, value) {
      try {
        await put(name, value, linkUnlessTaken);
        return value;
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error;
        return (await getItem(name)) ?? value;
      }
    },
  };
}
