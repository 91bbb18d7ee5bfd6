import { DAY_MS } from '../../lambdas/domain/time';
import { deviceRefOf } from '../support/devices';
import { ADMIN_TOKEN } from '../support/harness';
import { closeShops, openShop, type Shop } from '../support/shop';
import { captureLogs } from '../support/logs';
import { eventsOf } from '../support/table';

/**
 * Tests which releases a license covers, when its term starts, and which devices it lists (docs/spec/releases.md, What a license covers).
 */

captureLogs();
afterEach(closeShops);

const at = (ms: number): string => new Date(ms).toISOString();
const claimsOf = (token: unknown): object => JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString()) as object;
const code = ({ status, headers }: { status: number; headers: Readonly<Record<string, string>> }): [number, string | undefined] => [
  status,
  headers['X-Svc-Error-Code'],
];

const create = async (shop: Shop, fields: object = {}) =>
  (await shop.call('createLicense', { params: { id: shop.productId }, body: { license_type_id: shop.typeId, ...fields } })).body;
const onLicense = (shop: Shop, name: string, id: number, body?: object, headers = {}) => shop.call(name, { params: { id }, body, headers });
const check = (shop: Shop, key: string, query: Record<string, string>) =>
  shop.call('validate', { params: { id: shop.productId }, apiKey: shop.apiKey, query: { key, fingerprint: 'device-1', ...query } });

