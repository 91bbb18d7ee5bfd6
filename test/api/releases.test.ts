import { randomBytes } from 'node:crypto';
import { MAX_ARTIFACTS, MAX_RELEASES, type ReleaseView } from '../../lambdas/contract/resources';
import { releaseCountKey, catalogueKey } from '../../lambdas/store/keys';
import { toCatalogue } from '../../lambdas/store/releases/catalogue';
import { getItem } from '../../lambdas/store/items';
import { transact } from '../../lambdas/store/transaction';
import { startFiles, type TestFiles } from '../support/files';
import type { CallResult } from '../support/harness';
import { captureLogs } from '../support/logs';
import { declare, upload, type Upload } from '../support/releases';
import { anotherInstance, closeShops, openShop, type Shop } from '../support/shop';
import { clockStart } from '../support/start';

/**
 * Tests the publishing of releases (docs/spec/releases.md). A failed call must never publish a part of a release, and updaters must get
 * correct responses after any order of calls.
 */

captureLogs();
let store: TestFiles;
let shop: Shop;
beforeAll(async () => {
  store = await startFiles(clockStart);
});
afterAll(() => store.close());
beforeEach(async () => {
  shop = await openShop({ kind: 'lifetime' }, { files: store.files });
});
afterEach(closeShops);

const bytes = Buffer.from('the bytes of an app');
const call = (name: string, id: number, body?: object, more: object = {}): Promise<CallResult> =>
  shop.call(name, { params: { id, ...more }, ...(body && { body }) });
const create = (body: object): Promise<CallResult> => call('createRelease', shop.productId, body);
const idOf = ({ body }: CallResult): number => Number((body as { id?: unknown }).id);
const refusal = ({ status, body, headers }: CallResult): unknown[] => [status, headers['X-Svc-Error-Code'], body['detail']];

async function draft(version: string, fields: object = {}): Promise<number> {
  const created = await create({ version, ...fields });
  expect(created.status).toBe(201);
  return idOf(created);
}
async function add(id: number, fields: object = {}, content: Uint8Array = bytes): Promise<Upload> {
  const { status, body } = await call('createArtifact', id, declare(content, fields));
  expect({ status, body }).toMatchObject({ status: 201 });
  return (body as unknown as { upload: Upload }).upload;
}
async function uploaded(version: string, fields: object = {}): Promise<number> {
  const id = await draft(version, fields);
  expect((await upload(await add(id), bytes)).status).toBe(200);
  return id;
}
async function published(version: string, fields: object = {}): Promise<number> {
  const id = await uploaded(version, fields);
  expect((await call('publishRelease', id)).status).toBe(200);
  return id;
}
const offered = async (channel = 'stable'): Promise<string[]> =>
  toCatalogue(await getItem(shop.app.table, catalogueKey(shop.productId, channel))).catalogue.map(({ version }) => version);
const view = async (id: number): Promise<ReleaseView> => (await call('getRelease', id)).body as unknown as ReleaseView;
const events = async (): Promise<{ event: string; payload: { data: Record<string, unknown> } }[]> =>
  (await call('listDeliveries', shop.productId)).body as never;

test('a release is a draft until it is published, with an event that has no license and no signature', async () => {
  const id = await draft('2.4.0', { notes: '# New', features: ['sync', 'export'], build: '512' });
  const to = await add(id, { signature: 'dGhlIHNpZ25hdHVyZQ==\nline' });
  expect((await view(id)).artifacts).toMatchObject([{ uploaded: false }]);
  expect(Date.parse(to.expires_at) - shop.now()).toBe(3_600_000);
  expect((await upload(to, bytes)).status).toBe(200);
  expect(await view(id)).toMatchObject({
    status: 'draft',
    released_at: null,
    features: ['export', 'sync'],
    artifacts: [{ uploaded: true }],
  });
  expect(await offered()).toEqual([]);
  const { body } = await call('publishRelease', id);
  const now = new Date(shop.now()).toISOString();
  expect(body).toMatchObject({
    status: 'published',
    released_at: now,
    published_at: now,
    artifacts: [{ signature: 'dGhlIHNpZ25hdHVyZQ==\nline' }],
  });
  expect(await offered()).toEqual(['2.4.0']);
  const [event] = await events();
  expect(event).toMatchObject({
    event: 'release.published',
    payload: { data: { release: { id, version: '2.4.0', status: 'published' } } },
  });
  expect(event?.payload.data).not.toHaveProperty('license');
  expect(JSON.stringify(event)).not.toContain('signature');
  // Publishing the release a second time has no effect.
  expect((await call('publishRelease', id)).body).toEqual(body);
  expect(await events()).toHaveLength(1);
});

