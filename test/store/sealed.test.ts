import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { randomBytes } from 'node:crypto';
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import type { SecretName } from '../../lambdas/contract/access';
import { encodeCursor } from '../../lambdas/contract/paging';
import { hashSecret } from '../../lambdas/domain/credentials';
import { productKey, signingSeedsKey } from '../../lambdas/store/keys';
import { getItem } from '../../lambdas/store/items';
import { parseConfig } from '../../lambdas/runtime/config';
import { reseal } from '../../lambdas/use-cases/reseal';
import { meter } from '../support/capacity';
import { ADMIN_TOKEN, startHarness, tableName, type CallResult, type Harness } from '../support/harness';
import { intercept } from '../support/intercept';
import { captureLogs } from '../support/logs';
import { ownTable } from '../support/own-table';

/** Tests encrypted values and their encryption keys, for example when the deployment's secrets change or cannot be read. */

const logged = captureLogs();
const running: Harness[] = [];
afterEach(() => running.splice(0).forEach((harness) => harness.close()));
function start(secrets: Partial<Record<SecretName, () => string>> = {}): Harness {
  const values = { adminToken: () => ADMIN_TOKEN, ...secrets };
  const harness = startHarness({
    fetchSecret: async (name) => (values as Partial<Record<SecretName, () => string>>)[name]?.() ?? `test-${name}`,
  });
  running.push(harness);
  return harness;
}
const ok = async (harness: Harness, ...call: Parameters<Harness['call']>): Promise<CallResult['body']> => {
  const { status, body } = await harness.call(...call);
  if (status >= 300) throw new Error(`${call[0]} responded ${status}: ${JSON.stringify(body)}`);
  return body;
};

interface Shop {
  readonly params: { readonly id: number };
  readonly apiKey: string;
  readonly key: string;
}

/** Creates a license of a product. */
async function sell(harness: Harness, params: Shop['params'], apiKey: string): Promise<Shop> {
  const { id: license_type_id } = await ok(harness, 'createLicenseType', { params, body: { name: 'Lifetime', kind: 'lifetime' } });
  const { key } = await ok(harness, 'createLicense', { params, body: { license_type_id } });
  return { params, apiKey, key: String(key) };
}

async function newShop(harness: Harness): Promise<Shop> {
  const slug = `p-${randomBytes(6).toString('hex')}`;
  const product = await ok(harness, 'createProduct', { body: { name: slug, slug } });
  return sell(harness, { id: Number(product['id']) }, String(product['api_key']));
}

const activate = (harness: Harness, { params, apiKey, key }: Shop): Promise<CallResult> =>
  harness.call('activate', { params, apiKey, body: { key, fingerprint: 'fingerprint-1' } });
const validate = (harness: Harness, { params, apiKey, key }: Shop): Promise<CallResult> =>
  harness.call('validate', { params, apiKey, query: { key, fingerprint: 'fingerprint-1' } });

/** Verifies a token with the keys that the product publishes. */
async function expectVerifies(harness: Harness, { params }: Shop, token: unknown): Promise<void> {
  const jwks = createLocalJWKSet((await ok(harness, 'getJwks', { params })) as unknown as JSONWebKeySet);
  await jwtVerify(String(token), jwks, { currentDate: new Date(harness.now()) });
}

test('a product whose row has fields of a later version still works, and an unreadable row hides no other row', async () => {
  const harness = start();
  const shop = await newShop(harness);
  const set = (expression: string, values: Record<string, unknown>): Promise<unknown> =>
    harness.client.send(
      new UpdateCommand({
        TableName: tableName(),
        Key: productKey(shop.params.id),
        UpdateExpression: expression,
        ExpressionAttributeNames: { '#v': 'version' },
        ExpressionAttributeValues: values,
      }),
    );
  await set('SET #v = :v, later = :later', { ':v': 99, ':later': { anything: [1] } });
  expect((await activate(harness, shop)).status).toBe(200);
  expect(await ok(harness, 'getProduct', { params: shop.params })).not.toHaveProperty('later');

  const other = await newShop(harness);
  await set('SET #v = :v, signing_keys[0].#s = :s', { ':v': 99, ':s': 'quantum' }).catch(() => undefined);
  await harness.client.send(
    new UpdateCommand({
      TableName: tableName(),
      Key: productKey(shop.params.id),
      UpdateExpression: 'SET slug = :slug',
      ExpressionAttributeValues: { ':slug': 7 },
    }),
  );
  const ids = Object.values(await ok(harness, 'listProducts')).map((product) => (product as { id: number }).id);
  expect(ids).toContain(other.params.id);
  expect(ids).not.toContain(shop.params.id);
  expect(await harness.call('listProducts', { query: { cursor: encodeCursor(shop.params.id - 1), limit: '1' } })).toMatchObject({
    status: 200,
    headers: { 'X-Svc-Unreadable': '1' },
  });
  await harness.client.send(
    new UpdateCommand({
      TableName: tableName(),
      Key: productKey(shop.params.id),
      UpdateExpression: 'SET slug = :slug',
      ExpressionAttributeValues: { ':slug': 'mended' },
    }),
  );
});