describe('what a license covers', () => {
  test('updates for a year: the license copies the period from its type, and the license and its token show the end of updates', async () => {
    const shop = await openShop({ kind: 'lifetime', updates_days: 365, max_major: 2 });
    const license = await create(shop);
    const updates = { until: at(shop.now() + 365 * DAY_MS), max_major: 2 };
    expect(license).toMatchObject({ updates, term: null, license_type: { updates_days: 365, max_major: 2 } });
    const { body } = await shop.activate(String(license['key']), 'device-1');
    expect(body).toMatchObject({ updates });
    expect(claimsOf(body['offline_token'])).toMatchObject({ updates_until: updates.until, max_major: 2, verdicts: true });
    expect((await shop.validate(String(license['key']), 'device-1')).body).toMatchObject({ valid: true, updates });
    expect((await shop.validate(String(license['key']), 'device-1')).body).not.toHaveProperty('covered');
  });

  test('a license without limits has no claims about limits', async () => {
    const shop = await openShop();
    const { key } = await shop.newLicense();
    const claims = claimsOf((await shop.activate(key, 'device-1')).body['offline_token']);
    expect(Object.keys(claims)).not.toEqual(expect.arrayContaining(['updates_until']));
    expect(claims).not.toHaveProperty('max_major');
  });

  test('both limits can be set when a license is created, and null means that the license has no such limit', async () => {
    const shop = await openShop({ kind: 'lifetime', updates_days: 365, max_major: 2 });
    expect(await create(shop, { updates_until: '2030-01-01T00:00:00Z', max_major: 7 })).toMatchObject({
      updates: { until: '2030-01-01T00:00:00.000Z', max_major: 7 },
    });
    expect(await create(shop, { updates_until: null, max_major: null })).toMatchObject({ updates: { until: null, max_major: null } });
  });

  test('an app whose release the license does not cover takes no seat, and a validation reports this', async () => {
    const shop = await openShop({ kind: 'lifetime', updates_days: 1, max_major: 2, max_seats: 1 });
    const { id, key } = await shop.newLicense();
    const late = { version: '3.0.0', released_at: at(shop.now() + 2 * DAY_MS) };
    expect(code(await shop.activate(key, 'device-1', { release: late }))).toEqual([403, 'release_not_covered']);
    expect((await shop.license(id)).seats.used).toBe(0);
    expect(await eventsOf(id)).toHaveLength(1);
    expect((await shop.activate(key, 'device-1', { release: { ...late, version: '2.9.9' } })).status).toBe(200);
    expect(code(await shop.activate(key, 'device-1', { release: late }))).toEqual([403, 'release_not_covered']);
    // Coverage is checked before seats, and after the status.
    expect(code(await shop.activate(key, 'device-2', { release: late }))).toEqual([403, 'release_not_covered']);
    for (const [query, covered] of [
      [late, false],
      [{ version: '2.0.0' }, true],
      [{ released_at: at(shop.now()) }, true],
      [{ version: 'nightly' }, true],
    ] as const)
      expect((await check(shop, key, query)).body).toMatchObject({ valid: true, covered });
    await onLicense(shop, 'suspendLicense', id);
    expect(code(await shop.activate(key, 'device-1', { release: late }))).toEqual([403, 'license_suspended']);
  });

  test('after the end of updates the license itself stays valid', async () => {
    const shop = await openShop({ kind: 'lifetime', updates_days: 1 });
    const { id, key } = await shop.newLicense();
    shop.advance(400 * DAY_MS);
    expect((await shop.activate(key, 'device-1')).body).toMatchObject({ status: 'active' });
    expect(await shop.license(id)).toMatchObject({ status: 'active', expires_at: null });
  });

  test('renew-updates adds days to the end of updates, or to now if updates have ended; it never shortens them, and runs once per Idempotency-Key', async () => {
    const shop = await openShop({ kind: 'lifetime', updates_days: 10 });
    const { id } = await shop.newLicense();
    const until = shop.now() + 10 * DAY_MS;
    const renew = (body?: object, headers = {}) => onLicense(shop, 'renewUpdates', id, body, headers);
    expect((await renew()).body).toMatchObject({ updates: { until: at(until + 10 * DAY_MS) } });
    const once = { 'Idempotency-Key': 'order-1' };
    for (let time = 0; time < 2; time += 1)
      expect((await renew({ days: 5 }, once)).body).toMatchObject({ updates: { until: at(until + 15 * DAY_MS) } });
    expect(code(await renew({ until: at(until) }))).toEqual([422, 'invalid_request']);
    expect(code(await renew({ days: 1, until: at(until + 99 * DAY_MS) }))).toEqual([422, 'invalid_request']);
    shop.advance(40 * DAY_MS);
    expect((await renew({ days: 1 })).body).toMatchObject({ updates: { until: at(shop.now() + DAY_MS) } });
    expect((await eventsOf(id)).map(({ event }) => event)).toEqual([
      'license.created',
      ...Array<string>(3).fill('license.updates_renewed'),
    ]);
    await onLicense(shop, 'revokeLicense', id);
    expect(code(await renew({ days: 1 }))).toEqual([403, 'license_revoked']);
  });

  test('renew-updates is refused with 422 if updates never end, or if neither the request nor the license type contains a duration', async () => {
    const shop = await openShop();
    const endless = await shop.newLicense();
    const ending = await shop.newLicense({ updates_until: '2030-01-01T00:00:00Z' });
    expect((await onLicense(shop, 'renewUpdates', endless.id, { days: 3 })).status).toBe(422);
    expect((await onLicense(shop, 'renewUpdates', ending.id)).status).toBe(422);
  });

  test('PATCH raises and lowers both limits; a change to another license type sets max_major to the value of that type and keeps the end of updates', async () => {
    const shop = await openShop({ kind: 'lifetime', updates_days: 10, max_major: 2 });
    const { id } = await shop.newLicense();
    const patch = async (body: object) => (await onLicense(shop, 'updateLicense', id, body)).body['updates'];
    expect(await patch({ updates_until: '2020-01-01T00:00:00Z', max_major: 1 })).toEqual({
      until: '2020-01-01T00:00:00.000Z',
      max_major: 1,
    });
    expect(await patch({ updates_until: null })).toEqual({ until: null, max_major: 1 });
    const type = { name: 'Next', kind: 'lifetime', updates_days: 99, max_major: 3 };
    const other = (await shop.call('createLicenseType', { params: { id: shop.productId }, body: type })).body['id'];
    expect(await patch({ license_type_id: other })).toEqual({ until: null, max_major: 3 });
    expect(await patch({ max_major: null })).toEqual({ until: null, max_major: null });
  });

  test('PATCH with the license’s current type keeps the license’s own limit, and the audit log names the limits that change', async () => {
    const shop = await openShop({ kind: 'lifetime', updates_days: 365, max_major: 3 });
    const { id } = await shop.newLicense({ max_major: 7 });
    const updates = { max_major: 7 };
    expect((await onLicense(shop, 'updateLicense', id, { license_type_id: shop.typeId, max_seats: 4 })).body).toMatchObject({ updates });
    await onLicense(shop, 'updateLicense', id, { max_major: null, updates_until: null });
    const { body } = await shop.call('listAudit', { query: { license_id: String(id) } });
    const summaries = (body as unknown as { readonly summary: string }[]).map(({ summary }) => summary);
    expect(summaries).toContainEqual(expect.stringMatching(/: updates_until, max_major$/));
  });

  test('license.updates_expiring is sent once for each end of updates, by a check shortly before the end and not after the end', async () => {
    const shop = await openShop({ kind: 'lifetime', updates_days: 20 });
    const { id, key } = await shop.newLicense();
    const warnings = async () => (await eventsOf(id)).filter(({ event }) => event === 'license.updates_expiring').length;
    Object.assign(shop.app.config, { expiringDays: 14 });
    await shop.activate(key, 'device-1');
    expect(await warnings()).toBe(0);
    shop.advance(7 * DAY_MS);
    for (let time = 0; time < 2; time += 1) await shop.validate(key, 'device-1');
    expect(await warnings()).toBe(1);
    await onLicense(shop, 'renewUpdates', id);
    shop.advance(60 * DAY_MS);
    await shop.validate(key, 'device-1');
    expect(await warnings()).toBe(1);
  });
});

