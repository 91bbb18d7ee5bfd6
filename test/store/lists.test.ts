import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DeliveryView } from '../../lambdas/contract/webhooks';
import { dateOf } from '../../lambdas/domain/time';
import { listDeliveries } from '../../lambdas/store/events/log';
import { dayStatsKey, eventKey, licenseKey, listPosition, typeStatsKey } from '../../lambdas/store/keys';
import { listOfPerson } from '../../lambdas/store/licenses/of-person';
import type { LicenseFilter } from '../../lambdas/store/licenses/filter';
import { listLicenses } from '../../lambdas/store/licenses/list';
import { getLicenseWithDevices, MAX_ROWS } from '../../lambdas/store/licenses/read';
import { walkLicenses } from '../../lambdas/store/licenses/walk';
import { add } from '../../lambdas/store/stats/count';
import { transact } from '../../lambdas/store/transaction';
import { captureLogs } from '../support/logs';
import { cloneLicense } from '../support/many-licenses';
import { messageOf, startEventHarness, type EventHarness, type Product } from '../support/event-harness';
import type { Harness } from '../support/harness';
import { intercept } from '../support/intercept';
import { ownTable } from '../support/own-table';
import { clockStart } from '../support/start';

/** Lists must be complete with any page size, any size of the table's responses, and any limit on the rows that one call reads. */

captureLogs();
/** Ends the response to each query after n rows, as DynamoDB does after 1 MB, and counts the requested rows and the read rows. */
interface Knife {
  most: number;
  rows: number;
  readonly limits: unknown[];
  queries: number;
}
function cutAnswers({ client }: Harness): Knife {
  const knife: Knife = { most: Infinity, rows: 0, limits: [], queries: 0 };
  intercept(client, async ({ operation, input }, next) => {
    if (operation !== 'Query') return next();
    knife.queries += 1;
    knife.limits.push(input['Limit']);
    if (knife.most < Infinity) input['Limit'] = Math.min(knife.most, (input['Limit'] as number | undefined) ?? Infinity);
    const output = (await next()) as { ScannedCount: number };
    knife.rows += output.ScannedCount;
    return output;
  });
  return knife;
}

/** Reads all pages of a list by following its links; calls `onPage` after each. */
async function walk<Row>(
  service: Harness,
  name: string,
  id: number,
  query: Readonly<Record<string, string>>,
  onPage: () => void = () => undefined,
): Promise<Row[][]> {
  const pages: Row[][] = [];
  for (let next: Readonly<Record<string, string>> | undefined = query; next; ) {
    const { status, body, headers } = await service.call(name, { params: { id }, query: next });
    expect({ status, body, pages: pages.length < 100 }).toMatchObject({ status: 200, pages: true });
    onPage();
    pages.push(body as unknown as Row[]);
    const link: string | undefined = headers['Link'];
    next = link === undefined ? undefined : Object.fromEntries(new URL(link.slice(1, link.indexOf('>')), 'http://x').searchParams);
  }
  return pages;
}

/**
 * Divides rows into the expected pages. Every page except the last has the requested number of rows, and only a list without rows has an
 * empty page.
 */
function inPages<Row>(rows: readonly Row[], limit: number): Row[][] {
  const pages = Array.from({ length: Math.ceil(rows.length / limit) }, (_, page) => rows.slice(page * limit, (page + 1) * limit));
  return pages.length > 0 ? pages : [[]];
}

const times = <T>(count: number, make: (place: number) => Promise<T>): Promise<T[]> =>
  Array.from({ length: count }, (_, place) => place).reduce<Promise<T[]>>(
    async (made, place) => [...(await made), await make(place)],
    Promise.resolve([]),
  );

let service: EventHarness;
let knife: Knife;
/** The licenses that `sell` created. All tests use them, and no test changes them. */
let sale: { readonly product: Product; readonly other: number; readonly sold: readonly Sold[] };
/** The tests use a separate table, because the list of products contains all products of a table. */
beforeAll(async () => {
  service = startEventHarness(await ownTable());
  knife = cutAnswers(service);
  sale = await sell();
});
beforeEach(() => Object.assign(knife, { most: Infinity, rows: 0, queries: 0 }));
afterAll(() => service.close());