test('a release is never published in part: without files, or with missing, incomplete or other bytes', async () => {
  const id = await draft('1.0.0');
  expect(refusal(await call('publishRelease', id))).toEqual([422, 'invalid_request', 'The release has no file']);
  expect((await upload(await add(id), bytes)).status).toBe(200);
  const other = await add(id, { filename: 'b.dmg', platform: 'macos' });
  expect((await upload(other, Buffer.from('THE BYTES of an app'))).status).toBe(400);
  expect((await upload(other, bytes.subarray(0, 5))).status).toBe(403);
  expect(refusal(await call('publishRelease', id))).toEqual([
    422,
    'invalid_request',
    'Files that are missing or differ from their declaration: b.dmg',
  ]);
  expect([(await view(id)).status, await offered(), await events()]).toEqual(['draft', [], []]);
  expect((await upload(other, bytes)).status).toBe(200);
  expect((await call('publishRelease', id)).status).toBe(200);
});

test('a version is unique in its product, regardless of build metadata and of simultaneous calls', async () => {
  await draft('1.0.0+a');
  expect(refusal(await create({ version: '1.0.0+b' }))).toEqual([
    409,
    'duplicate',
    'The version is taken by another release of this product',
  ]);
  const together = await Promise.all(Array.from({ length: 20 }, () => create({ version: '2.0.0' })));
  expect(together.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
  // After a draft is deleted, its version can be used again.
  expect((await call('deleteRelease', idOf(together.find(({ status }) => status === 201) as CallResult))).body).toEqual({ deleted: true });
  expect((await create({ version: '2.0.0' })).status).toBe(201);
});

test(`a product has at most ${MAX_RELEASES} releases; deleting a draft makes room`, async () => {
  const id = await draft('1.0.0');
  await transact(shop.app.table, [{ Put: { Item: { ...releaseCountKey(shop.productId), releases: MAX_RELEASES } } }]);
  expect(refusal(await create({ version: '2.0.0' }))).toEqual([422, 'invalid_request', expect.stringContaining(String(MAX_RELEASES))]);
  await call('deleteRelease', id);
  expect((await create({ version: '2.0.0' })).status).toBe(201);
  expect((await create({ version: '3.0.0' })).status).toBe(422);
});

test('if separate functions publish 12 releases at once, all of them are offered, in the order of their versions', async () => {
  const versions = Array.from({ length: 12 }, (_, index) => `1.${index}.0`);
  const ids = await Promise.all(versions.map((version) => uploaded(version)));
  // The clock of these functions stands still, even while they wait. Therefore no function reaches its time limit for retries.
  const patient = { files: store.files, clock: shop.now, sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)) };
  const all = (name: string): Promise<CallResult[]> =>
    Promise.all(
      ids.map((id) => anotherInstance(shop, patient).call(name, { params: { id }, ...(name === 'yankRelease' && { body: {} }) })),
    );
  const results = await all('publishRelease');
  expect(results.map(({ status }) => status)).toEqual(ids.map(() => 200));
  expect(await offered()).toEqual([...versions].reverse());
  expect((await events()).filter(({ event }) => event === 'release.published')).toHaveLength(12);
  expect((await all('yankRelease')).map(({ status }) => status)).toEqual(ids.map(() => 200));
  expect(await offered()).toEqual([]);
});

test("a yanked release is offered to nobody until the yank is undone; a draft can't be yanked", async () => {
  const id = await published('1.0.0');
  const draftId = await draft('2.0.0');
  for (const name of ['yankRelease', 'unyankRelease'])
    expect(refusal(await call(name, draftId))).toEqual([409, 'not_published', expect.any(String)]);
  // The test advances the clock, because the order of events with the same millisecond is undefined.
  shop.advance(1);
  const yanked = await call('yankRelease', id, { reason: 'Crashes' });
  expect(yanked.body).toMatchObject({ status: 'yanked', yanked_reason: 'Crashes', yanked_at: new Date(shop.now()).toISOString() });
  expect((await call('yankRelease', id, { reason: 'Other' })).body).toEqual(yanked.body);
  expect((await events()).map(({ event }) => event)).toEqual(['release.yanked', 'release.published']);
  expect(await offered()).toEqual([]);
  expect((await call('unyankRelease', id)).body).toMatchObject({ status: 'published', yanked_at: null, yanked_reason: null });
  expect((await call('unyankRelease', id)).status).toBe(200);
  expect(await offered()).toEqual(['1.0.0']);
});

