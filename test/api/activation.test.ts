import { createRemoteJWKSet, decodeProtectedHeader, importSPKI, jwtVerify, type JWTPayload } from 'jose';
import type { ProductView } from '../../lambdas/contract/resources';
import {
  app,
  baseUrl,
  expectError,
  getLicense,
  newFingerprint,
  newLicense,
  newProduct,
  newShop,
  newType,
  post,
  send,
  serviceNow,
  type Activation,
  type Answer,
  type Shop,
} from '../support/http';
import { serveInProcess } from '../support/in-process';

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const DAY = 86_400;
const past = '2020-01-01T00:00:00Z';

serveInProcess();

let shop: Shop;
beforeAll(async () => {
  shop = await newShop({ kind: 'subscription', duration_days: 365, max_seats: 2 });
});

const keysOf = (value: object | undefined): string[] => Object.keys(value ?? {}).sort();
const clientFields = ['expires_at', 'id', 'key', 'license_type', 'status'];
const deviceFields = ['activated_at', 'fingerprint', 'last_seen_on', 'lease_expires_at', 'name', 'platform'];

describe('an activation', () => {
  test('returns all that an app needs to start, and nothing else', async () => {
    const license = await newLicense(shop.type, { customer_email: 'ada@example.com', metadata: { a: 1 } });
    const fingerprint = newFingerprint();
    const { status, body } = await shop.client.activate(license.key, fingerprint, { name: " Ada's laptop ", platform: 'linux' });
    expect(status).toBe(200);
    expect(keysOf(body)).toEqual(['device', 'features', 'license', 'limits', 'offline_token', 'seats', 'status', 'updates']);
    expect(body.status).toBe('active');
    expect(keysOf(body.license)).toEqual(clientFields);
    expect(body.license).toEqual({
      id: license.id,
      key: license.key,
      status: 'active',
      expires_at: license.expires_at,
      license_type: { name: shop.type.name, kind: 'subscription' },
    });
    expect(keysOf(body.device)).toEqual(deviceFields);
    expect(body.device).toEqual({
      fingerprint,
      name: "Ada's laptop",
      platform: 'linux',
      activated_at: expect.stringMatching(timestamp) as string,
      lease_expires_at: null,
      last_seen_on: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as string,
    });
    expect(body.seats).toEqual({ used: 1, max: 2 });

    expect(await getLicense(license.id)).toMatchObject({ seats: { used: 1, max: 2 }, activations: [body.device] });
  });

  test('takes one seat for each device, and no seat when the license is full', async () => {
    const { key } = await newLicense(shop.type);
    for (const [fingerprint, used] of [
      ['fingerprint-1', 1],
      ['fingerprint-1', 1],
      ['fingerprint-2', 2],
      ['fingerprint-1', 2],
      ['fingerprint-2', 2],
    ] as const) {
      expect((await shop.client.activate(key, fingerprint)).body.seats).toEqual({ used, max: 2 });
    }
    expectError(await shop.client.activate(key, 'fingerprint-3'), 'no_seats');
    expect((await shop.client.activate(key, 'fingerprint-1')).status).toBe(200);
    expect((await shop.client.deactivate(key, 'fingerprint-1')).text).toBe('{"freed":true}');
    expect((await shop.client.activate(key, 'fingerprint-3')).body.seats).toEqual({ used: 2, max: 2 });
    expectError(await shop.client.activate(key, 'fingerprint-1'), 'no_seats');
  });

  test('is never refused for lack of seats if the license type has 0 seats, which means unlimited', async () => {
    const { key } = await newLicense(await newType(shop.product, { max_seats: 0 }));
    for (let used = 1; used <= 5; used += 1)
      expect((await shop.client.activate(key, newFingerprint())).body.seats).toEqual({ used, max: 0 });
  });

  test('a repeated activation stores a changed label, keeps an omitted label, and takes no further seat', async () => {
    const license = await newLicense(shop.type);
    const activate = async (labels: object): Promise<Activation['device']> =>
      (await shop.client.activate(license.key, 'fingerprint-1', labels)).body.device;
    const first = await activate({ name: 'old', platform: 'linux' });
    expect(await activate({})).toEqual(first);
    expect(await activate({ name: null, platform: null })).toEqual(first);
    expect(await activate({ name: 'new' })).toEqual({ ...first, name: 'new' });
    await activate({ release: { version: '2.4.0' } });
    await activate({ release: { version: '' } });
    expect((await getLicense(license.id)).activations).toEqual([
      { ...first, name: 'new', member: null, app_version: '2.4.0', country: null },
    ]);
    expect(await activate({ name: '', platform: 'mac' })).toEqual({ ...first, name: '', platform: 'mac' });
    expect((await shop.client.validate(license.key, 'fingerprint-1')).body.device).toEqual({ ...first, name: '', platform: 'mac' });
    expect((await getLicense(license.id)).seats.used).toBe(1);
  });

  test('with any unknown key gets the same 404 response, which does not reveal how close the key is to an existing key', async () => {
    const { key } = shop.license;
    const wrongCheck = key.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    const texts = new Set<string>();
    for (const unknown of [
      'x',
      '-',
      wrongCheck,
      key.slice(0, -1),
      `${key}0`,
      'U'.repeat(25),
      '9M0RP-TTE3D-2HVX8-KQ51N-4WZ7Z',
      (await newShop()).license.key,
      '🔑',
      'A'.repeat(60_000),
    ]) {
      const answer = await shop.client.activate(unknown, 'fingerprint-1');
      expectError(answer, 'not_found');
      texts.add(answer.text);
      expectError(await shop.client.deactivate(unknown, 'fingerprint-1'), 'not_found');
    }
    expect(texts.size).toBe(1);
  });

  test('of an expired license is refused with 403 for every device, and the expiry is recorded once', async () => {
    const license = await newLicense(shop.type, { expires_at: past });
    for (const fingerprint of ['fingerprint-1', 'fingerprint-2'])
      expectError(await shop.client.activate(license.key, fingerprint), 'license_expired');
    expect(await getLicense(license.id)).toMatchObject({ status: 'expired', seats: { used: 0 } });
    expect((await shop.client.validate(license.key, 'fingerprint-1')).text).toBe('{"valid":false,"status":"expired"}');
  });
});

