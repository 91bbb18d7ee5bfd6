import type { InvalidInput, LicenseState } from '../../client/src';
import { baseUrl } from '../support/http';
import { closeShops } from '../support/shop';
import { DAY, MINUTE, openWorld, type World } from './support';

/** Tests the service and the client together over simulated weeks. */

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(closeShops);

const revoke = async (id: number): Promise<void> => void (await world.call('revokeLicense', { params: { id } }));
const reset = async (id: number): Promise<void> => void (await world.call('resetLicense', { params: { id } }));

describe('the first start of an app', () => {
  test('before the first check there is no state, and without a key no request is sent', async () => {
    const { client, requests, states } = world.install();
    expect(client.state).toBeUndefined();
    expect(await client.check()).toEqual({ status: 'unbound' });
    expect([client.state, states, requests]).toEqual([{ status: 'unbound' }, [{ status: 'unbound' }], []]);
  });

  test('a key activates the app even if it is typed in lower case and with spaces', async () => {
    const { id, key } = await world.newLicense();
    const { client, fingerprint, requests } = world.install();
    const state = await client.activate(` ${key.toLowerCase().replaceAll('-', ' ')} `, { name: "Ada's laptop", platform: 'linux' });
    expect(state).toEqual({
      status: 'licensed',
      source: 'network',
      license: {
        id,
        type: { name: expect.stringMatching(/./), kind: 'subscription' },
        expiresAt: new Date((await world.license(id)).expires_at ?? 0),
      },
      features: [],
      limits: {},
      updates: { until: null, maxMajor: null },
      seats: { used: 1, max: 2 },
      leaseExpiresAt: null,
      offlineUntil: expect.any(Date) as Date,
    });
    expect(client.state).toBe(state);
    expect(requests).toEqual(['activate']);
    expect((await world.license(id)).activations).toMatchObject([{ fingerprint, name: "Ada's laptop", platform: 'linux' }]);
  });
});

