import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { temporaryFolder } from '../infra/local/support';
import { compileExample } from '../support/example';
import { baseUrl } from '../support/http';
import { bundledProgram } from '../support/program';
import { root } from '../support/repository';

/** Tests how the commands of package.json react to wrong arguments: a user must learn from one sentence what to correct. */

const commands = ['licenses', 'mcp', 'receiver', 'releases', 'reseal', 'sell', 'smoke'] as const;
type Command = (typeof commands)[number] | 'example';
/** The commands that need an admin token. */
const readers: readonly Command[] = ['licenses', 'mcp', 'releases', 'reseal', 'smoke'];
const programs = {
  ...(Object.fromEntries(commands.map((name) => [name, bundledProgram(`bin/${name}.ts`)])) as Record<(typeof commands)[number], string>),
  example: compileExample(temporaryFolder()),
};

/** The help of a command with an admin token says that a file is a safer place for the token than the command line. */
const SAFE_TOKEN = /environment's SVC_ADMIN_TOKEN[^]*--admin-token-file [^]*--admin-token [^]*other users/;

async function run(command: Command, args: readonly string[]): Promise<{ code: number | null; out: string; errors: string }> {
  const child = spawn(process.execPath, [programs[command], ...args], {
    cwd: root,
    env: { PATH: process.env['PATH'], SVC_ADMIN_TOKEN: 'wrong' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 30_000,
  });
  let [out, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (errors += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, errors };
}

test.each(commands)('npm run %s shows its options, and names an option that it does not have', async (command) => {
  const help = await run(command, ['--help']);
  expect(help).toEqual({ code: 0, out: expect.stringContaining('npm run '), errors: '' });
  if (readers.includes(command)) expect(help.out).toMatch(SAFE_TOKEN);
  const { code, out, errors } = await run(command, ['--nope']);
  expect([code === 0, out, errors.split('\n')[0]]).toEqual([false, '', expect.stringContaining("Unknown option '--nope'")]);
  expect(errors).not.toContain('node:internal');
});

const nobody = 'http://127.0.0.1:9';
const noResponse = `There is no response from ${nobody}: bad port`;
const notAccepted = 'The service does not accept this admin token.';
const noAddress = '--base-url must be an address that begins with http:// or https://.';
const sale = ['--processor', 'gumroad', '--url', nobody];
const upload = ['publish', '--product', '1', '--version', '1.0.0', '--target', 'package.json=macos/arm64', join(root, 'package.json')];

test.each<[Command, readonly string[] | (() => readonly string[]), string]>([
  ['receiver', [], "The webhook's secret is needed: set WEBHOOK_SECRET."],
  ['receiver', ['--secret', 'x', '--port', '99999'], '--port must be a whole number from 0 to 65535, not "99999".'],
  ['receiver', ['--secret', 'x', '--port', 'text'], '--port must be a whole number from 0 to 65535, not "text".'],
  ['receiver', ['--secret', 'x', '--fail=-3'], '--fail must be a whole number from 0 to 1000, not "-3".'],
  ['sell', [...sale, '--serve-api', '99999'], '--serve-api must be a whole number from 0 to 65535.'],
  ['sell', [...sale, '--count', '99999999999'], '--count must be a whole number from 1 to 1000000.'],
  ['smoke', [], '--base-url is needed: the address of the service.'],
  ['smoke', ['--base-url', 'localhost:8787'], noAddress],
  ['reseal', ['--base-url', 'localhost:8787'], noAddress],
  ['reseal', ['--base-url', nobody], noResponse],
  ['reseal', () => ['--base-url', baseUrl()], notAccepted],
  ['licenses', ['export', '--product', '1', '--base-url', nobody], noResponse],
  ['licenses', () => ['export', '--product', '1', '--base-url', baseUrl()], notAccepted],
  [
    'licenses',
    () => ['export', '--product', '1', '--base-url', `${baseUrl()}/docs`],
    'is not the address of this service: the status is 404.',
  ],
  ['releases', [...upload, '--base-url', nobody], noResponse],
  ['releases', () => [...upload, '--base-url', baseUrl()], notAccepted],
  ['example', ['check', '--days-ahead', 'tomorrow'], '--days-ahead must be a whole number from 0 to 999999.'],
  ['example', ['check', '--day-ahead', '1'], "Unknown option '--day-ahead'"],
])('npm run %s with %p fails with the sentence %p', async (command, args, sentence) => {
  const { code, errors } = await run(command, typeof args === 'function' ? args() : args);
  expect([code === 0, errors.split('\n')[0]]).toEqual([false, expect.stringContaining(sentence)]);
  expect(errors).not.toContain('node:internal');
});