describe('a key may be typed in many ways', () => {
  const forms: [string, (key: string) => string][] = [
    ['as it is', (key) => key],
    ['in lower case', (key) => key.toLowerCase()],
    ['in typographic quotation marks', (key) => `\u201c${key}\u201d`],
    ['in full-width characters', (key) => key.replace(/./g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0))],
    ['in mixed case', (key) => key.replace(/./g, (letter, place: number) => (place % 2 ? letter.toLowerCase() : letter))],
    ['without hyphens', (key) => key.replaceAll('-', '')],
    ['with spaces', (key) => ` ${key.replaceAll('-', ' ')} `],
    ['in groups of its own', (key) => key.replaceAll('-', '').replace(/.{4}/g, '$&-')],
    ['with O for 0 and I for 1', (key) => key.replaceAll('0', 'O').replaceAll('1', 'I')],
    ['with o for 0 and l for 1', (key) => key.replaceAll('0', 'o').replaceAll('1', 'l')],
  ];
  test.each(forms)('%s', async (_form, type) => {
    const { id, key } = await newLicense(shop.type);
    const typed = type(key);
    const activated = await shop.client.activate(typed, 'fingerprint-1');
    expect([activated.status, activated.body.license.key]).toEqual([200, key]);
    expect((await shop.client.validate(typed, 'fingerprint-1')).body).toMatchObject({ valid: true, license: { id } });
    expect((await shop.client.deactivate(typed, 'fingerprint-1')).body).toEqual({ freed: true });
  });
});

describe('a fingerprint', () => {
  test('in hexadecimal means the same device in upper and lower case; any other two fingerprints that differ in case mean two devices', async () => {
    const { key } = await newLicense(await newType(shop.product));
    const hex = newFingerprint();
    expect((await shop.client.activate(key, hex.toUpperCase())).body.device.fingerprint).toBe(hex);
    expect((await shop.client.activate(key, hex)).body.seats.used).toBe(1);
    expect((await shop.client.validate(key, hex.toUpperCase())).body.device?.fingerprint).toBe(hex);
    expect((await shop.client.activate(key, 'Machine-1')).body.seats.used).toBe(2);
    expect((await shop.client.activate(key, 'machine-1')).body.seats.used).toBe(3);
    expect((await shop.client.deactivate(key, hex.toUpperCase())).body).toEqual({ freed: true });
  });

  test.each(['abcdefgh', '!'.repeat(8), '~'.repeat(128), 'a#b/c?d=e&f', '\'"\\{}[]<>'])('may be %s', async (fingerprint) => {
    const { key } = await newLicense(shop.type);
    expect((await shop.client.activate(key, fingerprint)).body.device.fingerprint).toBe(fingerprint);
    expect((await shop.client.validate(key, fingerprint)).body.device?.fingerprint).toBe(fingerprint);
    expect((await shop.client.deactivate(key, fingerprint)).body).toEqual({ freed: true });
  });
});

