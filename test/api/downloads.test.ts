import type { CatalogueEntry } from '../../lambdas/domain/releases/catalogue';
import { catalogueKey, licenseIdKey } from '../../lambdas/store/keys';
import { packCatalogue, putCatalogue, toCatalogue } from '../../lambdas/store/releases/catalogue';
import { deleteItem, getItem } from '../../lambdas/store/items';
import { transact } from '../../lambdas/store/transaction';
import { meter } from '../support/capacity';
import { startFiles, type TestFiles } from '../support/files';
import type { CallResult } from '../support/harness';
import { captureLogs } from '../support/logs';
import { anotherInstance, closeShops, openShop, type Shop } from '../support/shop';
import { clockStart } from '../support/start';
import { publishRelease, type VendorFile } from '../support/vendor';

/**
 * Tests which releases updaters receive (docs/spec/releases.md, Downloads): only releases that the license covers. An app with a release
 * that is not covered must always be able to return to a covered release.
 */

const logs = captureLogs();
const DAY = 86_400_000;
let store: TestFiles;
let shop: Shop;
/** The shop's time in epoch ms. The file store uses it to check whether links have expired. */
let now = clockStart;
let slug: string;
beforeAll(async () => {
  store = await startFiles(now);
});
afterAll(() => store.close());
beforeEach(async () => {
  shop = await openShop({ kind: 'subscription', duration_days: 30 }, { files: store.files });
  now = shop.now;
  slug = String((await shop.call('getProduct', { params: { id: shop.productId } })).body['slug']);
});
afterEach(closeShops);

type Headers = Readonly<Record<string, string>>;
interface Latest {
  readonly update: {
    readonly version: string;
    readonly channel: string;
    readonly notes: string | null;
    readonly artifacts: { readonly filename: string; readonly url: string }[];
  } | null;
  readonly newest: { readonly version: string; readonly covered: boolean } | null;
}

const byKey = (key: string): Headers => ({ 'X-License-Key': key, 'X-API-Key': shop.apiKey });
const ask = (headers: Headers, query: Headers = {}, at: Shop = shop): Promise<CallResult> =>
  at.call('getLatestRelease', { params: { id: shop.productId }, query, headers });
const latest = async (headers: Headers, query: Headers = {}): Promise<Latest> => {
  const { status, body } = await ask(headers, query);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body as unknown as Latest;
};
const offered = async (headers: Headers, query: Headers = {}): Promise<string | undefined> =>
  (await latest(headers, query)).update?.version;
const get = (version: string, headers: Headers, filename = 'app-x64.exe'): Promise<CallResult> =>
  shop.call('downloadArtifact', { params: { id: shop.productId, version, filename }, headers });
const feed = (name: 'getElectronFeed' | 'getTauriFeed' | 'getSparkleFeed', params: object, headers: Headers = {}): Promise<CallResult> =>
  shop.call(name, { params: { slug, channel: 'stable', ...params }, headers });
const refusal = ({ status, headers }: CallResult): unknown[] => [status, headers['X-Svc-Error-Code']];
const publish = (version: string, fields: object = {}, files?: readonly VendorFile[]): Promise<number> =>
  publishRelease(shop, version, fields, files);
const file = (filename: string, platform: string, arch: string, more: Partial<VendorFile> = {}): VendorFile => ({
  filename,
  platform,
  arch,
  bytes: Buffer.from(`the bytes of ${filename}`),
  ...more,
});
const mint = async (id: number, body: object = {}): Promise<string> =>
  String((await shop.call('mintOfflineToken', { params: { id }, body })).body['token']);
const tokenOf = async (id: number): Promise<Headers> => ({ 'X-License-Token': await mint(id) });

