import { randomBytes } from 'node:crypto';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify, type JSONWebKeySet } from 'jose';
import { standardSignature, svcSignature } from '../../lambdas/domain/webhook-signature';
import { startEventHarness } from '../support/event-harness';
import { startHarness, type CallResult, type Harness } from '../support/harness';
import { intercept } from '../support/intercept';
import { captureLogs } from '../support/logs';
import { ownTable } from '../support/own-table';
import { startReceiver } from '../support/receiver';

/** Rotates a product's credentials. The service must never refuse a caller with a valid credential (docs/spec/operator.md, Rotation). */

captureLogs();
const HOUR = 3_600_000;
const running: Harness[] = [];
afterEach(() => running.splice(0).forEach((harness) => harness.close()));
/** Each harness acts as a function instance with its own cache. */
function start(): Harness {
  const harness = startHarness();
  running.push(harness);
  return harness;
}
const ok = async <Body = CallResult['body']>(harness: Harness, ...call: Parameters<Harness['call']>): Promise<Body> => {
  const { status, body } = await harness.call(...call);
  if (status >= 300) throw new Error(`${call[0]} responded ${status}: ${JSON.stringify(body)}`);
  return body as Body;
};

interface Product {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly api_key: string;
  readonly public_key: string;
}
interface Shop {
  readonly product: Product;
  readonly params: { readonly id: number };
  readonly key: string;
}

async function sell(harness: Harness, product: Product): Promise<Shop> {
  const params = { id: product.id };
  const { id: license_type_id } = await ok(harness, 'createLicenseType', { params, body: { name: 'Lifetime', kind: 'lifetime' } });
  const { key } = await ok(harness, 'createLicense', { params, body: { license_type_id } });
  return { product, params, key: String(key) };
}
const newName = (): string => `p-${randomBytes(6).toString('hex')}`;
const newProduct = (harness: Harness, name = newName()): Promise<Product> =>
  ok<Product>(harness, 'createProduct', { body: { name, slug: name } });
const newShop = async (harness: Harness): Promise<Shop> => sell(harness, await newProduct(harness));

const activate = (harness: Harness, { params, key }: Shop, apiKey: string, fingerprint = 'fingerprint-1'): Promise<CallResult> =>
  harness.call('activate', { params, apiKey, body: { key, fingerprint } });
const validate = (harness: Harness, { params, key }: Shop, apiKey: string): Promise<CallResult> =>
  harness.call('validate', { params, apiKey, query: { key, fingerprint: 'fingerprint-1' } });

/** Sends validations continuously, in several functions, until the work is done. Returns the statuses that were not 200. */
async function underLoad(functions: readonly Harness[], shop: Shop, apiKey: () => string, work: () => Promise<void>): Promise<number[]> {
  let done = false;
  let requests = 0;
  const refusals: number[] = [];
  const callers = functions.map(async (harness) => {
    while (!done) {
      const { status } = await validate(harness, shop, apiKey());
      requests += 1;
      if (status !== 200) refusals.push(status);
    }
  });
  await work();
  done = true;
  await Promise.all(callers);
  expect(requests).toBeGreaterThan(functions.length);
  return refusals;
}

test('the previous API key is named by its end until it expires, and can be ended at once', async () => {
  const harness = start();
  const { id, api_key } = await newProduct(harness);
  const params = { id };
  const previous = (): Promise<object> => ok(harness, 'getPreviousApiKey', { params });
  expect(await previous()).toEqual({ hint: null, valid_until: null });
  await ok(harness, 'rotateApiKey', { params, body: { overlap_hours: 2 } });
  const until = new Date(harness.now() + 2 * HOUR).toISOString();
  expect(await previous()).toEqual({ hint: api_key.slice(-4), valid_until: until });
  harness.advance(2 * HOUR);
  expect(await previous()).toEqual({ hint: null, valid_until: null });
  expect(await ok(harness, 'endPreviousApiKey', { params })).toEqual({ ended: false });

  const shop = await sell(harness, { ...(await ok<Product>(harness, 'getProduct', { params })) });
  await ok(harness, 'rotateApiKey', { params });
  expect((await activate(start(), shop, shop.product.api_key)).status).toBe(200);
  expect(await ok(harness, 'endPreviousApiKey', { params })).toEqual({ ended: true });
  expect((await activate(start(), shop, shop.product.api_key, 'fingerprint-2')).status).toBe(401);
});

