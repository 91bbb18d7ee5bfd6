import * as keys from '../../lambdas/store/keys';
import { startEventHarness, type EventHarness } from '../support/event-harness';
import { captureLogs } from '../support/logs';
import { ownTable } from '../support/own-table';
import { everyRow } from '../support/table';

/**
 * Tests the keys of rows. Every later version of the service must find the rows that an earlier version wrote, and different kinds of rows
 * must never have the same key.
 */

captureLogs();
let service: EventHarness;
let table: string;
beforeEach(async () => {
  table = await ownTable();
  service = startEventHarness(table);
});
afterEach(() => service.close());

const create = (name: string, slug: string) => service.call('createProduct', { body: { name, slug } });

test('a key never changes: otherwise the service would not find earlier rows, and would assign their names and numbers again', () => {
  const event = '000000002a000000070123456789abcd';
  expect({
    product: keys.productKey(3),
    'license type': keys.licenseTypeKey(3, 4),
    license: keys.licenseKey(3, 'KEY'),
    device: keys.deviceKey(keys.licenseKey(3, 'KEY'), 'print'),
    'license by id': keys.licenseIdKey(42),
    'product name': keys.productNameKey('Aurora'),
    'product slug': keys.productSlugKey('aurora'),
    'type name': keys.typeNameKey(3, 'Pro'),
    event: keys.eventKey(event),
    'idempotent request': keys.idempotencyKey('createLicense/3', 'order-1'),
    counter: keys.counterKey('product'),
    day: keys.dayStatsKey(3, 15, '2026-11-20'),
    'numbers of a type': keys.typeStatsKey(3, 15, 4),
    'day of all products': keys.dayStatsKey(keys.ALL_PRODUCTS, 15, '2026-11-20'),
    'day by product': keys.dayByProductKey(15, '2026-11-20', 35),
    'licenses of all products': keys.licenseStatsKey(15),
  }).toEqual({
    product: { pk: 'PRODUCT#3', sk: 'PRODUCT' },
    'license type': { pk: 'PRODUCT#3', sk: 'TYPE#0000000000000004' },
    license: { pk: 'LICENSE#3#KEY', sk: 'LICENSE' },
    device: { pk: 'LICENSE#3#KEY', sk: 'DEVICE#print' },
    'license by id': { pk: 'LICENSE_ID#42', sk: 'LICENSE_ID' },
    'product name': { pk: 'UNIQUE#PRODUCT_NAME#Aurora', sk: 'UNIQUE' },
    'product slug': { pk: 'UNIQUE#PRODUCT_SLUG#aurora', sk: 'UNIQUE' },
    'type name': { pk: 'UNIQUE#TYPE_NAME#3#Pro', sk: 'UNIQUE' },
    event: { pk: 'EVENT#000000002a', sk: '000000070123456789abcd' },
    'idempotent request': { pk: 'IDEMPOTENCY#createLicense/3#order-1', sk: 'IDEMPOTENCY' },
    counter: { pk: 'COUNTER#product', sk: 'COUNTER' },
    day: { pk: 'STATS#3#15', sk: 'DAY#2026-11-20' },
    'numbers of a type': { pk: 'STATS#ALL#15', sk: 'TYPE#0000000000000003#4' },
    'day of all products': { pk: 'STATS#ALL#15', sk: 'DAY#2026-11-20' },
    'day by product': { pk: 'STATS#ALL#15', sk: 'PRODUCTS#2026-11-20#3' },
    'licenses of all products': { pk: 'STATS#ALL#15', sk: 'LICENSES' },
  });
  expect([keys.licenseEvents(42), keys.PRODUCT_LIST, keys.licenseList(3), keys.eventList(3), keys.pendingShard(2)]).toEqual([
    'EVENT#000000002a',
    'PRODUCTS',
    'LICENSES#3',
    'EVENTS#3',
    'PENDING#2',
  ]);
  expect([
    keys.listPosition(42),
    keys.devicePosition(42, 'print'),
    keys.eventPosition(1_800_000_000_000, event),
    keys.dueAt(1_800_000_000_000),
    keys.emailList(3, 'Ada@Example.com'),
  ]).toEqual(['0000000000000042', '0000000000000042#print', `0001800000000000#${event}`, '0001800000000000', '3#ada@example.com']);
});

test('ids of products, license types and licenses are counted separately, each from 1 without a gap, and continue after the last id', async () => {
  const [first, second] = [await service.newProduct(), await service.newProduct()];
  const licenses = [await first.license(), await second.license(), await first.license()];
  expect({ products: [first.id, second.id], types: [first.typeId, second.typeId], licenses: licenses.map(({ id }) => id) }).toEqual({
    products: [1, 2],
    types: [1, 2],
    licenses: [1, 2, 3],
  });

  const counters = (await everyRow(table)).filter(({ sk }) => sk === 'COUNTER').map(({ pk, last_id }) => [pk, last_id]);
  expect(Object.fromEntries(counters)).toEqual({ 'COUNTER#product': 2, 'COUNTER#license_type': 2, 'COUNTER#license': 3 });
});

test('a name and a slug of different products may be the same text; two names or two slugs may not', async () => {
  expect((await create('alpha', 'beta')).status).toBe(201);
  expect((await create('beta', 'alpha')).status).toBe(201);
  expect((await create('gamma', 'gamma')).status).toBe(201);
  for (const [name, slug, taken] of [
    ['alpha', 'delta', /name/],
    ['delta', 'alpha', /slug/],
    ['gamma', 'delta', /name/],
    ['delta', 'gamma', /slug/],
  ] as const) {
    expect(await create(name, slug)).toMatchObject({ status: 409, body: { detail: expect.stringMatching(taken) as string } });
  }
  expect((await create('delta', 'delta')).status).toBe(201);
});
