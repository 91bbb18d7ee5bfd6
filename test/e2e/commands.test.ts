import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { temporaryFolder } from '../infra/local/support';
import { compileExample } from '../support/example';
import { baseUrl } from '../support/http';
import { bundledCli } from '../support/program';
import { root } from '../support/repository';

/** Tests how the commands react to wrong arguments: a user must learn from one sentence what to correct. */

const cli = bundledCli();
const example = compileExample(temporaryFolder());

/** The help of a command with an admin token says that a file is a safer place for the token than the command line. */
const SAFE_TOKEN = /--admin-token-file [^]*--admin-token [^]*other users[^]*SVC_ADMIN_TOKEN/;

async function run(command: string, args: readonly string[]): Promise<{ code: number | null; out: string; errors: string }> {
  const child = spawn(process.execPath, [...(command === 'example' ? [example] : [cli, command]), ...args], {
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

/** Each use of a command that has options of its own. `help` shows that the list is complete. */
const uses = [
  'start',
  'deploy',
  'diff',
  'destroy',
  'licenses export',
  'licenses import',
  'releases publish',
  'releases edit',
  'sell',
  'receiver',
  'mcp',
  'smoke',
  'keys export',
  'keys import',
  'reseal',
];

test('the help names every command', async () => {
  const { code, out } = await run('help', []);
  const names = [...out.matchAll(/^  ([a-z]+) {2,}[A-Z]/gm)].map(([, name]) => name);
  expect([code, names]).toEqual([0, [...new Set(uses.map((use) => use.split(' ')[0]))]]);
});

test.each(uses)('%s shows its options with an example, and names an option that it does not have', async (use) => {
  const [command = '', ...subcommand] = use.split(' ');
  const help = await run(command, [...subcommand, '--help']);
  expect(help).toEqual({ code: 0, out: expect.stringMatching(`\nExamples:\n  .*license-key-service ${use}`), errors: '' });
  if (help.out.includes('--base-url')) expect(help.out).toMatch(SAFE_TOKEN);
  const { code, out, errors } = await run(command, [...subcommand, '--nope']);
  expect([code, out, errors]).toEqual([
    2,
    '',
    expect.stringMatching(/^error: (unknown option '--nope'|.* not specified|missing required)/),
  ]);
});

const nobody = 'http://127.0.0.1:9';
const noResponse = `There is no response from ${nobody}: bad port`;
const notAccepted = 'The service does not accept this admin token.';
const noAddress = 'It must be an address that begins with http:// or https://.';
const sale = ['--processor', 'gumroad', '--url', nobody];
const upload = ['publish', '--product', '1', '--version', '1.0.0', '--target', 'package.json=macos/arm64', join(root, 'package.json')];

test.each<[string, readonly string[] | (() => readonly string[]), string]>([
  ['receiver', [], "The webhook's secret is needed: set WEBHOOK_SECRET."],
  ['receiver', ['--secret', 'x', '--port', '99999'], 'It must be a whole number from 0 to 65535.'],
  ['receiver', ['--secret', 'x', '--port', 'text'], 'It must be a whole number from 0 to 65535.'],
  ['receiver', ['--secret', 'x', '--fail=-3'], 'It must be a whole number from 0 to 1000.'],
  ['sell', [...sale, '--serve-api', '99999'], 'It must be a whole number from 0 to 65535.'],
  ['sell', [...sale, '--count', '99999999999'], 'It must be a whole number from 1 to 1000000.'],
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
])('%s with %p fails with the sentence %p', async (command, args, sentence) => {
  const { code, errors } = await run(command, typeof args === 'function' ? args() : args);
  expect([code === 0, errors.split('\n')[0]]).toEqual([false, expect.stringContaining(sentence)]);
  expect(errors).not.toContain('node:internal');
});
