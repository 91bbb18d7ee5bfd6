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

/** A folder that this process alone writes to until it is released. */
export interface DataDir {
  /** Path of a file in it. */
  path(...names: string[]): string;
  /** Lets another process use it. The end of this process, however it comes, does so too. */
  release(): Promise<void>;
}

/** What a local run keeps in its folder. SQLite adds files of its own next to its database. */
const OURS = /^(dynamodb\.sqlite(-\w+)?|dynamodb-local|secrets\.json|clock\.json|logs|cdk\.out)$/;

/** Creates the folder if need be and claims it. What an earlier run left there is made its owner's alone. */
export async function claim(folder: string): Promise<DataDir> {
  try {
    makeFolder(folder);
    const probe = join(folder, `.probe-${process.pid}`);
    closeSync(openSync(probe, 'w'));
    rmSync(probe);
  } catch (error) {
    throw new StartError(`DATA_DIR "${folder}" cannot be written to: ${messageOf(error)}.`);
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

/** A folder that holds other things as well is somebody's home, perhaps: only what is ours in it is changed. */
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

/** Not `recursive: true`: on file systems that refuse new folders as missing (`/proc`) node would try for ever. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

/**
 * The lock is a listening socket: the system closes it with its process, so none is ever left stale,
 * and no process id has to be trusted. It is named after the folder itself, not after one of its paths.
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
      // Only a socket that is a file outlives its process.
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
    // Refused: nobody listens.
    return false;
  } finally {
    socket.destroy();
  }
}

/** Writes a file that only its owner may read, so that after a crash either all of it is there or none. */
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
  // Windows opens no folders, and needs it not.
  if (process.platform === 'win32') return;
  const folder = openSync(dirname(file), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
