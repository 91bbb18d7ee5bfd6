import { createHash, randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { baseUrl, get, newLicense, newProduct, newType, post, send, type Answer } from '../support/http';
import { serveInProcess } from '../support/in-process';
import { runUpdater, type Outcome } from '../support/electron-updater';
import { endpoints } from '../../lambdas/contract';
import { publishRelease, type VendorFile } from '../support/vendor';
import type { CallRequest, CallResult } from '../support/harness';
import { installApp } from './support';
import type { LicenseTypeView, LicenseView, ProductView } from '../../lambdas/contract/resources';

/**
 * Tests the updater of Electron apps with the running service. It must install the newest release that the license covers, and never a
 * release that the license does not cover.
 */

serveInProcess();

let product: ProductView;
let type: LicenseTypeView;
const bytesOf = new Map<string, Buffer>();
const ids = new Map<string, number>();

/** Calls an endpoint by its name. */
async function call(name: string, { params = {}, body }: CallRequest = {}): Promise<CallResult> {
  const { path = '' } = endpoints.find((row) => row.name === name) ?? {};
  const answer = await post(path.replace('{id}', String(params['id'])), body);
  return { ...answer, headers: {}, body: answer.body as CallResult['body'] };
}

/** The block map of a file: the sizes and checksums of its blocks, in electron-builder's format. */
const BLOCK = 4096;
function blockMapOf(bytes: Buffer): Buffer {
  const blocks = Array.from({ length: Math.ceil(bytes.length / BLOCK) }, (_, index) => bytes.subarray(index * BLOCK, (index + 1) * BLOCK));
  const checksums = blocks.map((block) => createHash('sha256').update(block).digest('base64').slice(0, 24));
  return gzipSync(
    JSON.stringify({ version: '2', files: [{ name: 'file', offset: 0, checksums, sizes: blocks.map(({ length }) => length) }] }),
  );
}

async function publish(version: string, fields: object, bytes = randomBytes(20_000)): Promise<void> {
  bytesOf.set(version, bytes);
  const filename = `App-Setup-${version}.exe`;
  const files: VendorFile[] = [
    { filename, platform: 'windows', bytes },
    { filename: `${filename}.blockmap`, platform: 'windows', bytes: blockMapOf(bytes) },
  ];
  ids.set(version, await publishRelease({ productId: product.id, call }, version, fields, files));
}

beforeAll(async () => {
  product = await newProduct();
  type = await newType(product, { kind: 'subscription', duration_days: 3650, downloads_when_expired: false });
  for (const [version, released_at, fields] of [
    ['1.0.0', '2025-01-01', {}],
    ['1.5.0', '2025-06-01', {}],
    ['1.6.0', '2025-07-01', { features: ['pro'] }],
    ['1.7.0', '2025-08-01', {}],
    ['1.10.0', '2025-09-01', {}],
    ['2.0.0', '2026-01-01', {}],
    ['2.1.0-beta.1', '2026-02-01', { channel: 'beta' }],
    ['2.2.0-alpha.1', '2026-03-01', { channel: 'alpha' }],
    ['2.3.0', '2026-04-01', { channel: 'nightly' }],
    ['2.4.0', '2026-05-01', {}],
  ] as const)
    await publish(version, { released_at: `${released_at}T00:00:00Z`, ...fields });
  for (const version of ['1.7.0', '2.4.0']) await post(`/v1/releases/${ids.get(version)}/yank`, { reason: 'Crashes' });
});

const update = (license: Pick<LicenseView, 'key'>, channel = 'stable', version = '1.0.0', installer?: Uint8Array): Promise<Outcome> =>
  runUpdater({
    url: `${baseUrl()}/feeds/${product.slug}/electron/${channel}`,
    version,
    headers: { 'X-License-Key': license.key },
    ...(installer && { installer }),
  });

const UNTIL_JUNE = { updates_until: '2025-06-15T00:00:00Z' };
const UNTIL_JULY = { updates_until: '2025-07-15T00:00:00Z' };
const UNTIL_AUGUST = { updates_until: '2025-08-15T00:00:00Z' };
const MAJOR_1 = { max_major: 1 };
const NOTHING_COVERED = { updates_until: '2020-01-01T00:00:00Z', max_major: 0 };
const PRO = { features: ['pro'] };
const PAST = { expires_at: '2025-07-15T00:00:00Z' };

type Act = 'suspend' | 'revoke' | 'reissue' | 'renew' | undefined;

/**
 * Each case has the license's terms, an action on the license, the channel, and the version that must be installed (or the error that must
 * be reported).
 */
test.each<[string, object, Act, string, string | undefined]>([
  ['no limits', {}, undefined, 'stable', '2.0.0'],
  ['no limits', {}, undefined, 'beta', '2.1.0-beta.1'],
  ['no limits', {}, undefined, 'alpha', '2.2.0-alpha.1'],
  ['no limits', {}, undefined, 'nightly', '2.3.0'],
  ['no limits, a channel without releases', {}, undefined, 'rc', '2.0.0'],
  ['updates until June', UNTIL_JUNE, undefined, 'stable', '1.5.0'],
  ['updates until June', UNTIL_JUNE, undefined, 'beta', '1.5.0'],
  ['updates until June', UNTIL_JUNE, undefined, 'alpha', '1.5.0'],
  ['updates until July, the newest needs a feature', UNTIL_JULY, undefined, 'stable', '1.5.0'],
  ['updates until July, with the feature', { ...UNTIL_JULY, ...PRO }, undefined, 'stable', '1.6.0'],
  ['updates until August, the newest is yanked', UNTIL_AUGUST, undefined, 'stable', '1.5.0'],
  ['updates until August, the newest is yanked, with the feature', { ...UNTIL_AUGUST, ...PRO }, undefined, 'beta', '1.6.0'],
  ['all of version 1', MAJOR_1, undefined, 'stable', '1.10.0'],
  ['all of version 1', MAJOR_1, undefined, 'beta', '1.10.0'],
  ['all of version 1', MAJOR_1, undefined, 'nightly', '1.10.0'],
  [
    'version 1, and updates until February of version 2',
    { ...MAJOR_1, updates_until: '2026-02-15T00:00:00Z' },
    undefined,
    'stable',
    '2.0.0',
  ],
  [
    'version 1, and updates until February of version 2',
    { ...MAJOR_1, updates_until: '2026-02-15T00:00:00Z' },
    undefined,
    'alpha',
    '2.1.0-beta.1',
  ],
  ['version 1, and updates until June', { ...MAJOR_1, ...UNTIL_JUNE }, undefined, 'stable', '1.10.0'],
  ['version 2, and the feature', { max_major: 2, ...PRO }, undefined, 'stable', '2.0.0'],
  ['nothing is covered', NOTHING_COVERED, undefined, 'stable', 'not found'],
  ['nothing is covered', NOTHING_COVERED, undefined, 'alpha', 'not found'],
  ['only what is installed is covered', { updates_until: '2025-02-01T00:00:00Z' }, undefined, 'stable', undefined],
  ['updates that are renewed', UNTIL_JUNE, 'renew', 'stable', '2.0.0'],
  ['a new key', UNTIL_JUNE, 'reissue', 'stable', '1.5.0'],
  ['suspended', {}, 'suspend', 'stable', 'license_suspended'],
  ['suspended', { ...MAJOR_1, ...PRO }, 'suspend', 'beta', 'license_suspended'],
  ['revoked', {}, 'revoke', 'stable', 'license_revoked'],
  ['expired', PAST, undefined, 'stable', 'license_expired'],
  ['expired, with downloads of what was before', { ...PAST, keeps: true }, undefined, 'stable', '1.5.0'],
  ['expired, with downloads of what was before, and the feature', { ...PAST, ...PRO, keeps: true }, undefined, 'alpha', '1.6.0'],
  ['expired, with downloads of what was before and was covered', { ...PAST, ...UNTIL_JUNE, keeps: true }, undefined, 'beta', '1.5.0'],
])('%s (%j, %s), channel %s: %s', async (_case, fields, act, channel, expected) => {
  const { keeps = false, ...terms } = fields as { keeps?: boolean };
  const sold = keeps ? await newType(product, { kind: 'subscription', duration_days: 30, downloads_when_expired: true }) : type;
  let license = await newLicense(sold, terms);
  if (act === 'renew') await post(`/v1/licenses/${license.id}/renew-updates`, { until: '2030-01-01T00:00:00Z' });
  else if (act !== undefined) license = (await post<LicenseView>(`/v1/licenses/${license.id}/${act}`)).body;
  if (expected === 'not found' || expected?.startsWith('license_')) {
    await expect(update(license, channel)).rejects.toMatchObject({
      message: expect.stringContaining(expected === 'not found' ? '404' : expected) as string,
    });
    return;
  }
  const { installs, bytes } = await update(license, channel);
  expect(installs).toBe(expected);
  expect(bytes?.equals(bytesOf.get(expected ?? '') ?? Buffer.alloc(0))).toBe(expected === undefined ? undefined : true);
  // An app whose installed version is not covered can return to a covered version.
  for (const version of bytesOf.keys()) {
    const path = `/feeds/${product.slug}/files/${version}/App-Setup-${version}.exe`;
    const { status }: Answer<unknown> = await send(path, { headers: { 'X-License-Key': license.key } });
    if (version === expected) expect([version, status]).toEqual([version, 302]);
    if (['1.7.0', '2.4.0'].includes(version)) expect([version, status]).toEqual([version, 404]);
  }
});

test('a small change is downloaded in parts by the block map, and the store does not receive the license key after the redirect', async () => {
  const before = randomBytes(400_000);
  const after = Buffer.concat([before.subarray(0, 200_000), randomBytes(BLOCK), before.subarray(200_000 + BLOCK)]);
  await publish('3.0.0', { channel: 'parts' }, before);
  await publish('3.0.1', { channel: 'parts' }, after);
  const license = await newLicense(type);
  const { installs, bytes, requests, log } = await update(license, 'parts', '3.0.0', before);
  expect(installs).toBe('3.0.1');
  expect(bytes?.equals(after)).toBe(true);
  const parts = requests.filter(({ range }) => range !== undefined);
  expect(parts.filter(({ status }) => status === 206).length).toBeGreaterThan(0);
  const whole = requests.filter(({ url, range }) => url.includes('.exe?') && range === undefined && !url.includes('.blockmap'));
  expect({ whole, log }).toMatchObject({ whole: [] });
  expect(log).not.toMatch(/fallback to full/i);
});

test.each<[string, object, string | undefined]>([
  ['staged-10', { staging_percentage: 10 }, undefined],
  ['staged-50', { staging_percentage: 50 }, '4.0.1'],
  ['newer-system', { minimum_system_version: { windows: '99.0.0' } }, undefined],
  ['older-system', { minimum_system_version: { windows: '1.0.0', macos: '99.0.0' } }, '4.0.3'],
])('channel %s: an app whose random number is 0.25 finds a release with %j: %s', async (channel, fields, expected) => {
  const version = `4.0.${['staged-10', 'staged-50', 'newer-system', 'older-system'].indexOf(channel)}`;
  await publish(version, { channel, ...fields });
  expect((await update(await newLicense(type), channel, '3.5.0')).installs).toBe(expected);
});

test('the downloads of an app are counted', async () => {
  const { body } = await get<{ downloads: { version: string; total: number }[] }>(`/v1/products/${product.id}/overview?days=1`);
  expect(body.downloads.map(({ version }) => version)).toEqual(expect.arrayContaining(['2.0.0', '1.5.0']));
  expect(body.downloads.every(({ total }) => total > 0)).toBe(true);
});

test('an app asks its client for the newest covered release, which it then downloads as a whole', async () => {
  const license = await newLicense(type, MAJOR_1);
  const { client } = installApp(product, { release: { version: '1.5.0' } });
  expect(await client.latest()).toMatchObject({ status: 'failed', fault: { kind: 'rejected' } });
  await client.activate(license.key);
  const found = await client.latest({ platform: 'windows', arch: 'x64' });
  if (found.status !== 'latest') throw new Error(found.fault.message);
  expect(found).toMatchObject({ update: { version: '1.10.0', channel: 'stable' }, newest: { version: '2.0.0', covered: false } });
  const file = found.update?.artifacts.find(({ filename }) => filename.endsWith('.exe'));
  const bytes = Buffer.from(await (await fetch(file?.url ?? '', { headers: found.headers })).arrayBuffer());
  expect([bytes.length, createHash('sha256').update(bytes).digest('hex')]).toEqual([file?.size, file?.sha256]);
  expect(await client.latest({ version: '1.10.0' })).toMatchObject({ status: 'latest', update: null });

  await post(`/v1/licenses/${license.id}/suspend`);
  const refused = await client.latest();
  expect(refused).toMatchObject({ status: 'failed', fault: { kind: 'rejected' } });
  expect(JSON.stringify(refused)).toContain('license_suspended');
  expect(client.state).toMatchObject({ status: 'licensed' });
});