/** The maximum number of devices that a license shows in this test. It is reduced, so that the test needs few devices. */
const MOST = 7;
test('devices that a reset freed, no matter how many, hide no device that was bound after the reset', async () => {
  const product = await service.newProduct();
  const { id, key } = await product.license();
  const old = Array.from({ length: MOST + 1 }, (_, place) => `fingerprint-${place}`);
  for (const device of old) await product.activate(key, device);
  const { table } = service.app;
  knife.most = 3;
  /** The devices that the license shows alone, and in lists in both orders. */
  const devices = async (): Promise<unknown[]> => {
    const alone = await getLicenseWithDevices(table, { productId: product.id, key }, MOST);
    const list = (order: 'asc' | 'desc') => walkLicenses(table, product.id, {}, { order, past: 0 }, 50, MAX_ROWS, MOST);
    const views = [alone, ...(await list('asc')).licenses, ...(await list('desc')).licenses];
    return views.map((license) => license?.devices.map(({ fingerprint }) => fingerprint).sort());
  };
  // The license has one device more than it shows.
  expect((await devices()).map((shownDevices) => (shownDevices as unknown[]).length)).toEqual([MOST, MOST, MOST]);

  await service.ok('resetLicense', { params: { id } });
  // In ascending order, `fingerprint-zlast` comes after all freed devices, and `fingerprint--first` before them. In descending order,
  // `fingerprint--first` comes after them.
  await product.activate(key, 'fingerprint-zlast');
  expect(await devices()).toEqual(Array(3).fill(['fingerprint-zlast']));
  await product.activate(key, 'fingerprint--first');
  expect(await devices()).toEqual(Array(3).fill(['fingerprint--first', 'fingerprint-zlast']));
});

test('the index may still contain licenses that the buyer no longer has; the list continues after them', async () => {
  const own = startEventHarness(service.app.table.name);
  const product = await own.newProduct();
  const oldest = await product.license({ customer_email: ADA });
  const moved = await times(3, () => product.license({ customer_email: ADA }));
  for (const { id } of moved) await own.ok('updateLicense', { params: { id }, body: { customer_email: 'eve@example.com' } });
  const late = [...moved.reverse(), oldest].map(({ id, key }) => ({ ...licenseKey(product.id, key), email_sk: listPosition(id) }));
  intercept(own.client, async ({ operation, input }, next) =>
    operation === 'Query' && input['IndexName'] === 'email' ? { Items: late.map((key) => marshall(key)) } : next(),
  );
  const { licenses } = await listOfPerson(
    own.app.table,
    { product_id: product.id, address: ADA },
    { order: 'desc', past: 0 },
    2,
    'licenses',
  );
  expect(licenses.map(({ license }) => license.id)).toEqual([oldest.id]);
  own.close();
});

interface Sold {
  readonly id: number;
  readonly key: string;
  readonly devices: readonly string[];
  readonly isFull: boolean;
  readonly place: number;
  readonly type: number;
  readonly status: 'active' | 'revoked';
  readonly email: string | null;
}

const ADA = 'Ada@Example.com';
const DAY = 86_400_000;
/** The date of sale (`created_at`) of the license that is created first. */
const SOLD = Math.floor(clockStart() / DAY) * DAY - DAY;

/** The number of bound devices of each license that `sell` creates. The last two licenses also have devices that a reset freed. */
const BOUND = [3, 0, 1, 2, 4, 0];
/**
 * Creates licenses of two types. Some licenses are revoked, and some belong to the buyer Ada. After each of these licenses, the function
 * creates a license of another product.
 */
