import type { LicenseView } from '../../lambdas/contract/resources';
import {
  everyPage,
  expectError,
  get,
  getLicense,
  newLicense,
  newShop,
  newType,
  nextPage,
  post,
  serviceNow,
  unique,
  type Shop,
} from '../support/http';
import { serveInProcess } from '../support/in-process';

serveInProcess();

const DAY = 86_400_000;
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const missing = 9_007_199_254_740_991;
const past = '2020-01-01T00:00:00.000Z';
const adminFields = [
  'activations',
  'created_at',
  'customer_email',
  'expires_at',
  'features',
  'id',
  'key',
  'label',
  'language',
  'license_type',
  'limits',
  'members',
  'metadata',
  'new_devices',
  'order',
  'own_terms',
  'product_id',
  'revoked_at',
  'revoked_reason',
  'seats',
  'status',
  'suspended_at',
  'suspended_by',
  'suspended_cause',
  'suspended_reason',
  'term',
  'updates',
];

let shop: Shop;
beforeAll(async () => {
  shop = await newShop({ kind: 'subscription', duration_days: 30, max_seats: 2 });
});

const issue = (fields: object, productId = shop.product.id) =>
  post<LicenseView>(`/v1/products/${productId}/licenses`, { license_type_id: shop.type.id, ...fields });

describe('a license', () => {
  test('is issued with all fields that the operator gave, and every admin route shows the same', async () => {
    const fields = { customer_email: ' Ada@Example.com ', metadata: { order: 'A-1', nested: { list: [1, 'ü', null, true, 0.5] } } };
    const { status, body } = await issue(fields);
    expect(status).toBe(201);
    expect(Object.keys(body).sort()).toEqual(adminFields);
    expect(body).toMatchObject({
      product_id: shop.product.id,
      status: 'active',
      seats: { used: 0, max: 2 },
      customer_email: 'Ada@Example.com',
      metadata: fields.metadata,
      revoked_at: null,
      activations: [],
      created_at: expect.stringMatching(timestamp) as string,
    });
    const { product_id: _product, self_service: _trial, archived: _archived, created_at: _created, ...terms } = shop.type;
    expect(body.license_type).toEqual(terms);
    expect(body.key).toMatch(/^[0-9A-HJKMNP-TV-Z]{5}(-[0-9A-HJKMNP-TV-Z]{5}){4}$/);
    expect(Date.parse(body.expires_at ?? '') - Date.parse(body.created_at)).toBe(30 * DAY);

    expect((await get(`/v1/licenses/${body.id}`)).body).toEqual(body);
    expect((await get(`/v1/products/${shop.product.id}/licenses?key=${body.key}`)).body).toEqual([body]);
    expect((await post(`/v1/licenses/${body.id}/revoke`)).body).toEqual({
      ...body,
      status: 'revoked',
      revoked_at: expect.stringMatching(timestamp) as string,
    });
  });

  test('can be created with only a license type', async () => {
    expect((await issue({})).body).toMatchObject({ customer_email: null, metadata: {} });
    expect((await issue({ customer_email: null, expires_at: null })).body).toMatchObject({ customer_email: null });
  });

  test.each(['lifetime', 'floating'])('of the kind %s never expires', async (kind) => {
    const { expires_at, license_type } = await newLicense(await newType(shop.product, { kind }));
    expect([expires_at, license_type.duration_days]).toEqual([null, null]);
  });

  test('may expire when the operator says so, regardless of its type', async () => {
    const forever = await newType(shop.product);
    for (const type of [shop.type, forever]) {
      for (const [given, shown] of [
        ['2031-02-28T10:00:00Z', '2031-02-28T10:00:00.000Z'],
        ['2031-02-28T10:00:00.5+02:00', '2031-02-28T08:00:00.500Z'],
        ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
        [past, past],
      ]) {
        expect((await newLicense(type, { expires_at: given })).expires_at).toBe(shown);
      }
    }
  });

  test('is not issued with a wrong field', async () =>
    expectError(await issue({ customer_email: 'ada' }), 'invalid_request', /customer_email/));

  test('is not issued with a type of another product or a type that does not exist', async () => {
    const other = await newShop();
    for (const license_type_id of [other.type.id, missing, 0, -1]) expectError(await issue({ license_type_id }), 'not_found');
  });

  test('that does not exist is 404', async () => {
    expectError(await get(`/v1/licenses/${missing}`), 'not_found');
    for (const operation of ['revoke', 'reset', 'renew', 'offline'])
      expectError(await post(`/v1/licenses/${missing}/${operation}`), 'not_found');
  });
});