test('the end of the previous API key does not end the key that a simultaneous rotation replaces', async () => {
  const [harness, other] = [start(), start()];
  const { id } = await newProduct(harness);
  const params = { id };
  const { api_key: replaced } = await ok<Product>(harness, 'rotateApiKey', { params });
  let isRotated = false;
  intercept(other.client, async ({ operation }, next) => {
    if (operation === 'TransactWriteItems' && !isRotated) {
      isRotated = true;
      await ok(harness, 'rotateApiKey', { params });
    }
    return next();
  });
  expect((await other.call('endPreviousApiKey', { params })).status).toBe(200);
  expect(isRotated).toBe(true);
  expect(await ok(harness, 'getPreviousApiKey', { params })).toMatchObject({ hint: replaced.slice(-4) });
});

describe('an API key', () => {
  const rotate = (harness: Harness, { params }: Shop, overlap_hours?: number): Promise<Product> =>
    ok<Product>(harness, 'rotateApiKey', { params, body: { overlap_hours } });

  test('is rotated under load without one refusal, for apps with the old key and with the new', async () => {
    const admin = start();
    const functions = [start(), start(), start()];
    const shop = await newShop(admin);
    await activate(admin, shop, shop.product.api_key);
    let newest = shop.product.api_key;
    const [old, fresh] = [functions.slice(0, 2), functions.slice(1)];
    const refusals = await underLoad(
      old,
      shop,
      () => shop.product.api_key,
      async () => {
        const more = await underLoad(
          fresh,
          shop,
          () => newest,
          async () => {
            newest = (await rotate(admin, shop)).api_key;
            for (let i = 0; i < 5; i += 1) await Promise.all(functions.map((harness) => validate(harness, shop, newest)));
          },
        );
        expect(more).toEqual([]);
      },
    );
    expect(refusals).toEqual([]);
    expect(newest).not.toBe(shop.product.api_key);
    expect((await ok<Product>(admin, 'getProduct', { params: shop.params })).api_key).toBe(newest);
  });

  test('works during the overlap, and not after it', async () => {
    const [admin, app] = [start(), start()];
    const shop = await newShop(admin);
    await rotate(admin, shop, 2);
    app.advance(2 * HOUR - 1000);
    expect((await validate(app, shop, shop.product.api_key)).status).toBe(200);
    app.advance(2000);
    expect((await validate(app, shop, shop.product.api_key)).status).toBe(401);
  });

  test('with an overlap of 0 the old key is refused within 60 s, even if it was used just before', async () => {
    const [admin, app] = [start(), start()];
    const shop = await newShop(admin);
    expect((await validate(app, shop, shop.product.api_key)).status).toBe(200);
    const { api_key } = await rotate(admin, shop, 0);
    expect((await validate(app, shop, api_key)).status).toBe(200);
    app.advance(60_000);
    expect((await validate(app, shop, shop.product.api_key)).status).toBe(401);
  });

  test('after two rotations the second key still works, but the first does not: at most two keys are valid at a time', async () => {
    const [admin, app] = [start(), start()];
    const shop = await newShop(admin);
    const second = (await rotate(admin, shop)).api_key;
    const third = (await rotate(admin, shop)).api_key;
    expect(
      await Promise.all([shop.product.api_key, second, third].map((key) => validate(app, shop, key).then(({ status }) => status))),
    ).toEqual([401, 200, 200]);
  });

  test('the same Idempotency-Key rotates once', async () => {
    const admin = start();
    const shop = await newShop(admin);
    const headers = { 'Idempotency-Key': newName() };
    const [first, again] = [
      await ok<Product>(admin, 'rotateApiKey', { params: shop.params, headers }),
      await ok<Product>(admin, 'rotateApiKey', { params: shop.params, headers }),
    ];
    expect(again).toEqual(first);
    expect((await validate(start(), shop, shop.product.api_key)).status).toBe(200);
    expect((await admin.call('rotateApiKey', { params: shop.params, headers, body: { overlap_hours: 1 } })).status).toBe(409);
  });

  test('many rotations at once all succeed, one after the other', async () => {
    const admin = start();
    const shop = await newShop(admin);
    const keys = (await Promise.all(Array.from({ length: 6 }, () => rotate(admin, shop)))).map(({ api_key }) => api_key);
    expect(new Set(keys).size).toBe(6);
    const statuses = await Promise.all(keys.map((key) => validate(start(), shop, key).then(({ status }) => status)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(2);
  });

  test.each([-1, 8761, 1.5, '1', null])('an overlap of %p hours is refused', async (overlap_hours) => {
    const admin = start();
    const { params } = await newShop(admin);
    expect((await admin.call('rotateApiKey', { params, body: { overlap_hours } })).status).toBe(422);
  });
});

test('a webhook secret: during the overlap both secrets sign, the new secret first, and afterwards only the new secret signs', async () => {
  const receiver = await startReceiver();
  const service = startEventHarness(await ownTable());
  running.push(service);
  const product = await service.newProduct(receiver.url);
  const params = { id: product.id };
  const signatures = async (): Promise<{ svc: string; standard: string[]; of: (secret: string) => { svc: string; standard: string } }> => {
    receiver.received.length = 0;
    await service.ok('testWebhook', { params });
    await service.run();
    const { headers, raw } = receiver.received.at(-1)!;
    const body = raw.toString();
    return {
      svc: String(headers['x-svc-signature']),
      standard: String(headers['webhook-signature']).split(' '),
      of: (secret) => ({
        svc: svcSignature(secret, body),
        standard: standardSignature(secret, String(headers['webhook-id']), Number(headers['webhook-timestamp']), body),
      }),
    };
  };
  const rotate = (overlap_hours?: number): Promise<{ url: string; secret: string; previous_until: string | null }> =>
    service.ok('rotateWebhookSecret', { params, body: { overlap_hours } });

  const rotated = await rotate();
  expect(rotated).toEqual({
    url: receiver.url,
    secret: expect.stringMatching(/^whsec_/) as string,
    previous_until: new Date(service.now() + 24 * HOUR).toISOString(),
  });
  const during = await signatures();
  expect([during.svc, during.standard]).toEqual([
    during.of(rotated.secret).svc,
    [rotated.secret, product.secret].map((secret) => during.of(secret).standard),
  ]);

  // After another rotation within the overlap, only the previous secret continues to work.
  const again = await rotate();
  const twice = await signatures();
  expect(twice.standard).toEqual([again.secret, rotated.secret].map((secret) => twice.of(secret).standard));
  service.advance(24 * HOUR + 1000);
  const after = await signatures();
  expect([after.svc, after.standard]).toEqual([after.of(again.secret).svc, [after.of(again.secret).standard]]);

  const ended = await rotate(0);
  expect(ended.previous_until).toBeNull();
  const alone = await signatures();
  expect(alone.standard).toEqual([alone.of(ended.secret).standard]);
  expect(await service.ok('getWebhook', { params })).toMatchObject({ secret: ended.secret });
  await receiver.close();
});

describe('signing keys', () => {
  interface Key {
    readonly kid: string;
    readonly status: string;
    readonly public_key: string;
  }
  const list = (harness: Harness, { params }: Shop): Promise<Key[]> => ok<Key[]>(harness, 'listSigningKeys', { params });
  const statuses = async (harness: Harness, shop: Shop): Promise<string[]> => (await list(harness, shop)).map(({ status }) => status);
  const jwks = (harness: Harness, { params }: Shop): Promise<JSONWebKeySet> => ok<JSONWebKeySet>(harness, 'getJwks', { params });
  const tokenOf = async (harness: Harness, shop: Shop): Promise<string> =>
    String(
      (
        await ok<CallResult['body']>(harness, 'activate', {
          params: shop.params,
          apiKey: shop.product.api_key,
          body: { key: shop.key, fingerprint: 'fingerprint-1' },
        })
      )['offline_token'],
    );
  const verifies = async (harness: Harness, shop: Shop, token: string): Promise<boolean> =>
    jwtVerify(token, createLocalJWKSet(await jwks(harness, shop)), { currentDate: new Date(harness.now()) }).then(
      () => true,
      () => false,
    );

  test('a function that has cached the product of an app without a webhook activates at once after the rotation', async () => {
    const [admin, app] = [start(), start()];
    const shop = await newShop(admin);
    await tokenOf(app, shop);
    const { kid } = await ok<Key>(admin, 'createSigningKey', { params: shop.params });
    await ok(admin, 'activateSigningKey', { params: { ...shop.params, kid } });
    expect(await verifies(admin, shop, await tokenOf(app, shop))).toBe(true);
  });

  test('are rotated: published, then signing, then deleted, and every token verifies while its key is published', async () => {
    const [admin, app] = [start(), start()];
    const shop = await newShop(admin);
    const first = await tokenOf(app, shop);
    const next = await ok<Key>(admin, 'createSigningKey', { params: shop.params });
    expect(next).toEqual({
      kid: expect.stringMatching(/^[\w-]{43}$/) as string,
      public_key: expect.stringContaining('PUBLIC KEY') as string,
      status: 'next',
    });
    expect(await statuses(admin, shop)).toEqual(['current', 'next']);
    expect((await jwks(admin, shop)).keys.map(({ kid }) => kid)).toEqual((await list(admin, shop)).map(({ kid }) => kid));
    app.advance(60_000);
    expect(decodeProtectedHeader(await tokenOf(app, shop)).kid).toBe(decodeProtectedHeader(first).kid);
    expect((await admin.call('createSigningKey', { params: shop.params })).status).toBe(409);

    const activated = await ok<Key[]>(admin, 'activateSigningKey', { params: { ...shop.params, kid: next.kid } });
    expect(activated.map(({ kid, status }) => [kid, status])).toEqual([
      [next.kid, 'current'],
      [decodeProtectedHeader(first).kid, 'previous'],
    ]);
    expect(await ok<Product>(admin, 'getProduct', { params: shop.params })).toMatchObject({ public_key: next.public_key });
    app.advance(60_000);
    const second = await tokenOf(app, shop);
    expect(decodeProtectedHeader(second).kid).toBe(next.kid);
    expect([await verifies(app, shop, first), await verifies(app, shop, second)]).toEqual([true, true]);
    expect(decodeProtectedHeader(await tokenOf(start(), shop)).kid).toBe(next.kid);

    // Refused: activating the previous key, and deleting the key that signs. Activating the current key changes nothing.
    const old = String(decodeProtectedHeader(first).kid);
    expect((await admin.call('activateSigningKey', { params: { ...shop.params, kid: old } })).status).toBe(422);
    expect(await ok(admin, 'activateSigningKey', { params: { ...shop.params, kid: next.kid } })).toEqual(activated);
    expect((await admin.call('deleteSigningKey', { params: { ...shop.params, kid: next.kid } })).status).toBe(422);
    for (const kid of ['x'.repeat(43), 'short']) {
      for (const name of ['activateSigningKey', 'deleteSigningKey'])
        expect((await admin.call(name, { params: { ...shop.params, kid } })).status).toBe(404);
    }

    expect((await ok<Key[]>(admin, 'deleteSigningKey', { params: { ...shop.params, kid: old } })).map(({ kid }) => kid)).toEqual([
      next.kid,
    ]);
    expect([await verifies(app, shop, first), await verifies(app, shop, second)]).toEqual([false, true]);
    expect((await admin.call('deleteSigningKey', { params: { ...shop.params, kid: old } })).status).toBe(404);

    // A next key that was never activated can be deleted, and the current key still signs.
    const unused = await ok<Key>(admin, 'createSigningKey', { params: shop.params });
    await ok(admin, 'deleteSigningKey', { params: { ...shop.params, kid: unused.kid } });
    expect(await statuses(admin, shop)).toEqual(['current']);
    expect(decodeProtectedHeader(await tokenOf(start(), shop)).kid).toBe(next.kid);
  });

  test('rotate under load without one refusal, and every token that was issued meanwhile verifies', async () => {
    const admin = start();
    const functions = [start(), start()];
    const shop = await newShop(admin);
    await tokenOf(admin, shop);
    const tokens: string[] = [];
    const refusals = await underLoad(
      functions,
      shop,
      () => shop.product.api_key,
      async () => {
        for (let i = 0; i < 3; i += 1) {
          const { kid } = await ok<Key>(admin, 'createSigningKey', { params: shop.params });
          tokens.push(await tokenOf(start(), shop));
          await ok(admin, 'activateSigningKey', { params: { ...shop.params, kid } });
          for (const harness of [...functions, start()]) tokens.push(await tokenOf(harness, shop));
        }
      },
    );
    expect(refusals).toEqual([]);
    expect(await Promise.all(tokens.map((token) => verifies(admin, shop, token)))).toEqual(tokens.map(() => true));
    expect(await statuses(admin, shop)).toEqual(['current', 'previous', 'previous', 'previous']);
  });

  test('of several requests at once that create a signing key, one succeeds', async () => {
    const admin = start();
    const { params } = await newShop(admin);
    const made = await Promise.all(Array.from({ length: 5 }, () => admin.call('createSigningKey', { params })));
    expect(made.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
  });
});

describe('a product', () => {
  test('is renamed: another product may take its old name, but not its new name, and its slug stays the same', async () => {
    const admin = start();
    const [product, other] = [await newProduct(admin), await newProduct(admin)];
    const rename = (id: number, name?: unknown): Promise<CallResult> => admin.call('updateProduct', { params: { id }, body: { name } });
    const name = newName();
    expect((await rename(product.id, name)).body).toEqual({ ...product, name });
    expect((await rename(product.id, name)).status).toBe(200);
    expect((await rename(product.id)).body).toEqual({ ...product, name });
    expect((await rename(other.id, name)).status).toBe(409);
    expect((await rename(other.id, product.name)).status).toBe(200);
    expect((await rename(9_007_199_254_740_991, newName())).status).toBe(404);
    for (const bad of ['', 7, null, 'x'.repeat(201)]) expect((await rename(product.id, bad)).status).toBe(422);
    const slug = await admin.call('updateProduct', { params: { id: product.id }, body: { slug: 'other', id: 5, api_key: 'mine' } });
    expect([slug.status, slug.body['slug'], slug.body['api_key']]).toEqual([200, product.slug, product.api_key]);
  });

  test('renamed to the same name many times at once, it is renamed once', async () => {
    const admin = start();
    const products = await Promise.all(Array.from({ length: 5 }, () => newProduct(admin)));
    const name = newName();
    const results = await Promise.all(products.map(({ id }) => admin.call('updateProduct', { params: { id }, body: { name } })));
    expect(results.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
  });

  test('simultaneous changes of different mail settings are all kept', async () => {
    const admin = start();
    const params = { id: (await newProduct(admin)).id };
    const changes = [
      { reply_to: 'help@example.com' },
      { renew_url: 'https://example.com/renew' },
      { subject: 'Your key' },
      { reminders: [{ event: 'expiring', days: 7 }] },
    ];
    await Promise.all(changes.map((body) => ok(start(), 'setMailSettings', { params, body })));
    const { reminders, ...settings } = await ok(admin, 'getMailSettings', { params });
    expect(settings).toMatchObject({ reply_to: 'help@example.com', renew_url: 'https://example.com/renew', subject: 'Your key' });
    expect(reminders).toHaveLength(1);
  });
});
