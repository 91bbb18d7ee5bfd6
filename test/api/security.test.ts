import { endpoints } from '../../lambdas/contract';
import { takesBody, type Endpoint } from '../../lambdas/contract/endpoint';
import { errors } from '../../lambdas/contract/errors';
import { startHarness } from '../support/harness';
import { adminToken, everyPage, expectError, get, newFingerprint, newShop, post, send, type Answer, type Shop } from '../support/http';
import { headerNames, namesOf, newTarget, ODD, pathOf, UNKNOWN, wellFormed, type Headers, type Names, type Target } from '../support/routes';

/**
 * Who may do what, generated from the contract table: every row, with every credential, on what exists, what
 * belongs to another, and what does not exist. A new endpoint is covered by being in the table.
 */

type Guarded = 'admin' | 'product';

/** Everything that a right credential is not, though it looks like it, by name. */
const near = (kind: Guarded, right: string): [string, Headers][] => {
  const name = headerNames[kind];
  const other = headerNames[kind === 'admin' ? 'product' : 'admin'];
  return [
    ['an empty one', { [name]: '' }],
    ['a wrong one', { [name]: 'wrong' }],
    ['a part of it', { [name]: right.slice(0, -1) }],
    ['it and more', { [name]: `${right}x` }],
    ['it in another case', { [name]: right === right.toLowerCase() ? right.toUpperCase() : right.toLowerCase() }],
    ['it in quotes', { [name]: `"${right}"` }],
    ['it before a space that is none', { [name]: `${right}\u00a0` }],
    ['it with a scheme', { [name]: `Bearer ${right}` }],
    ['it encoded', { [name]: Buffer.from(right).toString('base64') }],
    ['it twice in one header', { [name]: `${right}, ${right}` }],
    ['it before a wrong one', { [name]: [right, 'wrong'] }],
    ['two wrong ones', { [name]: ['wrong', 'wrong too'] }],
    ['a very long one', { [name]: 'x'.repeat(8000) }],
    ['one that is not ASCII', { [name]: 'schlüssel' }],
    ['it under the header of the other kind', { [other]: right }],
    ['it as a bearer token', { Authorization: `Bearer ${right}` }],
    ['it as a user', { Authorization: `Basic ${Buffer.from(`${right}:`).toString('base64')}` }],
    ['it as a cookie', { Cookie: `${name}=${right}` }],
  ];
};

/** Routes that work with a processor: what they do is tested in payments.test.ts. */
const needsProcessor = ({ name }: Endpoint): boolean => ['receivePayment', 'reconcilePayments'].includes(name);
const rows = endpoints.map((row): [string, Endpoint] => [`${row.method} ${row.path}`, row]);
const guarded = rows.filter((pair): pair is [string, Endpoint & { credential: Guarded }] => pair[1].credential === 'admin' || pair[1].credential === 'product');

let shop: Target;
let other: Target;
beforeAll(async () => {
  [shop, other] = await Promise.all([newTarget(), newTarget()]);
});

const credentialOf = (row: Endpoint, { product }: Shop): string => (row.credential === 'admin' ? adminToken() : product.api_key);

describe.each(guarded)('nobody uses %s without its credential', (_name, row) => {
  const name = headerNames[row.credential];
  const place = guarded.findIndex(([, other]) => other === row);

  test('whatever is presented instead, whatever it is asked of: the answer is one and the same', async () => {
    const right = credentialOf(row, shop);
    const otherKind: Headers = row.credential === 'admin' ? { [headerNames.product]: shop.product.api_key } : { [headerNames.admin]: adminToken() };
    const presented: [string, Headers][] = [['nothing', {}], ['the credential of the other kind', otherKind], ...near(row.credential, right)];
    const targets: [string, Names][] = [['own', namesOf(shop)], ['foreign', namesOf(other)], ['unknown', UNKNOWN], ['odd', ODD]];

    // One after another: a crowd would only start more instances of the function. Each is presented for one of the
    // targets, in turns, so that over all routes each meets every target many times.
    for (const [turn, [what, headers]] of presented.entries()) {
      const [target, names] = targets[(place + turn) % targets.length]!;
      const answer = await wellFormed(row, names, headers);
      expect({ what, target, text: answer.text }).toEqual({ what, target, text: JSON.stringify({ detail: errors.unauthorized.detail }) });
      expectError(answer, 'unauthorized');
    }
  });

  test('nor learns from a request that is malformed', async () => {
    const headers = { [name]: 'wrong' };
    const garbage = { method: row.method, headers, ...(takesBody(row) && { body: '{"' }) };
    for (const names of [namesOf(shop), UNKNOWN, ODD]) {
      expectError(await send(pathOf(row, names), garbage), 'unauthorized');
      expectError(await send(`${pathOf(row, names)}?limit=x&limit=y&cursor=%00`, { method: row.method, headers }), 'unauthorized');
    }
  });

  test('in a query string or a body no credential counts', async () => {
    const right = credentialOf(row, shop);
    for (const key of [name, name.toLowerCase()]) {
      const path = `${pathOf(row, namesOf(shop))}?${key}=${right}`;
      expectError(await send(path, { method: row.method, ...(takesBody(row) && { body: { [key]: right } }) }), 'unauthorized');
    }
  });
});

