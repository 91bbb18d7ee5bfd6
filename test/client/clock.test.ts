import { closeShops } from '../support/shop';
import { DAY, MINUTE, openWorld, type Device, type World } from './support';

/** Devices whose clock is not the service's. */

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(closeShops);

/** The app on the same device, whose clock is off from now on. */
const withClock = ({ restart }: Device, offset: number): Device => restart({ now: () => world.now() + offset });

describe('a clock that is set back', () => {
  test('does not make an ended token young again', async () => {
    const device = await world.licensed();
    world.advance(10 * DAY);
    world.network = false;
    const honest = device.restart();
    expect(await honest.client.check()).toMatchObject({ status: 'offline_without_token', reason: 'expired' });
    await honest.client.idle();
    expect(await withClock(device, -9 * DAY).client.check()).toMatchObject({
      status: 'offline_without_token',
      reason: 'clock_rolled_back',
    });
  });

  test('is noticed by the latest time that was seen', async () => {
    const device = await world.licensed();
    world.advance(6 * DAY);
    world.network = false;
    const before = device.restart();
    expect(await before.client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
    await before.client.idle();

    const rolledBack = withClock(device, -5 * DAY);
    expect(await rolledBack.client.check()).toMatchObject({
      status: 'offline_without_token',
      reason: 'clock_rolled_back',
      fault: { kind: 'unreachable' },
    });
    expect(await withClock(device, 0).client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
  });

  test('is noticed by the time of issue of the token, too', async () => {
    const device = await world.licensed();
    world.network = false;
    expect(await withClock(device, -2 * DAY).client.check()).toMatchObject({
      status: 'offline_without_token',
      reason: 'clock_rolled_back',
    });
    // The seen time alone can be cut out of the cache; the signed one can't.
    const name = `license-key-service.${world.productId}`;
    const { seen: _seen, ...record } = JSON.parse((await device.storage.getItem(name)) ?? '') as Record<string, unknown>;
    await device.storage.setItem(name, JSON.stringify(record));
    expect(await withClock(device, -2 * DAY).client.check()).toMatchObject({ status: 'offline_without_token', reason: 'from_the_future' });
  });

  test('still gets an answer from the service, at every start', async () => {
    const device = await world.licensed();
    for (let start = 0; start < 2; start += 1) {
      const { client, requests } = withClock(device, -2 * DAY);
      expect(await client.check()).toMatchObject({ status: 'licensed', source: 'network' });
      expect(requests).toEqual(['validate']);
      await client.idle();
    }
  });

  test('gets no grace', async () => {
    const device = await world.licensed({ graceDays: 30 });
    world.network = false;
    expect(await withClock(device, -2 * DAY).client.check()).toMatchObject({ reason: 'clock_rolled_back' });
  });

  test('refuses tokens that are imported', async () => {
    const device = await world.licensed({ allowUnboundTokens: true });
    const { body } = await world.call('mintOfflineToken', { params: { id: device.license.id } });
    expect(await withClock(device, -2 * DAY).client.importToken(String(body['token']))).toEqual({
      status: 'invalid_token',
      problem: 'clock_rolled_back',
    });
  });
});

describe('a clock that is off by a little', () => {
  test.each([-4 * MINUTE, -MINUTE, MINUTE, 4 * MINUTE])('%d ms: nobody notices', async (offset) => {
    const device = world.install({ now: () => world.now() + offset });
    const { key } = await world.newLicense();
    expect(await device.client.activate(key)).toMatchObject({ status: 'licensed', source: 'network' });
    world.network = false;
    expect(await device.restart().client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
  });

  test.each([-4 * MINUTE, -12 * 60 * MINUTE, -DAY])('and is corrected by %d ms, is not taken for set back', async (offset) => {
    const device = await world.licensed();
    await device.client.idle();
    world.network = false;
    expect(await withClock(device, offset).client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
  });
});

describe('a clock that is ahead', () => {
  test('ends a token early, and says that the service could not help', async () => {
    const device = await world.licensed();
    const { client } = withClock(device, 30 * DAY);
    expect(await client.check()).toMatchObject({ status: 'offline_without_token', reason: 'expired', fault: { kind: 'untrusted' } });
  });

  test('within a token’s life is good for what is left of it', async () => {
    const device = world.install({ now: () => world.now() + 2 * DAY });
    const { key } = await world.newLicense();
    expect(await device.client.activate(key)).toMatchObject({ status: 'licensed', source: 'network' });
    world.network = false;
    expect(await device.restart().client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
  });

  test('for a while does not lock its user out for as long, once it is right and the service can be asked', async () => {
    const device = await world.licensed();
    const wrong = withClock(device, 6 * DAY);
    await wrong.client.check();
    await wrong.client.idle();

    world.network = false;
    expect(await device.restart().client.check()).toMatchObject({ status: 'offline_without_token', reason: 'clock_rolled_back' });
    world.network = true;
    const right = device.restart();
    expect(await right.client.check()).toMatchObject({ status: 'licensed', source: 'network' });
    expect(await right.client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
    await right.client.idle();
    world.network = false;
    expect(await device.restart().client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
  });
});

describe('an answer that somebody kept', () => {
  test('licenses nobody when its token has ended', async () => {
    const device = await world.licensed();
    const { license } = device;
    const kept = JSON.stringify((await world.validate(license.key, device.fingerprint)).body);
    await world.call('revokeLicense', { params: { id: license.id } });
    world.advance(8 * DAY);
    world.network = () => Promise.resolve({ status: 200, headers: new Headers(), text: () => Promise.resolve(kept) });
    expect(await device.client.check()).toMatchObject({
      status: 'offline_without_token',
      reason: 'expired',
      fault: { kind: 'untrusted', message: expect.stringContaining('expired') as string },
    });
  });

  test('does not even help with the clock set back to its day', async () => {
    const device = await world.licensed();
    const kept = JSON.stringify((await world.validate(device.license.key, device.fingerprint)).body);
    world.advance(6 * DAY);
    const { client } = device.restart();
    await client.check();
    await client.idle();
    world.advance(2 * DAY);
    await device.restart().client.check();
    world.network = () => Promise.resolve({ status: 200, headers: new Headers(), text: () => Promise.resolve(kept) });
    expect((await withClock(device, -2 * DAY).client.check()).status).not.toBe('licensed');
  });
});