describe('the offer', () => {
  test('is the newest covered release; the response also names a newer release, so that the app can offer a renewal', async () => {
    await publish('1.9.0', { released_at: '2026-01-01T00:00:00Z', notes: '# Old' });
    await publish('1.10.0', { released_at: '2026-02-01T00:00:00Z' });
    await publish('2.0.0-rc.1', { released_at: '2026-02-10T00:00:00Z' });
    await publish('2.0.0', { released_at: '2026-03-01T00:00:00Z' });
    const { key } = await shop.newLicense({ updates_until: '2026-02-05T00:00:00Z' });
    const { update, newest } = await latest(byKey(key));
    expect(update).toMatchObject({ version: '1.10.0', channel: 'stable', released_at: '2026-02-01T00:00:00.000Z', notes: null });
    expect(newest).toEqual({ version: '2.0.0', released_at: '2026-03-01T00:00:00.000Z', covered: false });
    expect(await latest(byKey(key), { version: '1.10.0' })).toMatchObject({ update: null, newest: { version: '2.0.0' } });
    // An app may give its version to `activate` as v1.10.0, and asks for updates with the same text.
    expect((await latest(byKey(key), { version: 'v1.10.0' })).update).toBeNull();
    expect(await offered(byKey(key), { version: '1.9.0' })).toBe('1.10.0');
    // Older covered releases can still be downloaded. A release that the license doesn't cover gets the same response as a missing release.
    expect((await get('1.9.0', byKey(key))).status).toBe(302);
    expect(refusal(await get('2.0.0', byKey(key)))).toEqual([404, 'not_found']);
    const bounded = await shop.newLicense({ max_major: 1 });
    expect(await offered(byKey(bounded.key))).toBe('1.10.0');
    const unlimited = await shop.newLicense();
    expect(await latest(byKey(unlimited.key))).toMatchObject({ update: { version: '2.0.0' }, newest: { covered: true } });
  });

  test('follows channels, platforms, architectures and features', async () => {
    await publish('1.0.0', {}, [file('a.exe', 'windows', 'x64'), file('a.dmg', 'macos', 'universal')]);
    await publish('1.1.0', { channel: 'beta' }, [file('b.exe', 'windows', 'arm64'), file('b.exe.blockmap', 'windows', 'arm64')]);
    await publish('1.2.0', { channel: 'alpha' }, [file('c.zip', 'any', 'any')]);
    await publish('1.3.0', { channel: 'nightly' });
    await publish('1.4.0', { features: ['pro'] });
    const { key } = await shop.newLicense();
    const on = (channel: string, more: Headers = {}): Promise<string | undefined> => offered(byKey(key), { channel, ...more });
    expect([await on('stable'), await on('beta'), await on('alpha'), await on('nightly'), await on('other')]).toEqual([
      '1.0.0',
      '1.1.0',
      '1.2.0',
      '1.3.0',
      '1.0.0',
    ]);
    expect([await on('beta', { platform: 'windows', arch: 'x64' }), await on('beta', { platform: 'windows', arch: 'arm64' })]).toEqual([
      '1.0.0',
      '1.1.0',
    ]);
    expect([await on('stable', { platform: 'macos', arch: 'arm64' }), await on('stable', { platform: 'linux' })]).toEqual([
      '1.0.0',
      undefined,
    ]);
    expect(await on('alpha', { platform: 'linux', arch: 'ia32' })).toBe('1.2.0');
    const { update } = await latest(byKey(key), { channel: 'beta' });
    expect(update?.artifacts.map(({ filename }) => filename)).toEqual(['b.exe']);
    const pro = await shop.newLicense({ features: ['pro'] });
    expect([await offered(byKey(pro.key)), (await latest(byKey(key))).newest?.version]).toEqual(['1.4.0', '1.0.0']);
    expect([(await get('1.4.0', byKey(key))).status, (await get('1.4.0', byKey(pro.key))).status]).toEqual([404, 302]);
  });

  test('a channel with the longest name has the feed files of every system for electron-updater', async () => {
    const channel = 'n'.repeat(32);
    await publish('1.1.0', { channel }, [file('a.zip', 'any', 'any')]);
    const { key } = await shop.newLicense();
    for (const suffix of ['', '-mac', '-linux', '-linux-arm64', '-linux-armv7l']) {
      const { status, text } = await feed('getElectronFeed', { channel, file: `${channel}${suffix}.yml` }, byKey(key));
      expect([suffix, status, text]).toEqual([suffix, 200, expect.stringContaining('version: "1.1.0"')]);
    }
  });

  test('a yank hides a release at once, even in functions that have just returned it; taking the yank back shows it again', async () => {
    await publish('1.0.0');
    const id = await publish('1.1.0');
    const { key } = await shop.newLicense();
    expect([await offered(byKey(key)), (await get('1.1.0', byKey(key))).status]).toEqual(['1.1.0', 302]);
    await anotherInstance(shop, { files: store.files }).call('yankRelease', { params: { id }, body: {} });
    expect([await offered(byKey(key)), (await get('1.1.0', byKey(key))).status]).toEqual(['1.0.0', 404]);
    await shop.call('unyankRelease', { params: { id } });
    expect([await offered(byKey(key)), (await get('1.1.0', byKey(key))).status]).toEqual(['1.1.0', 302]);
  });

  test('depends on the status of the license; an expired license keeps older releases if its terms say so', async () => {
    await publish('1.0.0');
    shop.advance(20 * DAY);
    const { id, key } = await shop.newLicense();
    await shop.call('updateLicenseType', { params: { id: shop.typeId }, body: { downloads_when_expired: true } });
    const keeping = await shop.newLicense();
    const suspended = await shop.newLicense();
    await shop.call('suspendLicense', { params: { id: suspended.id } });
    const revoked = await shop.newLicense();
    await shop.call('revokeLicense', { params: { id: revoked.id } });
    const reissued = await shop.newLicense();
    await shop.call('reissueLicense', { params: { id: reissued.id } });
    shop.advance(31 * DAY);
    await publish('1.1.0');
    const answers = [];
    for (const headers of [key, suspended.key, revoked.key, reissued.key].map(byKey))
      for (const answer of [
        await ask(headers),
        await get('1.0.0', headers),
        await feed('getElectronFeed', { file: 'latest.yml' }, headers),
        await feed('getTauriFeed', { target: 'windows', arch: 'x86_64', current_version: '0.0.1' }, headers),
        await feed('getSparkleFeed', { file: 'stable.xml' }, headers),
      ])
        answers.push(refusal(answer).join(' '));
    const five = (code: string): string[] => Array.from({ length: 5 }, () => `403 ${code}`);
    expect(answers).toEqual([
      ...five('license_expired'),
      ...five('license_suspended'),
      ...five('license_revoked'),
      ...five('license_revoked'),
    ]);
    expect(await latest(byKey(keeping.key))).toMatchObject({ update: { version: '1.0.0' }, newest: { version: '1.1.0', covered: true } });
    expect([(await get('1.0.0', byKey(keeping.key))).status, (await get('1.1.0', byKey(keeping.key))).status]).toEqual([302, 404]);
    // A request for updates never changes a license, so it does not set the status to `expired`.
    expect((await shop.license(id)).status).toBe('active');
  });

  test('for a license whose term has not started is the same as if the term started now', async () => {
    await shop.call('updateLicenseType', { params: { id: shop.typeId }, body: { starts: 'activation', updates_days: 10 } });
    await publish('1.0.0');
    const { key } = await shop.newLicense();
    expect(await offered(byKey(key))).toBe('1.0.0');
  });
});

