import { randomBytes } from 'node:crypto';
import { endpoints } from '../../lambdas/contract';
import { takesBody, type Endpoint } from '../../lambdas/contract/endpoint';
import { permits, scopes, type Scope } from '../../lambdas/contract/scopes';
import { adminTokenOf } from '../../lambdas/domain/credentials';
import { DAY_MS } from '../../lambdas/domain/time';
import { adminToken, expectError, get, post, send, serviceNow, type Answer } from '../support/http';
import { serveInProcess } from '../support/in-process';
import { headerNames, namesOf, newTarget, pathOf, UNKNOWN, wellFormed, type Headers, type Names, type Target } from '../support/routes';
import { sampled } from '../support/sampled';
import { until } from '../support/until';

/**
 * Tests what each kind of admin token may do. The tests are generated from the contract table. They call every admin route with tokens of
 * every scope: tokens that are bound to no product, to the requested product or to another product. They also call every admin route with
 * invalid and revoked tokens.
 */

type AdminEndpoint = Endpoint & { readonly credential: 'admin' };
const rows = endpoints
  .filter((row): row is AdminEndpoint => row.credential === 'admin')
  .map((row): [string, AdminEndpoint] => [`${row.method} ${row.path}`, row]);

const using = (token: string): Headers => ({ [headerNames.admin]: token });

async function newToken(fields: object): Promise<{ id: number; token: string }> {
  const { status, text, body } = await post<{ id: number; token: string }>('/v1/tokens', { name: 'matrix', ...fields });
  if (status !== 201) throw new Error(`Expected a token, got ${status}: ${text}`);
  return body;
}

const tokens = new Map<string, Promise<string>>();
/** Returns a token of a scope that is bound to the given product or to no product. The token is created once and then reused. */
function tokenOf(scope: Scope, productId?: number): Promise<string> {
  const name = `${scope} ${productId}`;
  const known =
    tokens.get(name) ??
    newToken({ scopes: [scope], product_id: productId ?? null, ...(scope === 'support' && { renewal_days: 3650 }) }).then(
      ({ token }) => token,
    );
  tokens.set(name, known);
  return known;
}

const { advance } = serveInProcess();

let shared: { mine: Target; theirs: Target; growing: Target };
let worthless: readonly (readonly [string, string])[];

beforeAll(async () => {
  const expired = await newToken({ scopes: ['admin'], expires_at: new Date(serviceNow() + 60_000).toISOString() });
  // The clock is advanced before the products are created, because the overview of a day shows only products that changed on that day.
  advance(61_000);
  const [mine, theirs, growing] = await Promise.all([newTarget(), newTarget(), newTarget()]);
  shared = { mine, theirs, growing };

  const revoked = await newToken({ scopes: ['admin'] });
  expect((await send(`/v1/tokens/${revoked.id}`, { method: 'DELETE', headers: { 'X-Svc-Admin-Token': adminToken() } })).body).toEqual({
    revoked: true,
  });
  const live = await tokenOf('admin');
  worthless = [
    ['expired', expired.token],
    ['revoked', revoked.token],
    ['unknown', adminTokenOf(randomBytes(32))],
    ['with a wrong check', `${live.slice(0, -1)}${live.endsWith('A') ? 'B' : 'A'}`],
    ['with a wrong character', `${live.slice(0, 10)}${live[10] === 'A' ? 'B' : 'A'}${live.slice(11)}`],
    ['without its check', live.slice(0, -6)],
    ['without its prefix', live.slice(4)],
    ['and more', `${live}A`],
  ];
});

/**
 * Returns the product on which a route is tested. The GET routes share a product, and the routes that only add a row share another one. For
 * any other route, each call creates a product, because the route changes rows that other routes need.
 */
const targetFor = async (row: Endpoint): Promise<Target> =>
  row.method === 'GET' ? shared.mine : row.status === 201 ? shared.growing : newTarget(row);

/**
 * The scopes with which tokens of a product are tested: the least and the most powerful scope that permit a route, and the last one that
 * doesn't. The test with tokens of no product tries all scopes.
 */
const scopesFor = (row: AdminEndpoint): ReadonlySet<Scope> => {
  const permitted = scopes.filter((scope) => permits([scope], row.scope));
  const refused = scopes.filter((scope) => !permits([scope], row.scope));
  return new Set([...permitted.slice(0, 1), ...permitted.slice(-1), ...refused.slice(-1)]);
};

/** Sends a malformed request. A caller who may not call the route must get 401 or 403 regardless of the malformed content. */
const garbage = (row: Endpoint, names: Names, token: string): Promise<Answer<unknown>> =>
  send(`${pathOf(row, names)}?limit=x&cursor=%00`, {
    method: row.method,
    headers: { ...using(token) } as Record<string, string>,
    ...(takesBody(row) && { body: '{"' }),
  });

/** The statuses that a successful first request to a new product may have. */
const successes = (row: Endpoint): readonly number[] =>
  // The product already has a next signing key (409), and its payment connection has no API key for the processor (422).
  row.name === 'createSigningKey' ? [409] : row.name === 'reconcilePayments' ? [422] : [row.status];
