import { closeShops } from '../support/shop';
import { DAY, MINUTE, openWorld, type Device, type World } from './support';

/** Tests devices whose clock differs from the service's clock. */

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(closeShops);

/** Restarts the app on the same device. The device's clock then differs from the service's clock by `offset` ms. */
const withClock = ({ restart }: Device, offset: number): Device => restart({ now: () => world.now() + offset });

describe('a device clock that is set back', () => {
  test('setting the clock back does not make an expired token valid again', async () => {
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

  test('the client detects that the clock was set back, because it stored the latest time that it saw', async () => {
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

  test("the client also detects that the clock was set back if the cached token was issued later than the clock's time", async () => {
    const device = await world.licensed();
    world.network = false;
    expect(await withClock(device, -2 * DAY).client.check()).toMatchObject({
      status: 'offline_without_token',
      reason: 'clock_rolled_back',
    });
    // A user can delete the stored time from the cache, but can't change the signed time in the token.
    const name = `license-key-service.${world.productId}`;
    const { seen: _seen, ...record } = JSON.parse((await device.storage.getItem(name)) ?? '') as Record<string, unknown>;
    await device.storage.setItem(name, JSON.stringify(record));
    expect(await withClock(device, -2 * DAY).client.check()).toMatchObject({ status: 'offline_without_token', reason: 'from_the_future' });
  });

  test('a device whose clock is set back is still licensed by the service, with a request at each start', async () => {
    const device = await world.licensed();
    for (let start = 0; start < 2; start += 1) {
      const { client, requests } = withClock(device, -2 * DAY);
      expect(await client.check()).toMatchObject({ status: 'licensed', source: 'network' });
      expect(requests).toEqual(['validate']);
      await client.idle();
    }
  });

  test('a device whose clock is set back gets no grace', async () => {
    const device = await world.licensed({ graceDays: 30 });
    world.network = false;
    expect(await withClock(device, -2 * DAY).client.check()).toMatchObject({ reason: 'clock_rolled_back' });
  });

  test("a device whose clock is set back can't import tokens", async () => {
    const device = await world.licensed({ allowUnboundTokens: true });
    const { body } = await world.call('mintOfflineToken', { params: { id: device.license.id } });
    expect(await withClock(device, -2 * DAY).client.importToken(String(body['token']))).toEqual({
      status: 'invalid_token',
      problem: 'clock_rolled_back',
    });
  });
});

describe('a device clock that differs a little', () => {
  test.each([-4 * MINUTE, -MINUTE, MINUTE, 4 * MINUTE])('a clock that differs by %d ms has no effect', async (offset) => {
    const device = world.install({ now: () => world.now() + offset });
    const { key } = await world.newLicense();
    expect(await device.client.activate(key)).toMatchObject({ status: 'licensed', source: 'network' });
    world.network = false;
    expect(await device.restart().client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
  });

  test.each([-4 * MINUTE, -12 * 60 * MINUTE, -DAY])(
    'a clock correction of %d ms does not count as setting the clock back',
    async (offset) => {
      const device = await world.licensed();
      await device.client.idle();
      world.network = false;
      expect(await withClock(device, offset).client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
    },
  );
});

describe('a device clock that is ahead', () => {
  test('with a clock that is far ahead a token expires early, and the state names the clock as the reason', async () => {
    const device = await world.licensed();
    const { client } = withClock(device, 30 * DAY);
    expect(await client.check()).toMatchObject({ status: 'offline_without_token', reason: 'clock_ahead', fault: { kind: 'clock' } });
  });

  test("with a clock that is ahead by less than a token's lifetime, the token expires earlier by this difference", async () => {
    const device = world.install({ now: () => world.now() + 2 * DAY });
    const { key } = await world.newLicense();
    expect(await device.client.activate(key)).toMatchObject({ status: 'licensed', source: 'network' });
    world.network = false;
    expect(await device.restart().client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
  });

  test('after a clock that was ahead is corrected, the app is licensed as soon as it reaches the service', async () => {
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

describe('an old response of the service that somebody stored and sends again', () => {
  test('a stored response licenses nobody after its token has expired', async () => {
    const device = await world.licensed();
    const { license } = device;
    const kept = JSON.stringify((await world.validate(license.key, device.fingerprint)).body);
    await world.call('revokeLicense', { params: { id: license.id } });
    world.advance(8 * DAY);
    world.network = () => Promise.resolve({ status: 200, headers: new Headers(), text: () => Promise.resolve(kept) });
    expect(await device.client.check()).toMatchObject({
      status: 'offline_without_token',
      reason: 'clock_ahead',
      fault: { kind: 'clock', message: expect.stringContaining('expired') as string },
    });
  });

  test('a stored response licenses nobody even if the clock is set back to the day of the response', async () => {
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
