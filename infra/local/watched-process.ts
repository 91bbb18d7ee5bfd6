import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from './errors';

/**
 * Starts a child process that always ends together with its parent. A watcher reads from a pipe that the parent keeps open. When the pipe
 * closes, the watcher kills the child, so that no orphaned process keeps the data open.
 */

/**
 * The watcher on macOS and Linux. A shell starts a subshell that watches the pipe, and then replaces itself with the child. `umask 077`
 * makes the files that the child creates accessible only to their owner.
 */
const SHELL_WATCH = 'umask 077; (read -r _; kill -9 $$) <&3 >/dev/null 2>&1 & exec "$@" 3<&-';
/** The watcher on other systems. A small node process starts the child, reports its exit code, and kills it when the pipe closes. */
const NODE_WATCH = `
  const { spawn } = require('node:child_process');
  const { createReadStream } = require('node:fs');
  const [command, ...args] = process.argv.slice(1);
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  child.on('error', (error) => { console.error(error.message); process.exit(127); });
  child.on('exit', (code) => process.exit(code ?? 1));
  const kill = () => child.kill('SIGKILL');
  createReadStream('', { fd: 3 }).on('data', () => child.kill()).on('end', kill).on('error', kill);
`;

/** The program that watches the pipe: a shell, or node. */
export type Watch = 'shell' | 'node';
const watchOf = (platform: NodeJS.Platform): Watch => (platform === 'win32' ? 'node' : 'shell');

export interface WatchedProcess {
  readonly pid: number;
  /** Asks the process to end, and kills it after two seconds. */
  stop(): Promise<void>;
}

export interface WatchedOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  /** Additional environment variables of the process. */
  readonly env?: Readonly<Record<string, string>>;
  /** The URL that responds when the process is ready. */
  readonly endpoint: string;
  /** Maximum milliseconds until the process responds. */
  readonly startLimit: number;
  /** The name of the process in error messages. */
  readonly name: string;
  /** Called if the process ends unexpectedly after its start. */
  readonly onFailure: (error: Error) => void;
  readonly watch?: Watch;
}

/**
 * Starts a process and waits until it responds over HTTP.
 *
 * @throws {StartError} with the process's output, if the process does not start
 */
export async function start({
  command,
  args,
  cwd,
  env,
  endpoint,
  startLimit,
  name,
  onFailure,
  watch = watchOf(process.platform),
}: WatchedOptions): Promise<WatchedProcess> {
  const [watcher, before] = watch === 'shell' ? ['/bin/sh', ['-c', SHELL_WATCH, 'sh']] : [process.execPath, ['-e', NODE_WATCH, '--']];
  const child = spawn(watcher, [...before, command, ...args], {
    cwd,
    // File descriptor 3 is the pipe to the watcher. When the pipe closes, the watcher kills the child.
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    // The process is in a separate process group, because Ctrl-C must not end it before the requests in progress are complete.
    detached: true,
    windowsHide: true,
    env: { PATH: process.env['PATH'], ...(process.platform === 'win32' && { SystemRoot: process.env['SystemRoot'] }), ...env },
  });
  const errors: string[] = [];
  const reason = () => errors.join('').trim() || 'it gave no reason';
  child.once('error', ({ message }) => errors.push(message));
  child.once('exit', () => child.stdio[3]?.destroy());
  child.stderr!.setEncoding('utf8').on('data', (text: string) => errors.push(text));
  if (!(await responds(endpoint, child, startLimit))) {
    if (!ended(child)) errors.push(`it did not respond within ${startLimit / 1000} s`);
    await end(child, watch);
    throw new StartError(`${name} did not start: ${reason()}`);
  }
  const fail = () => onFailure(new Error(`${name} ended unexpectedly: ${reason()}`));
  child.once('exit', fail);
  return { pid: child.pid!, stop: () => end(child.off('exit', fail), watch) };
}

const ended = (child: ChildProcess): boolean => child.pid === undefined || child.exitCode !== null || child.signalCode !== null;

async function responds(endpoint: string, child: ChildProcess, limit: number): Promise<boolean> {
  for (const deadline = performance.now() + limit; performance.now() < deadline && !ended(child); ) {
    try {
      await (await fetch(endpoint)).text();
      return true;
    } catch {
      // The request failed because the process does not listen yet, so it is repeated.
      await sleep(10);
    }
  }
  return false;
}

async function end(child: ChildProcess, watch: Watch): Promise<void> {
  if (ended(child)) return;
  const exit = once(child, 'exit');
  // If node watches the pipe, `child` is the watcher. The message `stop` makes the watcher ask the actual process to end. Closing the pipe
  // makes the watcher kill the process.
  const pipe = child.stdio[3];
  if (watch === 'node' && pipe && 'write' in pipe) pipe.write('stop');
  else child.kill('SIGTERM');
  const hard = setTimeout(() => (watch === 'node' ? pipe?.destroy() : child.kill('SIGKILL')), 2000);
  await exit;
  clearTimeout(hard);
}