test('a signing seed is in its own row, encrypted with its own key', async () => {
  const harness = start();
  const { params } = await newShop(harness);
  const { table } = harness.app;
  expect(JSON.stringify(await getItem(table, productKey(params.id)))).not.toMatch(/seed/);
  const seeds = (await getItem(table, signingSeedsKey(params.id)))?.['seeds'] as Record<string, string>;
  expect(Object.keys(seeds)).toHaveLength(1);
  // The function that delivers events may read the encryption key, but not the signing key. With the encryption key it must not be able to
  // decrypt the seed.
  const thief = start({ signingKey: () => 'test-encryptionKey' });
  for (const [kid, sealed] of Object.entries(seeds))
    await expect(thief.app.secrets.open('signing_seed', sealed, `product/${params.id}/signing_key/${kid}`)).rejects.toThrow();
});

describe('a key ring', () => {
  test('is rotated without any refusal: new values use the new key, and the old ones can still be read, even in running functions', async () => {
    const keys = { encryptionKey: 'e1', signingKey: 's1' };
    const secrets = { encryptionKey: () => keys.encryptionKey, signingKey: () => keys.signingKey };
    const [warm, writer] = [start(secrets), start(secrets)];
    const before = await newShop(writer);
    expect((await activate(warm, before)).status).toBe(200);
    Object.assign(keys, { encryptionKey: 'e2\ne1', signingKey: 's2\ns1' });
    writer.advance(300_000);
    const after = await newShop(writer);
    // The running function has cached the old keys. When it cannot decrypt a value with them, it reads the secret again.
    warm.advance(6000);
    for (const shop of [before, after]) {
      const { status, body } = await activate(warm, shop);
      expect(status).toBe(200);
      await expectVerifies(warm, shop, body['offline_token']);
      expect(await ok(warm, 'getProduct', { params: shop.params })).toMatchObject({ api_key: shop.apiKey });
      expect((await activate(start(secrets), shop)).status).toBe(200);
    }
    // The new key alone decrypts the values that were encrypted since the rotation.
    const only = start({ encryptionKey: () => 'e2', signingKey: () => 's2' });
    expect((await activate(only, after)).status).toBe(200);
    expect((await activate(only, before)).status).toBe(500);
  });
});

test('after a reseal, the new keys alone decrypt everything', async () => {
  const keys = { encryptionKey: 'test-encryptionKey', signingKey: 'test-signingKey' };
  const table = await ownTable();
  const config = { ...parseConfig({}), tableName: table };
  const on = (rings: typeof keys): Harness => {
    const harness = startHarness({
      config,
      fetchSecret: async (name) => (name === 'adminToken' ? ADMIN_TOKEN : rings[name as keyof typeof keys]),
    });
    running.push(harness);
    return harness;
  };
  const old = on(keys);
  const [first, second] = [await newShop(old), await newShop(old)];
  const { secret } = await ok(old, 'getWebhook', { params: first.params });
  const rotated = await ok(old, 'createSigningKey', { params: first.params });
  await ok(old, 'activateSigningKey', { params: { ...first.params, kid: String(rotated['kid']) } });
  const token = (await activate(old, second)).body['offline_token'];
  const both = on({ encryptionKey: `e2\n${keys.encryptionKey}`, signingKey: `s2\n${keys.signingKey}` });
  expect(await reseal(both.app)).toEqual({ products: 2, connections: 0, payments: 0 });
  expect(await reseal(both.app)).toEqual({ products: 2, connections: 0, payments: 0 });

  const only = on({ encryptionKey: 'e2', signingKey: 's2' });
  for (const shop of [first, second]) {
    const { status, body } = await activate(only, shop);
    expect(status).toBe(200);
    await expectVerifies(only, shop, body['offline_token']);
    expect(await ok(only, 'getProduct', { params: shop.params })).toMatchObject({ api_key: shop.apiKey });
  }
  await expectVerifies(only, second, token);
  expect(await ok(only, 'getWebhook', { params: first.params })).toMatchObject({ secret });
  expect(Object.keys((await getItem(only.app.table, signingSeedsKey(first.params.id)))?.['seeds'] as object)).toHaveLength(2);
});