async function sell(): Promise<{ product: Product; other: number; sold: Sold[] }> {
  const [product, neighbour] = [await service.newProduct(), await service.newProduct()];
  const { id: other } = await service.ok<{ id: number }>('createLicenseType', {
    params: { id: product.id },
    body: { name: 'Other', kind: 'lifetime' },
  });
  const sold = await times(BOUND.length, async (place): Promise<Sold> => {
    const [type, email] = [place % 2 ? other : product.typeId, place % 3 ? ADA : null];
    const devices = Array.from({ length: BOUND[place]! }, (_, device) => `fingerprint-${device}`);
    // An import may set any date of sale. Here the license that is created last has the earliest date.
    const created_at = new Date(SOLD - place * DAY).toISOString();
    const isFull = place % 2 === 0 && devices.length > 0;
    const { id, key } = await product.license({
      license_type_id: type,
      customer_email: email,
      created_at,
      max_seats: isFull ? devices.length : null,
    });
    if (place >= 4) {
      for (const device of ['fingerprint-+', 'fingerprint-1', 'fingerprint-x']) await product.activate(key, device);
      await service.ok('resetLicense', { params: { id } });
    }
    for (const device of devices) await product.activate(key, device);
    const status = place % 4 === 1 ? 'revoked' : 'active';
    if (status === 'revoked') await service.ok('revokeLicense', { params: { id } });
    await neighbour.activate((await neighbour.license({ customer_email: ADA })).key, 'fingerprint-0');
    return { id, key, devices, isFull, place, type, status, email };
  });
  return { product, other, sold };
}

/** The fields of a license in a list. */
interface Shown {
  readonly id: number;
  readonly activations: readonly { readonly fingerprint: string }[];
}
const shown = ({ id, activations }: Shown): [number, string[]] => [id, activations.map(({ fingerprint }) => fingerprint).sort()];