describe('a term that starts at the first activation', () => {
  const box = { kind: 'subscription', duration_days: 30, updates_days: 10, starts: 'activation' };

  test('starts with the first activation, which sets the expiry without an additional event', async () => {
    const shop = await openShop(box);
    const license = await create(shop);
    const [id, key] = [Number(license['id']), String(license['key'])];
    expect(license).toMatchObject({ expires_at: null, term: { starts: 'activation', days: 30 }, updates: { until: null } });
    shop.advance(100 * DAY_MS);
    const list = async () =>
      (await shop.call('listLicenses', { params: { id: shop.productId }, query: { starts: 'pending' } })).body as unknown as object[];
    expect(await list()).toHaveLength(1);
    const end = at(shop.now() + 30 * DAY_MS);
    expect((await shop.activate(key, 'device-1')).body).toMatchObject({ license: { expires_at: end } });
    expect(await list()).toEqual([]);
    expect(await shop.license(id)).toMatchObject({ expires_at: end, term: null, updates: { until: at(shop.now() + 10 * DAY_MS) } });
    expect((await eventsOf(id)).map(({ event }) => event)).toEqual(['license.created', 'license.activated']);
    shop.advance(DAY_MS);
    await onLicense(shop, 'resetLicense', id, {});
    await shop.activate(key, 'device-2');
    expect(await shop.license(id)).toMatchObject({ expires_at: end });
  });

  test('an expiry that the operator sets replaces the term, at the creation of the license or later, and also if the expiry is null', async () => {
    const shop = await openShop(box);
    expect(await create(shop, { expires_at: '2030-01-01T00:00:00Z' })).toMatchObject({
      expires_at: '2030-01-01T00:00:00.000Z',
      term: null,
    });
    const { id } = await shop.newLicense();
    expect((await onLicense(shop, 'renewLicense', id, { days: 3 })).status).toBe(422);
    expect((await onLicense(shop, 'renewLicense', id)).status).toBe(422);
    expect((await onLicense(shop, 'renewLicense', id, { expires_at: '2030-01-01T00:00:00Z' })).body).toMatchObject({ term: null });
    const endless = await shop.newLicense();
    expect((await onLicense(shop, 'updateLicense', endless.id, { expires_at: null })).body).toMatchObject({ term: null, expires_at: null });
  });
});

