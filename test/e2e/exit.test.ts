import { execFile, spawn } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { memoryStorage } from '../../client/src';
import type { AuditEntryView } from '../../lambdas/contract/audit';
import type { LicenseTypeView, LicenseView, ProductView } from '../../lambdas/contract/resources';
import { installApp } from '../client/support';
import { stopBeforeRemoval, temporaryFolder } from '../infra/local/support';
import { commandsOf } from '../support/document-commands';
import { send } from '../support/http';
import { declaredLogo, png } from '../support/png';
import { bundledCli } from '../support/program';
import { upload, type Upload } from '../support/releases';
import { root } from '../support/repository';
import { startStackChild, type StackChild } from '../support/stack-child';

/**
 * Moves a deployment to an empty one, with the commands of docs/exit.md. If this fails, a vendor who leaves breaks the apps of all customers.
 */

const cli = bundledCli();
const folder = temporaryFolder();
const keys = join(folder, 'keys.pem');
const PASSPHRASE = 'a long and random passphrase';
let [from, to]: StackChild[] = [];
beforeAll(async () => {
  [from, to] = await Promise.all(['from', 'to'].map((name) => startStackChild(join(folder, name))));
}, 60_000);
stopBeforeRemoval(() => Promise.all([from?.stop(), to?.stop()]).then(() => undefined));

const stackOf = (stack: StackChild | undefined): StackChild => {
  if (!stack) throw new Error('The local run did not start');
  return stack;
};

async function run(stack: StackChild | undefined, ...args: string[]): Promise<{ code: number | null; out: string; errors: string }> {
  const { baseUrl, adminToken } = stackOf(stack);
  const child = spawn(process.execPath, [cli, ...args, '--base-url', baseUrl], {
    cwd: root,
    env: { PATH: process.env['PATH'], SVC_ADMIN_TOKEN: adminToken, SVC_KEYS_PASSPHRASE: PASSPHRASE },
  });
  let [out, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (errors += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, errors };
}

async function admin<Body>(stack: StackChild | undefined, method: string, path: string, body?: unknown): Promise<Body> {
  const { baseUrl, adminToken } = stackOf(stack);
  const response = await send<Body>(path, { method, body, baseUrl, headers: { 'X-Svc-Admin-Token': adminToken } });
  if (response.status >= 300) throw new Error(`${method} ${path} is ${response.status}: ${response.text}`);
  return response.body;
}

const actionsOf = async (stack: StackChild | undefined): Promise<string[]> =>
  (await admin<AuditEntryView[]>(stack, 'GET', '/v1/audit?product_id=1')).map(({ action }) => action);

test('an app that was activated before the move continues without noticing it', async () => {
  const product = await admin<ProductView>(from, 'POST', '/v1/products', { name: 'Aurora', slug: 'aurora' });
  const type = await admin<LicenseTypeView>(from, 'POST', '/v1/products/1/license-types', { name: 'Pro', kind: 'lifetime', max_seats: 1 });
  const { key, id } = await admin<LicenseView>(from, 'POST', '/v1/products/1/licenses', { license_type_id: type.id });
  await admin(from, 'POST', '/v1/products/1/signing-keys');
  const image = png(64, 16);
  const { upload: target } = await admin<{ upload: Upload }>(from, 'POST', '/v1/products/1/portal/logo', declaredLogo(image));
  expect((await upload(target, image)).status).toBe(200);
  await admin(from, 'POST', '/v1/products/1/portal', { logo: declaredLogo(image).sha256 });
  let baseUrl = stackOf(from).baseUrl;
  // The vendor's domain name points to the old deployment, and later to the new one.
  const domain = 'http://licenses.example';
  const device = installApp(product, {
    baseUrl: domain,
    audience: product.slug,
    storage: memoryStorage(),
    fetch: (url, init) => fetch(String(url).replace(domain, baseUrl), init),
  });
  expect((await device.client.activate(key)).status).toBe('licensed');
  const { token: oldToken } = await admin<{ token: string }>(from, 'POST', `/v1/licenses/${id}/offline`, {});

  const script = commandsOf('docs/exit.md')
    .replace(/^export OLD=.*$/m, '')
    .replace(/^rm .*$/m, '');
  await promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', `license-key-service() { node ${cli} "$@"; }\n${script}`], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      OLD: stackOf(from).baseUrl,
      OLD_TOKEN: stackOf(from).adminToken,
      NEW: stackOf(to).baseUrl,
      NEW_TOKEN: stackOf(to).adminToken,
    },
  });
  expect(statSync(keys).mode & 0o077).toBe(0);
  const moved = await admin<{ status: string }[]>(to, 'GET', '/v1/products/1/signing-keys');
  expect(moved.map(({ status }) => status)).toEqual(['current', 'next', 'previous']);

  const { logo } = await admin<{ logo: { path: string; width: number } | null }>(to, 'GET', '/v1/products/1/portal');
  expect(logo?.width).toBe(64);
  const copy = await fetch(stackOf(to).baseUrl + logo!.path);
  expect(Buffer.from(await copy.arrayBuffer()).equals(image)).toBe(true);

  const before = device.requests.length;
  baseUrl = stackOf(to).baseUrl;
  await stackOf(from).stop();
  const restarted = device.restart();
  expect(await restarted.client.validate()).toMatchObject({ status: 'licensed', source: 'network' });
  expect(device.requests.slice(before).concat(restarted.requests)).not.toContain('activate');
  expect(await admin<ProductView>(to, 'GET', '/v1/products/1')).toMatchObject({ api_key: product.api_key, public_key: product.public_key });
  const { keys: jwks } = await admin<{ keys: { kid: string }[] }>(to, 'GET', '/v1/products/1/jwks.json');
  expect(jwks.map(({ kid }) => kid)).toContain(
    (JSON.parse(Buffer.from(oldToken.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }).kid,
  );
}, 120_000);

