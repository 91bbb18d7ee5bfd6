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

  test.each<[string, object, RegExp]>([
    ['no type', { license_type_id: undefined }, /license_type_id/],
    ['a type as text', { license_type_id: '1' }, /license_type_id/],
    ['part of a type', { license_type_id: 1.5 }, /license_type_id/],
    ['a type beyond counting', { license_type_id: 1e300 }, /license_type_id/],
    ['a list of types', { license_type_id: [1] }, /license_type_id/],
    ['an address without @', { customer_email: 'ada' }, /customer_email/],
    ['an empty address', { customer_email: '' }, /customer_email/],
    ['an address with a line break', { customer_email: 'ada@example.com\nBcc: x' }, /customer_email/],
    ['an address without a domain', { customer_email: 'ada@' }, /customer_email/],
    ['an address in brackets', { customer_email: 'Ada <ada@example.com>' }, /customer_email/],
    ['two addresses', { customer_email: 'a@example.com,b@example.com' }, /customer_email/],
    ['a long address', { customer_email: `${'a'.repeat(250)}@example.com` }, /customer_email/],
    ['an address that is a number', { customer_email: 5 }, /customer_email/],
    ['metadata that is text', { metadata: 'x' }, /metadata/],
    ['metadata that is a list', { metadata: [] }, /metadata/],
    ['metadata that is null', { metadata: null }, /metadata/],
    ['an expiry in words', { expires_at: 'tomorrow' }, /expires_at/],
    ['an expiry without a zone', { expires_at: '2031-01-01T00:00:00' }, /expires_at/],
    ['an expiry on 30 February', { expires_at: '2031-02-30T00:00:00Z' }, /expires_at/],
    ['an expiry as a number', { expires_at: 1_900_000_000 }, /expires_at/],
    ['an expiry in the year 10000', { expires_at: '10000-01-01T00:00:00Z' }, /expires_at/],
  ])('is not issued with %s', async (_case, fields, field) => expectError(await issue(fields), 'invalid_request', field));

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
  const nest = (levels: number): object => (levels === 1 ? {} : { a: nest(levels - 1) });
  const sized = (bytes: number, letter = 'x'): object => {
    const room = bytes - Buffer.byteLength(JSON.stringify({ a: '' }));
    return { a: letter.repeat(room / Buffer.byteLength(letter)) + 'x'.repeat(room % Buffer.byteLength(letter)) };
  };

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

  test.each([
    '9007199254740992',
    '-9007199254740993',
    '1234567890123456789',
    '1e400',
    '3.141592653589793238',
    '1e-400',
    '9007199254740993.0',
    '[1,{"a":12345678901234567890}]',
  ])('is refused with the number %s, which a response could not repeat exactly', async (number) => {
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
  });

  test('may be 20 levels deep', async () => {
    expect((await issue({ metadata: nest(20) })).status).toBe(201);
    expectError(await issue({ metadata: nest(21) }), 'invalid_request', /metadata/);
    const deep = `{"license_type_id":${shop.type.id},"metadata":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_001)}`;
    expectError(
      await post(`/v1/products/${shop.product.id}/licenses`, deep, { 'Content-Type': 'application/json' }),
      'invalid_request',
      /metadata/,
    );
  });

  test.each(['x', 'ä', '😀'])('may have 16 KB of %s', async (letter) => {
    expect((await issue({ metadata: sized(16 * 1024, letter) })).status).toBe(201);
    expectError(await issue({ metadata: sized(16 * 1024 + 1, letter) }), 'invalid_request', /metadata/);
  });
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