describe('an app that is activated', () => {
  test('an activated app starts without the network as long as its token is valid', async () => {
    const device = await world.licensed();
    world.network = false;
    for (const days of [0, 1, 2, 3, 0.9]) {
      world.advance(days * DAY);
      expect(await device.restart().client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
    }
  });

  test('the token is renewed in the background after half of its lifetime, and check() does not wait for it', async () => {
    const device = await world.licensed();
    world.advance(3 * DAY);
    const early = device.restart();
    await early.client.check();
    await early.client.idle();
    expect(early.requests).toEqual([]);

    world.advance(DAY);
    const { client, requests, states } = device.restart();
    const before = await client.check();
    expect(before).toMatchObject({ status: 'licensed', source: 'cache' });
    await client.idle();
    expect(requests).toEqual(['validate']);
    expect(states).toMatchObject([{ source: 'cache' }, { source: 'network' }]);

    // The new token is still valid at a time when the previous token has expired.
    world.advance(6 * DAY);
    world.network = false;
    expect(await device.restart().client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
  });

  test('if renewing the token fails, the next attempt comes after minutes, not at every check', async () => {
    const { client, requests } = await world.licensed();
    world.advance(5 * DAY);
    world.network = false;
    for (let turn = 0; turn < 5; turn += 1) {
      expect(await client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
      await client.idle();
    }
    expect(requests).toEqual(['validate', 'validate']);
    world.advance(6 * MINUTE);
    await client.check();
    await client.idle();
    expect(requests).toHaveLength(4);
  });

  test('when the token has expired, the app validates once and stores the new token', async () => {
    const device = await world.licensed();
    world.advance(30 * DAY);
    const { client, requests } = device.restart();
    expect(await client.check()).toMatchObject({ status: 'licensed', source: 'network' });
    expect(await client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
    expect(requests).toEqual(['validate']);
  });

  test('a revoked app works until its token expires or until the next validation', async () => {
    const { client, license, restart } = await world.licensed();
    await revoke(license.id);
    expect(await client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
    expect(await client.validate()).toEqual({ status: 'revoked' });
    expect(await client.check()).toEqual({ status: 'revoked' });
    // The signed refusal is stored, so it applies without the network, too.
    world.network = false;
    expect(await restart().client.check()).toEqual({ status: 'revoked' });

    world.network = true;
    const other = await world.licensed();
    await revoke(other.license.id);
    world.advance(8 * DAY);
    expect(await other.restart().client.check()).toEqual({ status: 'revoked' });
  });

  test('an app notices a revocation in the background', async () => {
    const { client, license, states } = await world.licensed();
    await revoke(license.id);
    world.advance(4 * DAY);
    expect(await client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
    await client.idle();
    expect(client.state).toEqual({ status: 'revoked' });
    expect(states.map(({ status }) => status)).toEqual(['licensed', 'revoked']);
  });

  test('an app ends with its license, and works again after a renewal', async () => {
    const end = new Date(Math.ceil((world.now() + 3 * DAY) / 1000) * 1000);
    const { client, license, restart } = await world.licensed({ graceDays: 30 }, { expires_at: end.toISOString() });
    expect(client.state).toMatchObject({ license: { expiresAt: end }, offlineUntil: end });
    world.advance(3 * DAY + 10 * MINUTE);
    // Without a network, the client uses the end of the license in the signed token. Grace never extends a license.
    world.network = false;
    expect(await client.check()).toEqual({ status: 'expired' });
    world.network = true;
    expect(await client.check()).toEqual({ status: 'expired' });
    await world.call('renewLicense', { params: { id: license.id }, body: { days: 30 } });
    world.network = false;
    expect(await restart().client.check()).toEqual({ status: 'expired' });
    world.network = true;
    expect(await restart().client.check()).toMatchObject({ status: 'licensed', source: 'network' });
  });

  test('an app whose seat was freed by the operator gets the key that it can activate again', async () => {
    const { client, license, restart } = await world.licensed();
    await reset(license.id);
    expect(await client.validate()).toEqual({ status: 'unbound', key: license.key });
    world.network = false;
    expect(await restart().client.check()).toEqual({ status: 'unbound', key: license.key });
    world.network = true;
    expect(await client.activate(license.key)).toMatchObject({ status: 'licensed' });
    expect((await world.license(license.id)).seats).toEqual({ used: 1, max: 2 });
  });

  test('an app frees its seat only once, and deletes its key', async () => {
    const { client, license, restart, states } = await world.licensed();
    expect(await client.deactivate()).toEqual({ status: 'deactivated', freed: true });
    expect((await world.license(license.id)).seats.used).toBe(0);
    expect(await client.deactivate()).toEqual({ status: 'deactivated', freed: false });
    await client.idle();
    const { client: next, requests } = restart();
    expect(await next.check()).toEqual({ status: 'unbound' });
    expect([states, requests]).toEqual([[{ status: 'unbound' }], []]);
  });

  test("an app keeps its license and its seat if it can't reach the service to free the seat", async () => {
    const { client, license } = await world.licensed();
    world.network = false;
    expect(await client.deactivate()).toMatchObject({ status: 'failed', fault: { kind: 'unreachable' } });
    expect(await client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
    expect((await world.license(license.id)).seats.used).toBe(1);
  });
});

describe('activating a key that is refused', () => {
  const activateOnce = (key: string): Promise<LicenseState | InvalidInput> => world.install().client.activate(key);

  test('the state says why the key was refused', async () => {
    const [full, gone, over] = await Promise.all([
      world.newLicense(),
      world.newLicense(),
      world.newLicense({ expires_at: '2020-01-01T00:00:00Z' }),
    ]);
    await activateOnce(full.key);
    await activateOnce(full.key);
    await revoke(gone.id);
    expect(await activateOnce(full.key)).toEqual({ status: 'no_seats', seats: { used: 2, max: 2 } });
    expect(await activateOnce(gone.key)).toEqual({ status: 'revoked' });
    expect(await activateOnce(over.key)).toEqual({ status: 'expired' });
    expect(await activateOnce('9M0RP-TTE3D-2HVX8-KQ51N-4WZ7Z')).toEqual({ status: 'unknown_key' });
    expect(await activateOnce((await (await openWorld()).newLicense()).key)).toEqual({ status: 'unknown_key' });
  });

  test('the refusal is the state of an app without a license, but is not stored', async () => {
    const { client, restart } = world.install();
    await client.activate('nonsense');
    expect(client.state).toEqual({ status: 'unknown_key' });
    expect(await restart().client.check()).toEqual({ status: 'unbound' });
  });

  test('a refused key does not affect an app that is licensed by another key', async () => {
    const { client, states, license } = await world.licensed();
    expect(await client.activate('nonsense')).toEqual({ status: 'unknown_key' });
    expect(states).toEqual([]);
    expect(await client.check()).toMatchObject({ status: 'licensed', license: { id: license.id } });
  });

  test('a refusal from a wrong URL of the service does not affect the license', async () => {
    const { restart, license } = await world.licensed();
    const { client } = restart({ fetch: (url, init) => fetch(`${baseUrl()}/elsewhere${new URL(url).pathname}`, init) });
    expect(await client.activate(license.key)).toMatchObject({ status: 'licensed', source: 'cache', fault: { kind: 'untrusted' } });
    expect(await client.check()).toMatchObject({ status: 'licensed', license: { id: license.id } });
  });

  test('a refusal of the active key ends its license', async () => {
    const { client, license } = await world.licensed();
    await revoke(license.id);
    expect(await client.activate(license.key.toLowerCase())).toEqual({ status: 'revoked' });
    world.network = false;
    expect(await client.check()).toEqual({ status: 'revoked' });
  });

  test('after another key is activated, its license applies', async () => {
    const { client } = await world.licensed();
    const better = await world.newLicense();
    expect(await client.activate(better.key)).toMatchObject({ status: 'licensed', license: { id: better.id } });
    expect(await client.check()).toMatchObject({ status: 'licensed', source: 'cache', license: { id: better.id } });
  });
});

describe('grace after the end of a token', () => {
  test('an app gets grace only if its options allow it', async () => {
    const { client, restart } = await world.licensed();
    world.advance(7 * DAY + 10 * MINUTE);
    world.network = false;
    expect(await client.check()).toMatchObject({ status: 'offline_without_token', reason: 'expired', fault: { kind: 'unreachable' } });
    world.network = true;
    expect(await restart().client.check()).toMatchObject({ status: 'licensed', source: 'network' });
  });

  test('grace lets an app work for some days without the service, and then ends', async () => {
    const { client } = await world.licensed({ graceDays: 2 });
    const state = client.state;
    const end = state?.status === 'licensed' ? state.offlineUntil.getTime() : 0;
    world.network = false;
    world.advance(8 * DAY);
    expect(await client.check()).toMatchObject({
      status: 'licensed',
      source: 'grace',
      offlineUntil: new Date(end + 2 * DAY),
      fault: { kind: 'unreachable' },
    });
    world.advance(DAY);
    expect(await client.check()).toMatchObject({ status: 'offline_without_token', reason: 'expired' });
  });

  test("grace applies only if the service can't be reached, not if it refuses the license", async () => {
    const { client, license } = await world.licensed({ graceDays: 30 });
    await revoke(license.id);
    world.advance(8 * DAY);
    expect(await client.check()).toEqual({ status: 'revoked' });
  });
});

describe('a device that is never online', () => {
  const mint = async (body: object = {}): Promise<string> => {
    const { id } = await world.newLicense();
    return String((await world.call('mintOfflineToken', { params: { id }, body })).body['token']);
  };

  test("the operator's unbound token licenses the device until it expires, if the app allows such tokens", async () => {
    world.network = false;
    const { client, restart, requests } = world.install({ allowUnboundTokens: true });
    world.network = true;
    const token = await mint({ ttl_days: 90 });
    world.network = false;
    expect(await client.importToken(`\n${token}\n`)).toMatchObject({ status: 'licensed', source: 'cache' });
    world.advance(89 * DAY);
    expect(await restart().client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
    world.advance(2 * DAY);
    expect(await restart().client.check()).toEqual({ status: 'offline_without_token', reason: 'expired' });
    expect(await client.deactivate()).toEqual({ status: 'deactivated', freed: false });
    expect(requests).toEqual([]);
  });

  test('an unbound token does not license an app that does not allow it, or no longer allows it', async () => {
    const token = await mint();
    const { client, restart } = world.install();
    expect(await client.importToken(token)).toEqual({ status: 'invalid_token', problem: 'unbound' });
    expect(await client.check()).toEqual({ status: 'unbound' });
    const liberal = restart({ allowUnboundTokens: true });
    await liberal.client.importToken(token);
    expect(await restart().client.check()).toEqual({ status: 'offline_without_token', reason: 'unbound' });
  });

  test('a device accepts a token for its own fingerprint, and refuses a token for another device', async () => {
    const offline = world.install();
    const { key } = await world.newLicense();
    const { body } = await world.activate(key, offline.fingerprint);
    const token = String(body['offline_token']);
    expect(await offline.client.importToken(token)).toMatchObject({ status: 'licensed' });
    expect(await world.install().client.importToken(token)).toEqual({ status: 'invalid_token', problem: 'fingerprint' });
  });

  test('importing an invalid token does not affect the existing license', async () => {
    const { client, license } = await world.licensed({ allowUnboundTokens: true });
    for (const token of ['', 'garbage', (await mint()).slice(0, -2)])
      expect(await client.importToken(token)).toMatchObject({ status: 'invalid_token' });
    const foreign = await openWorld();
    const { id } = await foreign.newLicense();
    const { body } = await foreign.call('mintOfflineToken', { params: { id } });
    expect(await client.importToken(String(body['token']))).toEqual({ status: 'invalid_token', problem: 'signature' });
    expect(await client.check()).toMatchObject({ status: 'licensed', license: { id: license.id } });
  });
});

describe('a copied license cache', () => {
  test('a cache that is copied to another device does not license it', async () => {
    const { restart, license } = await world.licensed();
    const copy = restart({ fingerprint: 'another-device' });
    expect(await copy.client.check()).toEqual({ status: 'unbound', key: license.key });
    const other = await openWorld();
    const { storage } = await other.licensed();
    other.network = false;
    const thief = other.install({ storage, fingerprint: 'another-device' });
    expect(await thief.client.check()).toMatchObject({ status: 'offline_without_token', reason: 'fingerprint' });
  });

  test("a cache that is copied to another product's app does not license it", async () => {
    const { storage, fingerprint } = await world.licensed();
    const item = (await storage.getItem(`license-key-service.${world.productId}`)) ?? '';
    const other = await openWorld();
    const device = other.install({ fingerprint });
    await device.storage.setItem(`license-key-service.${other.productId}`, item);
    other.network = false;
    expect(await device.client.check()).toMatchObject({ status: 'offline_without_token', reason: 'signature' });
  });

  test('if an app requires an audience, the audience of the cached token is checked, too', async () => {
    const { restart } = await world.licensed({ audience: world.product.slug });
    expect(await restart().client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
    world.network = false;
    expect(await restart({ audience: 'borealis' }).client.check()).toMatchObject({ status: 'offline_without_token', reason: 'audience' });
  });
});
