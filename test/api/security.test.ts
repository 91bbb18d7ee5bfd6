import { endpoints } from '../../lambdas/contract';
import { isForApps, type Endpoint } from '../../lambdas/contract/endpoint';
import { startHarness } from '../support/harness';
import { adminToken, everyPage, expectError, get, newFingerprint, newShop, post, send } from '../support/http';
import { serveInProcess } from '../support/in-process';
import {
  headerNames,
  headersFor,
  namesOf,
  needsCode,
  needsProcessor,
  newTarget,
  ODD,
  UNKNOWN,
  wellFormed,
  type Target,
} from '../support/routes';
import { sampled } from '../support/sampled';

/**
 * Tests who may do what. The tests are generated from the contract table. They call every endpoint with a right and a wrong
 * credential, for existing database rows, rows of another product and missing rows. A new endpoint is covered automatically, because the
 * contract table contains every endpoint.
 */

serveInProcess();

const rows = endpoints.map((row): [string, Endpoint] => [`${row.method} ${row.path}`, row]);

let shop: Target;
let other: Target;
beforeAll(async () => {
  [shop, other] = await Promise.all([newTarget(), newTarget()]);
});

describe.each(sampled(rows.filter(([, row]) => !needsProcessor(row) && !needsCode(row))))(
  '%s is open to the right credential',
  (_name, row) => {
    test('and to nobody else: a row of another product looks like a missing one', async () => {
      // GET routes share a product, and every other route gets its own product.
      const mine = row.method === 'GET' ? shop : await newTarget(row);
      // A product has at most one next signing key, so the existing one is deleted before the route creates another.
      if (row.name === 'createSigningKey')
        await send(`/v1/products/${mine.product.id}/signing-keys/${mine.kid}`, {
          method: 'DELETE',
          headers: { 'X-Svc-Admin-Token': adminToken() },
        });
      // Each request also contains invalid credentials of all other kinds. They must not change the result.
      const headers = {
        'X-Svc-Admin-Token': 'wrong',
        'X-API-Key': 'wrong',
        'X-Portal-Session': 'wrong',
        Authorization: 'Bearer wrong',
        ...headersFor(row, mine),
      };
      const own = await wellFormed(row, namesOf(mine), headers);
      expect([own.status, own.text]).toEqual([row.status, own.text]);
      // A product's API key or a portal session gives access to only one product. The operator's token gives access to all products.
      if (isForApps(row) || row.credential === 'portal') expectError(await wellFormed(row, namesOf(other), headers), 'unauthorized');
      else if (row.method === 'GET') expect((await wellFormed(row, namesOf(other), headers)).status).toBe(row.status);
      if (row.credential !== 'none' && row.credential !== 'signature')
        expectError(await wellFormed(row, namesOf(mine), { ...headers, [headerNames[row.credential]]: 'wrong' }), 'unauthorized');
      for (const names of [UNKNOWN, ODD]) {
        const answer = await wellFormed(row, names, headers);
        if (isForApps(row)) expectError(answer, 'unauthorized');
        else if (row.params) expectError(answer, 'not_found');
        else expect(answer.status).toBe(row.status);
      }
    });
  },
);

test('a rotated admin token is valid within seconds, and the previous one is refused after five minutes', async () => {
  let token = 'before';
  const { call, advance, close } = startHarness({ fetchSecret: () => Promise.resolve(token) });
  const status = async (presented: string): Promise<number> =>
    (await call('getMailStatus', { headers: { 'X-Svc-Admin-Token': presented } })).status;
  expect([await status('before'), await status('after')]).toEqual([200, 401]);
  token = 'after';
  advance(10_000);
  expect(await status('after')).toBe(200);
  expect(await status('before')).toBe(401);
  token = 'last';
  advance(300_000);
  expect([await status('after'), await status('last')]).toEqual([401, 200]);
  close();
});

test('the API key of a missing product is refused like a wrong one', async () => {
  for (const id of ['9007199254740991', '0', '-1', 'x', '%20', '1e3']) {
    const answer = await send(`/v1/products/${id}/validate?key=x&fingerprint=abcdefgh`, { headers: { 'X-API-Key': shop.product.api_key } });
    expectError(answer, 'unauthorized');
  }
});

test("a client app never learns the buyer's address, the license's metadata, or other devices of the license", async () => {
  const mark = 'buyer-secret-mark';
  const { license, client } = await newShop({}, { customer_email: `${mark}@example.com`, metadata: { [mark]: mark } });
  const neighbour = newFingerprint();
  await client.activate(license.key, neighbour, { name: 'neighbour-device' });
  const answers = [
    await client.activate(license.key, 'fingerprint-1'),
    await client.activate(license.key, 'fingerprint-1', { name: 'again' }),
    await client.validate(license.key, 'fingerprint-1'),
    await client.validate(license.key, 'fingerprint-2'),
    await client.deactivate(license.key, 'fingerprint-1'),
  ];
  await post(`/v1/licenses/${license.id}/revoke`);
  answers.push(await client.activate(license.key, 'fingerprint-1'), await client.validate(license.key, neighbour));
  for (const { text } of answers) {
    expect(text).not.toContain(mark);
    expect(text).not.toMatch(/customer_email|metadata|activations|neighbour-device/);
    expect(text).not.toContain(neighbour);
    for (const token of text.match(/[\w-]+\.[\w-]+\.[\w-]+/g) ?? [])
      expect(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).not.toContain(mark);
  }
});

test('the signing seed, the webhook secret and the admin token are in no response about products and licenses', async () => {
  const { product, license, client } = await newShop();
  const answers = [
    await get('/v1/products?limit=1000'),
    await get(`/v1/products/${product.id}`),
    await get(`/v1/products/${product.id}/jwks.json`),
    await get(`/v1/products/${product.id}/license-types`),
    await get(`/v1/products/${product.id}/licenses`),
    await post(`/v1/licenses/${license.id}/offline`),
    await client.activate(license.key, 'fingerprint-1'),
  ];
  for (const { status, text } of answers) {
    expect(status).toBe(200);
    expect(text).not.toMatch(/whsec_|PRIVATE KEY|"d":|"seed"|sealed|api_key_hash/);
    expect(text).not.toContain(adminToken());
  }
});

test("an operator's error does not echo a credential back", async () => {
  for (const path of ['/v1/products/0', '/v1/products?limit=x', '/v1/nothing']) expect((await get(path)).text).not.toContain(adminToken());
});

test('products are separate: neither a list nor an API key of one product reaches the licenses of another product', async () => {
  expectError(await other.client.activate(shop.license.key, 'fingerprint-1'), 'not_found');
  expectError(await other.client.deactivate(shop.license.key, 'fingerprint-1'), 'not_found');
  expect((await other.client.validate(shop.license.key, 'fingerprint-1')).text).toBe('{"valid":false,"status":"invalid"}');
  const ids = (await everyPage<{ id: number }>(`/v1/products/${other.product.id}/licenses`)).flat().map(({ id }) => id);
  expect(ids).toContain(other.license.id);
  expect(ids).not.toContain(shop.license.id);
  expect((await get(`/v1/products/${other.product.id}/licenses?key=${shop.license.key}`)).text).toBe('[]');
  const stolenType = { license_type_id: shop.type.id };
  expectError(await post(`/v1/products/${other.product.id}/licenses`, stolenType), 'not_found');
});