test('the minimum version of the system and the share of installations are kept, and can be changed after publishing', async () => {
  const id = await draft('1.0.0', { minimum_system_version: '10.0.17763', staging_percentage: 10 });
  expect(await view(id)).toMatchObject({ minimum_system_version: '10.0.17763', staging_percentage: 10 });
  await upload(await add(id), bytes);
  await call('publishRelease', id);
  expect(await call('updateRelease', id, { staging_percentage: 50 })).toMatchObject({ status: 200 });
  const minimums = { macos: '22.0.0', windows: '10.0.17763' };
  await call('updateRelease', id, { minimum_system_version: minimums });
  expect(await view(id)).toMatchObject({ minimum_system_version: minimums, staging_percentage: 50 });
  for (const body of [
    { staging_percentage: 0 },
    { staging_percentage: 101 },
    { staging_percentage: 1.5 },
    { minimum_system_version: '' },
    { minimum_system_version: 'Sonoma' },
    { minimum_system_version: '1<2' },
    { minimum_system_version: {} },
    { minimum_system_version: { macos: 13 } },
  ]) {
    const { status, body: problem } = await call('updateRelease', id, body);
    expect([status, String(problem['detail']).startsWith(Object.keys(body)[0] ?? '')]).toEqual([422, true]);
  }
  await call('updateRelease', id, { minimum_system_version: null, staging_percentage: null });
  expect(await view(id)).toMatchObject({ minimum_system_version: null, staging_percentage: null });
});

test('a published release only accepts new notes and features; an invalid edit changes nothing', async () => {
  const id = await draft('1.0.0');
  expect(
    (await call('updateRelease', id, { channel: 'beta', released_at: '2026-01-01T00:00:00Z', notes: 'x', build: '7' })).body,
  ).toMatchObject({
    channel: 'beta',
    released_at: '2026-01-01T00:00:00.000Z',
    build: '7',
  });
  await upload(await add(id), bytes);
  await call('publishRelease', id);
  expect(await offered('beta')).toEqual(['1.0.0']);
  for (const body of [{ channel: 'stable' }, { released_at: null }, { build: null }, { notes: 'new', channel: 'stable' }])
    expect(refusal(await call('updateRelease', id, body)).slice(0, 2)).toEqual([409, 'published']);
  for (const body of [{}, { version: '2.0.0' }, { note: 'x' }, { features: ['Not a feature'] }])
    expect((await call('updateRelease', id, body)).status).toBe(422);
  expect((await call('updateRelease', id, { features: ['sync'], notes: null })).body).toMatchObject({ features: ['sync'], notes: null });
  const { catalogue } = toCatalogue(await getItem(shop.app.table, catalogueKey(shop.productId, 'beta')));
  expect(catalogue).toMatchObject([{ features: ['sync'] }]);
  expect(refusal(await call('deleteRelease', id)).slice(0, 2)).toEqual([409, 'published']);
  expect(refusal(await call('deleteArtifact', id, undefined, { filename: 'app-x64.zip' })).slice(0, 2)).toEqual([409, 'published']);
  expect(refusal(await call('createArtifact', id, declare(bytes, { filename: 'b.zip' }))).slice(0, 2)).toEqual([409, 'published']);
});