test.each([
  [['import', '--product', '1', join(folder, 'none.pem')], /no such file/],
  [['export', '--product', '99', join(folder, 'other.pem')], /There is no such product/],
  [['import', '--product', '1', join(root, 'package.json')], /must contain one key with the status current, and contains 0/],
])('keys %p fails with a sentence', async (args, sentence) => {
  const { code, errors } = await run(to, 'keys', ...args);
  expect([code, errors]).toEqual([1, expect.stringMatching(sentence)]);
});

test('an export is an encrypted file in a standard format, which only its passphrase opens', async () => {
  expect(await run(to, 'keys', 'export', '--product', '1', keys)).toMatchObject({ code: 0, errors: '' });
  const [block = ''] = /-----BEGIN ENCRYPTED[^]*?-----END[^\n]+/.exec(readFileSync(keys, 'utf8')) ?? [];
  expect(createPrivateKey({ key: block, passphrase: PASSPHRASE }).asymmetricKeyType).toBe('ed25519');
  const [wrong, short] = ['wrong', 'short'].map((name) => join(folder, name)) as [string, string];
  writeFileSync(wrong, 'another long passphrase');
  writeFileSync(short, 'short');
  expect(await run(to, 'keys', 'import', '--product', '1', '--passphrase-file', wrong, keys)).toMatchObject({
    code: 1,
    errors: expect.stringContaining('The passphrase is wrong') as string,
  });
  expect(await run(to, 'keys', 'export', '--product', '1', '--passphrase-file', short, keys)).toMatchObject({ code: 2 });
  const before = await admin(to, 'GET', '/v1/products/1/signing-keys');
  expect(await run(to, 'keys', 'import', '--product', '1', '--json', keys)).toMatchObject({
    code: 0,
    out: `${JSON.stringify({ keys: before })}\n`,
  });
  expect(await actionsOf(to)).toEqual(expect.arrayContaining(['exportSigningKeys', 'importSigningKeys']));
});
