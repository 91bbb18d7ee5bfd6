import { closeShops } from '../support/shop';
import { DAY, openWorld } from './support';

/** Tests with the real service how devices and releases of an app take seats of a license, and what the vendor sees of them. */

afterEach(closeShops);

test('a user finds the previous computer in the list, and the new computer takes its seat', async () => {
  const world = await openWorld({ max_seats: 1 });
  const old = await world.licensed();
  const { client } = world.install();
  expect(await client.activate(old.license.key)).toMatchObject({ status: 'no_seats' });
  expect(await client.devices(old.license.key)).toMatchObject({ status: 'failed', fault: { kind: 'rejected' } });

  await world.call('updateProduct', { params: { id: world.productId }, body: { list_devices: true } });
  // The service caches products for up to a minute, so the setting may take effect only after a minute.
  world.advance(61_000);
  const list = await client.devices(old.license.key);
  expect(list).toMatchObject({ status: 'devices', devices: [{ isThis: false, lastSeenOn: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) }] });
  const [device] = list.status === 'devices' ? list.devices : [];
  expect(await client.activate(old.license.key, { replace: device?.ref ?? '' })).toMatchObject({ status: 'licensed' });
  expect(await old.restart().client.validate()).toMatchObject({ status: 'unbound' });
  expect(await client.devices()).toMatchObject({ devices: [{ isThis: true }] });
  expect(await client.free('no-such-ref')).toEqual({ status: 'deactivated', freed: false });
});

test('an app of a release that the user has not bought takes no seat, and an app of a bought release recognizes this offline', async () => {
  const world = await openWorld({ max_major: 3 });
  const { key } = await world.newLicense();
  const newer = world.install({ release: { version: '4.0.0' } });
  expect(await newer.client.activate(key)).toEqual({ status: 'not_covered' });
  const device = world.install({ release: { version: '3.1.0' } });
  expect(await device.client.activate(key)).toMatchObject({ status: 'licensed', updates: { until: null, maxMajor: 3 } });
  world.network = false;
  const { client } = device.restart();
  await client.check();
  expect([client.covers(), client.covers({ version: '4.0.0' })]).toEqual([true, false]);

  // The user replaces the bought release by the newer release, and then returns to the bought release. The license must remain.
  const updated = device.restart({ release: { version: '4.0.0' } });
  expect(await updated.client.check()).toEqual({ status: 'not_covered', updates: { until: null, maxMajor: 3 } });
  expect([updated.client.covers(), updated.client.covers({ version: '3.1.0' }), updated.client.has('')]).toEqual([false, true, false]);
  expect(await updated.restart({ release: { version: '3.1.0' } }).client.check()).toMatchObject({ status: 'licensed' });
});

test('the vendor sees the version of the app that a device uses after an update', async () => {
  const world = await openWorld();
  const { id, key } = await world.newLicense();
  const device = world.install({ release: { version: '3.1.0' } });
  await device.client.activate(key);
  world.advance(DAY);
  await device.restart({ release: { version: '4.0.0+7' } }).client.validate();
  expect((await world.call('getLicense', { params: { id } })).body).toMatchObject({ activations: [{ app_version: '4.0.0+7' }] });
});