test('files: distinct names, at most 50, and never a path', async () => {
  const id = await draft('1.0.0');
  await add(id);
  expect(refusal(await call('createArtifact', id, declare(bytes)))).toEqual([
    409,
    'duplicate',
    'The filename is taken by another file of this release',
  ]);
  for (const filename of ['../a', 'a/b', '..', '.', 'a\\b', 'a b', '', 'ä', 'a%2fb', 'x'.repeat(201)])
    expect(refusal(await call('createArtifact', id, declare(bytes, { filename })))).toEqual([
      422,
      'invalid_request',
      expect.stringContaining('filename'),
    ]);
  for (const wrong of [
    { size: 0 },
    { size: 5 * 1024 ** 3 + 1 },
    { sha256: 'A'.repeat(64) },
    { sha512: '0' },
    { platform: 'beos' },
    { arch: 'x86' },
  ])
    expect(refusal(await call('createArtifact', id, declare(bytes, wrong)))).toEqual([
      422,
      'invalid_request',
      expect.stringContaining(Object.keys(wrong)[0] ?? ''),
    ]);
  // A build machine may declare files at the same time, so the test declares the first ten files at the same time.
  const names = Array.from({ length: MAX_ARTIFACTS - 1 }, (_, index) => `file-${String(index).padStart(2, '0')}.zip`);
  await Promise.all(names.slice(0, 10).map((filename) => add(id, { filename })));
  for (const filename of names.slice(10)) await add(id, { filename });
  expect((await view(id)).artifacts.map(({ filename }) => filename)).toEqual(['app-x64.zip', ...names]);
  expect(refusal(await call('createArtifact', id, declare(bytes, { filename: 'one-more.zip' })))).toEqual([
    422,
    'invalid_request',
    expect.stringContaining('50'),
  ]);
  expect((await call('deleteArtifact', id, undefined, { filename: 'app-x64.zip' })).body).toEqual({ deleted: true });
  expect((await call('deleteArtifact', id, undefined, { filename: 'app-x64.zip' })).status).toBe(404);
  expect((await call('createArtifact', id, declare(bytes, { filename: 'one-more.zip' }))).status).toBe(201);
});

test('files are deleted with their draft, and an old upload link cannot change a release that was published since', async () => {
  const id = await draft('1.0.0');
  const first = await add(id);
  await upload(first, bytes);
  await call('deleteArtifact', id, undefined, { filename: 'app-x64.zip' });
  const others = Buffer.from('other bytes, as long');
  await upload(await add(id, {}, others), others);
  expect((await call('publishRelease', id)).status).toBe(200);
  // The upload link of the deleted first file is still valid. But the storage key of a file contains its checksum, so this link can't
  // overwrite the other file.
  await upload(first, bytes);
  expect((await view(id)).artifacts).toMatchObject([{ sha256: declare(others).sha256 }]);
  const second = await draft('2.0.0');
  await upload(await add(second, {}, bytes), bytes);
  await call('deleteRelease', second);
  const { sha256 } = declare(bytes);
  expect(
    await store.files.isUploaded({ key: `releases/${second}/${sha256}/app-x64.zip`, size: bytes.length, sha256, contentType: 'x' }),
  ).toBe(false);
});

test('the list has the newest version first, in pages, by channel and status', async () => {
  for (const version of ['1.9.0', '1.10.0', '1.10.0-rc.1', '2.0.0-alpha.2', '2.0.0-alpha.10'])
    await draft(version, { channel: version.includes('-') ? 'beta' : 'stable' });
  await published('1.8.0');
  const list = async (query: Record<string, string>): Promise<string[]> => {
    const versions: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await shop.call('listReleases', {
        params: { id: shop.productId },
        query: { ...query, ...(cursor !== undefined && { cursor }) },
      });
      expect(page.status).toBe(200);
      versions.push(...(page.body as unknown as ReleaseView[]).map(({ version }) => version));
      cursor = /[?&]cursor=([^&>]+)/.exec(page.headers['Link'] ?? '')?.[1];
    } while (cursor !== undefined);
    return versions;
  };
  const all = ['2.0.0-alpha.10', '2.0.0-alpha.2', '1.10.0', '1.10.0-rc.1', '1.9.0', '1.8.0'];
  expect(await list({})).toEqual(all);
  for (const limit of ['1', '2', '5', '6']) expect(await list({ limit })).toEqual(all);
  expect(await list({ channel: 'beta', limit: '1' })).toEqual(['2.0.0-alpha.10', '2.0.0-alpha.2', '1.10.0-rc.1']);
  expect(await list({ status: 'published' })).toEqual(['1.8.0']);
});

test('a repeated request to create a release returns the first release and creates no second one', async () => {
  const headers = { 'Idempotency-Key': randomBytes(8).toString('hex') };
  const again = (): Promise<CallResult> =>
    shop.call('createRelease', { params: { id: shop.productId }, body: { version: '1.0.0' }, headers });
  const first = await again();
  expect([first.status, (await again()).body]).toEqual([201, first.body]);
});

test('downloads are licensed by default', async () => {
  expect((await call('getDownloads', shop.productId)).body).toEqual({ access: 'licensed' });
  expect((await call('setDownloads', shop.productId, { access: 'public' })).body).toEqual({ access: 'public' });
  expect((await call('getDownloads', shop.productId)).body).toEqual({ access: 'public' });
  expect((await call('setDownloads', shop.productId, { access: 'everybody' })).status).toBe(422);
});
