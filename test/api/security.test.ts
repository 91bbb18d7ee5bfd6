import { endpoints } from '../../lambdas/contract';
import { credentialHeaders, type Endpoint } from '../../lambdas/contract/endpoint';
import { adminToken, everyPage, expectError, get, newFingerprint, newShop, post, send, type Answer, type Shop } from '../support/http';

/** Every row of the contract against every wrong credential: a new endpoint is covered by being in the table. */

const rows = endpoints.map((row): [string, Endpoint] => [`${row.method} ${row.path}`, row]);
const guarded = rows.filter(([, { credential }]) => credential !== 'none');
const open = rows.filter(([, { credential }]) => credential === 'none');

let shop: Shop;
let other: Shop;
beforeAll(async () => {
  [shop, other] = await Promise.all([newShop(), newShop()]);
});

/** A path of the row that names things that exist. */
const existing = ({ path }: Endpoint): string =>
  path
    .replace(/(?<=licenses\/)\{id\}/, String(shop.license.id))
    .replace('{id}', String(shop.product.id))
    .replace(/\{\w+\}/g, '0'.repeat(32));
const missing = ({ path }: Endpoint): string => path.replace(/\{\w+\}/g, '9007199254740991');
const odd = ({ path }: Endpoint): string => path.replace(/\{\w+\}/g, '%00');

/** A request that would be carried out, were it not for its credential. */
function wellFormed(row: Endpoint, path: string, headers: Record<string, string | string[]>): Promise<Answer<unknown>> {
  if (row.credential === 'product') {
    const claim = { key: shop.license.key, fingerprint: newFingerprint() };
    return row.method === 'GET'
      ? send(`${path}?${new URLSearchParams(claim).toString()}`, { headers })
      : send(path, { method: 'POST', body: claim, headers });
  }
  return send(path, { method: row.method, headers, ...(row.method === 'POST' && { body: row.examples.request ?? {} }) });
}

const header = { admin: 'X-Svc-Admin-Token', product: 'X-API-Key', none: '' } as const;
/** Credentials of a row that must not open it. */
function wrongCredentials(row: Endpoint): [string, Record<string, string | string[]>][] {
  const right = row.credential === 'admin' ? adminToken() : shop.product.api_key;
  const name = header[row.credential];
  const [foreign, otherKind] = row.credential === 'admin' ? [shop.product.api_key, 'X-API-Key'] : [adminToken(), 'X-Svc-Admin-Token'];
  return [
    ['none at all', {}],
    ['an empty one', { [name]: '' }],
    ['a wrong one', { [name]: 'wrong' }],
    ['a part of it', { [name]: right.slice(0, -1) }],
    ['it and more', { [name]: `${right}x` }],
    ['it in another case', { [name]: right === right.toLowerCase() ? right.toUpperCase() : right.toLowerCase() }],
    ['it twice in one header', { [name]: `${right}, ${right}` }],
    ['two wrong ones', { [name]: ['wrong', 'wrong too'] }],
    ['a very long one', { [name]: 'x'.repeat(8000) }],
    ['not ASCII', { [name]: 'schlüssel' }],
    ['the credential of the other kind', { [name]: foreign }],
    ['it under the header of the other kind', { [otherKind]: right }],
    ['it as a bearer token', { Authorization: `Bearer ${right}` }],
    ['it as a cookie', { Cookie: `${name}=${right}` }],
    ['its hash', { [name]: Buffer.from(right).toString('base64') }],
    ...(row.credential === 'product' ? ([["another product's key", { [name]: other.product.api_key }]] as [string, Record<string, string>][]) : []),
  ];
}

describe.each(guarded)('nobody uses %s without its credential', (_name, row) => {
  test('whatever is presented instead', async () => {
    for (const [wrong, headers] of wrongCredentials(row)) {
      const answer = await wellFormed(row, existing(row), headers);
      expect({ wrong, status: answer.status }).toEqual({ wrong, status: 401 });
      expectError(answer, 'unauthorized');
    }
  });

  test('nor learns what exists: every path and every body is refused alike', async () => {
    const headers = { [header[row.credential]]: 'wrong' };
    const garbage = { method: row.method, headers, ...(row.method === 'POST' && { body: '{"' }) };
    const answers = [
      await wellFormed(row, existing(row), headers),
      await wellFormed(row, missing(row), headers),
      await wellFormed(row, odd(row), headers),
      await send(existing(row), garbage),
      await send(missing(row), garbage),
      await send(`${existing(row)}?limit=x&limit=y&cursor=%00`, { method: row.method, headers }),
    ];
    for (const answer of answers) expectError(answer, 'unauthorized');
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  test('in a query string or a body no credential counts', async () => {
    const right = row.credential === 'admin' ? adminToken() : shop.product.api_key;
    const name = credentialHeaders[row.credential as 'admin' | 'product'];
    expectError(await send(`${existing(row)}?${name}=${right}`, { method: row.method, ...(row.method === 'POST' && { body: { [name]: right } }) }), 'unauthorized');
  });

  test('the name of the header may be written in any case', async () => {
    const right = row.credential === 'admin' ? adminToken() : shop.product.api_key;
    for (const name of [header[row.credential].toLowerCase(), header[row.credential].toUpperCase()]) {
      const { status } = await send(existing(row), { method: row.method, headers: { [name]: right }, ...(row.method === 'POST' && { body: '[]' }) });
      expect(status).not.toBe(401);
      expect(status).toBeLessThan(500);
    }
  });
});

test("a product's key of a product that does not exist is refused like a wrong one", async () => {
  for (const id of ['9007199254740991', '0', '-1', 'x', '%20', '1e3']) {
    const answer = await send(`/v1/products/${id}/validate?key=x&fingerprint=abcdefgh`, { headers: { 'X-API-Key': shop.product.api_key } });
    expectError(answer, 'unauthorized');
  }
});

test.each(open)('%s asks for no credential and minds none', async (_name, row) => {
  for (const headers of [{}, { 'X-Svc-Admin-Token': 'wrong', 'X-API-Key': 'wrong' }]) {
    expect((await send(existing(row), { method: row.method, headers })).status).toBe(200);
  }
});

test("a client app never learns the buyer's address, the metadata, or another's device", async () => {
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
    for (const token of text.match(/[\w-]+\.[\w-]+\.[\w-]+/g) ?? []) expect(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).not.toContain(mark);
  }
});

test('the signing seed and the webhook secret are in no answer about products and licenses, nor is the admin token', async () => {
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

test('products are told apart: no list or key of one reaches the licenses of another', async () => {
  expectError(await other.client.activate(shop.license.key, 'fingerprint-1'), 'not_found');
  expectError(await other.client.deactivate(shop.license.key, 'fingerprint-1'), 'not_found');
  expect((await other.client.validate(shop.license.key, 'fingerprint-1')).text).toBe('{"valid":false,"status":"invalid"}');
  const ids = (await everyPage<{ id: number }>(`/v1/products/${other.product.id}/licenses`)).flat().map(({ id }) => id);
  expect(ids).toEqual([other.license.id]);
  expect((await get(`/v1/products/${other.product.id}/licenses?key=${shop.license.key}`)).text).toBe('[]');
  const stolenType = { license_type_id: shop.type.id };
  expectError(await post(`/v1/products/${other.product.id}/licenses`, stolenType), 'not_found');
});