describe('a validation', () => {
  test('of a bound device returns all that an activation returned, with a new token', async () => {
    const { key } = await newLicense(shop.type);
    const activated = (await shop.client.activate(key, 'fingerprint-1', { name: 'a', platform: 'b' })).body;
    const { status, body } = await shop.client.validate(key, 'fingerprint-1');
    expect(status).toBe(200);
    expect(keysOf(body)).toEqual(['device', 'features', 'license', 'limits', 'offline_token', 'seats', 'status', 'updates', 'valid']);
    expect(body).toEqual({ ...activated, valid: true, offline_token: expect.any(String) as string });
    expect(body.offline_token).not.toBe(activated.offline_token);
  });

  test('of an unbound device is valid, without a device and without a token', async () => {
    const license = await newLicense(shop.type);
    await shop.client.activate(license.key, 'fingerprint-1');
    const { status, body } = await shop.client.validate(license.key, 'fingerprint-2');
    expect(status).toBe(200);
    expect(keysOf(body)).toEqual(['features', 'license', 'limits', 'seats', 'status', 'updates', 'valid']);
    expect(keysOf(body.license)).toEqual(clientFields);
    expect(body).toMatchObject({ valid: true, status: 'active', seats: { used: 1, max: 2 }, license: { expires_at: license.expires_at } });
    await shop.client.deactivate(license.key, 'fingerprint-1');
    expect(keysOf((await shop.client.validate(license.key, 'fingerprint-1')).body)).toEqual([
      'features',
      'license',
      'limits',
      'seats',
      'status',
      'updates',
      'valid',
    ]);
  });

  test('of an unknown key returns 200 with the status "invalid", and nothing else', async () => {
    const foreign = (await newShop()).license.key;
    for (const key of ['x', foreign, shop.license.key.slice(0, -1), `${shop.license.key}X`, '9M0RP-TTE3D-2HVX8-KQ51N-4WZ7Z']) {
      const { status, text } = await shop.client.validate(key, 'fingerprint-1');
      expect([status, text]).toEqual([200, '{"valid":false,"status":"invalid"}']);
    }
  });
});

describe('a deactivation', () => {
  test('frees the seat once; a repeated deactivation changes nothing', async () => {
    const license = await newLicense(shop.type);
    await shop.client.activate(license.key, 'fingerprint-1');
    expect((await shop.client.deactivate(license.key, 'fingerprint-2')).text).toBe('{"freed":false}');
    const first = await shop.client.deactivate(license.key, 'fingerprint-1');
    expect([first.status, first.text]).toEqual([200, '{"freed":true}']);
    expect((await shop.client.deactivate(license.key, 'fingerprint-1')).text).toBe('{"freed":false}');
    expect(await getLicense(license.id)).toMatchObject({ seats: { used: 0 }, activations: [] });
  });

  test("works on revoked and on expired licenses, and doesn't change their status", async () => {
    const revoked = await newLicense(shop.type);
    await shop.client.activate(revoked.key, 'fingerprint-1');
    await post(`/v1/licenses/${revoked.id}/revoke`);
    expect((await shop.client.deactivate(revoked.key, 'fingerprint-1')).body).toEqual({ freed: true });
    expect(await getLicense(revoked.id)).toMatchObject({ status: 'revoked', seats: { used: 0 }, activations: [] });

    const expired = await newLicense(shop.type, { expires_at: past });
    await shop.client.validate(expired.key, 'fingerprint-1');
    expect((await shop.client.deactivate(expired.key, 'fingerprint-1')).body).toEqual({ freed: false });
    expect((await getLicense(expired.id)).status).toBe('expired');
  });
});

test('a headless app may send a body without a content type, and header names in any case', async () => {
  const { product, type } = shop;
  const { key } = await newLicense(type);
  for (const headers of [{ 'x-api-key': product.api_key }, { 'X-API-KEY': product.api_key, 'content-TYPE': 'application/json' }]) {
    const answer = await send(`/v1/products/${product.id}/activate`, {
      method: 'POST',
      body: JSON.stringify({ key, fingerprint: 'fingerprint-1' }),
      headers,
    });
    expect(answer.status).toBe(200);
  }
});

