import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { codeOf, messageOf, StartError } from './errors';

/** A data folder that only this process writes to, until it releases the folder. */
export interface DataDir {
  /** The path of a file in the folder. */
  path(...names: string[]): string;
  /** Lets another process use the folder. This also happens when this process ends for any reason. */
  release(): Promise<void>;
}

/** The files of a local run. SQLite creates more files next to its database. */
const OURS = /^(dynamodb\.sqlite(-\w+)?|dynamodb-local|secrets\.json|clock\.json|logs|files|cdk\.out)$/;

/** Creates the folder if necessary and locks it. Files of earlier runs become readable by their owner only. */
export async function claim(folder: string): Promise<DataDir> {
  try {
    makeFolder(folder);
    const probe = join(folder, `.probe-${process.pid}`);
    closeSync(openSync(probe, 'w'));
    rmSync(probe);
  } catch (error) {
    throw new StartError(`Cannot write to DATA_DIR "${folder}": ${messageOf(error)}.`);
  }
  const lock = await listen(lockAddress(folder));
  if (!lock) throw new StartError(`DATA_DIR "${folder}" is in use by another local run: stop that one, or set DATA_DIR to another folder.`);
  makePrivate(folder);
  return {
    path: (...names) => join(folder, ...names),
    release: async () => {
      if (!lock.listening) return;
      lock.close();
      await once(lock, 'close');
    },
  };
}

/** The folder may hold other files, such as a home folder: only the local run's own files are changed. */
function makePrivate(folder: string): void {
  const entries = readdirSync(folder);
  const ours = entries.filter((name) => OURS.test(name));
  if (ours.length === entries.length) chmodSync(folder, 0o700);
  for (const name of ours) restrict(join(folder, name));
}

function restrict(path: string): void {
  const entry = lstatSync(path);
  if (entry.isSymbolicLink()) return;
  chmodSync(path, entry.isDirectory() ? 0o700 : 0o600);
  if (entry.isDirectory()) for (const name of readdirSync(path)) restrict(join(path, name));
}

/** Not `recursive: true`: on file systems that report new folders as missing (`/proc`), node would retry forever. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

/**
 * The lock is a listening socket: the system closes it when its process ends, so it never becomes stale, and no process id must be trusted.
 * Its name comes from the folder itself, which may have several paths.
 */
function lockAddress(folder: string): string {
  const { dev, ino } = statSync(folder, { bigint: true });
  const name = `license-key-service-${dev}-${ino}`;
  if (process.platform === 'linux') return `\0${name}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
}

async function listen(address: string): Promise<Server | undefined> {
  for (const last of [false, true]) {
    const server = createServer((socket) => socket.destroy());
    try {
      server.listen(address);
      await once(server, 'listening');
      return server.unref();
    } catch (error) {
      if (codeOf(error) !== 'EADDRINUSE') throw error;
      // Only a socket in the file system outlives its process.
      if (last || !address.endsWith('.sock') || (await isAlive(address))) return undefined;
      rmSync(address, { force: true });
    }
  }
  return undefined;
}

async function isAlive(address: string): Promise<boolean> {
  const socket = connect(address);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    // The connection was refused: nobody listens.
    return false;
  } finally {
    socket.destroy();
  }
}

/** Writes a file that only its owner may read. After a crash it contains either all of the text or its previous content. */
export function writeDurably(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.tmp`;
  const descriptor = openSync(temporary, 'w', 0o600);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(temporary, file);
  // Windows can't open folders, and does not need this.
  if (process.platform === 'win32') return;
  const folder = openSync(dirname(file), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
