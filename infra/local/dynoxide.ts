import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from './errors';

/** Milliseconds in which the emulator must answer. */
const START_LIMIT = 10_000;

/**
 * Becomes the emulator, watched by a subshell that holds the read end of our pipe: when this process
 * ends, however it ends, the pipe closes and the emulator is killed. No orphan keeps the data open.
 */
const WATCHED = '(read -r _; kill -9 $$) <&3 >/dev/null 2>&1 & exec "$@" 3<&-';

/** A running dynoxide (https://github.com/nubo-db/dynoxide): DynamoDB over SQLite. */
export interface Dynoxide {
  readonly endpoint: string;
  readonly pid: number;
  /** Ends it; what it has acknowledged is on disk. */
  stop(): Promise<void>;
}

/**
 * Starts dynoxide on a free loopback port and waits until it answers.
 *
 * @param database file of the database, or undefined to keep everything in memory
 * @param onFailure told that it has ended by itself later on
 */
export async function start(database: string | undefined, onFailure: (error: Error) => void = () => undefined): Promise<Dynoxide> {
  const binary = findBinary();
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    const child = spawn('/bin/sh', ['-c', WATCHED, 'sh', binary, '--port', String(port), ...(database ? ['--db-path', database] : [])], {
      // 3 is the pipe whose closing ends the child.
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      // A group of its own: Ctrl-C at the terminal must not end it before the requests under way.
      detached: true,
      env: { PATH: process.env['PATH'] },
    });
    const errors: string[] = [];
    child.once('exit', () => child.stdio[3]?.destroy());
    child.stderr!.setEncoding('utf8').on('data', (text: string) => errors.push(text));
    const endpoint = `http://127.0.0.1:${port}`;
    if (await answers(endpoint, child)) {
      const fail = () => onFailure(new Error(`The database emulator has ended by itself: ${errors.join('').trim() || 'it gave no reason'}`));
      child.once('exit', fail);
      return { endpoint, pid: child.pid!, stop: () => end(child.off('exit', fail)) };
    }
    await end(child);
    // Another process may take the port between our look and the child's start.
    if (attempt < 3 && errors.join('').includes('already in use')) continue;
    throw new StartError(`The database emulator did not start: ${errors.join('').trim() || 'it gave no reason'}`);
  }
}

/** The emulator's executable for this platform. */
export function findBinary(): string {
  const name = `@dynoxide/${process.platform}-${process.arch}`;
  try {
    return createRequire(__filename).resolve(`${name}/dynoxide`);
  } catch {
    throw new StartError(
      `There is no DynamoDB emulator for this platform (${name} is not installed): start one yourself, for example with \`npx dynoxide --port 8000\`, and set DYNAMODB_ENDPOINT=http://127.0.0.1:8000.`,
    );
  }
}

/** A port of the loopback address on which nobody listens right now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const ended = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

async function answers(endpoint: string, child: ChildProcess): Promise<boolean> {
  for (const deadline = Date.now() + START_LIMIT; Date.now() < deadline && !ended(child); ) {
    try {
      await (await fetch(endpoint)).text();
      return true;
    } catch {
      // Not listening yet.
      await sleep(10);
    }
  }
  return false;
}

async function end(child: ChildProcess): Promise<void> {
  if (ended(child)) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  const hard = setTimeout(() => child.kill('SIGKILL'), 2000);
  await exit;
  clearTimeout(hard);
}
