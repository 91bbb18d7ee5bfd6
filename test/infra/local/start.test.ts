import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { start } from '../../../infra/local/stack';
import { temporaryFolder, until } from './support';

/** All that a start may print to the error output: one line, if this version of Node.js is too old. */
const NODE_WARNING = /^(Node\.js [\d.]+ gets no security updates[^\n]*\n)?$/;

/** Runs `npm start` with the given environment and arguments, in a separate process group. */
class Run {
  readonly child: ChildProcess;
  out = '';
  errors = '';

  constructor(env: Readonly<Record<string, string>>, args: readonly string[] = []) {
    this.child = spawn(process.execPath, ['--require', 'tsx/cjs', 'bin/cli.ts', 'start', ...args], {
      cwd: resolve(__dirname, '../../..'),
      env: { PATH: process.env['PATH'], PORT: '0', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.child.stdout!.setEncoding('utf8').on('data', (text: string) => (this.out += text));
    this.child.stderr!.setEncoding('utf8').on('data', (text: string) => (this.errors += text));
    runs.push(this);
  }

  get ended(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Waits until the process has ended. @returns its exit code */
  async end(): Promise<number | null> {
    if (!this.ended) await once(this.child, 'exit');
    return this.child.exitCode;
  }

  signal(name: NodeJS.Signals): void {
    process.kill(-this.child.pid!, name);
  }

  /** Waits until the service accepts requests. */
  async up(): Promise<{ baseUrl: string; token: string }> {
    await until(() => {
      if (this.ended) throw new Error(`It ended: ${this.errors}`);
      return this.out.includes('Ctrl-C stops it.');
    });
    const field = (name: string) => new RegExp(`^ *${name} +(\\S+)$`, 'm').exec(this.out)![1]!;
    return { baseUrl: field('Base URL'), token: field('Admin token') };
  }
}

/** The ids of the processes that a process has started, by the names of the processes. */
const startedBy = (pid: number): ReadonlyMap<string, number> =>
  new Map(
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .split(' ')
      .filter(Boolean)
      .map((id) => [readFileSync(`/proc/${id}/comm`, 'utf8').trim(), Number(id)]),
  );

const runs: Run[] = [];
afterAll(() => {
  for (const run of runs) if (!run.ended) run.signal('SIGKILL');
});

test('npm start ends with one sentence if a setting is invalid', async () => {
  const run = new Run({ PORT: 'http' });
  expect(await run.end()).toBe(1);
  expect(run.errors).toBe('PORT="http" is not a port: give a number from 1 to 65535, or 0 for any free port.\n');
});

// Otherwise a user would believe that the service listens at the port of the argument.
test('npm start refuses arguments, because its settings are environment variables', async () => {
  const run = new Run({ DATA_DIR: ':memory:' }, ['--port', '9000']);
  expect(await run.end()).toBe(2);
  expect(run.errors).toContain("unknown option '--port'");
  const help = new Run({ DATA_DIR: ':memory:' }, ['--help']);
  expect(await help.end()).toBe(0);
  expect(help.out).toContain('environment variables');
});

test.each(['SIGINT', 'SIGTERM'] as const)('%s during the start ends npm start at once', async (signal) => {
  const run = new Run({ DATA_DIR: ':memory:' });
  await until(() => run.out.includes('Starting'), 60_000);
  run.signal(signal);
  expect(await run.end()).toBe(0);
  expect(run.errors).toMatch(NODE_WARNING);
});

// A script that starts the service must learn from the exit status that the service is not running. The processes are found in /proc.
(process.platform === 'linux' ? test : test.skip)('npm start ends if the database ends', async () => {
  const run = new Run({ DATA_DIR: ':memory:' });
  await run.up();
  process.kill(startedBy(run.child.pid!).get('dynoxide')!, 'SIGKILL');
  expect(await run.end()).toBe(1);
  expect(run.errors).toMatch(/^(Node\.js .*\n)?The database emulator ended unexpectedly/);
});

// One test checks all of this, because a start takes seconds of processor time.
test('npm start locks its data folder, keeps its data after kill -9, lets only the owner read it, and stops cleanly', async () => {
  const DATA_DIR = join(temporaryFolder(), 'data');
  const first = new Run({ DATA_DIR, MAIL_FROM: 'licenses@example.com' });
  const { baseUrl, token } = await first.up();
  expect((await fetch(`${baseUrl}/admin`)).status).toBe(200);
  expect(first.out).toContain(`Admin page   ${baseUrl}/admin\n`);
  // The warning about an old Node.js has one line, and the SDK prints no other.
  expect(first.errors).toMatch(NODE_WARNING);
  expect((await fetch(/^ *Mailbox +(\S+)$/m.exec(first.out)![1]!)).status).toBe(200);
  expect((await fetch(`${baseUrl}/healthz`)).status).toBe(200);
  const headers = { 'X-Svc-Admin-Token': token };
  const created = { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body: '{"name":"Kept","slug":"kept"}' };
  expect((await fetch(`${baseUrl}/v1/products`, created)).status).toBe(201);
  for (const name of readdirSync(DATA_DIR, { recursive: true, encoding: 'utf8' }))
    expect([name, statSync(join(DATA_DIR, name)).mode & 0o077]).toEqual([name, 0]);

  const second = new Run({ DATA_DIR });
  expect(await second.end()).toBe(1);
  expect(second.errors).toContain(
    `DATA_DIR "${DATA_DIR}" is in use by another local run: stop that run, or set DATA_DIR to another folder.\n`,
  );

  // Only `npm start` itself is killed. Its database must end with it, because otherwise no other run could use the data.
  first.child.kill('SIGKILL');
  await first.end();
  const third = new Run({ DATA_DIR, SVC_ADMIN_TOKEN: '' });
  const again = await third.up();
  expect(again.token).toBe(token);
  expect(await (await fetch(`${again.baseUrl}/v1/products`, { headers })).json()).toMatchObject([{ name: 'Kept' }]);
  // The terminal has already sent the signal to the process, and npm sends it a second time.
  third.signal('SIGINT');
  third.signal('SIGINT');
  expect(await third.end()).toBe(0);
  await expect(fetch(again.baseUrl)).rejects.toThrow();

  // With new keys, the service would hide the products, and encrypt further data with other keys.
  rmSync(join(DATA_DIR, 'secrets.json'));
  await expect(start({ dataDir: DATA_DIR })).rejects.toThrow(
    /^DATA_DIR ".*" contains products, but secrets\.json has no key to decrypt them\./,
  );
  expect(existsSync(join(DATA_DIR, 'secrets.json'))).toBe(false);
});