describe('when Secrets Manager cannot be read', () => {
  test('the valid admin token stays valid for an hour, and is replaced as soon as a new token can be read', async () => {
    let value: string | undefined = ADMIN_TOKEN;
    let reads = 0;
    const harness = start({
      adminToken: () => {
        reads += 1;
        if (value === undefined) throw new Error('Secrets Manager does not respond');
        return value;
      },
    });
    const status = async (token = ADMIN_TOKEN): Promise<number> =>
      (await harness.call('getMailStatus', { headers: { 'X-Svc-Admin-Token': token } })).status;
    expect(await status()).toBe(200);
    value = undefined;
    // Wrong tokens, and the age of the cached token, make the function read the secret again. Neither of them makes the cached token
    // invalid.
    harness.advance(60_000);
    expect([await status('wrong'), await status()]).toEqual([401, 200]);
    harness.advance(3_500_000);
    expect([await status('wrong'), await status()]).toEqual([401, 200]);
    harness.advance(60_000);
    expect(await status()).toBe(500);
    value = 'new-token';
    harness.advance(6000);
    expect([await status('new-token'), await status()]).toEqual([200, 401]);
    expect(reads).toBeGreaterThan(3);
    expect(logged().join()).toContain('SECRET_NOT_READ');
  });

  test.each([
    ['the secret can be read', () => ADMIN_TOKEN],
    ['the secret cannot be read', () => Promise.reject(new Error('down'))],
  ])('many wrong tokens cause only one read of the secret every five seconds, if %s', async (_case, answer) => {
    let reads = 0;
    let fetch: () => string | Promise<string> = () => ADMIN_TOKEN;
    const harness = startHarness({
      fetchSecret: async () => {
        reads += 1;
        return fetch();
      },
    });
    running.push(harness);
    const wrong = async (): Promise<number> => (await harness.call('getMailStatus', { headers: { 'X-Svc-Admin-Token': 'wrong' } })).status;
    expect((await harness.call('getMailStatus')).status).toBe(200);
    fetch = answer;
    harness.advance(5000);
    reads = 0;
    await Promise.all(Array.from({ length: 20 }, wrong));
    for (let i = 0; i < 20; i += 1) expect(await wrong()).toBe(401);
    expect(reads).toBe(1);
    harness.advance(5000);
    await wrong();
    expect(reads).toBe(2);
  });
});

describe('a refused API key', () => {
  test('costs the same read whether its product is unknown, known or in use, and the rest of the request is not examined', async () => {
    const harness = start();
    const [used, unused] = [await newShop(harness), await newShop(harness)];
    expect((await activate(harness, used)).status).toBe(200);
    const unknown = { id: 9_007_199_254_740_991 };
    const costs = meter(harness.client);
    const calls: string[] = [];
    intercept(harness.client, (call, next) => {
      calls.push(call.operation);
      return next();
    });
    for (const params of [used.params, unused.params, unknown, used.params, unknown]) {
      for (const body of [{ key: used.key, fingerprint: 'fingerprint-1' }, {}, '{"broken', 'x'.repeat(70_000)]) {
        const answer = await harness.call('activate', { params, apiKey: 'pk_wrong', body });
        expect([answer.status, calls.splice(0)]).toEqual([401, ['GetItem']]);
      }
      expect((await harness.call('validate', { params, apiKey: 'pk_wrong' })).status).toBe(401);
      expect(calls.splice(0)).toEqual(['GetItem']);
    }
    expect(costs.take().writeUnits).toBe(0);
  });

  test('is looked up again: a key that was set just now works at once in every function', async () => {
    const harness = start();
    const shop = await newShop(harness);
    expect((await activate(harness, shop)).status).toBe(200);
    await harness.client.send(
      new UpdateCommand({
        TableName: tableName(),
        Key: productKey(shop.params.id),
        UpdateExpression: 'SET api_key_hash = :hash',
        ExpressionAttributeValues: { ':hash': hashSecret('pk_new').toString('base64url') },
      }),
    );
    expect((await validate(harness, { ...shop, apiKey: 'pk_new' })).status).toBe(200);
    expect((await validate(harness, shop)).status).toBe(401);
  });
});

test('a product whose secrets no key decrypts is left out of the list and counted, and the other products are still shown', async () => {
  const table = { config: { ...parseConfig({}), tableName: await ownTable() } };
  const before = startHarness(table);
  const replaced = startHarness({
    ...table,
    fetchSecret: (name) => Promise.resolve(name === 'adminToken' ? ADMIN_TOKEN : `another-${name}`),
  });
  running.push(before, replaced);
  const closed = await newShop(before);
  const open = await newShop(replaced);
  const { status, headers, body } = await replaced.call('listProducts');
  expect([status, headers['X-Svc-Unreadable'], (body as unknown as { id: number }[]).map(({ id }) => id)]).toEqual([
    200,
    '1',
    [open.params.id],
  ]);
  expect(logged().filter((line) => line.includes('PRODUCT_NOT_OPENED'))).toEqual([
    expect.stringContaining(`"product_id":${closed.params.id}`),
  ]);
});
