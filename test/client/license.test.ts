import type { InvalidInput, LicenseState } from '../../client/src';
import { baseUrl } from '../support/http';
import { closeShops } from '../support/shop';
import { DAY, MINUTE, openWorld, type World } from './support';

/** The service and the client together, over weeks that pass in no time. */

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(closeShops);

const revoke = async (id: number): Promise<void> => void (await world.call('revokeLicense', { params: { id } }));
const reset = async (id: number): Promise<void> => void (await world.call('resetLicense', { params: { id } }));

describe('a first start', () => {
  test('has nothing to say before it looks, and asks nobody without a key', async () => {
    const { client, requests, states } = world.install();
    expect(client.state).toBeUndefined();
    expect(await client.check()).toEqual({ status: 'unbound' });
    expect([client.state, states, requests]).toEqual([{ status: 'unbound' }, [{ status: 'unbound' }], []]);
  });

  test('becomes licensed by a key, however it is typed', async () => {
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

describe('an activated app', () => {
  test('starts without the network for as long as its token lives', async () => {
    const device = await world.licensed();
    world.network = false;
    for (const days of [0, 1, 2, 3, 0.9]) {
      world.advance(days * DAY);
      expect(await device.restart().client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
    }
  });

  test('has its token refreshed in the background when half of its life is over, without waiting for it', async () => {
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

    // The fresh token lives on where the old one would have ended.
    world.advance(6 * DAY);
    world.network = false;
    expect(await device.restart().client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
  });

  test('asks once, not at every check, while a refresh fails', async () => {
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

  test('validates once when its token has ended, and caches the fresh one', async () => {
    const device = await world.licensed();
    world.advance(30 * DAY);
    const { client, requests } = device.restart();
    expect(await client.check()).toMatchObject({ status: 'licensed', source: 'network' });
    expect(await client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
    expect(requests).toEqual(['validate']);
  });

  test('that is revoked works on its token, and ends with it or with the next validation', async () => {
    const { client, license, restart } = await world.licensed();
    await revoke(license.id);
    expect(await client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
    expect(await client.validate()).toEqual({ status: 'revoked' });
    expect(await client.check()).toEqual({ status: 'revoked' });
    // The verdict outlives the network.
    world.network = false;
    expect(await restart().client.check()).toEqual({ status: 'revoked' });

    world.network = true;
    const other = await world.licensed();
    await revoke(other.license.id);
    world.advance(8 * DAY);
    expect(await other.restart().client.check()).toEqual({ status: 'revoked' });
  });

  test('learns in the background that it is revoked', async () => {
    const { client, license, states } = await world.licensed();
    await revoke(license.id);
    world.advance(4 * DAY);
    expect(await client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
    await client.idle();
    expect(client.state).toEqual({ status: 'revoked' });
    expect(states.map(({ status }) => status)).toEqual(['licensed', 'revoked']);
  });

  test('ends with its license, and comes back when that is renewed', async () => {
    const end = new Date(Math.ceil((world.now() + 3 * DAY) / 1000) * 1000);
    const { client, license, restart } = await world.licensed({ graceDays: 30 }, { expires_at: end.toISOString() });
    expect(client.state).toMatchObject({ license: { expiresAt: end }, offlineUntil: end });
    world.advance(3 * DAY + 10 * MINUTE);
    // Without a network the signed end of the license is enough, and no grace goes past it.
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

  test('whose seat was freed by the operator is told which key to activate again', async () => {
    const { client, license, restart } = await world.licensed();
    await reset(license.id);
    expect(await client.validate()).toEqual({ status: 'unbound', key: license.key });
    world.network = false;
    expect(await restart().client.check()).toEqual({ status: 'unbound', key: license.key });
    world.network = true;
    expect(await client.activate(license.key)).toMatchObject({ status: 'licensed' });
    expect((await world.license(license.id)).seats).toEqual({ used: 1, max: 2 });
  });

  test('frees its seat, once, and forgets its key', async () => {
    const { client, license, restart, states } = await world.licensed();
    expect(await client.deactivate()).toEqual({ status: 'deactivated', freed: true });
    expect((await world.license(license.id)).seats.used).toBe(0);
    expect(await client.deactivate()).toEqual({ status: 'deactivated', freed: false });
    await client.idle();
    const { client: next, requests } = restart();
    expect(await next.check()).toEqual({ status: 'unbound' });
    expect([states, requests]).toEqual([[{ status: 'unbound' }], []]);
  });

  test('keeps license and seat where it cannot tell the service that it gives them up', async () => {
    const { client, license } = await world.licensed();
    world.network = false;
    expect(await client.deactivate()).toMatchObject({ status: 'failed', fault: { kind: 'unreachable' } });
    expect(await client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
    expect((await world.license(license.id)).seats.used).toBe(1);
  });
});

describe('a key that is refused', () => {
  const activateOnce = (key: string): Promise<LicenseState | InvalidInput> => world.install().client.activate(key);

  test('says why', async () => {
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

  test('shows in the state of an app that has no license, and is not kept', async () => {
    const { client, restart } = world.install();
    await client.activate('nonsense');
    expect(client.state).toEqual({ status: 'unknown_key' });
    expect(await restart().client.check()).toEqual({ status: 'unbound' });
  });

  test('takes nothing from an app that is licensed by another key', async () => {
    const { client, states, license } = await world.licensed();
    expect(await client.activate('nonsense')).toEqual({ status: 'unknown_key' });
    expect(states).toEqual([]);
    expect(await client.check()).toMatchObject({ status: 'licensed', license: { id: license.id } });
  });

  test('by an address that is not the one of the service takes nothing away', async () => {
    const { restart, license } = await world.licensed();
    const { client } = restart({ fetch: (url, init) => fetch(`${baseUrl()}/elsewhere${new URL(url).pathname}`, init) });
    expect(await client.activate(license.key)).toMatchObject({ status: 'licensed', source: 'cache', fault: { kind: 'untrusted' } });
    expect(await client.check()).toMatchObject({ status: 'licensed', license: { id: license.id } });
  });

  test('ends the license that it had granted before', async () => {
    const { client, license } = await world.licensed();
    await revoke(license.id);
    expect(await client.activate(license.key.toLowerCase())).toEqual({ status: 'revoked' });
    world.network = false;
    expect(await client.check()).toEqual({ status: 'revoked' });
  });

  test('gives way to a better one, whose license then counts', async () => {
    const { client } = await world.licensed();
    const better = await world.newLicense();
    expect(await client.activate(better.key)).toMatchObject({ status: 'licensed', license: { id: better.id } });
    expect(await client.check()).toMatchObject({ status: 'licensed', source: 'cache', license: { id: better.id } });
  });
});

describe('grace', () => {
  test('exists only if the app grants it', async () => {
    const { client, restart } = await world.licensed();
    world.advance(7 * DAY + 10 * MINUTE);
    world.network = false;
    expect(await client.check()).toMatchObject({ status: 'offline_without_token', reason: 'expired', fault: { kind: 'unreachable' } });
    world.network = true;
    expect(await restart().client.check()).toMatchObject({ status: 'licensed', source: 'network' });
  });

  test('carries an app over days without the service, and no further', async () => {
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

  test('is for an absent service only, not for one that refuses', async () => {
    const { client, license } = await world.licensed({ graceDays: 30 });
    await revoke(license.id);
    world.advance(8 * DAY);
    expect(await client.check()).toEqual({ status: 'revoked' });
  });
});

describe('a machine that is never online', () => {
  const mint = async (body: object = {}): Promise<string> => {
    const { id } = await world.newLicense();
    return String((await world.call('mintOfflineToken', { params: { id }, body })).body['token']);
  };

  test('is licensed by a token of the operator where the app allows those, until it ends', async () => {
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

  test('is not licensed by it where the app says nothing about it, nor when an app stops allowing it', async () => {
    const token = await mint();
    const { client, restart } = world.install();
    expect(await client.importToken(token)).toEqual({ status: 'invalid_token', problem: 'unbound' });
    expect(await client.check()).toEqual({ status: 'unbound' });
    const liberal = restart({ allowUnboundTokens: true });
    await liberal.client.importToken(token);
    expect(await restart().client.check()).toEqual({ status: 'offline_without_token', reason: 'unbound' });
  });

  test("takes a token that was made with its fingerprint elsewhere, and no other device's", async () => {
    const offline = world.install();
    const { key } = await world.newLicense();
    const { body } = await world.activate(key, offline.fingerprint);
    const token = String(body['offline_token']);
    expect(await offline.client.importToken(token)).toMatchObject({ status: 'licensed' });
    expect(await world.install().client.importToken(token)).toEqual({ status: 'invalid_token', problem: 'fingerprint' });
  });

  test('keeps what it has when a bad token is imported', async () => {
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

describe('a cache that was copied', () => {
  test('to another device counts for nothing there', async () => {
    const { restart, license } = await world.licensed();
    const copy = restart({ fingerprint: 'another-device' });
    expect(await copy.client.check()).toEqual({ status: 'unbound', key: license.key });
    const other = await openWorld();
    const { storage } = await other.licensed();
    other.network = false;
    const thief = other.install({ storage, fingerprint: 'another-device' });
    expect(await thief.client.check()).toMatchObject({ status: 'offline_without_token', reason: 'fingerprint' });
  });

  test('to an app of another product counts for nothing there', async () => {
    const { storage, fingerprint } = await world.licensed();
    const item = (await storage.getItem(`license-key-service.${world.productId}`)) ?? '';
    const other = await openWorld();
    const device = other.install({ fingerprint });
    await device.storage.setItem(`license-key-service.${other.productId}`, item);
    other.network = false;
    expect(await device.client.check()).toMatchObject({ status: 'offline_without_token', reason: 'signature' });
  });

  test('is read by its audience too, where the app names one', async () => {
    const { restart } = await world.licensed({ audience: world.product.slug });
    expect(await restart().client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
    world.network = false;
    expect(await restart({ audience: 'borealis' }).client.check()).toMatchObject({ status: 'offline_without_token', reason: 'audience' });
  });
});
