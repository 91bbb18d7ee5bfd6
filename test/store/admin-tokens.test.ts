import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { randomBytes } from 'node:crypto';
import { adminTokenHash, adminTokenOf } from '../../lambdas/domain/credentials';
import { parseConfig } from '../../lambdas/runtime/config';
import { adminTokenKey } from '../../lambdas/store/keys';
import { meter } from '../support/capacity';
import { startHarness, tableName, type CallResult, type Harness } from '../support/harness';
import { intercept, throttled } from '../support/intercept';
import { captureLogs } from '../support/logs';
import { ownTable } from '../support/own-table';
import { untilNoon } from '../support/start';
import { everyRow } from '../support/table';

/**
 * Tests the cost of admin tokens, how soon a revocation takes effect, and what is stored about them (docs/spec/operator.md, Admin tokens).
 * Each harness acts as one function instance.
 */

const MINUTE = 60_000;
const DAY = 86_400_000;
const logged = captureLogs();
const open: Harness[] = [];
function start(parts: Parameters<typeof startHarness>[0] = {}): Harness {
  const harness = startHarness(parts);
  open.push(harness);
  return harness;
}
afterEach(() => open.splice(0).forEach((harness) => harness.close()));

interface Made {
  readonly id: number;
  readonly token: string;
}
async function newToken({ call }: Harness, fields: object = {}): Promise<Made> {
  const { status, body } = await call('createToken', { body: { name: 'a test', scopes: ['read'], ...fields } });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body as unknown as Made;
}
const present = (token: string): { headers: Record<string, string> } => ({ headers: { 'X-Svc-Admin-Token': token } });
/** A request whose handler reads no row, so that its whole cost is the check of its token. */
const check = ({ call }: Harness, token: string): Promise<CallResult> => call('getCurrentToken', present(token));
const statusOf = async (harness: Harness, token: string): Promise<number> => (await check(harness, token)).status;
const unknown = (): string => adminTokenOf(randomBytes(32));
const listed = async ({ call }: Harness, id: number): Promise<Record<string, unknown> | undefined> => {
  const { body } = await call('listTokens', { query: { cursor: Buffer.from(String(id - 1)).toString('base64url'), limit: '1' } });
  return (body as unknown as Record<string, unknown>[]).find((token) => token['id'] === id);
};