describe('who asks', () => {
  beforeEach(async () => {
    await publish('1.0.0');
  });

  test("a valid token is enough, with or without a device; the service checks the license's current state, not the token's claims", async () => {
    const { id, key } = await shop.newLicense({ updates_until: '2020-01-01T00:00:00Z', max_major: 0 });
    const token = await tokenOf(id);
    const bound = { 'X-License-Token': String((await shop.activate(key, 'fingerprint-1')).body['offline_token']) };
    expect([await offered(token), await offered(bound)]).toEqual([undefined, undefined]);
    await shop.call('updateLicense', { params: { id }, body: { max_major: null, updates_until: null } });
    expect([await offered(token), await offered(bound)]).toEqual(['1.0.0', '1.0.0']);
    expect((await feed('getElectronFeed', { file: 'latest.yml' }, bound)).status).toBe(200);
    expect((await get('1.0.0', bound)).status).toBe(302);
    await shop.call('reissueLicense', { params: { id } });
    expect(await offered(token)).toBe('1.0.0');
    await shop.call('suspendLicense', { params: { id } });
    expect(refusal(await ask(token))).toEqual([403, 'license_suspended']);
    await shop.call('reinstateLicense', { params: { id } });
    shop.advance(31 * DAY);
    expect(refusal(await ask(token))).toEqual([401, 'unauthorized']);
  });

  test("any wrong credential gives the same 401, which doesn't reveal whether the product exists or what was wrong", async () => {
    const { id, key } = await shop.newLicense();
    const other = await openShop({ kind: 'lifetime' }, { files: store.files });
    const foreign = await other.newLicense();
    const token = await mint(id);
    const [head = '', body = '', signature = ''] = token.split('.');
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object;
    const forged = (changes: object): string =>
      `${head}.${Buffer.from(JSON.stringify({ ...claims, ...changes })).toString('base64url')}.${signature}`;
    // A verdict must not be accepted as a token, although it names the license and is signed with the same key as tokens.
    await shop.call('suspendLicense', { params: { id } });
    const verdict = (await shop.validate(key, 'fingerprint-1')).headers['X-Svc-Verdict'] ?? '';
    await shop.call('reinstateLicense', { params: { id } });
    expect(verdict).toMatch(/\./);
    const foreignToken = String((await other.call('mintOfflineToken', { params: { id: foreign.id } })).body['token']);
    const presented: Headers[] = [
      {},
      { 'X-License-Key': key },
      { 'X-License-Key': key, 'X-API-Key': 'pk_wrong' },
      { 'X-License-Key': key, 'X-API-Key': other.apiKey },
      byKey(''),
      byKey('unknown'),
      byKey(foreign.key),
      { Authorization: `Bearer ${token}` },
      { 'X-API-Key': shop.apiKey },
      ...[
        verdict,
        foreignToken,
        forged({}),
        forged({ sub: String(id) }),
        forged({ exp: 9e9 }),
        `${head}.${body}.`,
        `${head}.${body}`,
        'x',
        `${token}.x`,
      ]
        .filter((text) => text !== token)
        .map((text) => ({ 'X-License-Token': text })),
    ];
    const texts = new Set<string>();
    for (const headers of presented) {
      for (const answer of [
        await ask(headers),
        await ask(headers, { platform: 'none' }),
        await get('1.0.0', headers),
        await get('x', headers),
      ]) {
        expect([headers, ...refusal(answer)]).toEqual([headers, 401, 'unauthorized']);
        texts.add(answer.text);
      }
    }
    const unknown = (name: string, unknownSlug = 'no-such-slug'): Promise<CallResult> =>
      shop.call(name, {
        params: { slug: unknownSlug, channel: 'stable', file: 'latest.yml', version: '1.0.0', filename: 'a' },
        headers: byKey(key),
      });
    for (const answer of [
      await unknown('getElectronFeed'),
      await unknown('downloadFeedFile'),
      await unknown('getElectronFeed', 'x'.repeat(3000)),
      await unknown('downloadFeedFile', 'no slug\u0000'),
      await feed('getSparkleFeed', { file: 'stable.xml' }),
    ]) {
      expect(refusal(answer)).toEqual([401, 'unauthorized']);
      texts.add(answer.text);
    }
    expect(texts.size).toBe(1);
    expect(refusal(await ask(byKey(key), { platform: 'none' }))).toEqual([422, 'invalid_request']);
    expect(refusal(await ask(byKey(key), { version: '1.0' }))).toEqual([422, 'invalid_request']);
  });

  test('public downloads need no credential and ignore limits; a required feature hides a release from everyone', async () => {
    await publish('1.1.0', { features: ['pro'] });
    const { key } = await shop.newLicense({ max_major: 0, updates_until: '2020-01-01T00:00:00Z', features: ['pro'] });
    expect(await offered(byKey(key))).toBeUndefined();
    await shop.call('setDownloads', { params: { id: shop.productId }, body: { access: 'public' } });
    shop.advance(61_000);
    for (const headers of [{}, byKey(key), byKey('unknown'), { 'X-License-Token': 'x' }]) {
      expect(await latest(headers)).toMatchObject({ update: { version: '1.0.0' }, newest: { version: '1.0.0', covered: true } });
      expect([(await get('1.0.0', headers)).status, (await get('1.1.0', headers)).status]).toEqual([302, 404]);
    }
    expect((await feed('getElectronFeed', { file: 'latest.yml' })).text).toContain('version: "1.0.0"');
  });

  test('a new API key works at once, and no log line contains a key or a token', async () => {
    const { id, key } = await shop.newLicense();
    await ask(byKey(key));
    const rotated = await anotherInstance(shop).call('rotateApiKey', { params: { id: shop.productId }, body: { overlap_hours: 0 } });
    const headers = { 'X-License-Key': key, 'X-API-Key': String(rotated.body['api_key']) };
    expect((await ask(headers)).status).toBe(200);
    const token = await mint(id);
    await ask({ 'X-License-Key': `${key}X`, 'X-API-Key': shop.apiKey });
    await ask({ 'X-License-Token': `${token}x` });
    const lines = logs().join('\n');
    expect(lines).toContain('CREDENTIAL_REFUSED');
    for (const secret of [key, token, shop.apiKey]) expect(lines).not.toContain(secret);
  });
});

