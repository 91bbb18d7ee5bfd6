import { cloneDevice } from '../support/devices';
import { intercept } from '../support/intercept';
import { captureLogs } from '../support/logs';
import { cloneLicense } from '../support/many-licenses';
import { anotherInstance, closeShops, openShop } from '../support/shop';
import { eventsOf, expectWholeHistory } from '../support/table';

/** Tests licenses with a very large number of present or earlier devices. */

captureLogs();
afterEach(closeShops);

test('a renewal under an Idempotency-Key succeeds, and is repeated, no matter how many devices its response shows', async () => {
  const service = await openShop({ kind: 'subscription', duration_days: 30, max_seats: 0 });
  const license = await service.newLicense();
  await service.activate(license.key, 'fingerprint-own', { name: 'x'.repeat(200), platform: 'y'.repeat(200) });
  await cloneDevice(service, license, 'fingerprint-own', 2000);
  const renew = () =>
    service.call('renewLicense', { params: { id: license.id }, body: { days: 1 }, headers: { 'Idempotency-Key': 'renewal' } });
  const first = await renew();
  expect(first).toMatchObject({ status: 200, body: { activations: { length: 2001 } } });
  const again = await renew();
  const { activations, ...fields } = again.body as unknown as { activations: unknown[] };
  expect(again.status).toBe(200);
  expect(first.body).toMatchObject(fields);
  // The stored response of the renewal doesn't fit into one row of the table.
  expect(activations.length).toBeGreaterThan(100);
  expect((await eventsOf(license.id)).filter(({ event }) => event === 'license.renewed')).toHaveLength(1);
});

test('a person with a key cannot prevent its revocation by activating many devices or by changing devices all the time', async () => {
  const service = await openShop({ kind: 'lifetime', max_seats: 0 });
  const { id, key } = await service.newLicense();
  const stranger = anotherInstance(service);
  let changes = 0;
  // Reading all devices takes longer than changing one device.
  intercept(service.client, async ({ operation }, next) => {
    const output = await next();
    if (operation === 'Query' && (await stranger.activate(key, `fingerprint-${changes}`)).status === 200) changes += 1;
    return output;
  });
  const { status, body } = await service.call('revokeLicense', { params: { id } });
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { status: 'revoked', seats: { used: changes }, activations: { length: changes } },
  });
  expect(changes).toBeLessThan(10);
  expect((await stranger.validate(key, 'fingerprint-1')).body).toEqual({ valid: false, status: 'revoked' });
  expectWholeHistory(await eventsOf(id));
});

test("a reseller's licenses are found by e-mail and status without a read of each license", async () => {
  const service = await openShop();
  const fields = { customer_email: 'reseller@example.com' };
  const first = await service.newLicense(fields);
  const isRevoked = (place: number): boolean => place === 3 || place === 110;
  const others = await cloneLicense(service.app.table, { ...fields, ...first, product_id: service.productId }, 119, (place) => ({
    status: isRevoked(place + 1) ? 'revoked' : 'active',
  }));
  const licenses = [first, ...others];
  const revoked = licenses.filter((_, place) => isRevoked(place));
  const calls: string[] = [];
  intercept(service.client, ({ operation }, next) => {
    calls.push(operation);
    return next();
  });
  const find = (query: Record<string, string>) =>
    service.call('listLicenses', { params: { id: service.productId }, query: { ...fields, ...query } });
  expect((await find({ status: 'revoked' })).body).toMatchObject(revoked.map(({ id, key }) => ({ id, key, status: 'revoked' })));
  expect(calls.length).toBeLessThan(10);
  const page = await find({ status: 'active', limit: '60' });
  expect(page.body).toMatchObject(licenses.filter((license) => !revoked.includes(license)).slice(0, 60));
  expect(page.headers['Link']).toMatch(/rel="next"/);
});

test('the response to a renewal shows the expiry that this renewal has set, although other renewals happen before and after it', async () => {
  const service = await openShop({ kind: 'subscription', duration_days: 30 });
  const { id } = await service.newLicense();
  const renew = (shop: typeof service) => shop.call('renewLicense', { params: { id }, body: { days: 1 } });
  const other = anotherInstance(service);
  const told: unknown[] = [];
  intercept(service.client, async ({ operation }, next) => {
    const isMoment = ['TransactWriteItems', 'Query'].includes(operation) && told.length < 8;
    if (isMoment && told.length === 0) told.push((await renew(other)).body['expires_at']);
    const output = await next();
    if (isMoment) told.push((await renew(other)).body['expires_at']);
    return output;
  });
  const { status, body } = await renew(service);
  expect(status).toBe(200);
  expect(told.length).toBeGreaterThan(2);
  expect(told).not.toContain(body['expires_at']);
});
