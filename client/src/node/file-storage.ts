import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, constants, lstat, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
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

/** Maximum size of a file that is read, in bytes. A full queue of amounts is smaller. */
const MAX_FILE_BYTES = 8_388_608;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * The content of a lock file and when it was touched; undefined if there is no file. The content is empty if this user may not read the
 * file, or if it is not a file but, for example, a folder. This is not an error, because such a lock can also be abandoned.
 */
async function lookAt(file: string): Promise<{ readonly owner: string; readonly touched: number } | undefined> {
  try {
    const found = await lstat(file);
    return { owner: (found.isFile() && (await readIfPresent(file).catch(() => null))) || '', touched: found.mtimeMs };
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

/** Runs tasks one after the other. */
type Turns = <Value>(task: () => Promise<Value>) => Promise<Value>;

/**
 * Node has four threads for file operations and DNS. With one operation at a time, a folder that does not respond, for example in a network,
 * blocks one of these threads, and not the whole app.
 */
function takeTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const run = last.then(task);
    last = run.catch(() => undefined);
    return run;
  };
}

/**
 * Takes a lock file, and waits while another process has it.
 *
 * @returns a function that releases the lock
 * @throws the reason of `signal` when it ends the wait
 */
async function takeLock(file: string, inTurn: Turns, signal: AbortSignal | undefined): Promise<() => Promise<void>> {
  const owner = randomBytes(8).toString('hex');
  const patience = ABANDONED_AFTER * (1 + Math.random() / 2);
  let last: Awaited<ReturnType<typeof lookAt>>;
  let since = 0;
  for (;;) {
    signal?.throwIfAborted();
    try {
      await inTurn(() => create(file, owner));
      break;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    const found = await inTurn(() => lookAt(file));
    if (!found || found.owner !== last?.owner || found.touched !== last.touched) {
      last = found;
      since = performance.now();
    } else if (performance.now() - since > patience) {
      await inTurn(() => rm(file, { force: true, recursive: true }));
    }
    await sleep(LOCK_POLL * (1 + Math.random()));
  }
  const timer = setInterval(() => void inTurn(() => utimes(file, new Date(), new Date())).catch(() => undefined), TOUCH_EVERY);
  timer.unref();
  return () => {
    clearInterval(timer);
    return inTurn(async () => {
      // If this process did not touch the file in time, another process may have taken over the lock. The file then belongs to the other
      // process and must stay.
      if ((await lookAt(file))?.owner === owner) await rm(file, { force: true });
    });
  };
}

/** Whether an access failed because the file belongs to another user. On Windows the same codes are reported for files that are in use. */
const isForbidden = (error: unknown): boolean => process.platform !== 'win32' && codeOf(error) === 'EACCES';

const isPresent = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

/**
 * The content of a file; null if there is no file. A file that is too large counts as empty, and so do pipes and devices: reading a pipe
 * without a writer would wait for ever, and reading a device may never end. Reading a folder fails.
 */
async function readIfPresent(file: string): Promise<string | null> {
  try {
    const found = await stat(file);
    if (!found.isFile() && !found.isDirectory()) return '';
    const parts: Buffer[] = [];
    for await (const part of createReadStream(file, { end: MAX_FILE_BYTES })) parts.push(part as Buffer);
    const content = Buffer.concat(parts);
    return content.length > MAX_FILE_BYTES ? '' : content.toString('utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
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
 * or the machine stops. If another user owns the file, for example because the app was started once with `sudo`, a second file is used from
 * then on, and a warning is emitted (`process.emitWarning`).
 *
 * @param folder a folder of this app and this user, such as Electron's `app.getPath('userData')`; it is created if it is missing
 */
export function fileStorage(folder: string): Required<LicenseStorage> {
  const inTurn = takeTurns();
  const pathOf = (name: string, ending: string): string => join(folder, `${encodeURIComponent(name)}${ending}`);
  const filesOf = (name: string): readonly [first: string, second: string] => [pathOf(name, '.json'), pathOf(name, '.own.json')];

  const makeFolder = (): Promise<unknown> => mkdir(folder, { recursive: true, mode: 0o700 });

  return {
    getItem: (name) =>
      inTurn(async () => {
        const [first, second] = filesOf(name);
        const text = await readIfPresent(second);
        if (text !== null) return text;
        try {
          return await readIfPresent(first);
        } catch (error) {
          if (!isForbidden(error)) throw error;
          process.emitWarning(`${first} belongs to another user; ${second} is used instead`);
          return null;
        }
      }),
    setItem: (name, value) =>
      inTurn(async () => {
        await makeFolder();
        const [first, second] = filesOf(name);
        const isSecond = (await isPresent(second)) || (await access(first, constants.R_OK).then(() => false, isForbidden));
        const file = isSecond ? second : first;
        const draft = `${file}.${randomBytes(6).toString('hex')}.tmp`;
        try {
          await create(draft, value);
          await rename(draft, file);
        } finally {
          await rm(draft, { force: true });
        }
      }),
    removeItem: (name) =>
      inTurn(async () => {
        for (const file of filesOf(name)) {
          await rm(file, { force: true });
          // A draft also contains the license.
          for (const draft of await draftsOf(file)) await rm(draft, { force: true });
        }
      }),
    async lock(name, task, signal) {
      await inTurn(makeFolder);
      const giveBack = await takeLock(pathOf(name, '.lock'), inTurn, signal);
      try {
        return await task();
      } finally {
        await giveBack();
      }
    },
  };
}