describe('regardless of where the table cuts its responses, a list shows every row once, in order, in full pages', () => {
  test('licenses, each with all of its devices, in both orders and with every filter', async () => {
    const { product, other, sold } = sale;
    const filters: [Record<string, string>, (license: Sold) => boolean][] = [
      [{}, () => true],
      [{ status: 'active' }, ({ status }) => status === 'active'],
      [{ license_type_id: String(other) }, ({ type }) => type === other],
      [{ license_type_id: String(other), status: 'revoked' }, ({ type, status }) => type === other && status === 'revoked'],
      [{ license_type_id: '999' }, () => false],
      [{ customer_email: ADA.toUpperCase() }, ({ email }) => email === ADA],
      [{ customer_email: ADA, status: 'revoked' }, ({ email, status }) => email === ADA && status === 'revoked'],
      [{ customer_email: 'nobody@example.com' }, () => false],
      [{ seats: 'unused' }, ({ devices }) => devices.length === 0],
      [{ seats: 'full' }, ({ isFull }) => isFull],
      [{ seats: 'full', license_type_id: String(other) }, () => false],
      [{ customer_email: ADA, seats: 'full' }, ({ email, isFull }) => email === ADA && isFull],
      [
        { created_after: new Date(SOLD - 4 * DAY).toISOString(), created_before: new Date(SOLD).toISOString() },
        ({ place }) => place > 0 && place <= 4,
      ],
    ];
    const ways = [
      [1, 3],
      [3, 1],
      [50, 3],
    ] as const;
    for (const [direction, order] of ['asc', 'desc'].entries()) {
      for (const [turn, [filter, holds]] of filters.entries()) {
        const expected = sold.filter(holds).map(({ id, devices }): [number, string[]] => [id, [...devices]]);
        if (order === 'desc') expected.reverse();
        // Without a filter, the list is read in both sort orders with each pair of page size and table limit. With a filter, it is read in
        // each sort order with only one pair.
        for (const [limit, most] of turn === 0 ? ways : [ways[(turn + direction) % ways.length]!]) {
          knife.most = most;
          const pages = (await walk<Shown>(service, 'listLicenses', product.id, { ...filter, direction: order, limit: String(limit) })).map(
            (page) => page.map(shown),
          );
          expect({ order, filter, limit, most, pages }).toStrictEqual({ order, filter, limit, most, pages: inPages(expected, limit) });
        }
      }
    }
  });

  test('a single license with all of its devices', async () => {
    const { sold } = sale;
    for (const most of [1, 2, 3]) {
      knife.most = most;
      for (const { id, devices } of sold)
        expect(shown(await service.ok<Shown>('getLicense', { params: { id } }))).toEqual([id, [...devices]]);
    }
  });

  test('products, without reading the rows of later pages', async () => {
    const { id } = await service.newProduct();
    await expectPages(
      'listProducts',
      0,
      Array.from({ length: id }, (_, index) => index + 1),
      (product: { id: number }) => product.id,
    );
  });

  test('license types, without reading the rows of later pages', async () => {
    const { id, typeId } = await service.newProduct();
    await service.newProduct();
    const more = await times(6, async (place) =>
      service.ok<{ id: number }>('createLicenseType', { params: { id }, body: { name: `Type ${place}`, kind: 'lifetime' } }),
    );
    await expectPages('listLicenseTypes', id, [typeId, ...more.map((type) => type.id)], (type: { id: number }) => type.id);
  });

  test('the history of a license, newest first, without reading the rows of later pages', async () => {
    const product = await service.newProduct();
    const [license] = [await product.license(), await product.license()];
    for (let days = 1; days < 7; days += 1) await service.ok('renewLicense', { params: { id: license.id }, body: { days } });
    await expectPages('listLicenseEvents', license.id, [7, 6, 5, 4, 3, 2, 1], ({ license_id, payload }: DeliveryView) => {
      expect(license_id).toBe(license.id);
      return (payload as { data: { license: { sequence: number } } }).data.license.sequence;
    });
  });

  test('deliveries, newest first: all of them, or filtered by status, name or time', async () => {
    const { id, events } = await pastEvents();
    await expectPages(
      'listDeliveries',
      id,
      events.map((event) => event.id),
      (delivery: DeliveryView) => delivery.id,
    );
    const [middle = '', later = ''] = [events[5]?.created_at, events[2]?.created_at];
    const filters: [Record<string, string>, (event: (typeof events)[number]) => boolean][] = [
      ...(['pending', 'skipped', 'failed'] as const).map((status): (typeof filters)[number] => [
        { status },
        (event) => event.status === status,
      ]),
      [{ event: 'license.created' }, ({ event }) => event === 'license.created'],
      [{ event: 'license.renewed' }, ({ event }) => event === 'license.renewed'],
      [{ event: 'license.created', status: 'pending' }, ({ event, status }) => event === 'license.created' && status === 'pending'],
      [{ created_after: middle, created_before: later }, ({ created_at: at }) => at >= middle && at < later],
      [{ created_before: middle, event: 'license.created' }, ({ created_at: at, event }) => at < middle && event === 'license.created'],
      [{ created_after: later, created_before: middle }, () => false],
    ];
    for (const [turn, [filter, holds]] of filters.entries()) {
      const expected = events.filter(holds).map((event) => event.id);
      // Each filter is tested with two page sizes, in rotation.
      for (const [place, limit] of (turn % 2 === 0 ? [1, 5] : [2, 50]).entries()) {
        const most = 1 + ((turn + place) % 3);
        knife.most = most;
        const pages = (await walk<DeliveryView>(service, 'listDeliveries', id, { ...filter, limit: String(limit) })).map((page) =>
          page.map((delivery) => delivery.id),
        );
        expect({ filter, limit, most, pages }).toStrictEqual({ filter, limit, most, pages: inPages(expected, limit) });
      }
    }
  });

  test('the numbers of an overview', async () => {
    const { product } = sale;
    // After this delivery, the sales are counted. All other events of the product are not counted yet.
    const sales = await product.deliveries({ event: 'license.created' });
    await service.deliver(...sales.map(({ id }) => messageOf(id)));
    // These numbers are in the same shard, so its rows do not fit into one response.
    const today = dateOf(service.now());
    await transact(service.app.table, [
      ...[product.typeId, sale.other].flatMap((type) => add({ key: typeStatsKey(product.id, 0, type), counts: { suspended: 1 } })),
      ...[today, dateOf(service.now() - DAY)].flatMap((date) => add({ key: dayStatsKey(product.id, 0, date), counts: { renewed: 1 } })),
    ]);
    const whole = await service.ok('getOverview', { params: { id: product.id } });
    knife.most = 1;
    expect(await service.ok('getOverview', { params: { id: product.id } })).toEqual(whole);
  });

  /** Expects a list's pages to contain these rows. Without a filter, the list must also read only a few rows more than it shows. */
  async function expectPages<Row, Shown>(name: string, id: number, rows: readonly Shown[], show: (row: Row) => Shown): Promise<void> {
    for (const [place, limit] of [1, 3, rows.length - 1, rows.length, rows.length + 1].entries()) {
      for (const most of place === 0 ? [1, 3] : [place % 2 === 0 ? 1 : 3]) {
        knife.most = most;
        knife.rows = 0;
        const read: number[] = [];
        const pages = await walk<Row>(service, name, id, { limit: String(limit) }, () => read.push(knife.rows) && (knife.rows = 0));
        expect({ limit, most, pages: pages.map((page) => page.map(show)) }).toStrictEqual({ limit, most, pages: inPages(rows, limit) });
        expect(Math.max(...read)).toBeLessThanOrEqual(limit + most);
      }
    }
  }
});

