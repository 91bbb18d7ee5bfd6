import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:net';
import { RUN_TOKEN } from './aws';
import { bundled } from './bundled';
import { freePort, listen, loopbackAddress } from './door';
import type { OpenMessage, ReadyMessage, StopMessage } from './emulator-door';
import { StartError } from './errors';
import type { WatchedOptions, WatchedProcess } from './watched-process';

/**
 * Starts database emulators. An emulator serves everybody who connects. Therefore callers connect to a proxy, which requires this run's
 * credential (emulator-door.ts). If the system permits it, the emulator runs in a separate network namespace that only the proxy can reach.
 */

/** A program that serves DynamoDB over HTTP. */
export interface Program extends Pick<WatchedOptions, 'command' | 'cwd' | 'env' | 'startLimit' | 'name'> {
  /**
   * Returns the program's arguments. With these arguments the program listens on the given port and, if it has an option for the host, on
   * the given host.
   */
  readonly args: (host: string, port: number) => readonly string[];
}

export interface Emulator extends WatchedProcess {
  /** The proxy's address, to which callers connect. */
  readonly endpoint: string;
  /** False if other users of this computer can connect to the emulator directly. */
  readonly isAlone: boolean;
}

/** Maximum milliseconds until the emulator has ended. After this time, the emulator is killed. */
const STOP_LIMIT = 5000;
/** The emulator's port in a separate network namespace, where no other program uses ports. */
const PORT = 8000;

/**
 * Runs a command in a new Linux network namespace, if the system permits users to create one. The loopback interface of a new namespace
 * must be started with `ip`, which is not on every user's path.
 */
const ALONE = [
  'unshare',
  '--map-root-user',
  '--net',
  '/bin/sh',
  '-c',
  'PATH="$PATH:/usr/sbin:/sbin" ip link set lo up && exec "$@"',
  'sh',
] as const;

/** Whether the system permits this user to create network namespaces. */
export function canBeAlone(): boolean {
  const [command, ...args] = ALONE;
  return process.platform === 'linux' && spawnSync(command, [...args, 'true'], { stdio: 'ignore' }).status === 0;
}

/**
 * Starts an emulator and waits until it responds.
 *
 * @param onFailure called if the emulator ends unexpectedly after it has responded
 * @param isAlone whether to run the emulator in a separate network namespace
 * @throws {StartError} with the emulator's output, if it does not start
 */
export async function start(
  program: Program,
  onFailure: (error: Error) => void = () => undefined,
  isAlone = canBeAlone(),
): Promise<Emulator> {
  for (let attempt = 1; ; attempt += 1) {
    const host = isAlone ? '127.0.0.1' : loopbackAddress();
    const port = isAlone ? PORT : await freePort(host);
    try {
      return { ...(await startAt(program, host, port, onFailure, isAlone)), isAlone };
    } catch (error) {
      // Another process may take the port before the emulator starts. In that case the emulator is started again with another port.
      if (!isAlone && attempt < 3 && error instanceof StartError && error.message.includes('already in use')) continue;
      throw error;
    }
  }
}

async function startAt(
  program: Program,
  host: string,
  port: number,
  onFailure: (error: Error) => void,
  isAlone: boolean,
): Promise<Omit<Emulator, 'isAlone'>> {
  const { args, ...settings } = program;
  const door: OpenMessage = {
    emulator: { ...settings, args: args(host, port), endpoint: `http://${host}:${port}` },
    token: RUN_TOKEN,
  };
  // The parent process creates the server and passes it to the proxy, because callers can reach the network of the parent process, but not
  // always that of the proxy.
  const server = createServer();
  const endpoint = await listen(server);
  const [shell, ...shellArgs] = [...(isAlone ? ALONE : []), process.execPath, '-'];
  const child = spawn(shell, shellArgs, {
    stdio: ['pipe', 'ignore', 'pipe', 'ipc'],
    // The process is in a separate process group, because Ctrl-C must not end it before the requests in progress are complete.
    detached: true,
    windowsHide: true,
    env: { PATH: process.env['PATH'], ...(process.platform === 'win32' && { SystemRoot: process.env['SystemRoot'] }) },
  });
  const errors: string[] = [];
  child.once('error', ({ message }) => errors.push(message));
  child.stderr!.setEncoding('utf8').on('data', (text: string) => errors.push(text));
  // Writing to the standard input fails if the process could not start. This error is ignored, because the `error` event has the reason.
  child.stdin!.on('error', () => undefined).end(bundled('emulator-door.ts'));
  const ended = new Promise<false>((resolve) => child.once('close', () => resolve(false)));
  const ready = new Promise<true>((resolve) => child.once('message', (_: ReadyMessage) => resolve(true)));
  child.send(door, server, () => server.close());
  const isReady = await Promise.race([ready, ended]);
  if (!isReady) throw new StartError(errors.join('').trim() || `${program.name} did not start: it gave no reason`);
  const fail = () => onFailure(new Error(errors.join('').trim() || `${program.name} ended unexpectedly: it gave no reason`));
  child.once('close', fail);
  return { pid: child.pid!, endpoint, stop: () => stop(child.off('close', fail), ended) };
}

async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  if (child.connected) child.send('stop' satisfies StopMessage);
  const hard = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT);
  await ended;
  clearTimeout(hard);
}