describe('a device list for apps', () => {
  const list = (shop: Shop, key: string, body: object = {}) =>
    shop.call('listDevices', { params: { id: shop.productId }, apiKey: shop.apiKey, body: { key, ...body } });
  const allow = (shop: Shop) => shop.call('updateProduct', { params: { id: shop.productId }, body: { list_devices: true } });
  const refsOf = async (shop: Shop, key: string): Promise<string[]> =>
    ((await list(shop, key)).body as unknown as { ref: string }[]).map(({ ref }) => ref);
  const free = (shop: Shop, key: string, body: object) =>
    shop.call('deactivate', { params: { id: shop.productId }, apiKey: shop.apiKey, body: { key, ...body } });

  test('is disabled until the vendor enables it, and shows no fingerprint', async () => {
    const shop = await openShop();
    const { id, key } = await shop.newLicense();
    await shop.activate(key, 'device-1', { name: 'Old laptop' });
    expect((await list(shop, key)).status).toBe(404);
    expect((await allow(shop)).body).toMatchObject({ list_devices: true });
    shop.advance(61_000);
    await shop.activate(key, 'device-2', { name: 'New laptop' });
    const { status, body } = await list(shop, key, { fingerprint: 'device-2' });
    expect([status, body]).toMatchObject([
      200,
      [
        { name: 'New laptop', this: true },
        { name: 'Old laptop', this: false },
      ],
    ]);
    expect(JSON.stringify(body)).not.toContain('device-1');
    expect((await list(shop, 'AAAAA-AAAAA')).status).toBe(404);
    await onLicense(shop, 'revokeLicense', id);
    expect(code(await list(shop, key))).toEqual([403, 'license_revoked']);
  });

  test('has pages, and a device that is freed between two pages hides no other device', async () => {
    const shop = await openShop();
    await allow(shop);
    const { key } = await shop.newLicense();
    for (const place of [1, 2, 3, 4, 5, 6]) {
      await shop.activate(key, `device-${place}`, { name: String(place) });
      // Some devices are bound in the same millisecond.
      if (place % 2 === 0) shop.advance(1);
    }
    const page = async (query: Record<string, string>) => {
      const { headers, body } = await shop.call('listDevices', {
        params: { id: shop.productId },
        apiKey: shop.apiKey,
        query: { limit: '2', ...query },
        body: { key },
      });
      const cursor = /cursor=([\w-]+)/.exec(headers['Link'] ?? '')?.[1];
      return { devices: body as unknown as { ref: string; name: string }[], cursor };
    };
    const first = await page({});
    await free(shop, key, { device: first.devices[0]?.ref });
    const second = await page({ cursor: first.cursor ?? '' });
    await free(shop, key, { device: second.devices[1]?.ref });
    const third = await page({ cursor: second.cursor ?? '' });
    expect([first, second, third].map(({ devices }) => devices.map(({ name }) => name).sort())).toEqual([
      ['5', '6'],
      ['3', '4'],
      ['1', '2'],
    ]);
    expect(third.cursor).toBeUndefined();
  });

  test('a device can be freed by its ref, a wrong ref frees nothing, and a request needs exactly one of ref and fingerprint', async () => {
    const shop = await openShop();
    await allow(shop);
    const [{ key }, other] = [await shop.newLicense(), await shop.newLicense()];
    await shop.activate(key, 'device-1');
    await shop.activate(other.key, 'device-1');
    const [ref = ''] = await refsOf(shop, key);
    const [foreign = ''] = await refsOf(shop, other.key);
    expect((await free(shop, key, { device: foreign })).body).toEqual({ freed: false });
    expect((await free(shop, key, { device: 'x' })).body).toEqual({ freed: false });
    expect((await free(shop, key, { device: ref, fingerprint: 'device-1' })).status).toBe(422);
    expect((await free(shop, key, {})).status).toBe(422);
    expect((await free(shop, key, { device: ref })).body).toEqual({ freed: true });
    expect((await free(shop, key, { device: ref })).body).toEqual({ freed: false });
  });

  test('nobody without the key of the deployment can test a guessed fingerprint, and only requests with a ref read that key', async () => {
    let reads = 0;
    const fetchSecret = (name: string) => {
      if (name === 'portalKey') reads += 1;
      return Promise.resolve(name === 'adminToken' ? ADMIN_TOKEN : name === 'portalKey' ? 'another-key' : `test-${name}`);
    };
    const shop = await openShop({ kind: 'lifetime', max_seats: 1 }, { fetchSecret });
    await allow(shop);
    const license = await shop.newLicense();
    await shop.activate(license.key, 'device-1');
    await shop.activate(license.key, 'device-2');
    await shop.deactivate(license.key, 'device-2');
    expect(reads).toBe(0);
    const [ref = ''] = await refsOf(shop, license.key);
    expect(reads).toBe(1);
    expect(ref).not.toBe(deviceRefOf(license, 'device-1'));
    expect((await shop.activate(license.key, 'device-2', { replace: deviceRefOf(license, 'device-1') })).status).toBe(429);
    expect((await shop.activate(license.key, 'device-2', { replace: ref })).status).toBe(200);
  });

  test('replace takes the seat of one device if the license is full, and frees nothing otherwise', async () => {
    const shop = await openShop({ kind: 'lifetime', max_seats: 2 });
    await allow(shop);
    const { id, key } = await shop.newLicense();
    await shop.activate(key, 'device-1');
    const [ref] = await refsOf(shop, key);
    await shop.activate(key, 'device-2', { replace: ref });
    expect((await shop.license(id)).seats.used).toBe(2);
    expect((await shop.activate(key, 'device-2', { replace: ref })).status).toBe(200);
    expect((await shop.activate(key, 'device-3', { replace: 'gone' })).status).toBe(429);
    expect((await shop.activate(key, 'device-3', { replace: ref })).status).toBe(200);
    const { seats, activations } = await shop.license(id);
    expect([seats.used, activations.map(({ fingerprint }) => fingerprint)]).toEqual([2, ['device-2', 'device-3']]);
    const events = await eventsOf(id);
    expect(events.slice(-2).map(({ event, payload }) => [event, (payload.data as { reason?: string }).reason])).toEqual([
      ['license.deactivated', 'replaced'],
      ['license.activated', undefined],
    ]);
  });

  test('the day on which a device was last seen is in all responses about the device, and the license list can be filtered by it', async () => {
    const shop = await openShop();
    const { id, key } = await shop.newLicense();
    await shop.newLicense();
    const first = at(shop.now()).slice(0, 10);
    await shop.activate(key, 'device-1');
    const unseen = async (day: string) =>
      ((await shop.call('listLicenses', { params: { id: shop.productId }, query: { unseen_since: day } })).body as unknown as object[])
        .length;
    shop.advance(90 * DAY_MS);
    const later = at(shop.now()).slice(0, 10);
    expect((await shop.license(id)).activations).toMatchObject([{ last_seen_on: first }]);
    expect(await unseen(later)).toBe(1);
    expect((await shop.validate(key, 'device-1')).body).toMatchObject({ device: { last_seen_on: later } });
    expect(await unseen(later)).toBe(0);
    const [listed] = (await shop.call('listLicenses', { params: { id: shop.productId } })).body as unknown as object[];
    expect(listed).toMatchObject({ activations: [{ last_seen_on: later }] });
    expect(await eventsOf(id)).toHaveLength(2);
    expect((await shop.call('listLicenses', { params: { id: shop.productId }, query: { unseen_since: '2026-02-30' } })).status).toBe(422);
  });
});

test('a validation of a valid key on a device that is not bound returns a signed "unbound"', async () => {
  const shop = await openShop();
  const { key } = await shop.newLicense();
  const { headers, body } = await shop.validate(key, 'device-1');
  expect(body).toMatchObject({ valid: true });
  expect(claimsOf(headers['X-Svc-Verdict'])).toMatchObject({ status: 'unbound', fingerprint: 'device-1' });
  await shop.activate(key, 'device-1');
  expect((await shop.validate(key, 'device-1')).headers).not.toHaveProperty('X-Svc-Verdict');
});