/** A URL at which no server listens, so that the events for it stay pending. */
const NOWHERE = 'http://127.0.0.1:9/';

/** The product and the events that `happen` creates, once for all tests, because no test changes them. */
let happened: ReturnType<typeof happen> | undefined;
const pastEvents = (): ReturnType<typeof happen> => (happened ??= happen());
/** Creates a product and its events, newest first, some of them at the same instant. Every third event is skipped. */
async function happen(): Promise<{ id: number; events: { id: string; event: string; status: string; created_at: string }[] }> {
  const [product, neighbour] = [await service.newProduct(), await service.newProduct()];
  let first = 0;
  for (let place = 0; place < 9; place += 1) {
    await product.setWebhook(place % 3 === 1 ? '' : NOWHERE);
    const { id } =
      place === 4
        ? await service.ok<{ id: number }>('renewLicense', { params: { id: first }, body: { days: 1 } })
        : await product.license();
    if (place === 0) first = id;
    const [newest] = await product.deliveries();
    if (place % 3 === 1) await service.deliver({ body: JSON.stringify({ event_id: newest?.id }), at: 0 });
    await neighbour.license();
    if (place % 2) service.advance(1);
  }
  const events = (await product.deliveries()).map(({ id, event, status, created_at }) => ({
    id,
    event,
    status,
    created_at,
    position: `${created_at} ${id}`,
  }));
  expect(events.map(({ status }) => status).sort()).toEqual([...Array<string>(6).fill('pending'), ...Array<string>(3).fill('skipped')]);
  return { id: product.id, events: events.sort((a, b) => (a.position < b.position ? 1 : -1)) };
}