describe('a download', () => {
  test('is a link for five minutes, works with ranges, and needs no header', async () => {
    await publish('1.0.0');
    const { key } = await shop.newLicense();
    const { status, headers, text } = await get('1.0.0', byKey(key));
    expect([status, text, headers['Cache-Control'], headers['Content-Type']]).toEqual([302, '', 'no-store', undefined]);
    const url = headers['Location'] ?? '';
    expect(Number(new URL(url).searchParams.get('until')) - now()).toBe(300_000);
    const whole = await fetch(url, { headers: { 'X-License-Key': key } });
    expect([whole.status, await whole.text()]).toEqual([200, 'the bytes of an app']);
    const part = await fetch(url, { headers: { Range: 'bytes=4-8' } });
    expect([part.status, await part.text()]).toEqual([206, 'bytes']);
    for (const [version, filename] of [
      ['1.0.0', 'other.exe'],
      ['1.0.1', 'app-x64.exe'],
      ['1.0', 'app-x64.exe'],
      ['1.0.0', '..'],
    ] as const)
      expect(refusal(await get(version, byKey(key), filename))).toEqual([404, 'not_found']);
  });

  test('is counted once for its version and day, even if the file is fetched in parts, and writes no row of its own', async () => {
    await publish('1.9.0', {}, [file('app-x64.exe', 'windows', 'x64'), file('app-x64.exe.blockmap', 'windows', 'x64')]);
    await publish('1.10.0');
    const { key } = await shop.newLicense();
    const costs = meter(shop.client);
    await get('1.9.0', byKey(key));
    expect(costs.take()).toMatchObject({ calls: ['BatchGetItem', 'BatchGetItem', 'UpdateItem'], writeUnits: 1 });
    for (const range of ['bytes=100-', 'bytes=5-9', 'bytes=0-3']) await get('1.9.0', { ...byKey(key), Range: range });
    await get('1.9.0', byKey(key), 'app-x64.exe.blockmap');
    await get('1.9.0', byKey('unknown'));
    const yesterday = new Date(shop.now()).toISOString().slice(0, 10);
    shop.advance(DAY);
    await Promise.all(Array.from({ length: 20 }, () => get('1.10.0', byKey(key))));
    const today = new Date(shop.now()).toISOString().slice(0, 10);
    const { body } = await shop.call('getOverview', { params: { id: shop.productId }, query: { days: '2' } });
    expect(body).toMatchObject({
      days: [
        { date: yesterday, downloads: 2 },
        { date: today, downloads: 20 },
      ],
      downloads: [
        { version: '1.10.0', total: 20, days: [{ date: today, downloads: 20 }] },
        { version: '1.9.0', total: 2, days: [{ date: yesterday, downloads: 2 }] },
      ],
    });
  });
});

