import { createPublicKey } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, importSPKI } from 'jose';
import type { LicenseTypeView, ProductView } from '../../lambdas/contract/resources';
import { everyPage, expectError, get, newProduct, newShop, newType, nextPage, post, send, serviceNow, unique } from '../support/http';
import { serveInProcess } from '../support/in-process';

serveInProcess();

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const missing = 9_007_199_254_740_991;
const ids = (rows: readonly { id: number }[]): number[] => rows.map(({ id }) => id);

describe('a product', () => {
  test('is the same on create, get and list, and contains what a client app needs', async () => {
    const slug = unique();
    const created = await post<ProductView>('/v1/products', { name: `  ${slug} name `, slug });
    expect(created.status).toBe(201);
    const product = created.body;
    expect(Object.keys(product).sort()).toEqual([
      'api_key',
      'created_at',
      'id',
      'list_devices',
      'name',
      'public_key',
      'slug',
      'trials_per_hour',
    ]);
    expect(product).toMatchObject({ name: `${slug} name`, slug });
    expect(Number.isSafeInteger(product.id) && product.id >= 1).toBe(true);
    expect(product.api_key.length).toBeGreaterThanOrEqual(30);
    expect(product.created_at).toMatch(timestamp);
    expect(Math.abs(Date.parse(product.created_at) - serviceNow())).toBeLessThan(60_000);

    const key = createPublicKey(product.public_key);
    expect(product.public_key).toMatch(/^-----BEGIN PUBLIC KEY-----\n/);
    expect(key.asymmetricKeyType).toBe('ed25519');

    expect(await get(`/v1/products/${product.id}`)).toMatchObject({ status: 200, body: product });
    expect((await get<ProductView[]>('/v1/products')).body).toContainEqual(product);
  });

  test('has different keys from every other product', async () => {
    const [a, b] = await Promise.all([newProduct(), newProduct()]);
    expect(a.api_key).not.toBe(b.api_key);
    expect(a.public_key).not.toBe(b.public_key);
    expect(a.id).not.toBe(b.id);
  });

  test('with the name or the slug of another product is refused, and reserves nothing', async () => {
    const { name, slug } = await newProduct();
    const free = unique();
    expectError(await post('/v1/products', { name, slug: free }), 'duplicate', /name/);
    expectError(await post('/v1/products', { name: free, slug }), 'duplicate', /slug/);
    expectError(await post('/v1/products', { name, slug }), 'duplicate');
    expect((await post('/v1/products', { name: free, slug: free })).status).toBe(201);
  });

  test('created many times at once exists once', async () => {
    const slug = unique();
    const answers = await Promise.all(Array.from({ length: 12 }, () => post('/v1/products', { name: slug, slug })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(11).fill(409)]);
    const all = (await everyPage<ProductView>('/v1/products')).flat();
    expect(all.filter((product) => product.slug === slug)).toHaveLength(1);
  });

  test('that does not exist is 404', async () => {
    expectError(await get(`/v1/products/${missing}`), 'not_found');
    expectError(await get(`/v1/products/${missing}/jwks.json`), 'not_found');
    expectError(await get(`/v1/products/${missing}/license-types`), 'not_found');
    expectError(await get(`/v1/products/${missing}/licenses`), 'not_found');
    expectError(await post(`/v1/products/${missing}/license-types`, { name: 'x', kind: 'lifetime' }), 'not_found');
    expectError(await post(`/v1/products/${missing}/licenses`, { license_type_id: 1 }), 'not_found');
  });

  test('publishes its key as a JWK set that JOSE libraries understand', async () => {
    const product = await newProduct();
    const { status, body } = await send<{ keys: Record<string, string>[] }>(`/v1/products/${product.id}/jwks.json`);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['keys']);
    const pem = await exportJWK(await importSPKI(product.public_key, 'EdDSA'));
    expect(body.keys).toEqual([
      { kty: 'OKP', crv: 'Ed25519', x: pem.x, kid: await calculateJwkThumbprint(pem, 'sha256'), use: 'sig', alg: 'EdDSA' },
    ]);
  });
});

