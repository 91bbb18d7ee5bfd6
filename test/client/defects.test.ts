import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LicenseClient, memoryStorage, verifyToken, type Fetch, type LicenseClientOptions, type LicenseStorage } from '../../client/src';
import { fileStorage } from '../../client/src/node';
import { claims, FINGERPRINT, header, NOW, ours, signed } from '../../client/vectors/signing';
import { closeShops } from '../support/shop';
import { until } from '../support/until';
import { DAY, installApp, itemName, noNetwork, openWorld, type World } from './support';

/** Tests for former defects, each of which took a license or a seat from a paying user. */

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(closeShops);

const response = (status: number, body: unknown, headers: Record<string, string> = {}): ReturnType<Fetch> =>
  Promise.resolve({
    status,
    headers: new Headers(headers),
    text: () => Promise.resolve(typeof body === 'string' ? body : JSON.stringify(body)),
  });
const callService: Fetch = (url, init) => world.fetchOfService(url, init);
const recordIn = async (storage: LicenseStorage): Promise<Record<string, unknown>> =>
  JSON.parse((await storage.getItem(itemName(world.productId))) ?? '{}') as Record<string, unknown>;

describe("a device fingerprint that can't be read for a moment", () => {
  test.each<[string, () => Promise<string | undefined>]>([
    ['throws', () => Promise.reject(new Error('a virus scanner'))],
    ['finds none', () => Promise.resolve(undefined)],
    ['hangs', () => new Promise(() => undefined)],
  ])('if reading the fingerprint %s, the device keeps its token and its seat', async (_what, failing) => {
    const { fingerprint, restart, license, storage } = await world.licensed();
    const { token } = await recordIn(storage);
    const broken = restart({ fingerprint: failing, timeoutMs: 20 });
    expect(await broken.client.check()).toMatchObject({
      status: 'offline_without_token',
      reason: 'device_unknown',
      fault: { kind: 'device' },
    });
    expect(await broken.client.activate(license.key)).toMatchObject({ status: 'offline_without_token', reason: 'device_unknown' });
    await broken.client.idle();
    expect([broken.requests, (await recordIn(storage))['token']]).toEqual([[], token]);

    expect(await restart({ fingerprint: () => fingerprint }).client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
    expect((await world.license(license.id)).activations).toMatchObject([{ fingerprint }]);
  });

  test('reading the fingerprint is retried before the client reports a fault', async () => {
    const { fingerprint, restart } = await world.licensed();
    let failures = 0;
    const once = restart({ fingerprint: () => (failures++ === 0 ? Promise.reject(new Error('busy')) : fingerprint) });
    expect(await once.client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
  });

  test('a fingerprint that was read once is not read again, because reading it may start a program', async () => {
    let reads = 0;
    const { client } = world.install({ fingerprint: () => `the-fingerprint-of-read-${(reads += 1)}` });
    await client.check();
    expect([await client.fingerprint(), await client.fingerprint(), reads]).toEqual([
      'the-fingerprint-of-read-1',
      'the-fingerprint-of-read-1',
      1,
    ]);
  });

  test("at the first start the app takes no seat with a random id if the fingerprint can't be read", async () => {
    let isFailing = true;
    const device = world.install({
      fingerprint: () => (isFailing ? Promise.reject(new Error('locked')) : 'the-fingerprint-of-this-machine'),
    });
    const { key, id } = await world.newLicense();
    expect(await device.client.activate(key)).toMatchObject({ status: 'offline_without_token', fault: { kind: 'device' } });
    isFailing = false;
    expect(await device.client.activate(key)).toMatchObject({ status: 'licensed' });
    expect((await world.license(id)).activations).toMatchObject([{ fingerprint: 'the-fingerprint-of-this-machine' }]);
  });
});

describe('a JSON response without a signature takes no license away', () => {
  test.each([
    ['{"status":"expired","message":"your session has expired"}'],
    ['{"status":"invalid"}'],
    ['{"valid":true,"status":"revoked"}'],
    ['{"valid":false,"status":"invalid"}'],
    ['{"valid":false,"status":"revoked","error":"no session"}'],
  ])('the unsigned response %s takes no license away', async (body) => {
    for (const call of ['validate', 'activate'] as const) {
      const { restart, license } = await world.licensed();
      const { client } = restart({ fetch: () => response(200, body) });
      expect(await (call === 'validate' ? client.validate() : client.activate(license.key))).toMatchObject({
        status: 'licensed',
        source: 'cache',
      });
      await client.idle();
      world.network = false;
      expect(await restart().client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
      world.network = true;
    }
  });

  test.each(['revoked', 'paused'])('an unsigned response in the exact format of a refusal (%s) takes no license away', async (status) => {
    const { restart } = await world.licensed();
    expect(await restart({ fetch: () => response(200, { valid: false, status }) }).client.validate()).toMatchObject({
      status: 'licensed',
      fault: { kind: 'untrusted' },
    });
  });
});

test('activating another key frees the seat of the previous key, at once or as soon as the service can be reached', async () => {
  const device = await world.licensed();
  const second = await world.newLicense();
  await device.client.activate(second.key);
  await device.client.idle();
  expect([(await world.license(device.license.id)).seats.used, (await world.license(second.id)).seats.used]).toEqual([0, 1]);

  const third = await world.newLicense();
  const unlucky = device.restart({ fetch: (url, init) => (url.endsWith('/deactivate') ? noNetwork(url, init) : callService(url, init)) });
  expect(await unlucky.client.activate(third.key)).toMatchObject({ status: 'licensed', license: { id: third.id } });
  await unlucky.client.idle();
  expect((await world.license(second.id)).seats.used).toBe(1);
  const next = device.restart();
  expect(await next.client.check()).toMatchObject({ status: 'licensed', source: 'cache', license: { id: third.id } });
  await next.client.idle();
  expect([(await world.license(second.id)).seats.used, (await world.license(third.id)).seats.used]).toEqual([0, 1]);
});
describe('the random id of a device', () => {
  test("the random id is not replaced if it can't be read", async () => {
    const storage = memoryStorage();
    const id = await installApp(world.product, { storage, fingerprint: () => undefined }).client.fingerprint();
    const locked = {
      ...storage,
      getItem: (name: string) => (name.endsWith('.device') ? Promise.reject(new Error('locked')) : storage.getItem(name)),
    };
    const { client } = installApp(world.product, { storage: locked, fingerprint: () => undefined });
    // An earlier version of the client threw an error here, or used another id.
    await Promise.resolve(client.fingerprint()).catch(() => undefined);
    expect(await installApp(world.product, { storage, fingerprint: () => undefined }).client.fingerprint()).toBe(id);
  });

  test('all processes that start for the first time at the same time use the same random id', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lks-first-start-'));
    try {
      for (let round = 0; round < 10; round += 1) {
        const app = join(folder, String(round));
        const ids = await Promise.all(
          Array.from({ length: 8 }, () =>
            installApp(world.product, { storage: fileStorage(app), fingerprint: () => undefined }).client.fingerprint(),
          ),
        );
        expect(new Set(ids).size).toBe(1);
        expect(await readdir(app)).toEqual([`${itemName(world.productId)}.device.json`]);
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

test('a late response does not overwrite a license that another process has activated in the meantime', async () => {
  const first = await world.licensed();
  const better = await world.newLicense();
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const slow = first.restart({ fetch: async () => (await held, response(200, { valid: false, status: 'revoked' })) });
  const validation = slow.client.validate();
  await until('the request is sent', () => slow.requests.length === 1);
  const other = first.restart();
  await other.client.activate(better.key);
  await other.client.idle();
  release();
  expect(await validation).toMatchObject({ status: 'licensed', license: { id: better.id } });
  await slow.client.idle();
  expect(await first.restart().client.check()).toMatchObject({ status: 'licensed', source: 'cache', license: { id: better.id } });
});

describe('the stored record of an activation', () => {
  test('the activation is stored when activate() resolves', async () => {
    const kept = memoryStorage();
    const storage = {
      getItem: kept.getItem,
      setItem: async (name: string, value: string) => (await new Promise((resolve) => setImmediate(resolve)), kept.setItem(name, value)),
    };
    const device = world.install({ storage });
    const { key } = await world.newLicense();
    await device.client.activate(key);
    expect(await recordIn(kept)).toMatchObject({ key });
  });

  test.each<[string, (client: LicenseClient, isStored: () => Promise<boolean>) => Promise<unknown>]>([
    ['with the next check', async (client, isStored) => (await client.check(), until('it is stored', isStored))],
    ['when the app ends', (client) => client.close()],
  ])('after a failed write, the activation is written again %s', async (_when, comeTo) => {
    const kept = memoryStorage();
    let isFull = true;
    const setItem = (name: string, value: string): void => {
      if (isFull) throw new Error('disk full');
      kept.setItem(name, value);
    };
    const { client } = await world.licensed({ storage: { getItem: kept.getItem, setItem } });
    isFull = false;
    await comeTo(client, async () => 'token' in (await recordIn(kept)));
    expect(await recordIn(kept)).toMatchObject({ v: 1, token: expect.any(String) });
  });
});

describe('verifyToken with a time', () => {
  const expected = { publicKey: ours.pem, fingerprint: FINGERPRINT };
  test('verifyToken uses the current time by default', async () => {
    const old = signed(header, { ...claims, iat: 1_000_000_000, exp: 1_000_600_000 });
    expect((await verifyToken(old, expected)).problem).toBe('expired');
  });
  test.each([Number.NaN, Infinity, -Infinity])('verifyToken refuses %d as a time', async (now) => {
    await expect((async () => verifyToken(signed(header, claims), { ...expected, now }))()).rejects.toThrow(TypeError);
  });
});

describe("activate() names input that can't be sent", () => {
  test.each<[string, unknown, object]>([
    ['key', '', {}],
    ['key', ' \n', {}],
    ['key', 'A\u0000B', {}],
    ['key', '\ud800', {}],
    ['key', 'x'.repeat(70_000), {}],
    ['key', undefined, {}],
    ['key', 17, {}],
    ['name', 'ABCDE', { name: 'x'.repeat(300) }],
    ['platform', 'ABCDE', { platform: 'a\u0007' }],
    ['name', 'ABCDE', { name: 5 }],
  ])('an invalid %s is named and nothing is sent (case %#)', async (field, key, labels) => {
    const { client, requests, states } = world.install();
    expect(await client.activate(key as string, labels)).toMatchObject({
      status: 'invalid_input',
      field,
      message: expect.stringMatching(/^must /),
    });
    expect([requests, states]).toEqual([[], []]);
  });
});

test('byte order marks before a response are ignored also if the client reads a stream', async () => {
  const body = new TextEncoder().encode('\ufeff\ufeff{"valid":false,"status":"suspended"}');
  const device = installApp(
    { id: 1, api_key: 'pk', public_key: ours.pem },
    {
      baseUrl: 'https://licenses.example.com',
      storage: { ...memoryStorage(), getItem: () => '{"v":1,"key":"KEY-2027"}' },
      fetch: () =>
        Promise.resolve({ status: 200, headers: new Headers(), body: new Blob([body]).stream(), text: () => Promise.resolve('') }),
    },
  );
  expect(await device.client.validate()).toMatchObject({ status: 'suspended' });
});

// Decoding the page took 0.6 s, twice, during which the app did not respond.
test('the page of a captive portal is not decoded before the client knows that it is no response of the service', async () => {
  const decode = jest.spyOn(globalThis, 'decodeURIComponent');
  const page = new TextEncoder().encode(`\n<html>${'x'.repeat(1_000_000)}`);
  const device = installApp(
    { id: 1, api_key: 'pk', public_key: ours.pem },
    {
      baseUrl: 'https://licenses.example.com',
      fetch: () =>
        Promise.resolve({ status: 200, headers: new Headers(), body: new Blob([page]).stream(), text: () => Promise.resolve('') }),
    },
  );
  expect(await device.client.activate('KEY-2027')).toMatchObject({ fault: { kind: 'malformed' } });
  expect(decode.mock.calls.filter(([text]) => text.length > 1000)).toEqual([]);
  decode.mockRestore();
});

describe("the client's constructor refuses invalid options", () => {
  const good: LicenseClientOptions = { baseUrl: 'https://licenses.example.com', productId: 1, apiKey: 'pk', publicKey: ours.pem };
  test.each([
    ['timeoutMs', Number.NaN],
    ['timeoutMs', 0],
    ['timeoutMs', Infinity],
    ['retryDelayMs', -1],
    ['retryDelayMs', Number.NaN],
    ['graceDays', Infinity],
    ['fingerprint', ''],
    ['fingerprint', 'with a space'],
    ['productId', 1.5],
    ['productId', '1'],
    ['baseUrl', 'https://'],
    ['baseUrl', 'https://licenses.example.com/?a=b'],
    ['apiKey', undefined],
    ['audience', ''],
    ['storage', {}],
    ['storageName', '../x'],
    ['fetch', 'fetch'],
    ['now', 5],
    ['onWarning', true],
    ['publicKey', undefined],
    ['publicKey', {}],
    ['release', null],
    ['release', { releasedAt: '2030-01-01' }],
    ['release', { releasedAt: new Date(Number.NaN) }],
    ['release', { version: 3 }],
    ['release', { version: '1'.repeat(201) }],
    ['release', { version: '1.0\u0000' }],
  ])("the option %s can't be %j", (option, value) => {
    expect(() => new LicenseClient(good)).not.toThrow();
    expect(() => new LicenseClient({ ...good, [option]: value })).toThrow(TypeError);
    expect(() => new LicenseClient({ ...good, [option]: value })).toThrow(option);
  });
});

test.each([
  '2027',
  '06/01/2027',
  '2027-06-01',
  '2027-06-01 00:00:00Z',
  'Tue, 01 Jun 2027 00:00:00 GMT',
  '2027-02-30T00:00:00Z',
  '2027-06-01T24:00:00Z',
])('a token whose license end is %j is refused, because languages parse this format differently', async (end) => {
  const token = signed(header, { ...claims, license_expires_at: end });
  expect((await verifyToken(token, { publicKey: ours.pem, fingerprint: FINGERPRINT, now: NOW * 1000 })).problem).toBe('claims');
});

describe('errors of the app or of its environment', () => {
  test('a fingerprint function that never returns does not block the first start', async () => {
    const { client } = world.install({ fingerprint: () => new Promise(() => undefined), timeoutMs: 20 });
    expect(await client.check()).toMatchObject({ status: 'offline_without_token', fault: { kind: 'device' } });
  });

  test('an onWarning function that throws an error does not make check() fail', async () => {
    const { client } = world.install({
      storage: { getItem: () => Promise.reject(new Error('locked')), setItem: () => undefined },
      onWarning: () => {
        throw new Error('a bug of the app');
      },
    });
    expect(await client.check()).toMatchObject({ status: 'offline_without_token', fault: { kind: 'storage' } });
  });

  test('the client stops reading an endless response', async () => {
    let sent = 0;
    const pour = (response: ServerResponse): void => {
      if (response.destroyed) return;
      sent += 65_536;
      if (response.write('x'.repeat(65_536))) setImmediate(pour, response);
      else response.once('drain', () => pour(response));
    };
    const server = createServer((_request, response) => pour(response.writeHead(200, { 'Content-Type': 'application/json' }))).listen(
      0,
      '127.0.0.1',
    );
    await once(server, 'listening');
    const { restart } = await world.licensed();
    const { client } = restart({ fetch, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, timeoutMs: 20_000 });
    expect(await client.validate()).toMatchObject({ status: 'licensed', source: 'cache', fault: { kind: 'malformed' } });
    // `sent` also counts the bytes that the client has not read, because they are still in the buffers of the sockets.
    expect(sent).toBeLessThan(50_000_000);
    server.closeAllConnections();
    server.close();
  });

  test('the client respects Retry-After: it sends no second attempt and no background request before that time', async () => {
    const device = await world.licensed();
    world.network = () => response(503, {}, { 'Retry-After': '1800' });
    const { client, requests } = device.restart();
    expect(await client.validate()).toMatchObject({ fault: { kind: 'busy', retryAfter: 1800 } });
    expect(requests).toHaveLength(1);
    world.advance(4 * DAY);
    await client.validate();
    world.advance(1_799_000);
    await client.check();
    await client.idle();
    expect(requests).toHaveLength(2);
    world.advance(1000);
    await client.check();
    await client.idle();
    expect(requests).toHaveLength(3);
  });

  test('close() does not wait for the pause before the next attempt', async () => {
    const device = await world.licensed();
    world.network = false;
    const { client, requests } = device.restart({ retryDelayMs: 600_000 });
    const validation = client.validate();
    await until('the first attempt has failed', () => requests.length === 1);
    await client.close();
    expect(await validation).toMatchObject({ fault: { kind: 'closed' } });
  });

  test.each([
    '00'.repeat(32),
    `01${'00'.repeat(31)}`,
    `ec${'ff'.repeat(30)}7f`,
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
    `01${'00'.repeat(30)}80`,
    `ed${'ff'.repeat(30)}7f`,
  ])('the public key %s is refused, because signatures for it can be forged', async (hex) => {
    const x = Buffer.from(hex, 'hex').toString('base64url');
    await expect(
      (async () => verifyToken('x', { publicKey: { keys: [{ kty: 'OKP', crv: 'Ed25519', x }] }, fingerprint: FINGERPRINT }))(),
    ).rejects.toThrow(TypeError);
  });

  test('two environments of the service with the same product id use separate records', async () => {
    const storage = memoryStorage();
    const { key } = await world.newLicense();
    const options = {
      productId: world.productId,
      apiKey: world.product.api_key,
      publicKey: world.product.public_key,
      fingerprint: 'the-same-machine',
      storage,
      now: world.now,
    };
    const test = new LicenseClient({
      ...options,
      baseUrl: 'http://test.example.com/prod/',
      fetch: (url, init) => callService(url.replace('/prod', ''), init),
    });
    expect(await test.activate(key)).toMatchObject({ status: 'licensed' });
    expect(await new LicenseClient({ ...options, baseUrl: 'http://licenses.example.com', fetch: noNetwork }).check()).toEqual({
      status: 'unbound',
    });
    expect(await storage.getItem(`license-key-service.${world.productId}.test.example.com_prod`)).toContain(key);
    expect(await new LicenseClient({ ...options, baseUrl: 'http://TEST.example.com/prod', fetch: noNetwork }).check()).toMatchObject({
      status: 'licensed',
    });
    // An app whose service moves to another URL keeps its licenses if it sets the previous storage name.
    const moved = new LicenseClient({
      ...options,
      baseUrl: 'https://moved.example.com',
      storageName: `license-key-service.${world.productId}.test.example.com_prod`,
      fetch: noNetwork,
    });
    expect(await moved.check()).toMatchObject({ status: 'licensed', source: 'cache' });
  });
});