describe('the cost of checking a token', () => {
  test("is nothing for the deployment's own token", async () => {
    const harness = start();
    const costs = meter(harness.client);
    expect((await harness.call('getCurrentToken')).body).toEqual({
      actor: 'deployment',
      name: 'deployment',
      scopes: ['admin'],
      product_id: null,
      renewal_days: null,
    });
    expect(costs.take().calls).toEqual([]);
  });

  test('is one read per function instance and minute, and one write a day', async () => {
    const harness = start();
    harness.advance(untilNoon(harness.now()));
    const { token } = await newToken(harness);
    const costs = meter(harness.client);
    expect(await statusOf(harness, token)).toBe(200);
    expect(costs.take()).toMatchObject({ calls: ['GetItem', 'UpdateItem'], readUnits: 1, writeUnits: 1 });
    for (let minute = 0; minute < 3; minute += 1) {
      for (let request = 0; request < 3; request += 1) expect(await statusOf(harness, token)).toBe(200);
      expect(costs.take().calls).toEqual(minute === 0 ? [] : ['GetItem']);
      harness.advance(MINUTE);
    }
    harness.advance(DAY);
    expect(await statusOf(harness, token)).toBe(200);
    expect(costs.take().calls).toEqual(['GetItem', 'UpdateItem']);
  });

  test('is one read for all requests that arrive at once', async () => {
    const harness = start();
    const { token } = await newToken(harness);
    const costs = meter(harness.client);
    const statuses = await Promise.all(Array.from({ length: 20 }, () => statusOf(harness, token)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(costs.take().calls).toEqual(['GetItem', 'UpdateItem']);
  });

  test('is nothing for a token that is not well-formed', async () => {
    const harness = start();
    const { token } = await newToken(harness);
    const costs = meter(harness.client);
    for (const wrong of [
      `${token.slice(0, -1)}!`,
      token.slice(0, -1),
      `${token}A`,
      token.toUpperCase(),
      token.replace('svc_', 'pk_'),
      `svc_${'A'.repeat(49)}`,
    ])
      expect(await statusOf(harness, wrong)).toBe(401);
    expect(costs.take().calls).toEqual([]);
  });

  test('is one read a minute for a repeated wrong token; a flood of other wrong tokens removes no valid token from the cache', async () => {
    const harness = start();
    const { token } = await newToken(harness);
    const wrong = unknown();
    expect([await statusOf(harness, token), await statusOf(harness, wrong)]).toEqual([200, 401]);
    const costs = meter(harness.client);
    for (let request = 0; request < 5; request += 1) expect(await statusOf(harness, wrong)).toBe(401);
    expect(costs.take().calls).toEqual([]);

    for (let flood = 0; flood < 1100; flood += 1) await harness.app.tokens.find(harness.app.table, unknown());
    expect(costs.take().calls).toHaveLength(1100);
    expect(await statusOf(harness, token)).toBe(200);
    expect(costs.take().calls).toEqual([]);
    const fresh = await newToken(harness);
    expect(await statusOf(harness, fresh.token)).toBe(200);
  });
});

describe('a token', () => {
  test('works at once in every function, and is refused within 60 s after it was revoked', async () => {
    const [here, there] = [start(), start()];
    const { id, token } = await newToken(here);
    expect([await statusOf(here, token), await statusOf(there, token)]).toEqual([200, 200]);
    there.advance(30_000);
    expect((await here.call('revokeToken', { params: { id } })).body).toEqual({ revoked: true });
    expect(await statusOf(start(), token)).toBe(401);
    for (const harness of [here, there]) harness.advance(MINUTE);
    expect([await statusOf(here, token), await statusOf(there, token)]).toEqual([401, 401]);
  });

  test('a token that is revoked while it is read is refused within 60 s of its revocation', async () => {
    const harness = start();
    const { id, token } = await newToken(harness);
    const other = start();
    let revoked = false;
    intercept(other.client, async ({ operation }, next) => {
      const item = await next();
      if (operation === 'GetItem' && !revoked) {
        revoked = true;
        await harness.call('revokeToken', { params: { id } });
        // Simulates that the read of the token took 20 seconds.
        other.advance(20_000);
      }
      return item;
    });
    expect(await statusOf(other, token)).toBe(200);
    other.advance(40_000);
    expect(await statusOf(other, token)).toBe(401);
  });

  test('ends exactly at its expiry, even if a function has cached it', async () => {
    const harness = start();
    const expires_at = new Date(harness.now() + 10_000).toISOString();
    const { token } = await newToken(harness, { expires_at });
    harness.advance(9999);
    expect(await statusOf(harness, token)).toBe(200);
    harness.advance(1);
    expect(await statusOf(harness, token)).toBe(401);
  });

  test('is neither accepted nor refused while the table cannot be read: the response is 503', async () => {
    const harness = start();
    const { token } = await newToken(harness);
    expect(await statusOf(harness, token)).toBe(200);
    harness.advance(MINUTE);
    let isDown = true;
    intercept(harness.client, (_call, next) => (isDown ? Promise.reject(throttled()) : next()));
    expect(await statusOf(harness, token)).toBe(503);
    isDown = false;
    expect(await statusOf(harness, token)).toBe(200);
  });

  test('shows the day of its last use; if the day cannot be recorded, requests still work, and the write is tried again', async () => {
    const harness = start();
    const { id, token } = await newToken(harness);
    expect((await listed(harness, id))?.['last_used_on']).toBeNull();
    let isFailing = true;
    intercept(harness.client, ({ operation }, next) => (operation === 'UpdateItem' && isFailing ? Promise.reject(throttled()) : next()));
    expect(await statusOf(harness, token)).toBe(200);
    isFailing = false;
    expect((await listed(harness, id))?.['last_used_on']).toBeNull();
    harness.advance(MINUTE);
    expect(await statusOf(harness, token)).toBe(200);
    const day = new Date(harness.now()).toISOString().slice(0, 10);
    expect((await listed(harness, id))?.['last_used_on']).toBe(day);
    // Another function instance uses the token a day later.
    const other = start();
    other.advance(harness.now() - other.now() + DAY);
    expect(await statusOf(other, token)).toBe(200);
    expect((await listed(harness, id))?.['last_used_on']).toBe(new Date(other.now()).toISOString().slice(0, 10));
  });

  test('is stored only as a hash', async () => {
    const table = await ownTable();
    const harness = start({ config: { ...parseConfig({}), tableName: table } });
    const { token } = await newToken(harness);
    await check(harness, token);
    const text = JSON.stringify(await everyRow(table));
    expect(text).toContain(adminTokenHash(token));
    expect(text).not.toContain(token.slice(4, 47));
    expect(logged().join()).not.toContain(token.slice(4, 47));
  });

  test('with a scope that only a newer version knows may do what its other scopes permit, and no more', async () => {
    const harness = start();
    const token = unknown();
    const row = { id: 9_000_000_000, name: 'newer', product_id: null, expires_at: null, created_at: 0, version: 9, later: true };
    await harness.client.send(
      new PutCommand({ TableName: tableName(), Item: { ...adminTokenKey(adminTokenHash(token)), ...row, scopes: ['auditor', 'read'] } }),
    );
    expect((await check(harness, token)).body['scopes']).toEqual(['read']);
    expect((await harness.call('listTokens', present(token))).status).toBe(403);
  });
});

describe('revoking', () => {
  test('says whether it had an effect, even for many simultaneous calls; for an unknown token the response is 404', async () => {
    const harness = start();
    const { id } = await newToken(harness);
    const answers = await Promise.all(Array.from({ length: 5 }, () => start().call('revokeToken', { params: { id } })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(answers.filter(({ body }) => body['revoked'] === true)).toHaveLength(1);
    expect((await harness.call('revokeToken', { params: { id } })).body).toEqual({ revoked: false });
    expect((await harness.call('revokeToken', { params: { id: 9_007_199_254_740_991 } })).status).toBe(404);
  });

  test('removes it from the list, page by page, and keeps the others', async () => {
    const harness = start();
    const made = [await newToken(harness), await newToken(harness), await newToken(harness), await newToken(harness)];
    await harness.call('revokeToken', { params: { id: made[1]!.id } });
    const seen: unknown[] = [];
    let cursor: string | undefined = Buffer.from(String(made[0]!.id - 1)).toString('base64url');
    while (cursor !== undefined) {
      const page: CallResult = await harness.call('listTokens', { query: { limit: '1', cursor } });
      const rows = page.body as unknown as Record<string, unknown>[];
      expect(rows.length).toBeLessThanOrEqual(1);
      for (const row of rows) expect(row).not.toHaveProperty('token');
      seen.push(...rows.map(({ id }) => id));
      cursor = /[?&]cursor=([^&>]+)/.exec(page.headers['Link'] ?? '')?.[1];
    }
    expect(seen.filter((id) => made.some((token) => token.id === id))).toEqual([made[0], made[2], made[3]].map((token) => token?.id));
  });
});

describe('making a token', () => {
  test('shows all its fields, and the token only this time', async () => {
    const harness = start();
    const productId = Number(
      (await harness.call('createProduct', { body: { name: randomBytes(8).toString('hex'), slug: randomBytes(8).toString('hex') } })).body[
        'id'
      ],
    );
    const expires_at = new Date(harness.now() + DAY).toISOString();
    const { status, body } = await harness.call('createToken', {
      body: { name: ' Support ', scopes: ['licenses', 'read'], product_id: productId, expires_at, token: 'svc_mine', id: 1 },
    });
    expect(status).toBe(201);
    const { token, ...rest } = body as unknown as Record<string, unknown>;
    expect(token).toMatch(/^svc_[A-Za-z0-9_-]{43}[A-Za-z0-9_-]{6}$/);
    expect(rest).toEqual({
      id: expect.any(Number),
      name: 'Support',
      scopes: ['licenses', 'read'],
      product_id: productId,
      renewal_days: null,
      expires_at,
      created_at: new Date(harness.now()).toISOString(),
      last_used_on: null,
    });
    expect(await listed(harness, Number(rest['id']))).toEqual(rest);
    expect((await check(harness, String(token))).body).toEqual({
      actor: String(rest['id']),
      name: 'Support',
      scopes: ['licenses', 'read'],
      product_id: productId,
      renewal_days: null,
    });
  });

  test.each<[object, RegExp]>([
    [{ name: undefined }, /^name /],
    [{ name: '' }, /^name /],
    [{ name: 'x'.repeat(201) }, /^name /],
    [{ scopes: undefined }, /^scopes /],
    [{ scopes: [] }, /^scopes must name at least one/],
    [{ scopes: 'read' }, /^scopes /],
    [{ scopes: ['write'] }, /^scopes\[0\] must be read, support, licenses, releases, manage or admin$/],
    [{ scopes: ['read', 'read'] }, /^scopes must be distinct/],
    [{ product_id: '1' }, /^product_id /],
    [{ product_id: 0 }, /^product_id /],
    [{ expires_at: 'tomorrow' }, /^expires_at /],
    [{ expires_at: '2020-01-01T00:00:00Z' }, /^expires_at must be in the future/],
  ])('refuses %j and names the field', async (fields, detail) => {
    const { status, body } = await start().call('createToken', { body: { name: 'a test', scopes: ['read'], ...fields } });
    expect({ status, detail: body['detail'] }).toEqual({ status: 422, detail: expect.stringMatching(detail) });
  });

  test('for a missing product is 404', async () => {
    expect(
      (await start().call('createToken', { body: { name: 'a test', scopes: ['read'], product_id: 9_007_199_254_740_991 } })).status,
    ).toBe(404);
  });
});

test("a bound token costs an additional read only if the path does not name the token's product", async () => {
  const harness = start();
  const product = Number(
    (await harness.call('createProduct', { body: { name: randomBytes(8).toString('hex'), slug: randomBytes(8).toString('hex') } })).body[
      'id'
    ],
  );
  const { token } = await newToken(harness, { product_id: product });
  await check(harness, token);
  await harness.call('getProduct', { params: { id: product }, ...present(token) });
  const costs = meter(harness.client);
  expect((await harness.call('getProduct', { params: { id: product }, ...present(token) })).status).toBe(200);
  expect(costs.take().calls).toEqual(['GetItem']);
  expect((await harness.call('getProduct', { params: { id: product + 1 }, ...present(token) })).status).toBe(404);
  expect(costs.take().calls).toEqual([]);
  expect((await harness.call('getLicense', { params: { id: 9_007_199_254_740_991 }, ...present(token) })).status).toBe(404);
  expect(costs.take().calls).toEqual(['GetItem']);
});
