import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type * as z from 'zod/mini';
import { codeOf, messageOf, StartError } from './errors';

/** The value of `DATA_DIR` that keeps all data in memory, so that the data is lost when the local run stops. */
export const MEMORY = ':memory:';

/** A data folder. No other local run may use the folder until this process releases it. */
export interface DataDir {
  /** Returns the path of a file in the folder. */
  path(...names: string[]): string;
  /** Releases the folder, so that another process may use it. The operating system does the same when this process ends for any reason. */
  release(): Promise<void>;
}

/** The names of the local run's files in the data folder. SQLite creates additional files next to its database. */
const OURS = /^(dynamodb\.sqlite(-\w+)?|dynamodb-local|secrets\.json|clock\.json|logs|files|cdk\.out(-\w+)?)$/;

/**
 * Creates the folder if it is missing, and locks it. If the folder contains files of earlier runs, only their owner may read them from now
 * on.
 *
 * @throws {StartError} if the folder is not writable or in use
 */
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
  if (!lock) throw new StartError(`DATA_DIR "${folder}" is in use by another local run: stop that run, or set DATA_DIR to another folder.`);
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

/**
 * Makes the local run's own files readable by their owner only. It does not change other files, because the folder may be somebody's home
 * folder.
 */
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

/**
 * Creates a folder and its parents. It does not use `recursive: true`, because node would retry forever on file systems that report new
 * folders as missing, such as `/proc`.
 */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

/**
 * The socket address of the lock. The lock is a listening socket, because the system closes the socket when the process ends. Therefore a
 * process that has ended never holds the lock. The address is derived from the folder's device and inode, because a folder may have several
 * paths.
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
      // Only a socket in the file system can remain after its process has ended. The system deletes other sockets.
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
    // The connection was refused, so no process listens on the socket.
    return false;
  } finally {
    socket.destroy();
  }
}

/**
 * Reads a JSON file of the data folder. Returns undefined if there is no file.
 *
 * @throws {StartError} if the content of the file is invalid. The message does not show the content, which may be secret.
 */
export function readStored<Content>(file: string | undefined, schema: z.ZodMiniType<Content>): Content | undefined {
  if (file === undefined || !existsSync(file)) return undefined;
  const text = readFileSync(file, 'utf8');
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new StartError(`The file "${file}" is damaged. Restore it from a backup, or set DATA_DIR to another folder.`);
  }
}

/** Writes a file that only its owner may read. After a crash the file contains either the whole new text or its previous content. */
export function writeDurably(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    const descriptor = openSync(temporary, 'w', 0o600);
    try {
      // `writeSync` could write only a part of the text, for example if the disk is nearly full.
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  // The code below writes the renaming to the disk. Windows does not need this step, and node cannot open a folder on Windows.
  if (process.platform === 'win32') return;
  const folder = openSync(dirname(file), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