describe('metadata', () => {
  test('is returned as it was given, with any names', async () => {
    for (const metadata of [
      { constructor: 1, toString: null, hasOwnProperty: { length: -1 } },
      { '': '', ' ': ' ', 'ü 😀': ['\u0001\n', '\u202e'], 'a.b': { $ref: '#' }, pk: 'x', sk: 'y' },
      { big: Number.MAX_SAFE_INTEGER, small: -1e-300, zero: 0 },
    ]) {
      const { status, body } = await issue({ metadata });
      expect(status).toBe(201);
      expect(JSON.stringify((await getLicense(body.id)).metadata)).toBe(JSON.stringify(metadata));
    }
    const sent = `{"license_type_id":${shop.type.id},"metadata":{"__proto__":{"admin":true},"x":1}}`;
    const answer = await post<LicenseView>(`/v1/products/${shop.product.id}/licenses`, sent, { 'Content-Type': 'application/json' });
    expect(answer.text).toContain('"metadata":{"__proto__":{"admin":true},"x":1}');
    expect((await get(`/v1/licenses/${answer.body.id}`)).text).toContain('"metadata":{"__proto__":{"admin":true},"x":1}');
  });

  test.each(['1234567890123456789', '1e400'])(
    'is refused with the number %s, which a response could not repeat exactly',
    async (number) => {
      const sent = (value: string): string =>
        `{"license_type_id":${shop.type.id},"metadata":{"text":"\\"12345678901234567890","order":${value}}}`;
      const headers = { 'Content-Type': 'application/json' };
      const path = `/v1/products/${shop.product.id}/licenses`;
      expectError(
        await post(path, sent(number), headers),
        'invalid_request',
        /^metadata cannot keep the number -?[\d.e-]+ exactly: send it as text$/,
      );
      for (const exact of ['9007199254740991', '0.1', '1e308', '-1.5E-7', JSON.stringify(number)])
        expect((await post(path, sent(exact), headers)).status).toBe(201);
    },
  );
});

describe('a list of licenses can be filtered', () => {
  let other: Shop['type'];
  let made: LicenseView[];
  const find = async (query: Record<string, string>): Promise<number[]> => {
    const path = `/v1/products/${shop.product.id}/licenses?${new URLSearchParams(query).toString()}`;
    const whole = (await everyPage<LicenseView>(path)).flat().map(({ id }) => id);
    const paged = (await everyPage<LicenseView>(`${path}&limit=1`)).flat().map(({ id }) => id);
    expect(paged).toEqual(whole);
    return whole.filter((id) => made.some((license) => license.id === id));
  };
  const [ada, bob] = [`Ada.${unique('')}@Example.com`, `bob+${unique('')}@example.com`];

  beforeAll(async () => {
    other = await newType(shop.product, { kind: 'lifetime' });
    made = [];
    for (const [type, customer_email] of [
      [shop.type, ada],
      [other, ada],
      [shop.type, bob],
      [other, null],
      [shop.type, ada],
    ] as const)
      made.push(await newLicense(type, { customer_email }));
    await post(`/v1/licenses/${made[0]!.id}/revoke`);
    await post(`/v1/licenses/${made[2]!.id}/revoke`);
    const lapsed = await newLicense(other, { customer_email: ada, expires_at: past });
    await shop.client.validate(lapsed.key, 'fingerprint-1');
    made.push(lapsed, await newLicense(other, { customer_email: ada, expires_at: past }));
  });
  const at = (...places: number[]): number[] => places.map((place) => made[place]!.id);

  test('by status as stored: an expiry that no check has noticed is not considered', async () => {
    expect(await find({ status: 'revoked' })).toEqual(at(0, 2));
    expect(await find({ status: 'expired' })).toEqual(at(5));
    expect(await find({ status: 'active' })).toEqual(at(1, 3, 4, 6));
  });

  test("by the buyer's address in any case, in full", async () => {
    expect(await find({ customer_email: ada })).toEqual(at(0, 1, 4, 5, 6));
    expect(await find({ customer_email: ada.toUpperCase() })).toEqual(at(0, 1, 4, 5, 6));
    expect(await find({ customer_email: bob })).toEqual(at(2));
    expect(await find({ customer_email: ada.slice(0, -1) })).toEqual([]);
    expect(await find({ customer_email: 'nobody' })).toEqual([]);
    expect(await find({ customer_email: 'null' })).toEqual([]);
  });

  test('by key, in any spelling that a person may type', async () => {
    const { key, id } = made[1]!;
    for (const typed of [key, key.toLowerCase(), key.replaceAll('-', ''), ` ${key.replaceAll('-', ' ')} `])
      expect(await find({ key: typed })).toEqual([id]);
    for (const typed of ['x', key.slice(0, -1), 'A'.repeat(2000), key.replace(/.$/, (last) => (last === '0' ? '1' : '0'))])
      expect(await find({ key: typed })).toEqual([]);
  });

  test('by type, and by everything at once', async () => {
    expect(await find({ license_type_id: String(other.id) })).toEqual(at(1, 3, 5, 6));
    expect(await find({ license_type_id: String(missing) })).toEqual([]);
    expect(await find({ license_type_id: String(other.id), status: 'active' })).toEqual(at(1, 3, 6));
    expect(await find({ license_type_id: String(other.id), status: 'active', customer_email: ada })).toEqual(at(1, 6));
    expect(await find({ customer_email: ada, status: 'revoked' })).toEqual(at(0));
    expect(await find({ customer_email: ada, key: made[1]!.key })).toEqual(at(1));
    expect(await find({ customer_email: bob, key: made[1]!.key })).toEqual([]);
    expect(await find({ status: 'revoked', key: made[1]!.key })).toEqual([]);
  });

  test('a changed license is found by its current values only', async () => {
    const license = await newLicense(shop.type);
    made.push(license);
    const { key } = license;
    await post(`/v1/licenses/${license.id}/revoke`);
    expect(await find({ status: 'revoked', key })).toEqual([license.id]);
    expect(await find({ status: 'active', key })).toEqual([]);
  });
});