describe('no matter how little one call may read, following the pages finds every row once and makes progress with each page', () => {
  const budgets = [1, 2, 3, 4, 5, 6, 7];
  /** Without a filter (turn 0), all budgets are tested. With a filter, each order has every fourth budget, but not the same ones. */
  const budgetsOf = (turn: number, order: 'asc' | 'desc'): number[] =>
    budgets.filter((budget) => turn === 0 || (turn + budget + (order === 'asc' ? 0 : 2)) % 4 === 0);
  /**
   * Pairs of numbers: the number of rows after which the table ends a response, and the page size. Each filter is tested with some of these
   * pairs, in rotation.
   */
  const ways = [
    [1, 50],
    [2, 2],
    [3, 1],
  ] as const;

  test.each(['asc', 'desc'] as const)('licenses, each with all of its devices (%s)', async (order) => {
    const { product, other, sold } = sale;
    const filters: [LicenseFilter, (license: Sold) => boolean][] = [
      [{}, () => true],
      [{ status: 'revoked' }, ({ status }) => status === 'revoked'],
      [{ license_type_id: other }, ({ type }) => type === other],
      [{ customer_email: ADA }, ({ email }) => email === ADA],
      [{ customer_email: ADA, status: 'active' }, ({ email, status }) => email === ADA && status === 'active'],
      [{ seats: 'full', status: 'active' }, ({ isFull, status }) => isFull && status === 'active'],
      // Lifetime licenses never expire.
      [{ expires_after: 0 }, ({ type }) => type !== other],
    ];
    for (const [turn, [filter, holds]] of filters.entries()) {
      const expected = sold.filter(holds).map(({ id, devices }): [number, string[]] => [id, [...devices]]);
      if (order === 'desc') expected.reverse();
      for (const maxRows of budgetsOf(turn, order)) {
        const [most, limit] = ways[(turn + maxRows) % ways.length]!;
        knife.most = most;
        const found: [number, string[]][] = [];
        let pages = 0;
        for (let past: number | undefined = 0; past !== undefined; pages += 1) {
          const page = await listLicenses(service.app.table, product.id, filter, { order, past }, limit, maxRows);
          expect(page.licenses.length).toBeLessThanOrEqual(limit);
          found.push(
            ...page.licenses.map(({ license, devices }): [number, string[]] => [
              license.id,
              devices.map(({ fingerprint }) => fingerprint).sort(),
            ]),
          );
          if (page.next !== undefined && past !== 0) expect(order === 'asc' ? page.next - past : past - page.next).toBeGreaterThan(0);
          if (page.next !== undefined) expect(page.next).toBeGreaterThan(0);
          past = page.next;
        }
        expect({ filter, maxRows, most, limit, found }).toStrictEqual({ filter, maxRows, most, limit, found: expected });
        // With a limit of a few rows per call, the list must need several calls.
        if (maxRows <= 3) expect(pages).toBeGreaterThan(1);
      }
    }
  });

  test('licenses with a status that only few licenses have, in both orders', async () => {
    const { client, name: TableName } = service.app.table;
    const product = await service.newProduct();
    const first = await product.license();
    // These ids are far above the ids that the service assigns in other tests.
    const all = [first, ...(await cloneLicense(service.app.table, first, 59, (place) => ({ id: 1_000_000 + place })))];
    // The neighbours of the revoked licenses have devices too, and in descending order a page may end between a device and its license.
    for (const place of [2, 3, 4, 31, 33]) {
      for (const device of ['one', 'two']) await product.activate(all[place]!.key, `fingerprint-${device}`);
    }
    const revoked = [3, 31, 32, 59].map((place) => all[place]!);
    for (const { key } of revoked)
      await client.send(
        new UpdateCommand({
          TableName,
          Key: licenseKey(product.id, key),
          UpdateExpression: 'SET #status = :revoked',
          ExpressionAttributeNames: { '#status': 'status' },
          ExpressionAttributeValues: { ':revoked': 'revoked' },
        }),
      );
    const ascending = revoked.map(({ id }, index): [number, number] => [id, index < 2 ? 2 : 0]);
    const pagesOf = async (order: 'asc' | 'desc', limit: number, maxRows?: number): Promise<[number, number][][]> => {
      const pages: [number, number][][] = [];
      for (let past: number | undefined = 0; past !== undefined; ) {
        const page = await listLicenses(service.app.table, product.id, { status: 'revoked' }, { order, past }, limit, maxRows);
        pages.push(page.licenses.map(({ license, devices }) => [license.id, devices.length]));
        past = page.next;
      }
      return pages;
    };
    const limits = [1, 2, 50];
    for (const [turn, order] of (['asc', 'desc'] as const).entries()) {
      const expected = order === 'asc' ? ascending : ascending.toReversed();
      // In each order, each number of rows and each page size is tested, in other pairs than in the other order.
      for (const [place, most] of [1, 2, 3, 7, Infinity].entries()) {
        const limit = limits[(place + turn) % limits.length]!;
        knife.most = most;
        const found = await pagesOf(order, limit);
        expect({ order, most, limit, found }).toStrictEqual({ order, most, limit, found: inPages(expected, limit) });
      }
      // With these numbers of rows, a call may also end between the devices of a revoked license, or between its devices and the license.
      knife.most = 1;
      for (const maxRows of [33, 34]) {
        const found = (await pagesOf(order, 1, maxRows)).flat();
        expect({ order, maxRows, found }).toStrictEqual({ order, maxRows, found: expected });
      }
    }
  });

  test('deliveries', async () => {
    const { id, events } = await pastEvents();
    for (const [turn, status] of ([undefined, 'pending', 'skipped', 'failed'] as const).entries()) {
      for (const maxRows of budgetsOf(turn, 'desc')) {
        const [most, limit] = ways[(turn + maxRows) % ways.length]!;
        knife.most = most;
        const found: string[] = [];
        let past: string | undefined;
        do {
          const page: Awaited<ReturnType<typeof listDeliveries>> = await listDeliveries(
            service.app.table,
            id,
            { status },
            past,
            limit,
            maxRows,
          );
          expect(page.deliveries.length).toBeLessThanOrEqual(limit);
          found.push(...page.deliveries.map((delivery) => delivery.id));
          if (past !== undefined && page.next !== undefined) expect(page.next < past).toBe(true);
          past = page.next;
        } while (past !== undefined);
        expect({ status, maxRows, most, limit, found }).toStrictEqual({
          status,
          maxRows,
          most,
          limit,
          found: events.filter((event) => (status ?? event.status) === event.status).map((event) => event.id),
        });
      }
    }
  });

  test('a call ends after it has read its maximum number of rows, even if it has found no match', async () => {
    const product = await service.newProduct();
    await times(9, () => product.license());
    knife.most = 1;
    for (const maxRows of budgets) {
      const calls = [
        () => listLicenses(service.app.table, product.id, { license_type_id: 999 }, { order: 'asc', past: 0 }, 50, maxRows),
        () => listLicenses(service.app.table, product.id, { license_type_id: 999 }, { order: 'desc', past: 0 }, 50, maxRows),
        () => listLicenses(service.app.table, product.id, { seats: 'full' }, { order: 'desc', past: 0 }, 50, maxRows),
        // In descending order a license comes after its devices, and may be the last row that is read.
        () => listLicenses(service.app.table, product.id, {}, { order: 'desc', past: 0 }, 50, maxRows),
        () => listDeliveries(service.app.table, product.id, { status: 'failed' }, undefined, 50, maxRows),
      ];
      for (const call of calls) {
        knife.rows = 0;
        expect((await call()).next).toBeDefined();
        expect(knife.rows).toBe(maxRows);
      }
    }
  });
});

