import { RETRY_BUDGET_MS } from '../../lambdas/store/table';
import { intercept } from '../support/intercept';
import { captureLogs } from '../support/logs';
import { anotherInstance, closeShops, openShop } from '../support/shop';
import { eventsOf, expectWholeHistory } from '../support/table';

/**
 * Tests bound devices while other devices are activated and freed. A seat with an ended lease goes to a device that needs it, and no device
 * is refused needlessly (docs/spec/activation.md, Floating seats).
 */

captureLogs();
afterEach(closeShops);

const MINUTE = 60_000;
const floating = { kind: 'floating', lease_minutes: 5 };

test('a device is not refused if a seat is freed while the request looks for a free seat', async () => {
  const first = await openShop({ ...floating, max_seats: 1 });
  const { id, key } = await first.newLicense();
  await first.activate(key, 'fingerprint-1');
  // This refusal writes the event `license.seats_exhausted`. The service writes this event only once a day, so `second` would write nothing
  // when it refuses a device. Without a write no commit fails, so `second` would not notice that the license has changed.
  expect((await first.activate(key, 'fingerprint-2')).status).toBe(429);
  first.advance(6 * MINUTE);
  const second = anotherInstance(first, { clock: () => first.now() });
  intercept(second.client, async (call, next) => {
    if (call.operation === 'Query') await first.deactivate(key, 'fingerprint-1');
    return next();
  });
  expect((await second.activate(key, 'fingerprint-3')).status).toBe(200);
  expect((await first.license(id)).activations.map(({ fingerprint }) => fingerprint)).toEqual(['fingerprint-3']);
});

test('a full license refuses a device with 429 and not with 503, even if the first read took all the time for retries', async () => {
  const shop = await openShop({ ...floating, max_seats: 1 });
  const { id, key } = await shop.newLicense();
  await shop.activate(key, 'fingerprint-1');
  let reads = 0;
  intercept(shop.client, async ({ operation }, next) => {
    const output = await next();
    // The first BatchGetItem call reads the license and its device, before the leases are read.
    if (operation === 'BatchGetItem' && reads++ === 0) shop.advance(RETRY_BUDGET_MS + 1);
    return output;
  });
  const refused = await shop.activate(key, 'fingerprint-2');
  expect([refused.status, refused.headers['X-Svc-Error-Code']]).toEqual([429, 'no_seats']);
  expect(reads).toBeGreaterThan(0);
  expect((await shop.license(id)).activations.map(({ fingerprint }) => fingerprint)).toEqual(['fingerprint-1']);
});

test('an activation that frees more ended leases than fit into one transaction takes its seat without reporting a full license', async () => {
  const shop = await openShop({ ...floating, max_seats: 0 });
  const { id, key } = await shop.newLicense();
  for (let place = 0; place < 50; place += 1) await shop.activate(key, `fingerprint-${place}`);
  await shop.call('updateLicense', { params: { id }, body: { max_seats: 3 } });
  shop.advance(6 * MINUTE);
  expect(await shop.activate(key, 'fingerprint-new')).toMatchObject({ status: 200, body: { seats: { used: 3, max: 3 } } });
  const events = await eventsOf(id);
  expectWholeHistory(events);
  const since = events.slice(52).map(({ event }) => event);
  expect(since).toEqual([...Array<string>(48).fill('license.deactivated'), 'license.activated']);
});

test('a device that is freed and bound again while it reports a new name is shown as it is bound now', async () => {
  const first = await openShop();
  const { id, key } = await first.newLicense();
  await first.activate(key, 'fingerprint-1');
  const second = anotherInstance(first, { clock: () => first.now() });
  let done = false;
  intercept(second.client, async (call, next) => {
    if (call.operation === 'UpdateItem' && !done) {
      done = true;
      await first.deactivate(key, 'fingerprint-1');
      first.advance(1);
      await first.activate(key, 'fingerprint-1');
    }
    return next();
  });
  const { status, body } = await second.activate(key, 'fingerprint-1', { name: 'laptop' });
  expect(status).toBe(200);
  expect((await first.license(id)).activations).toEqual([expect.objectContaining((body as { device?: object }).device!)]);
});

test.each(['validate', 'activate'] as const)(
  'a device that has used %s while its license had no leases keeps its seat when the license gets leases again',
  async (call) => {
    const shop = await openShop({ ...floating, max_seats: 1 });
    const { id, key } = await shop.newLicense();
    const { body: lifetime } = await shop.call('createLicenseType', {
      params: { id: shop.productId },
      body: { name: 'Lifetime', kind: 'lifetime', max_seats: 1 },
    });
    await shop.activate(key, 'fingerprint-1');
    const moveTo = (license_type_id: number): Promise<unknown> => shop.call('updateLicense', { params: { id }, body: { license_type_id } });
    await moveTo(Number(lifetime['id']));
    shop.advance(6 * MINUTE);
    expect((await shop[call](key, 'fingerprint-1')).status).toBe(200);
    await moveTo(shop.typeId);
    expect((await shop.activate(key, 'fingerprint-2')).status).toBe(429);
    expect((await shop.validate(key, 'fingerprint-1')).body).toMatchObject({ device: { lease_expires_at: expect.any(String) as string } });
    shop.advance(6 * MINUTE);
    expect((await shop.activate(key, 'fingerprint-2')).status).toBe(200);
  },
);