describe.each(rows.filter(([, row]) => !needsProcessor(row)))('%s is open to whom it is meant for', (_name, row) => {
  const headersFor = (target: Target): Headers => (row.credential === 'none' || row.credential === 'signature' ? {} : { [headerNames[row.credential]]: credentialOf(row, target) });

  test('and to nobody else: what belongs to another is as if it did not exist', async () => {
    // Reads share products; whatever changes something gets its own.
    const [mine, theirs] = row.method === 'GET' ? [shop, other] : await Promise.all([newTarget(row), newTarget(row)]);
    // There is one next signing key at a time.
    if (row.name === 'createSigningKey') for (const { product, kid } of [mine, theirs]) await send(`/v1/products/${product.id}/signing-keys/${kid}`, { method: 'DELETE', headers: { 'X-Svc-Admin-Token': adminToken() } });
    // A credential of the other kind, right or wrong, changes nothing.
    const headers = { 'X-Svc-Admin-Token': 'wrong', 'X-API-Key': 'wrong', Authorization: 'Bearer wrong', ...headersFor(mine) };
    const own = await wellFormed(row, namesOf(mine), headers);
    expect([own.status, own.text]).toEqual([row.status, own.text]);
    const foreign = await wellFormed(row, namesOf(theirs), headers);
    // A product's key knows one product; the operator owns all of them.
    if (row.credential === 'product') expectError(foreign, 'unauthorized');
    else expect(foreign.status).toBe(row.status);
    for (const names of [UNKNOWN, ODD]) {
      const answer = await wellFormed(row, names, headers);
      if (row.credential === 'product') expectError(answer, 'unauthorized');
      else if (row.params) expectError(answer, 'not_found');
      else expect(answer.status).toBe(row.status);
    }
  });

  test('however the name of its header is written, and with spaces around its value', async () => {
    for (const spell of [(name: string) => name.toLowerCase(), (name: string) => name.toUpperCase()]) {
      const headers = Object.fromEntries(Object.entries(headersFor(shop)).map(([name, value]) => [spell(name), `  ${String(value)}\t`]));
      const { status } = await send(pathOf(row, namesOf(shop)), { method: row.method, headers, ...(takesBody(row) && { body: '[]' }) });
      // What the first request deleted is gone for the second.
      expect([row.status, 422, ...(row.method === 'DELETE' ? [404] : []), ...(row.name === 'createSigningKey' ? [409] : [])]).toContain(status);
    }
  });
});

/** A trial and a purchase name neither a key nor a type. */
const naming = rows.filter(([, row]) => (row.credential === 'product' && row.name !== 'startTrial' && row.name !== 'getPurchase') || 'license_type_id' in (row.examples.request ?? {}));
test.each(naming)('%s tells what another product has no better than what does not exist', async (_name, row) => {
  const headers = { 'X-Svc-Admin-Token': adminToken(), 'X-API-Key': shop.product.api_key };
  const ask = ({ key, type }: Names): Promise<Answer<unknown>> => wellFormed(row, { ...namesOf(shop), key, type }, headers);
  const foreign = await ask(namesOf(other));
  const unknown = await ask(UNKNOWN);
  expect([foreign.status, foreign.text]).toEqual([unknown.status, unknown.text]);
  expect(foreign.text).toMatch(/"detail"|"valid":false/);
});

test('a rotated admin token is good within seconds, and the one before is worth nothing after five minutes', async () => {
  let token = 'before';
  const { call, advance, close } = startHarness({ fetchSecret: () => Promise.resolve(token) });
  const status = async (presented: string): Promise<number> => (await call('getMailStatus', { headers: { 'X-Svc-Admin-Token': presented } })).status;
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

test("a product's key of a product that does not exist is refused like a wrong one", async () => {
  for (const id of ['9007199254740991', '0', '-1', 'x', '%20', '1e3']) {
    const answer = await send(`/v1/products/${id}/validate?key=x&fingerprint=abcdefgh`, { headers: { 'X-API-Key': shop.product.api_key } });
    expectError(answer, 'unauthorized');
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