describe('the cost of a list depends only on the rows that it shows', () => {
  test('a page first requests about a page of rows from the table, even with a filter', async () => {
    const product = await service.newProduct();
    await product.license();
    const asked = async (name: string, query: Readonly<Record<string, string>>): Promise<unknown[]> => {
      knife.limits.length = 0;
      await service.ok(name, { params: { id: product.id }, query: { limit: '3', ...query } });
      return [...knife.limits];
    };
    // Each device of a license is a separate row, so the store requests more than 3 rows to fill a page of 3 licenses.
    expect(await asked('listLicenses', {})).toStrictEqual([56]);
    expect(await asked('listDeliveries', {})).toStrictEqual([4]);
    for (const [filter, value] of [
      ['status', 'active'],
      ['license_type_id', String(product.typeId)],
    ] as const)
      expect(await asked('listLicenses', { [filter]: value })).toStrictEqual([56]);
    expect(await asked('listDeliveries', { status: 'pending' })).toStrictEqual([4]);
    expect(await asked('listPayments', {})).toStrictEqual([4]);
  });

  test('a page does not read the devices of the previous page again', async () => {
    const product = await service.newProduct();
    const [first, second] = [await product.license(), await product.license()];
    for (let device = 0; device < 5; device += 1) await product.activate(first.key, `fingerprint-${device}`);
    const rows: number[] = [];
    knife.rows = 0;
    const pages = await walk<Shown>(
      service,
      'listLicenses',
      product.id,
      { limit: '1', status: 'active' },
      () => rows.push(knife.rows) && (knife.rows = 0),
    );
    expect(pages.map((page) => page.map(({ id }) => id))).toEqual([[first.id], [second.id]]);
    expect(rows).toEqual([7, 1]);
  });

  test('a license is found by its key or its buyer without reading all others', async () => {
    const { product, other, sold } = sale;
    const { id, key, devices } = sold[3]!;
    knife.rows = knife.queries = 0;
    expect((await service.ok<Shown[]>('listLicenses', { params: { id: product.id }, query: { key } })).map(shown)).toEqual([
      [id, [...devices]],
    ]);
    expect([knife.queries, knife.rows]).toEqual([1, 1 + devices.length]);
    knife.rows = knife.queries = 0;
    expect(await service.ok('listLicenses', { params: { id: product.id }, query: { customer_email: 'nobody@example.com' } })).toEqual([]);
    expect([knife.queries, knife.rows]).toEqual([1, 0]);

    // Devices of licenses that don't match must not be read.
    const filters: [string, string, (license: Sold) => boolean][] = [
      ['status', 'revoked', ({ status }) => status === 'revoked'],
      ['license_type_id', String(other), ({ type }) => type === other],
    ];
    for (const [filter, value, holds] of filters) {
      const found = sold.filter((license) => license.email === ADA && holds(license));
      knife.queries = 0;
      const query = { customer_email: ADA, [filter]: value };
      expect((await service.ok<Shown[]>('listLicenses', { params: { id: product.id }, query })).map(shown)).toEqual(
        found.map((license) => [license.id, [...license.devices]]),
      );
      expect(knife.queries).toBe(1 + found.length);
    }
  });

  test('if a buyer has hundreds of licenses, the licenses that match a filter are found, wherever they are in the list', async () => {
    const product = await service.newProduct();
    const first = await product.license({ customer_email: ADA });
    const places = [0, 99, 100, 150, 200];
    await cloneLicense(service.app.table, first, 200, (place) => ({ status: places.includes(place + 1) ? 'revoked' : 'active' }));
    await service.ok('revokeLicense', { params: { id: first.id } });
    const found = places.map((place) => first.id + place);
    const query = { customer_email: ADA, status: 'revoked' };
    for (const limit of [2, 50])
      expect(
        (await walk<Shown>(service, 'listLicenses', product.id, { ...query, limit: String(limit) })).map((page) =>
          page.map(({ id }) => id),
        ),
      ).toStrictEqual(inPages(found, limit));
    expect(
      (await service.ok<Shown[]>('listLicenses', { params: { id: product.id }, query: { ...query, direction: 'desc' } })).map(
        ({ id }) => id,
      ),
    ).toStrictEqual(found.toReversed());
  });
});