describe('an offline token', () => {
  interface Claims extends JWTPayload {
    readonly fingerprint?: string;
    readonly kind?: string;
    readonly license_expires_at?: string | null;
  }
  const verify = async (product: ProductView, token: string): Promise<Claims> => {
    const options = { issuer: 'license-key-service', audience: product.slug, typ: 'JWT', algorithms: ['EdDSA'] };
    const keys = createRemoteJWKSet(new URL(`${baseUrl()}/v1/products/${product.id}/jwks.json`));
    const byJwks = await jwtVerify<Claims>(token, keys, options);
    const byPem = await jwtVerify<Claims>(token, await importSPKI(product.public_key, 'EdDSA'), options);
    expect(byPem.payload).toEqual(byJwks.payload);
    return byJwks.payload;
  };
  const mint = async (id: number, body?: object): Promise<Answer<{ token: string }>> =>
    post<{ token: string }>(`/v1/licenses/${id}/offline`, body);
  const lifetime = ({ iat = 0, exp = 0 }: Claims): number => exp - iat;

  test('of a device is valid for 7 days and contains the claims that an app checks', async () => {
    const { product } = shop;
    const license = await newLicense(shop.type, { customer_email: 'ada@example.com', metadata: { a: 1 } });
    const fingerprint = newFingerprint();
    const token = (await shop.client.activate(license.key, fingerprint)).body.offline_token;
    expect(token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]{86}$/);
    expect(keysOf(decodeProtectedHeader(token))).toEqual(['alg', 'kid', 'typ']);
    const claims = await verify(product, token);
    expect(keysOf(claims)).toEqual([
      'aud',
      'exp',
      'features',
      'fingerprint',
      'iat',
      'iss',
      'jti',
      'kind',
      'license_expires_at',
      'sub',
      'verdicts',
    ]);
    expect(claims).toMatchObject({
      aud: product.slug,
      sub: String(license.id),
      fingerprint,
      kind: 'subscription',
      license_expires_at: license.expires_at,
    });
    expect(lifetime(claims)).toBe(7 * DAY);
    expect(Math.abs((claims.iat ?? 0) - serviceNow() / 1000)).toBeLessThan(60);
    const fresh = await verify(product, (await shop.client.validate(license.key, fingerprint)).body.offline_token ?? '');
    expect(fresh.fingerprint).toBe(fingerprint);
    expect(fresh.jti).not.toBe(claims.jti);
  });

  test('without a device is valid for 30 days, or for the number of days that the operator sets', async () => {
    const { id } = await newLicense(await newType(shop.product));
    const answer = await mint(id);
    expect([answer.status, keysOf(answer.body)]).toEqual([200, ['token']]);
    const claims = await verify(shop.product, answer.body.token);
    expect(keysOf(claims)).toEqual(['aud', 'exp', 'features', 'iat', 'iss', 'jti', 'kind', 'license_expires_at', 'sub', 'verdicts']);
    expect(claims).toMatchObject({ kind: 'lifetime', license_expires_at: null, sub: String(id) });
    expect(lifetime(claims)).toBe(30 * DAY);
    for (const ttl_days of [1, 3650])
      expect(lifetime(await verify(shop.product, (await mint(id, { ttl_days })).body.token))).toBe(ttl_days * DAY);
    for (const body of [{}, { ttl_days: null }])
      expect(lifetime(await verify(shop.product, (await mint(id, body)).body.token))).toBe(30 * DAY);
  });

  test('never outlives the license', async () => {
    const ends = serviceNow() + 90_000;
    const license = await newLicense(shop.type, { expires_at: new Date(ends).toISOString() });
    const tokens = [
      (await mint(license.id)).body.token,
      (await mint(license.id, { ttl_days: 3650 })).body.token,
      (await shop.client.activate(license.key, 'fingerprint-1')).body.offline_token,
      (await shop.client.validate(license.key, 'fingerprint-1')).body.offline_token ?? '',
    ];
    for (const token of tokens) {
      const claims = await verify(shop.product, token);
      expect(claims.exp).toBe(Math.floor(ends / 1000));
      expect(claims.license_expires_at).toBe(new Date(ends).toISOString());
    }
  });

  test('is refused for a revoked and for an expired license; the request does not change the status of the expired license', async () => {
    const revoked = await newLicense(shop.type);
    await post(`/v1/licenses/${revoked.id}/revoke`);
    expectError(await mint(revoked.id), 'license_revoked');
    const expired = await newLicense(shop.type, { expires_at: past });
    expectError(await mint(expired.id), 'license_expired');
    expect((await getLicense(expired.id)).status).toBe('active');
  });

  test('does not verify with the key of another product, or after its claims are changed', async () => {
    const other = await newShop();
    const token = (await other.client.activate(other.license.key, 'fingerprint-1')).body.offline_token;
    await expect(verify(shop.product, token)).rejects.toThrow();
    const [header, claims, signature] = token.split('.');
    const forged = Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(claims ?? '', 'base64url').toString()), exp: 9e9 })).toString(
      'base64url',
    );
    await expect(verify(other.product, `${header}.${forged}.${signature}`)).rejects.toThrow();
  });
});

test('a product that was just created serves its first activation', async () => {
  const product = await newProduct();
  const { key } = await newLicense(await newType(product));
  expect((await app(product).activate(key, 'fingerprint-1')).status).toBe(200);
});
