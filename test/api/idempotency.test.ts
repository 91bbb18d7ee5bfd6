import type { LicenseView } from '../../lambdas/contract/resources';
import { serveInProcess } from '../support/in-process';
import { eventsOf } from '../support/table';
import {
  everyPage,
  expectError,
  getLicense,
  newLicense,
  newProduct,
  newShop,
  newType,
  post,
  unique,
  type Answer,
  type Shop,
} from '../support/http';

/**
 * Tests `Idempotency-Key`: a request that is sent twice is executed once. Otherwise a shop that repeats a request after a lost response
 * would create a second license.
 */

serveInProcess();

let shop: Shop;
beforeAll(async () => {
  shop = await newShop({ kind: 'subscription', duration_days: 30 });
});

interface Case {
  readonly path: () => string;
  readonly body: () => object;
  readonly other: () => object;
}
const cases: Readonly<Record<string, Case>> = {
  product: {
    path: () => '/v1/products',
    body: () => ({ name: unique(), slug: unique() }),
    other: () => ({ name: unique(), slug: unique() }),
  },
  'license type': {
    path: () => `/v1/products/${shop.product.id}/license-types`,
    body: () => ({ name: unique(), kind: 'lifetime' }),
    other: () => ({ name: unique(), kind: 'floating' }),
  },
  license: {
    path: () => `/v1/products/${shop.product.id}/licenses`,
    body: () => ({ license_type_id: shop.type.id, metadata: { a: 1 } }),
    other: () => ({ license_type_id: shop.type.id, metadata: { a: 2 } }),
  },
  renewal: { path: () => `/v1/licenses/${shop.license.id}/renew`, body: () => ({ days: 1 }), other: () => ({ days: 2 }) },
};
const send = (path: string, body: object | undefined, key: string): Promise<Answer<LicenseView>> =>
  post<LicenseView>(path, body, { 'Idempotency-Key': key });

