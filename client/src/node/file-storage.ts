import { randomBytes } from 'node:crypto';
import { lstat, mkdir, open, readdir, readFile, rename, rm, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { LicenseStorage } from '../storage';

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/**
 * If a lock file was not touched for this long (ms), the process that owns the lock is assumed to have ended. A random time of up to half
 * of this duration is added. The sum is less than the client's default time limit for an access to the storage, so that a process that has
 * crashed does not keep later processes from storing a license.
 */
const ABANDONED_AFTER = 3000;
/** Time after which the owner of a lock touches its file again, in milliseconds. */
const TOUCH_EVERY = 1000;
/** Pause between two attempts to take a lock, in milliseconds; a random time of at most the same length is added. */
const LOCK_POLL = 10;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * The content of a lock file and when it was touched; undefined if there is no file. The content is empty if this user may not read the
 * file, or if it is not a file but, for example, a folder. This is not an error, because such a lock can also be abandoned.
 */
async function lookAt(file: string): Promise<{ readonly owner: string; readonly touched: number } | undefined> {
  try {
    const found = await lstat(file);
    return { owner: found.isFile() ? await readFile(file, 'utf8').catch(() => '') : '', touched: found.mtimeMs };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Creates a file that only its owner may read. If the content can't be written, for example because the disk is full, the function removes
 * the file. If the file is a lock, every process would otherwise have to wait for a lock without an owner.
 */
async function create(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    // The content is on the disk before the file is renamed. Otherwise a power failure could leave the file name with empty content.
    await handle.sync();
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

/** Takes a lock file, and waits while another process has it. @returns a function that releases the lock */
async function takeLock(file: string): Promise<() => Promise<void>> {
  const owner = randomBytes(8).toString('hex');
  const patience = ABANDONED_AFTER * (1 + Math.random() / 2);
  let last: Awaited<ReturnType<typeof lookAt>>;
  let since = 0;
  for (;;) {
    try {
      await create(file, owner);
      break;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    const found = await lookAt(file);
    if (!found || found.owner !== last?.owner || found.touched !== last.touched) {
      last = found;
      since = performance.now();
    } else if (performance.now() - since > patience) {
      await rm(file, { force: true, recursive: true });
    }
    await sleep(LOCK_POLL * (1 + Math.random()));
  }
  const timer = setInterval(() => void utimes(file, new Date(), new Date()).catch(() => undefined), TOUCH_EVERY);
  timer.unref();
  return async () => {
    clearInterval(timer);
    // If this process did not touch the file in time, another process may have taken over the lock. The file then belongs to the other
    // process and must stay.
    if ((await lookAt(file))?.owner === owner) await rm(file, { force: true });
  };
}

/** The drafts of a file, left by processes that were killed while they wrote the file. */
async function draftsOf(file: string): Promise<readonly string[]> {
  const folder = dirname(file);
  try {
    const found = (await readdir(folder)).map((name) => join(folder, name));
    return found.filter((other) => other.startsWith(`${file}.`) && other.endsWith('.tmp'));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/**
 * Keeps each item in a separate file that only the file's owner may read. A file is replaced completely or not at all, even if the process
 * or the machine stops.
 *
 * @param folder a folder of this app and this user, such as Electron's `app.getPath('userData')`; it is created if it is missing
 */
export function fileStorage(folder: string): Required<LicenseStorage> {
  const fileOf = (name: string): string => join(folder, `${encodeURIComponent(name)}.json`);

  const makeFolder = (): Promise<unknown> => mkdir(folder, { recursive: true, mode: 0o700 });

  async function getItem(name: string): Promise<string | null> {
    try {
      return await readFile(fileOf(name), 'utf8');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return null;
      throw error;
    }
  }

  return {
    getItem,
    async setItem(name, value) {
      await makeFolder();
      const file = fileOf(name);
      const draft = `${file}.${randomBytes(6).toString('hex')}.tmp`;
      try {
        await create(draft, value);
        await rename(draft, file);
      } finally {
        await rm(draft, { force: true });
      }
    },
    async removeItem(name) {
      const file = fileOf(name);
      await rm(file, { force: true });
      // A draft also contains the license.
      for (const draft of await draftsOf(file)) await rm(draft, { force: true });
    },
    async lock(name, task) {
      await makeFolder();
      const giveBack = await takeLock(join(folder, `${encodeURIComponent(name)}.lock`));
      try {
        return await task();
      } finally {
        await giveBack();
      }
    },
  };
}