test('a search for a release among 2,000 takes three round trips at first, two while the release is cached, and reads no catalogue for a wrong credential', async () => {
  await publish('0.1.0');
  const versions = Array.from({ length: 3 }, (_, index) => `1.${index}.0`);
  for (const version of versions) await publish(version);
  const { id, key } = await shop.newLicense({ max_major: 1 });
  const token = await tokenOf(id);
  const { table } = shop.app;
  const { catalogue, revision } = toCatalogue(await getItem(table, catalogueKey(shop.productId, 'stable')));
  const others = Array.from(
    { length: 1996 },
    (_, index): CatalogueEntry => ({ ...catalogue[0]!, id: 1e6 + index, version: `2.${1996 - index}.0` }),
  );
  await transact(table, [putCatalogue(shop.productId, 'stable', packCatalogue([...others, ...catalogue]), revision)]);
  const costs = meter(shop.client);
  const trips = async (request: Promise<CallResult>): Promise<readonly string[]> => {
    expect((await request).status).toBe(200);
    const { calls, parallel, writeUnits } = costs.take();
    expect([parallel, writeUnits]).toEqual([1, 0]);
    return calls;
  };
  const two = ['BatchGetItem', 'BatchGetItem'];
  shop.advance(61_000);
  const three = [...two, 'BatchGetItem'];
  expect([await trips(ask(byKey(key))), await trips(ask(byKey(key)))]).toEqual([three, two]);
  // A wrong credential costs one read, which does not contain the large catalogue (docs/spec/releases.md, Downloads).
  for (const wrong of [byKey('AAAAA-AAAAA-AAAAA-AAAAA-AAAAA'), { 'X-License-Token': 'wrong' }]) {
    expect((await ask(wrong)).status).toBe(401);
    expect(costs.take().readUnits).toBeLessThanOrEqual(2);
  }
  const lost = await shop.newLicense();
  const lostToken = await tokenOf(lost.id);
  await deleteItem(shop.app.table, { Key: licenseIdKey(lost.id) });
  for (const refused of [{}, lostToken, {}]) {
    shop.advance(61_000);
    costs.take();
    expect((await ask(refused)).status).toBe(401);
    expect(costs.take().readUnits).toBeLessThanOrEqual(2);
    expect((await ask(refused)).status).toBe(401);
    expect(costs.take().readUnits).toBeLessThanOrEqual(2);
  }
  shop.advance(61_000);
  expect([await trips(ask(token)), await trips(ask(token))]).toEqual([three, two]);
  expect(await latest(token)).toMatchObject({ update: { version: '1.2.0' }, newest: { version: '2.1996.0', covered: false } });
  // A request for an update feed also reads the product by its slug, once per function instance.
  const feeds = [
    () => feed('getElectronFeed', { file: 'latest.yml' }, token),
    () => feed('getTauriFeed', { target: 'windows', arch: 'x86_64', current_version: '2.0.0' }, byKey(key)),
    () => feed('getSparkleFeed', { file: 'stable.xml' }, byKey(key)),
  ];
  await feeds[0]?.();
  for (const one of feeds) {
    shop.advance(61_000);
    costs.take();
    expect((await one()).status).toBeLessThan(300);
    expect(costs.take().calls.length).toBeLessThanOrEqual(3);
  }
});
