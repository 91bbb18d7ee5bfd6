import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ACCOUNT } from '../support/permissions';

const requirements = join(__dirname, 'requirements.txt');

const run = (command: string, ...args: string[]): boolean =>
  spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;

/**
 * Returns the Python of a virtual environment with moto, or undefined if this computer has no Python 3.11 with `venv`. The environment is
 * in the folder for temporary files. It is installed once for each version of requirements.txt.
 */
export function pythonWithMoto(): string | undefined {
  const system = process.env['PYTHON3'] ?? 'python3';
  if (!run(system, '-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))')) return undefined;
  const version = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const folder = join(tmpdir(), `license-key-service-moto-${version}`);
  const python = join(folder, 'bin/python');
  if (existsSync(python)) return python;
  console.log(`Installing moto in ${folder}`);
  const unfinished = `${folder}.${process.pid}`;
  try {
    // `--copies` and `python -m pip`: the environment still works after the folder is renamed.
    const made = run(system, '-m', 'venv', '--copies', unfinished);
    if (!made || !run(join(unfinished, 'bin/python'), '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements))
      throw new Error('moto could not be installed; the messages above say why');
    renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return python;
}

/** A running emulator of AWS. */
export interface Emulator {
  readonly python: string;
  readonly endpoint: string;
  /** The file with the logs of the functions. */
  readonly log: string;
  /** Stops the emulator and all instances of functions. */
  stop(): void;
}

/**
 * Starts an empty emulator at a free port.
 *
 * @param options.folder an existing folder for the code and the logs of the functions
 * @param options.functionsEndpoint the URL to which the functions send their requests to AWS
 */
export async function startEmulator(python: string, options: { folder: string; functionsEndpoint: string }): Promise<Emulator> {
  const folder = join(options.folder, 'functions');
  const child = spawn(python, [join(__dirname, 'moto_server.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      ...process.env,
      MOTO_ACCOUNT_ID: ACCOUNT,
      NODE: process.execPath,
      FUNCTIONS_FOLDER: folder,
      FUNCTIONS_ENDPOINT: options.functionsEndpoint,
    },
  });
  const stop = (): void => void child.kill();
  for await (const port of createInterface({ input: child.stdout }))
    return { python, endpoint: `http://127.0.0.1:${port}`, log: join(folder, 'log'), stop };
  throw new Error('The emulator of AWS did not start; the messages above say why');
}