/**
 * The statuses that further requests may have: after a deletion the row is missing, what was added is there already, a revoked license
 * stays revoked, and only three mails are sent to an address within an hour.
 */
const repetitions = (row: Endpoint): readonly number[] => [
  ...successes(row),
  403,
  409,
  ...(row.method === 'DELETE' ? [404] : row.method === 'PUT' ? [200] : row.name === 'mailLicense' ? [429] : []),
];

function expectCarriedOut(row: Endpoint, { status, headers, text }: Answer<unknown>, isFirst: boolean): void {
  const expected = isFirst ? successes(row) : repetitions(row);
  expect({ status, text, isExpected: expected.includes(status) }).toEqual({ status, text, isExpected: true });
  expect(headers['x-svc-error-code']).not.toBe('forbidden');
}

const secrets = new Map<Target, Promise<readonly string[]>>();
/** The secrets of a product: its API key, its webhook secret, and the URL of its payment connection. They are read once. */
function secretsOf(target: Target): Promise<readonly string[]> {
  const read = async ({ product, connectionId }: Target): Promise<readonly string[]> => {
    const webhook = await get<{ secret: string }>(`/v1/products/${product.id}/webhook`);
    const connection = await get<{ url: string }>(`/v1/payment-connections/${connectionId}`);
    return [product.api_key, webhook.body.secret, connection.body.url];
  };
  const known = secrets.get(target) ?? read(target);
  secrets.set(target, known);
  return known;
}
const SECRET_FIELDS = /"(api_key|secret)":|"url":"[^"]*\/v1\/payments\/|"payload":\{"id":"evt_/;

/** Expects that a response to a token of this scope shows a product's secrets only if the scope may see them. */
async function expectNoSecrets({ text }: Answer<unknown>, scope: Scope, target: Target): Promise<void> {
  if (permits([scope], 'manage')) return;
  expect(text).not.toMatch(SECRET_FIELDS);
  for (const secret of await secretsOf(target)) expect(text).not.toContain(secret);
}

describe.each(sampled(rows))('%s', (name, row) => {
  const place = rows.findIndex(([other]) => other === name);
  let refusedOn: Promise<Target> | undefined;
  /**
   * The same license or product is requested first with tokens of another product, then with tokens of its own product, and at last with
   * tokens of no product. If a refused request had an effect, the permitted requests afterwards would fail.
   */
  const sharedTarget = (): Promise<Target> => (refusedOn ??= targetFor(row));

  test('is refused to invalid tokens, without the reason', async () => {
    // Each route is requested with three of the invalid tokens, and the next route with the next three. After a round through all invalid
    // tokens, the tokens that sent a valid request send a malformed one.
    const round = Math.floor(place / worthless.length);
    for (const turn of [0, 1, 2]) {
      const [what, token] = worthless[(place * 3 + turn) % worthless.length]!;
      const answer =
        (turn + round) % 2 === 0
          ? await wellFormed(row, namesOf(shared.mine), using(token))
          : await garbage(row, namesOf(shared.mine), token);
      expect({ what, status: answer.status, text: answer.text }).toEqual({
        what,
        status: 401,
        text: '{"detail":"Bad or missing credentials"}',
      });
      expectError(answer, 'unauthorized');
    }
  });

  test('shows nothing to a token of another product, as if the row were missing', async () => {
    const mine = await sharedTarget();
    const { theirs } = shared;
    let missing: Promise<string[]> | undefined;
    for (const scope of scopesFor(row)) {
      const token = await tokenOf(scope, theirs.product.id);
      const answer = await wellFormed(row, namesOf(mine), using(token));
      if (row.subject === 'deployment' || !permits([scope], row.scope)) expectError(answer, 'forbidden');
      else if (row.subject === 'caller')
        expect([answer.status, (answer.body as { product_id: number }).product_id]).toEqual([row.status, theirs.product.id]);
      else if (row.subject === 'products') {
        expect(answer.status).toBe(row.status);
        expect(answer.text).not.toContain(mine.product.slug);
        expect(answer.text).not.toContain(mine.license.key);
        expect(answer.text).not.toMatch(new RegExp(`"(id|product_id)":${mine.product.id}\\b`));
      } else {
        expectError(answer, 'not_found');
        missing ??= Promise.all([token, adminToken()].map(async (one) => (await wellFormed(row, UNKNOWN, using(one))).text));
        expect(await missing).toEqual([answer.text, answer.text]);
      }
    }
  });

  test("is permitted to a token of the row's product, unless the route's data belongs to no product", async () => {
    const mine = await sharedTarget();
    await secretsOf(mine);
    let isFirst = true;
    for (const scope of scopesFor(row)) {
      const answer = await wellFormed(row, namesOf(mine), using(await tokenOf(scope, mine.product.id)));
      if (row.subject === 'deployment' || !permits([scope], row.scope)) {
        expectError(answer, 'forbidden');
        continue;
      }
      expectCarriedOut(row, answer, isFirst);
      isFirst = false;
      await expectNoSecrets(answer, scope, mine);
    }
  });

  test('is permitted for all scopes that include its scope, and refused to other scopes before any other check', async () => {
    // After a deletion the row is missing, so a DELETE route needs another row here.
    let isFirst = row.method === 'DELETE';
    const mine = isFirst ? await newTarget(row) : await sharedTarget();
    await secretsOf(mine);
    for (const scope of scopes) {
      const token = await tokenOf(scope);
      if (!permits([scope], row.scope)) {
        expectError(await wellFormed(row, namesOf(mine), using(token)), 'forbidden');
        expectError(await garbage(row, UNKNOWN, token), 'forbidden');
        continue;
      }
      const answer = await wellFormed(row, namesOf(mine), using(token));
      expectCarriedOut(row, answer, isFirst);
      isFirst = false;
      await expectNoSecrets(answer, scope, mine);
    }
  });
});

test('a token for support renews a license only up to its limit, and gives no expiry to a license without one', async () => {
  const { product } = shared.mine;
  const { token, renewal_days } = (await newToken({ scopes: ['support'], product_id: product.id })) as {
    token: string;
    renewal_days?: number;
  };
  expect(renewal_days).toBe(30);
  const { body: type } = await post<{ id: number }>(`/v1/products/${product.id}/license-types`, { name: 'For ever', kind: 'lifetime' });
  const issue = async (expires_at: string | null): Promise<number> =>
    (await post<{ id: number }>(`/v1/products/${product.id}/licenses`, { license_type_id: type.id, expires_at })).body.id;
  const inDays = (days: number): string => new Date(serviceNow() + days * DAY_MS).toISOString();
  const renew = (id: number, body: object, by = token): Promise<Answer<unknown>> =>
    send(`/v1/licenses/${id}/renew`, { method: 'POST', headers: { [headerNames.admin]: by }, body });
  const ending = await issue(inDays(10));
  expectError(await renew(ending, { days: 21 }), 'forbidden');
  expectError(await renew(ending, { expires_at: inDays(31) }), 'forbidden');
  expect((await renew(ending, { days: 19 })).status).toBe(200);
  expectError(await renew(ending, { days: 19 }), 'forbidden');
  expectError(await renew(await issue(null), { days: 7 }), 'forbidden');
  const { token: wider } = await newToken({ scopes: ['support', 'licenses'] });
  expect((await renew(ending, { days: 400 }, wider)).status).toBe(200);
  expectError(await post('/v1/tokens', { name: 'x', scopes: ['read'], renewal_days: 5 }), 'invalid_request');
});

test('a token of several scopes may do what any of them permits', async () => {
  const { token } = await newToken({ scopes: ['read', 'manage'] });
  const product = await send<{ api_key?: string }>(`/v1/products/${shared.mine.product.id}`, { headers: { 'X-Svc-Admin-Token': token } });
  expect(product.body.api_key).toBe(shared.mine.product.api_key);
});

test('a token that is bound to a product sees only this product in lists with rows of several products', async () => {
  const { mine } = shared;
  const headers = { 'X-Svc-Admin-Token': await tokenOf('read', mine.product.id) };
  const ids = async (path: string, field: string): Promise<unknown[]> =>
    (await send<Record<string, unknown>[]>(path, { headers })).body.map((row) => row[field]);
  expect(await ids('/v1/products', 'id')).toEqual([mine.product.id]);
  const today = new Date(serviceNow()).toISOString().slice(0, 10);
  // The statistics of a product are updated when its events are delivered.
  const products = await until('the product is counted', async () => {
    const { body } = await send<{ products: { product_id: number }[] }>(`/v1/overview?date=${today}`, { headers });
    return body.products.length > 0 ? body.products : undefined;
  });
  expect(products.map(({ product_id }) => product_id)).toEqual([mine.product.id]);
  for (const search of [`key=${mine.license.key}`, `customer_email=${mine.license.customer_email?.toUpperCase()}`])
    expect([...new Set(await ids(`/v1/licenses?${search}`, 'product_id'))]).toEqual([mine.product.id]);
  expect(await ids(`/v1/licenses?key=${shared.theirs.license.key}`, 'id')).toEqual([]);
});

test('the stored response of a repeated request is only returned to a token that may send the request', async () => {
  const { mine, theirs } = shared;
  const key = { 'Idempotency-Key': randomBytes(8).toString('hex') };
  const rotate = (token: string): Promise<Answer<unknown>> =>
    send(`/v1/products/${mine.product.id}/webhook/rotate`, { method: 'POST', headers: { 'X-Svc-Admin-Token': token, ...key } });
  const first = await rotate(adminToken());
  expect(first.status).toBe(200);
  for (const scope of ['read', 'licenses'] as const) expectError(await rotate(await tokenOf(scope)), 'forbidden');
  expectError(await rotate(await tokenOf('admin', theirs.product.id)), 'not_found');
  expect((await rotate(await tokenOf('manage', mine.product.id))).text).toBe(first.text);
});