test('a list of megabytes is divided into pages that fit into a response', async () => {
  const { product, type } = await newShop();
  // Each license has 16 KB as JSON, and twice as much when that JSON is escaped inside the function's response.
  const metadata = { a: '"'.repeat(8000) };
  const path = `/v1/products/${product.id}/licenses`;
  for (let i = 0; i < 4; i += 1) await Promise.all(Array.from({ length: 50 }, () => post(path, { license_type_id: type.id, metadata })));
  const pages = await everyPage<LicenseView>(path);
  expect(pages.length).toBeGreaterThan(1);
  expect(pages.flat()).toHaveLength(201);
  const ids = pages.flat().map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
  for (const page of pages) expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThanOrEqual(5_000_000);
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

  test('is reported instead of an expiry, even if no check has noticed the expiry yet, and instead of a full license', async () => {
    for (const check of [true, false]) {
      const { id, key } = await newLicense(shop.type, { expires_at: past });
      if (check) expect((await shop.client.validate(key, 'fingerprint-1')).body.status).toBe('expired');
      expect((await post<LicenseView>(`/v1/licenses/${id}/revoke`)).body.status).toBe('revoked');
      expect((await shop.client.validate(key, 'fingerprint-1')).body).toEqual({ valid: false, status: 'revoked' });
      expectError(await shop.client.activate(key, 'fingerprint-1'), 'license_revoked');
      expect((await getLicense(id)).status).toBe('revoked');
    }
    const full = await newLicense(await newType(shop.product, { max_seats: 1 }));
    await shop.client.activate(full.key, 'fingerprint-1');
    await post(`/v1/licenses/${full.id}/revoke`);
    expectError(await shop.client.activate(full.key, 'fingerprint-2'), 'license_revoked');
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

  test('works in every status without changing the status, also if there is no seat to free', async () => {
    const revoked = await newLicense(shop.type);
    await shop.client.activate(revoked.key, 'fingerprint-1');
    await post(`/v1/licenses/${revoked.id}/revoke`);
    expect((await post(`/v1/licenses/${revoked.id}/reset`)).body).toEqual({ status: 'reset', freed: 1 });
    expect(await getLicense(revoked.id)).toMatchObject({ status: 'revoked', seats: { used: 0 } });

    const expired = await newLicense(shop.type, { expires_at: past });
    await shop.client.validate(expired.key, 'fingerprint-1');
    for (let i = 0; i < 2; i += 1) expect((await post(`/v1/licenses/${expired.id}/reset`)).body).toEqual({ status: 'reset', freed: 0 });
    expect((await getLicense(expired.id)).status).toBe('expired');
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

  test('until a given time never moves the expiry back', async () => {
    const license = await newLicense(shop.type, { expires_at: '2031-01-01T00:00:00Z' });
    expectError(await renew(license.id, { expires_at: '2030-12-31T23:59:59.999Z' }), 'invalid_request', /expires_at/);
    expect((await renew(license.id, { expires_at: '2031-01-01T00:00:00Z' })).status).toBe(200);
    expect((await renew(license.id, { expires_at: '2031-06-01T02:00:00+02:00' })).body.expires_at).toBe('2031-06-01T00:00:00.000Z');
    expect((await getLicense(license.id)).expires_at).toBe('2031-06-01T00:00:00.000Z');
  });

  test('ends with the year 9999', async () => {
    const license = await newLicense(shop.type, { expires_at: '9999-12-01T00:00:00Z' });
    expectError(await renew(license.id, { days: 31 }), 'invalid_request', /9999/);
    expect((await renew(license.id)).body.expires_at).toBe('9999-12-31T00:00:00.000Z');
    expectError(await renew(license.id), 'invalid_request', /9999/);
    expect((await getLicense(license.id)).expires_at).toBe('9999-12-31T00:00:00.000Z');
  });

  test('needs a duration if the license never expires', async () => {
    const license = await newLicense(await newType(shop.product));
    expectError(await renew(license.id), 'invalid_request', /days|expires_at/);
    expect((await getLicense(license.id)).expires_at).toBeNull();
  });

  test.each<[object, RegExp]>([
    [{ days: 0 }, /days/],
    [{ days: -1 }, /days/],
    [{ days: 1.5 }, /days/],
    [{ days: '30' }, /days/],
    [{ days: 36_501 }, /days/],
    [{ days: 1, expires_at: '2031-01-01T00:00:00Z' }, /days/],
    [{ expires_at: 'soon' }, /expires_at/],
    [{ expires_at: '2031-02-30T00:00:00Z' }, /expires_at/],
  ])('is refused with %j', async (body, field) => {
    expectError(await renew(shop.license.id, body), 'invalid_request', field);
    expectError(await renew(missing, body), 'invalid_request', field);
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