describe.each(Object.entries(cases))('a %s request that is sent twice', (_name, { path, body, other }) => {
  test('is executed once, with the same response', async () => {
    const [key, asked] = [unique(), body()];
    const first = await send(path(), asked, key);
    expect(first.status).toBeLessThan(300);
    for (let i = 0; i < 2; i += 1) {
      const again = await send(path(), asked, key);
      expect([again.status, again.text]).toEqual([first.status, first.text]);
      expect(again.headers['cache-control']).toBe('no-store');
      expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    }
  });

  test('with another body is refused, and the first request stays valid', async () => {
    const [key, asked] = [unique(), body()];
    const first = await send(path(), asked, key);
    expectError(await send(path(), other(), key), 'idempotency_mismatch');
    expect((await send(path(), asked, key)).text).toBe(first.text);
  });

  test('sent at the same time is executed once', async () => {
    const [key, asked] = [unique(), body()];
    const answers = await Promise.all(Array.from({ length: 12 }, () => send(path(), asked, key)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBeLessThan(300);
  });

  test.each(['', ' ', 'x'.repeat(256), 'ümlaut', '\t', 'with a space'])('under the key %j is refused', async (key) =>
    expectError(await send(path(), body(), key), 'invalid_request', /Idempotency-Key/),
  );

  test.each(['x', '~'.repeat(255), 'a#b/c"\\'])('accepts a key like %j', async (key) => {
    const mine = `${unique('')}${key}`.slice(0, 255);
    const asked = body();
    const first = await send(path(), asked, mine);
    expect(first.status).toBeLessThan(300);
    expect((await send(path(), asked, mine)).text).toBe(first.text);
  });

  test('without a key is executed twice', async () => {
    const [a, b] = [await post(path(), body()), await post(path(), body())];
    expect(a.status).toBeLessThan(300);
    expect(b.status).toBeLessThan(300);
    expect(a.text).not.toBe(b.text);
  });
});

test('a request with fields in another order, with spaces or with unknown fields is the same request', async () => {
  const key = unique();
  const [name, slug] = [unique(), unique()];
  const first = await send('/v1/products', { name, slug }, key);
  expect((await send('/v1/products', { slug, name: ` ${name} `, ignored: 1 }, key)).text).toBe(first.text);
});

test('an idempotency key has an effect only for the same operation and resource', async () => {
  const key = unique();
  const others = [await newLicense(shop.type), await newLicense(shop.type)];
  const products = [shop.product, await newProduct()];
  const renewed = [];
  for (const { id } of others) renewed.push((await send(`/v1/licenses/${id}/renew`, undefined, key)).body.id);
  expect(renewed).toEqual(others.map(({ id }) => id));
  const types = [];
  for (const { id } of products) types.push((await send(`/v1/products/${id}/license-types`, { name: key, kind: 'lifetime' }, key)).status);
  expect(types).toEqual([201, 201]);
  expect((await send(`/v1/products/${shop.product.id}/licenses`, { license_type_id: shop.type.id }, key)).status).toBe(201);
  expect((await send('/v1/products', { name: key, slug: key }, key)).status).toBe(201);
});

test('an error is not remembered: the same request may succeed later', async () => {
  const key = unique();
  const { name } = await newProduct();
  const slug = unique();
  expectError(await send('/v1/products', { name, slug }, key), 'duplicate');
  expectError(await send('/v1/products', { name, slug }, key), 'duplicate');
  expect((await send('/v1/products', { name: unique(), slug }, key)).status).toBe(201);

  const product = await newProduct();
  const licenseKey = unique();
  const nextType = { license_type_id: (await newType(shop.product)).id };
  expectError(await send(`/v1/products/${product.id}/licenses`, nextType, licenseKey), 'not_found');
  const type = await newType(product);
  expect((await send(`/v1/products/${product.id}/licenses`, { license_type_id: type.id }, licenseKey)).status).toBe(201);

  const license = await newLicense(shop.type);
  const renewal = unique();
  expectError(await send(`/v1/licenses/${license.id}/renew`, { expires_at: '2020-01-01T00:00:00Z' }, renewal), 'invalid_request');
  expect((await send(`/v1/licenses/${license.id}/renew`, undefined, renewal)).status).toBe(200);
});

test('a sale that is sent many times creates one license and one event, and a renewal moves the expiry once', async () => {
  const { product, type } = await newShop({ kind: 'subscription', duration_days: 30 });
  const before = (await everyPage<LicenseView>(`/v1/products/${product.id}/licenses`)).flat();
  const sale = unique();
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => send(`/v1/products/${product.id}/licenses`, { license_type_id: type.id }, sale)),
  );
  const after = (await everyPage<LicenseView>(`/v1/products/${product.id}/licenses`)).flat();
  expect(after).toHaveLength(before.length + 1);
  const license = answers[0]!.body;

  const renewal = unique();
  await Promise.all(Array.from({ length: 10 }, () => send(`/v1/licenses/${license.id}/renew`, { days: 7 }, renewal)));
  await send(`/v1/licenses/${license.id}/renew`, { days: 7 }, renewal);
  const { expires_at } = await getLicense(license.id);
  expect(Date.parse(expires_at ?? '') - Date.parse(license.expires_at ?? '')).toBe(7 * 86_400_000);
  expect((await eventsOf(license.id)).map(({ event }) => event)).toEqual(['license.created', 'license.renewed']);
});

test('the first response is repeated unchanged, regardless of later changes of the license', async () => {
  const key = unique();
  const body = { license_type_id: shop.type.id };
  const path = `/v1/products/${shop.product.id}/licenses`;
  const first = await send(path, body, key);
  await post(`/v1/licenses/${first.body.id}/revoke`);
  expect((await send(path, body, key)).text).toBe(first.text);
});

test('an invalid idempotency key is reported before an unknown license, and an invalid body before both', async () => {
  for (const id of ['9007199254740991', '0', 'x']) {
    expectError(await send(`/v1/licenses/${id}/renew`, {}, ''), 'invalid_request', /Idempotency-Key/);
    expectError(await send(`/v1/licenses/${id}/renew`, { days: 0 }, ''), 'invalid_request', /days/);
  }
});

test('routes that are safe to repeat ignore the header', async () => {
  const { id } = await newLicense(shop.type);
  for (const operation of ['revoke', 'reset']) expect((await send(`/v1/licenses/${id}/${operation}`, undefined, '')).status).toBe(200);
});