describe('a license type', () => {
  let product: ProductView;
  beforeAll(async () => {
    product = await newProduct();
  });
  const create = (fields: object) => post<LicenseTypeView>(`/v1/products/${product.id}/license-types`, { name: unique(), ...fields });

  test.each([
    ['lifetime', {}, null],
    ['floating', {}, null],
    ['lifetime', { duration_days: null }, null],
    ['subscription', { duration_days: 1 }, 1],
    ['trial', { duration_days: 36_500 }, 36_500],
  ])('%s with %j is created as asked for', async (kind, fields, duration_days) => {
    const { status, body } = await create({ kind, ...fields });
    expect(status).toBe(201);
    expect(Object.keys(body).sort()).toEqual([
      'archived',
      'binding',
      'created_at',
      'devices_per_user',
      'downloads_when_expired',
      'duration_days',
      'features',
      'id',
      'kind',
      'lease_minutes',
      'limits',
      'max_major',
      'max_seats',
      'meters',
      'name',
      'new_devices_per_week',
      'product_id',
      'self_service',
      'starts',
      'updates_days',
    ]);
    expect(body).toMatchObject({
      kind,
      duration_days,
      product_id: product.id,
      max_seats: 0,
      created_at: expect.stringMatching(timestamp) as string,
    });
    expect((await get<LicenseTypeView[]>(`/v1/products/${product.id}/license-types`)).body).toContainEqual(body);
  });

  test('that its kind does not allow is refused', async () =>
    expectError(await create({ kind: 'subscription' }), 'invalid_request', /duration_days/));

  test('the largest number of seats is stored exactly', async () => {
    expect((await create({ kind: 'lifetime', max_seats: Number.MAX_SAFE_INTEGER })).body.max_seats).toBe(Number.MAX_SAFE_INTEGER);
  });

  test('has a unique name within its product, but another product may have a type with the same name', async () => {
    const { name } = await newType(product);
    expectError(await create({ name, kind: 'lifetime' }), 'duplicate', /name/);
    expect((await newType(await newProduct(), { name })).name).toBe(name);
  });

  test('created many times at once exists once', async () => {
    const name = unique();
    const answers = await Promise.all(Array.from({ length: 8 }, () => create({ name, kind: 'lifetime' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)]);
  });
});

describe('lists are complete and in order, with any size of a page', () => {
  test('products', async () => {
    const made = await Promise.all(Array.from({ length: 5 }, newProduct));
    const all = (await everyPage<ProductView>('/v1/products')).flat();
    expect(ids(all)).toEqual([...ids(all)].sort((a, b) => a - b));
    expect(new Set(ids(all)).size).toBe(all.length);
    for (const product of made) expect(all).toContainEqual(product);

    const paged = await everyPage<ProductView>('/v1/products?limit=7');
    for (const page of paged.slice(0, -1)) expect(page).toHaveLength(7);
    expect(paged.at(-1)?.length).toBeGreaterThan(0);
    // Other tests create products at the same time. Every product that existed before must be on one of the pages.
    expect(paged.flat()).toEqual(expect.arrayContaining(all));
  });

  test('license types', async () => {
    const product = await newProduct();
    expect((await get(`/v1/products/${product.id}/license-types`)).body).toEqual([]);
    for (let i = 0; i < 5; i += 1) await newType(product);
    const path = `/v1/products/${product.id}/license-types`;
    const all = (await everyPage<LicenseTypeView>(path)).flat();
    expect(ids(all)).toEqual([...ids(all)].sort((a, b) => a - b));
    expect(all).toHaveLength(5);
    for (const limit of [1, 2, 4, 5, 6, 1000]) {
      const pages = await everyPage<LicenseTypeView>(`${path}?limit=${limit}`);
      expect(pages.flat()).toEqual(all);
      expect(pages).toHaveLength(Math.ceil(5 / limit));
    }
  });

  test('licenses, each with its devices', async () => {
    const { product, type, client, license } = await newShop();
    const path = `/v1/products/${product.id}/licenses`;
    const keys = [license.key];
    for (let i = 0; i < 4; i += 1) keys.push((await post<{ key: string }>(path, { license_type_id: type.id })).body.key);
    for (const [place, key] of keys.entries()) {
      for (let device = 0; device < place; device += 1) await client.activate(key, `fingerprint-${device}`);
    }
    const all = (await everyPage<{ id: number; key: string; activations: { fingerprint: string }[] }>(path)).flat();
    expect(all.map(({ key }) => key)).toEqual(keys);
    expect(all.map(({ activations }) => activations.map(({ fingerprint }) => fingerprint))).toEqual(
      keys.map((_, place) => Array.from({ length: place }, (__, device) => `fingerprint-${device}`)),
    );
    for (const limit of [1, 2, 3, 4, 5, 6]) {
      const pages = await everyPage<{ id: number }>(`${path}?limit=${limit}`);
      expect(pages.flat()).toEqual(all);
      for (const page of pages) expect(page.length).toBeLessThanOrEqual(limit);
    }
  });

  test('a cursor beyond the end finds nothing, and the link keeps the filters', async () => {
    const { product, type } = await newShop();
    await post(`/v1/products/${product.id}/licenses`, { license_type_id: type.id });
    const path = `/v1/products/${product.id}/licenses`;
    const first = await get(`${path}?limit=1&status=active&license_type_id=${type.id}`);
    const next = new URL(nextPage(first) ?? '', 'http://x');
    expect(next.pathname).toBe(path);
    expect(Object.fromEntries(next.searchParams)).toMatchObject({ limit: '1', status: 'active', license_type_id: String(type.id) });
    const beyond = Buffer.from('9999999999999999').toString('base64url');
    for (const list of [path, '/v1/products', `/v1/products/${product.id}/license-types`]) {
      const { status, text, headers } = await get(`${list}?cursor=${beyond}`);
      expect([status, text, headers['link']]).toEqual([200, '[]', undefined]);
    }
  });
});