test('a list that starts with the newest license is the exact reverse of the usual list: every license with its own devices, page by page', async () => {
  const { product, type, client } = await newShop({ max_seats: 0 }, { customer_email: 'ada@example.com' });
  const other = await newType(product);
  for (let i = 0; i < 6; i += 1) {
    const { key } = await newLicense(i % 2 ? type : other, { customer_email: i % 3 ? 'ada@example.com' : null });
    for (let devices = i % 4; devices > 0; devices -= 1) await client.activate(key, `fingerprint-${i}-${devices}`);
  }
  const path = `/v1/products/${product.id}/licenses`;
  for (const filter of ['', `&license_type_id=${type.id}`, '&status=active', '&customer_email=ada@example.com', '&status=revoked']) {
    const oldest = (await get<LicenseView[]>(`${path}?limit=1000${filter}`)).body;
    for (const limit of [1, 2, 3, 1000]) {
      const newest = (await everyPage<LicenseView>(`${path}?direction=desc&limit=${limit}${filter}`)).flat();
      expect([filter, limit, newest]).toEqual([filter, limit, oldest.toReversed()]);
    }
  }
  expectError(await get(`${path}?direction=newest`), 'invalid_request', /direction/);
});

describe('a revocation', () => {
  test('is final, and repeating it changes nothing', async () => {
    const { id } = await newLicense(shop.type);
    const first = await post<LicenseView>(`/v1/licenses/${id}/revoke`);
    expect([first.status, first.body.status]).toEqual([200, 'revoked']);
    const again = await post<LicenseView>(`/v1/licenses/${id}/revoke`);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(await getLicense(id)).toEqual(first.body);
  });

  test('leaves the devices bound, and refuses them from then on', async () => {
    const { id, key } = await newLicense(shop.type);
    await shop.client.activate(key, 'fingerprint-1', { name: 'a', platform: 'b' });
    const { body } = await post<LicenseView>(`/v1/licenses/${id}/revoke`);
    expect(body.activations).toEqual([
      {
        app_version: null,
        country: null,
        fingerprint: 'fingerprint-1',
        name: 'a',
        platform: 'b',
        activated_at: expect.stringMatching(timestamp) as string,
        lease_expires_at: null,
        last_seen_on: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as string,
        member: null,
      },
    ]);
    expect(body.seats).toEqual({ used: 1, max: 2 });
    expectError(await shop.client.activate(key, 'fingerprint-1'), 'license_revoked');
    expectError(await shop.client.activate(key, 'fingerprint-2'), 'license_revoked');
    expect((await shop.client.validate(key, 'fingerprint-1')).text).toBe('{"valid":false,"status":"revoked"}');
  });
});

