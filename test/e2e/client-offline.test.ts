import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { LicenseState } from '../../client/src';
import { fileStorage } from '../../client/src/node';
import { MEMORY } from '../../infra/local/data-dir';
import type { LicenseTypeView, LicenseView, ProductView } from '../../lambdas/contract/resources';
import { compileExample } from '../support/example';
import { adminToken, baseUrl, newShop, send } from '../support/http';
import { startStackChild, type StackChild } from '../support/stack-child';
import { DAY, installApp } from '../client/support';

/** Starts and stops the service while apps use it. */

const root = resolve(__dirname, '../..');
const folders: string[] = [];
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'lks-offline-'));
  folders.push(folder);
  return folder;
};
let stack: StackChild | undefined;
afterEach(async () => {
  await stack?.stop();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
const startStack = async (): Promise<StackChild> => (stack = await startStackChild(MEMORY));

test('an app stays licensed while the service is down, until its token and its grace end', async () => {
  const { baseUrl: own, adminToken: token, stop } = await startStack();
  const admin = async <Body>(path: string, body: object = {}): Promise<Body> =>
    (await send<Body>(path, { baseUrl: own, method: 'POST', body, headers: { 'X-Svc-Admin-Token': token } })).body;
  const product = await admin<ProductView>('/v1/products', { name: 'Offline', slug: 'offline' });
  const type = await admin<LicenseTypeView>(`/v1/products/${product.id}/license-types`, { name: 'Lifetime', kind: 'lifetime' });
  const license = await admin<LicenseView>(`/v1/products/${product.id}/licenses`, { license_type_id: type.id });

  const storage = fileStorage(newFolder());
  const device = installApp(product, { baseUrl: own, storage, timeoutMs: 2000 });
  expect(await device.client.activate(license.key)).toMatchObject({ status: 'licensed', source: 'network' });
  await device.client.idle();
  await admin(`/v1/licenses/${license.id}/revoke`);
  const check = async (days: number, graceDays = 0): Promise<LicenseState> => {
    const { client } = device.restart({ graceDays, now: () => Date.now() + days * DAY });
    const state = await client.check();
    // The client must finish writing its file before the test deletes the folder.
    await client.idle();
    return state;
  };
  // A revoked license works until its token expires. The app asks the service in the background after half of the token's lifetime.
  expect(await check(0)).toMatchObject({ status: 'licensed', source: 'cache' });

  await stop();
  expect(await check(0)).toMatchObject({ status: 'licensed', source: 'cache' });
  expect(await device.restart().client.validate()).toMatchObject({ status: 'licensed', source: 'cache', fault: { kind: 'unreachable' } });
  expect(await check(8, 3)).toMatchObject({ status: 'licensed', source: 'grace' });
  expect(await check(8)).toMatchObject({ status: 'offline_without_token', reason: 'expired' });
});

test('a revoked app is refused by the service after its token has expired', async () => {
  const { product, license } = await newShop();
  const device = installApp(product);
  await device.client.activate(license.key);
  await device.client.idle();
  await send(`/v1/licenses/${license.id}/revoke`, { method: 'POST', headers: { 'X-Svc-Admin-Token': adminToken() } });
  const { client } = device.restart({ graceDays: 30, now: () => Date.now() + 8 * DAY });
  expect(await client.check()).toEqual({ status: 'revoked' });
});

describe('the page of the TypeScript example', () => {
  const page = readFileSync(join(root, 'client/example/README.md'), 'utf8');
  const blocks = [...page.matchAll(/```bash( offline)?\n(.*?)```/gs)].map(([, offline, lines = '']) => ({
    isOffline: offline !== undefined,
    lines,
  }));

  test('the example works as its page describes, from the setup to the last state', async () => {
    const folder = newFolder();
    const own = await startStack();
    const example = compileExample(newFolder());
    let variables = '';
    const paste = async (lines: string, environment: Record<string, string>): Promise<string> => {
      const text = lines.replace(/^export BASE=.*$/m, '').replaceAll('client/example/.local', folder);
      const script = `app() { node '${example}' "$@"; }\n${variables}\n${text.replace(/^app\(\) .*$/m, '')}\necho; echo "VARIABLES"; declare -p KEY OFFLINE_TOKEN 2>/dev/null || true`;
      const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
        cwd: root,
        env: { ...process.env, EXAMPLE_DIR: folder, ...environment },
      });
      expect(stderr).toBe('');
      const [printed = '', declared = ''] = stdout.split('\nVARIABLES\n');
      variables = declared;
      return printed;
    };
    const online = blocks.slice(0, -1).filter(({ isOffline }) => !isOffline);
    const here = { BASE: own.baseUrl, SVC_ADMIN_TOKEN: own.adminToken };

    const first = await paste(online.map(({ lines }) => lines).join('\n'), here);
    expect(first.match(/^(Licensed|Not activated).*?(?=[,:])/gm)).toEqual([
      'Not activated',
      'Licensed (subscription',
      'Licensed (subscription',
      'Not activated',
      'Licensed (subscription',
    ]);
    expect(first).toContain('by network');
    expect(first).toContain('by cache');

    await own.stop();
    const second = await paste(
      blocks
        .filter(({ isOffline }) => isOffline)
        .map(({ lines }) => lines)
        .join('\n'),
      here,
    );
    expect(second.trim().split('\n')).toEqual([
      expect.stringContaining('by cache'),
      expect.stringContaining('by cache'),
      expect.stringContaining('by grace'),
      expect.stringContaining('(expired)'),
      expect.stringContaining('(clock_rolled_back)'),
      expect.stringContaining('by cache'),
      expect.stringContaining('by cache'),
    ]);

    const states = await paste(blocks.at(-1)?.lines ?? '', { BASE: baseUrl(), SVC_ADMIN_TOKEN: adminToken() });
    expect([...states.matchAll(/^(\S+(?: \(\w+\))?) {2,}\S/gm)].map(([, state]) => state)).toEqual([
      'unbound',
      'unknown_key',
      'licensed (network)',
      'licensed (cache)',
      'licensed (grace)',
      'offline_without_token',
      'no_seats',
      'unbound',
      'revoked',
      'expired',
    ]);
  });

  test('the page names the command from package.json', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
    expect(scripts['example']).toBe('node --import tsx client/example/app.ts');
    expect(page).toContain('npm run --silent example -- "$@"');
  });
});
