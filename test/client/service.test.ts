import { memoryStorage, readOfflineRequest } from '../../client/src';
import { closeShops } from '../support/shop';
import { DAY, itemName, MINUTE, openWorld, type Device, type World } from './support';

/** Tests the client with the real service: signed refusals, features, leases, trials, and offline requests. */

let world: World;
afterEach(closeShops);
const change = (name: string, id: number, body: object = {}): Promise<unknown> => world.call(name, { params: { id }, body });
const recordOf = async ({ storage }: Device): Promise<Record<string, unknown>> =>
  JSON.parse((await storage.getItem(itemName(world.productId))) ?? '{}') as Record<string, unknown>;

test('a signed suspension ends the license and is stored, so an unsigned response no longer matters', async () => {
  world = await openWorld({ features: ['sync', 'export'] });
  const device = await world.licensed();
  expect(device.client.state).toMatchObject({ features: ['export', 'sync'], license: { type: { kind: 'subscription' } } });
  expect([device.client.has('export'), device.client.has('admin')]).toEqual([true, false]);

  await change('suspendLicense', device.license.id);
  world.advance(MINUTE);
  expect(await device.client.validate()).toEqual({ status: 'suspended' });
  expect(await recordOf(device)).toMatchObject({ refused: 'suspended', verdicts: true });
  expect(device.client.has('export')).toBe(false);

  await change('reinstateLicense', device.license.id);
  world.advance(MINUTE);
  expect(await device.client.check()).toMatchObject({ status: 'licensed', source: 'network' });
  const { client } = device.restart({
    fetch: () =>
      Promise.resolve({ status: 200, headers: new Headers(), text: () => Promise.resolve('{"valid":false,"status":"revoked"}') }),
  });
  expect(await client.validate()).toMatchObject({ status: 'licensed', fault: { kind: 'untrusted' } });

  await change('revokeLicense', device.license.id);
  world.advance(MINUTE);
  expect(await device.restart().client.activate(device.license.key)).toEqual({ status: 'revoked' });
});

test('a signed refusal for one device does not affect another device', async () => {
  world = await openWorld();
  const [first, second] = [await world.licensed(), world.install()];
  await second.client.activate(first.license.key);
  await change('suspendLicense', first.license.id);
  const verdicts: string[] = [];
  const listen = first.restart({
    fetch: async (url, init) => {
      const response = await world.fetchOfService(url, init);
      verdicts.push(response.headers.get('X-Svc-Verdict') ?? '');
      return response;
    },
  });
  expect(await listen.client.validate()).toEqual({ status: 'suspended' });
  const [verdict = ''] = verdicts;
  expect(verdict).not.toBe('');
  const replayed = second.restart({
    fetch: () =>
      Promise.resolve({
        status: 200,
        headers: new Headers({ 'X-Svc-Verdict': verdict }),
        text: () => Promise.resolve('{"valid":false,"status":"suspended"}'),
      }),
  });
  expect(await replayed.client.validate()).toMatchObject({
    status: 'licensed',
    fault: { kind: 'untrusted', message: expect.stringContaining('fingerprint') },
  });
});

test('a lease is part of the state and is renewed, and its seat is freed when the app ends', async () => {
  world = await openWorld({ kind: 'floating', duration_days: undefined, max_seats: 1, lease_minutes: 60 });
  const first = await world.licensed();
  const end = world.now() + 60 * MINUTE;
  expect(first.client.state).toMatchObject({ seats: { used: 1, max: 1 }, leaseExpiresAt: expect.any(Date) });
  const leaseOf = ({ client: { state } }: Device): number => (state?.status === 'licensed' ? (state.leaseExpiresAt?.getTime() ?? 0) : 0);
  expect(Math.abs(leaseOf(first) - end)).toBeLessThan(MINUTE);

  world.advance(31 * MINUTE);
  await first.client.check();
  await first.client.idle();
  expect(first.requests).toEqual(['validate']);
  expect(leaseOf(first)).toBeGreaterThan(end + 20 * MINUTE);

  const second = world.install();
  expect(await second.client.activate(first.license.key)).toEqual({ status: 'no_seats', seats: { used: 1, max: 1 } });
  await first.client.close({ release: true });
  expect(await second.client.activate(first.license.key)).toMatchObject({ status: 'licensed' });
  expect(await first.restart().client.check()).toEqual({ status: 'unbound', key: first.license.key });
});

test('a trial starts without a key, only once for each device, and ends at its date', async () => {
  world = await openWorld({ kind: 'trial', duration_days: 14, self_service: true });
  const device = world.install();
  expect(await device.client.trial({ name: 'laptop', customerEmail: 'ada@example.com' })).toMatchObject({
    status: 'licensed',
    source: 'network',
    license: { type: { kind: 'trial' } },
  });
  expect(await device.restart().client.trial()).toMatchObject({ status: 'licensed', source: 'cache' });
  world.advance(15 * DAY);
  expect(await device.restart({ storage: memoryStorage() }).client.trial()).toEqual({ status: 'expired' });

  world = await openWorld();
  expect(await world.install().client.trial()).toEqual({ status: 'no_trial' });
});

test("an app that is never online creates a request, and the token in the response licenses only this app's device", async () => {
  world = await openWorld();
  const { id, key } = await world.newLicense();
  const app = world.install();
  const other = world.install();
  const request = await app.client.offlineRequest(key, { name: 'Lab 3', platform: 'linux' });
  const read = readOfflineRequest(request.status === 'request' ? request.text : '');
  expect(read).toEqual({ product: world.productId, key, fingerprint: app.fingerprint, name: 'Lab 3', platform: 'linux' });

  const { body } = await world.call('mintOfflineToken', {
    params: { id },
    body: { ttl_days: 90, fingerprint: read?.fingerprint, name: read?.name, platform: read?.platform },
  });
  const token = String(body['token']);
  world.network = false;
  expect(await app.client.importToken(token)).toMatchObject({ status: 'licensed', source: 'cache' });
  expect(await other.client.importToken(token)).toEqual({ status: 'invalid_token', problem: 'fingerprint' });
  world.advance(80 * DAY);
  expect(await app.restart().client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
  expect((await world.license(id)).activations).toMatchObject([{ fingerprint: app.fingerprint, name: 'Lab 3' }]);
});

test("after a key is replaced, the old key works until the device's token expires, and the new key works at once", async () => {
  world = await openWorld();
  const device = await world.licensed();
  const { body } = await world.call('reissueLicense', { params: { id: device.license.id } });
  const fresh = String(body['key']);
  expect(await device.client.activate(fresh)).toMatchObject({ status: 'licensed', license: { id: device.license.id } });
  await device.client.idle();
  expect((await world.license(device.license.id)).seats.used).toBe(1);
  expect((await recordOf(device))['release']).toBeUndefined();
});