describe('a reset', () => {
  test('frees every seat, and devices can bind again at once', async () => {
    const { id, key } = await newLicense(shop.type);
    for (const fingerprint of ['fingerprint-1', 'fingerprint-2']) await shop.client.activate(key, fingerprint, { name: 'old' });
    expectError(await shop.client.activate(key, 'fingerprint-3'), 'no_seats');
    expect((await post(`/v1/licenses/${id}/reset`)).text).toBe('{"status":"reset","freed":2}');
    expect(await getLicense(id)).toMatchObject({ status: 'active', seats: { used: 0, max: 2 }, activations: [] });

    const unbound = await shop.client.validate(key, 'fingerprint-1');
    expect(unbound.body).toMatchObject({ valid: true, seats: { used: 0, max: 2 } });
    expect(Object.keys(unbound.body)).not.toContain('device');
    expect((await shop.client.deactivate(key, 'fingerprint-1')).body).toEqual({ freed: false });

    const back = await shop.client.activate(key, 'fingerprint-1');
    expect([back.status, back.body.seats, back.body.device.name]).toEqual([200, { used: 1, max: 2 }, '']);
    expect((await getLicense(id)).activations.map(({ fingerprint }) => fingerprint)).toEqual(['fingerprint-1']);
  });
});

describe('a renewal', () => {
  const renew = (id: number, body?: object) => post<LicenseView>(`/v1/licenses/${id}/renew`, body);
  const expiry = (license: LicenseView): number => Date.parse(license.expires_at ?? '');

  test("adds the type's days, or other days, to the present expiry", async () => {
    const license = await newLicense(shop.type);
    const first = await renew(license.id);
    expect(first.status).toBe(200);
    expect(Object.keys(first.body).sort()).toEqual(adminFields);
    expect(first.body).toEqual({ ...license, expires_at: first.body.expires_at });
    expect(expiry(first.body) - expiry(license)).toBe(30 * DAY);
    expect(expiry((await renew(license.id, {})).body) - expiry(license)).toBe(60 * DAY);
    expect(expiry((await renew(license.id, { days: 5 })).body) - expiry(license)).toBe(65 * DAY);
    expect(expiry((await renew(license.id, { days: null, expires_at: null })).body) - expiry(license)).toBe(95 * DAY);
    expect(expiry(await getLicense(license.id)) - expiry(license)).toBe(95 * DAY);
  });

  test('counts from now if the expiry has passed, and makes an expired license active again', async () => {
    for (const check of [true, false]) {
      const license = await newLicense(shop.type, { expires_at: past });
      if (check) await shop.client.validate(license.key, 'fingerprint-1');
      const before = serviceNow();
      const { body } = await renew(license.id, { days: 2 });
      expect(body.status).toBe('active');
      expect(expiry(body) - before).toBeGreaterThanOrEqual(2 * DAY);
      expect(expiry(body) - serviceNow()).toBeLessThanOrEqual(2 * DAY);
      expect((await shop.client.activate(license.key, 'fingerprint-1')).status).toBe(200);
    }
  });

  test('of a revoked license is refused, regardless of the requested duration', async () => {
    const license = await newLicense(shop.type);
    await post(`/v1/licenses/${license.id}/revoke`);
    for (const body of [undefined, { days: 1 }, { expires_at: past }]) expectError(await renew(license.id, body), 'license_revoked');
    expectError(await renew(license.id, { days: 0 }), 'invalid_request');
    expect((await getLicense(license.id)).expires_at).toBe(license.expires_at);
  });

  test('many renewals at once are all counted', async () => {
    const license = await newLicense(shop.type);
    const answers = await Promise.all(Array.from({ length: 10 }, () => renew(license.id, { days: 1 })));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(expiry(await getLicense(license.id)) - expiry(license)).toBe(10 * DAY);
    expect(new Set(answers.map(({ body }) => body.expires_at)).size).toBe(10);
  });
});

test('each page of a list links to the next page with a relative URL, which works with any host name', async () => {
  const page = await get(`/v1/products/${shop.product.id}/licenses?limit=1`);
  expect(nextPage(page)).toMatch(/^\/v1\/products\/\d+\/licenses\?limit=1&cursor=[\w-]+$/);
});