test('a search by key has one page: a cursor at its license, or past it, finds nothing', async () => {
  const { product, sold } = sale;
  const { id, key } = sold[4]!;
  const found = async (direction: string, past: number): Promise<number[]> => {
    const query = { key, direction, cursor: Buffer.from(String(past)).toString('base64url') };
    return (await service.ok<Shown[]>('listLicenses', { params: { id: product.id }, query })).map((license) => license.id);
  };
  expect([await found('asc', id - 1), await found('asc', id), await found('asc', id + 1)]).toEqual([[id], [], []]);
  expect([await found('desc', id + 1), await found('desc', id), await found('desc', id - 1)]).toEqual([[id], [], []]);
});

describe('rows that change while a list is read are shown in their new state, or not at all', () => {
  /** Runs a function between the read of the index and the read of the rows. */
  function beforeTheRows(happens: () => Promise<unknown>): void {
    let done = false;
    intercept(service.client, async ({ operation }, next) => {
      if (operation === 'BatchGetItem' && !done) {
        done = true;
        await happens();
      }
      return next();
    });
  }
  const quiet = (): EventHarness => startEventHarness(service.app.table.name, { clock: () => service.now() });

  test('a license that is revoked meanwhile is not listed among the active licenses', async () => {
    const product = await service.newProduct();
    const [first, second] = [await product.license(), await product.license()];
    const other = quiet();
    beforeTheRows(() => other.ok('revokeLicense', { params: { id: first.id } }));
    // The test calls the store instead of the endpoint. The process has only one app for requests, so the request of `other` would replace
    // the app of a request in progress.
    const { licenses } = await listLicenses(service.app.table, product.id, { status: 'active' }, { order: 'asc', past: 0 }, 50);
    expect(licenses.map(({ license }) => license.id)).toStrictEqual([second.id]);
    other.close();
  });

  test('an event that is delivered or skipped meanwhile is not listed among the pending events', async () => {
    const product = await service.newProduct(NOWHERE);
    await product.license();
    await product.license();
    const [second, first] = await product.deliveries();
    await product.setWebhook('');
    const other = quiet();
    beforeTheRows(() => other.deliver({ body: JSON.stringify({ event_id: first?.id }), at: 0 }));
    const { deliveries } = await listDeliveries(service.app.table, product.id, { status: 'pending' }, undefined, 50);
    expect(deliveries.map(({ id }) => id)).toStrictEqual([second?.id]);
    other.close();
  });

  test('an event that expires meanwhile, after its thirty days, is left out', async () => {
    const product = await service.newProduct();
    await product.license();
    await product.license();
    const [second, first] = await product.deliveries();
    const other = quiet();
    beforeTheRows(() => other.client.send(new DeleteCommand({ TableName: service.app.table.name, Key: eventKey(first!.id) })));
    const { deliveries } = await listDeliveries(service.app.table, product.id, {}, undefined, 50);
    expect(deliveries.map(({ id }) => id)).toStrictEqual([second!.id]);
    other.close();
  });
});
