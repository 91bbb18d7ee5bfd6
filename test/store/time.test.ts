import { decodeJwt } from 'jose';
import { partitions } from '../../lambdas/contract/access';
import { DAY_PREFIX, idempotencyKey, PRODUCTS_PREFIX } from '../../lambdas/store/keys';
import { getItem } from '../../lambdas/store/items';
import { startEventHarness } from '../support/event-harness';
import { captureLogs } from '../support/logs';
import { ownTable } from '../support/own-table';
import { closeShops, openShop, type Fields } from '../support/shop';
import { eventsOf, everyRow } from '../support/table';

/** Tests time limits to the millisecond. */

captureLogs();
afterEach(closeShops);
const DAY = 86_400_000;

describe('a license ends exactly at its expiry', () => {
  test.each(['validate', 'activate'] as const)('%s', async (name) => {
    const service = await openShop({ kind: 'trial', duration_days: 14 });
    const { id, key } = await service.newLicense();
    service.advance(14 * DAY - 1);
    expect((await service[name](key, 'fingerprint-1')).status).toBe(200);
    service.advance(1);
    const { status, body } = await service[name](key, 'fingerprint-1');
    if (name === 'validate') expect([status, body]).toEqual([200, { valid: false, status: 'expired' }]);
    else expect(status).toBe(403);
    expect((await service.license(id)).status).toBe('expired');
    expect((await eventsOf(id)).filter(({ event }) => event === 'license.expired')).toHaveLength(1);
  });

  test('only a check notices the expiry', async () => {
    const service = await openShop({ kind: 'trial', duration_days: 1 });
    const { id, key } = await service.newLicense();
    await service.activate(key, 'fingerprint-1');
    service.advance(2 * DAY);
    expect((await service.call('mintOfflineToken', { params: { id } })).status).toBe(403);
    expect((await service.deactivate(key, 'fingerprint-1')).body).toEqual({ freed: true });
    await service.call('resetLicense', { params: { id } });
    expect((await service.call('listLicenses', { params: { id: service.productId } })).body).toMatchObject([{ status: 'active' }]);
    expect((await service.license(id)).status).toBe('active');
    expect((await eventsOf(id)).map(({ event }) => event)).not.toContain('license.expired');
  });

  test('after a renewal it can end again, and is reported again', async () => {
    const service = await openShop({ kind: 'subscription', duration_days: 1 });
    const { id, key } = await service.newLicense();
    for (let term = 0; term < 2; term += 1) {
      service.advance(DAY);
      for (let check = 0; check < 2; check += 1)
        expect((await service.validate(key, 'fingerprint-1')).body).toEqual({ valid: false, status: 'expired' });
      expect((await service.call('renewLicense', { params: { id } })).body).toMatchObject({
        status: 'active',
        expires_at: new Date(service.now() + DAY).toISOString(),
      });
      expect((await service.validate(key, 'fingerprint-1')).body).toMatchObject({ valid: true });
    }
    expect((await eventsOf(id)).map(({ event }) => event)).toEqual([
      'license.created',
      'license.expired',
      'license.renewed',
      'license.expired',
      'license.renewed',
    ]);
  });

  test('a renewal counts from the end of the term if that is in the future, and from now if it has passed', async () => {
    const service = await openShop({ kind: 'subscription', duration_days: 10 });
    const { id } = await service.newLicense();
    const end = service.now() + 10 * DAY;
    service.advance(10 * DAY - 1);
    expect((await service.call('renewLicense', { params: { id } })).body).toMatchObject({
      expires_at: new Date(end + 10 * DAY).toISOString(),
    });
    service.advance(11 * DAY);
    expect((await service.call('renewLicense', { params: { id } })).body).toMatchObject({
      expires_at: new Date(service.now() + 10 * DAY).toISOString(),
    });
  });
});

describe('an offline token', () => {
  test('lives 7 days, or until the license ends if that is earlier', async () => {
    const service = await openShop({ kind: 'subscription', duration_days: 10 });
    const { key } = await service.newLicense();
    const expiry = Math.floor((service.now() + 10 * DAY) / 1000);
    const token = (await service.activate(key, 'fingerprint-1')).body['offline_token'];
    expect(decodeJwt(String(token))).toMatchObject({
      iat: Math.floor(service.now() / 1000),
      exp: Math.floor((service.now() + 7 * DAY) / 1000),
    });
    service.advance(5 * DAY);
    const later = (await service.validate(key, 'fingerprint-1')).body as Fields;
    expect(decodeJwt(String(later['offline_token'])).exp).toBe(expiry);
  });
});

describe('an idempotent request', () => {
  test('is remembered for 24 hours, to the millisecond', async () => {
    const service = await openShop();
    const sale = {
      params: { id: service.productId },
      body: { license_type_id: service.typeId },
      headers: { 'idempotency-key': `order-${service.productId}` },
    };
    const first = await service.call('createLicense', sale);
    service.advance(DAY - 1);
    expect((await service.call('createLicense', sale)).body).toEqual(first.body);
    service.advance(1);
    const second = await service.call('createLicense', sale);
    expect(second.status).toBe(201);
    expect(second.body['id']).not.toBe(first.body['id']);
    expect((await service.call('createLicense', sale)).body).toEqual(second.body);
  });

  test('stays in the table until then: if it were removed earlier, a repeated sale would create a second license', async () => {
    const service = await openShop();
    const key = `order-${service.productId}`;
    await service.call('createLicense', {
      params: { id: service.productId },
      body: { license_type_id: service.typeId },
      headers: { 'idempotency-key': key },
    });
    const row = await getItem(service.app.table, idempotencyKey(`createLicense/${service.productId}`, key));
    // DynamoDB expects the time to live in seconds. With a value in milliseconds, the row would never expire.
    expect(row?.['ttl']).toBe(Math.ceil((service.now() + DAY) / 1000));
  });
});

describe("a product's numbers", () => {
  test('of a day stay in the table for 100 days, longer than they are shown; those of a license type stay permanently', async () => {
    const table = await ownTable();
    const service = startEventHarness(table);
    const product = await service.newProduct('http://127.0.0.1:9/');
    await product.activate((await product.license()).key, 'fingerprint-1');
    await service.run();
    const numbers = (await everyRow(table)).filter(({ pk }) => String(pk).startsWith(partitions.stats));
    const days = numbers.filter(({ sk }) => [DAY_PREFIX, PRODUCTS_PREFIX].some((prefix) => String(sk).startsWith(prefix)));
    expect([days.length > 0, numbers.length > days.length]).toEqual([true, true]);
    for (const { ttl } of days) expect(Math.abs(Number(ttl) * 1000 - (service.now() + 100 * DAY))).toBeLessThanOrEqual(60_000);
    for (const { ttl } of numbers.filter((row) => !days.includes(row))) expect(ttl).toBeUndefined();
    service.close();
  });
});

test('an activation is dated by the service’s clock, and keeps its date', async () => {
  const service = await openShop();
  const { id, key } = await service.newLicense();
  const at = new Date(service.now()).toISOString();
  expect((await service.activate(key, 'fingerprint-1')).body).toMatchObject({ device: { activated_at: at } });
  service.advance(1000);
  expect((await service.activate(key, 'fingerprint-1', { name: 'new' })).body).toMatchObject({ device: { activated_at: at } });
  expect((await service.license(id)).activations).toMatchObject([{ activated_at: at, name: 'new' }]);
});
