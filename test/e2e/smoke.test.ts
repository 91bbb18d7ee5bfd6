import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { adminToken, baseUrl } from '../support/http';
import { bundledCli } from '../support/program';

const program = bundledCli();

/** Runs `npm run smoke` as described in docs/deploy.md. */
async function smoke(...args: string[]): Promise<{ code: number | null; output: string }> {
  const env = { ...process.env, SVC_ADMIN_TOKEN: adminToken() };
  const child = spawn(process.execPath, [program, 'smoke', ...args], { cwd: resolve(__dirname, '../..'), env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => void (output += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

test('the smoke test passes against a running service repeatedly, with a webhook and without', async () => {
  const received: string[] = [];
  const receiver = createServer((request, response) => {
    received.push(String(request.headers['x-svc-event']));
    request.resume().on('end', () => response.end());
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const webhook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const target = ['--base-url', `${baseUrl()}/`];

  const first = await smoke(...target);
  expect(first).toEqual({ code: 0, output: expect.stringMatching(/skipped[^]*All checks passed\.\n$/) });
  const { code, output } = await smoke(...target, '--webhook-url', webhook, '--json');
  const { passed, failure, commands } = JSON.parse(output) as { passed: { check: string }[]; failure: unknown; commands: unknown };
  expect([code, failure, commands]).toEqual([0, null, []]);
  expect(passed.map(({ check }) => check)).toContain("every change's event was delivered");
  const changes = [
    'license.activated',
    'license.activated',
    'license.created',
    'license.deactivated',
    'license.renewed',
    'license.reset',
    'license.revoked',
  ];
  expect(received.filter((event) => changes.includes(event)).sort()).toEqual(changes.sort());
  receiver.close();
});

test.each([
  [
    'a wrong token',
    () => ['--base-url', baseUrl(), '--admin-token', 'wrong'],
    /FAILED the product of this test exists: .*responded with 401/,
  ],
  ['nobody there', () => ['--base-url', 'http://127.0.0.1:9', '--admin-token', 'any'], /FAILED the service is alive, .*: fetch failed/],
  [
    'a program that reads the result of a test without a service',
    () => ['--base-url', 'http://127.0.0.1:9', '--json'],
    /^\{"passed":\[\],"failure":"the service is alive, .*","commands":\[\]\}\n$/,
  ],
])('%s ends the smoke test with an error message', async (_case, args, sentence) => {
  const { code, output } = await smoke(...args());
  expect([code, output]).toEqual([1, expect.stringMatching(sentence)]);
});
