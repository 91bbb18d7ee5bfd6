import { BatchWriteItemCommand } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { partitions } from '../../lambdas/contract/access';
import { MAX_EXPIRIES_READ } from '../../lambdas/contract/overview';
import type { LicenseView } from '../../lambdas/contract/resources';
import { DAY_MS } from '../../lambdas/domain/time';
import { chunks } from '../../lambdas/store/chunks';
import { encode } from '../../lambdas/store/codec';
import { DAY_PREFIX } from '../../lambdas/store/keys';
import { startEventHarness, type EventHarness, type Product } from '../support/event-harness';
import { countCalls, Fuse } from '../support/faults';
import { captureLogs } from '../support/logs';
import { ownTable } from '../support/own-table';
import { startReceiver, type Receiver } from '../support/receiver';
import { untilNoon } from '../support/start';
import { everyRow } from '../support/table';

/** The overview must count every event, and no event twice. */

captureLogs();
const DAY = 86_400_000;

interface Overview {
  readonly licenses: readonly {
    readonly lapsed: number;
    readonly expiring: number;
    readonly capped: boolean;
    readonly license_type_id: number;
    readonly active: number;
    readonly suspended: number;
    readonly expired: number;
    readonly revoked: number;
  }[];
  readonly days: readonly {
    readonly date: string;
    readonly issued: number;
    readonly renewed: number;
    readonly activations: number;
    readonly delivered: number;
    readonly failed: number;
    readonly skipped: number;
  }[];
  readonly expiring_days: readonly { readonly date: string; readonly expiring: number; readonly capped: boolean }[];
}

let table: string;
let backend: Receiver;
let service: EventHarness;
let product: Product;
beforeEach(async () => {
  table = await ownTable();
  backend = await startReceiver();
  service = startEventHarness(table);
  // The clock starts at noon, so that all times of a test are on the same day.
  service.advance(untilNoon(service.now()));
  product = await service.newProduct(backend.url);
});
afterEach(async () => {
  service.close();
  await backend.close();
});

interface Deployment {
  readonly licenses: Readonly<Record<string, number>>;
  readonly days: Overview['days'];
  readonly products?: readonly {
    readonly product_id: number;
    readonly issued: number;
    readonly renewed: number;
    readonly failed: number;
  }[];
  readonly attention?: readonly object[];
}
/** The UTC date of today, or of an earlier day. */
const dateOfDay = (daysAgo = 0): string => new Date(service.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
const deployment = (
  query: { readonly days?: string; readonly date?: string; readonly include?: string } = {},
  token?: string,
): Promise<Deployment> =>
  service.ok<Deployment>('getDeploymentOverview', { query, ...(token !== undefined && { headers: { 'X-Svc-Admin-Token': token } }) });
const overview = (days?: number): Promise<Overview> =>
  service.ok<Overview>('getOverview', { params: { id: product.id }, ...(days !== undefined && { query: { days: String(days) } }) });
/** The numbers of devices and deliveries that the overview shows for today. Issued and renewed licenses are tested separately. */
const today = async (): Promise<Omit<Overview['days'][number], 'date' | 'issued' | 'renewed'>> => {
  const { date, issued: _, renewed: __, ...counts } = (await overview()).days.at(-1)!;
  expect(date).toBe(new Date(service.now()).toISOString().slice(0, 10));
  return counts;
};
const device = (letter: string): string => letter.repeat(64);
const revoke = ({ id }: LicenseView) => service.ok('revokeLicense', { params: { id } });

/** Counts licenses and deliveries in the lists. The overview must show the same numbers. */
async function counted(): Promise<{
  active: number;
  suspended: number;
  expired: number;
  revoked: number;
  issued: number;
  renewed: number;
  activations: number;
  delivered: number;
  failed: number;
  skipped: number;
}> {
  const licenses = await service.ok<LicenseView[]>('listLicenses', { params: { id: product.id } });
  const deliveries = await product.deliveries();
  const of = (status: string): number => deliveries.filter((delivery) => delivery.status === status).length;
  const having = (status: string): number => licenses.filter((license) => license.status === status).length;
  return {
    active: having('active'),
    suspended: having('suspended'),
    expired: having('expired'),
    revoked: having('revoked'),
    issued: deliveries.filter(({ event }) => event === 'license.created').length,
    renewed: deliveries.filter(({ event }) => event === 'license.renewed').length,
    activations: deliveries.filter(({ event }) => event === 'license.activated').length,
    delivered: of('delivered'),
    failed: of('failed'),
    skipped: of('skipped'),
  };
}

async function shown(): ReturnType<typeof counted> {
  const { licenses, days } = await overview();
  const sum = <Name extends string>(rows: readonly Readonly<Record<Name, number>>[], name: Name): number =>
    rows.reduce((total, row) => total + row[name], 0);
  return {
    active: sum(licenses, 'active'),
    suspended: sum(licenses, 'suspended'),
    expired: sum(licenses, 'expired'),
    revoked: sum(licenses, 'revoked'),
    issued: sum(days, 'issued'),
    renewed: sum(days, 'renewed'),
    activations: sum(days, 'activations'),
    delivered: sum(days, 'delivered'),
    failed: sum(days, 'failed'),
    skipped: sum(days, 'skipped'),
  };
}

test('a new product has thirty empty days and no licenses', async () => {
  const { licenses, days } = await overview();
  expect(licenses).toEqual([]);
  expect(days).toHaveLength(30);
  expect(new Set(days.map(({ date }) => date)).size).toBe(30);
  expect(await shown()).toEqual({
    active: 0,
    suspended: 0,
    expired: 0,
    revoked: 0,
    issued: 0,
    renewed: 0,
    activations: 0,
    delivered: 0,
    failed: 0,
    skipped: 0,
  });
});

test('a license is counted under its current status, through its whole life', async () => {
  const license = await product.license();
  await service.run();
  expect((await overview()).licenses).toEqual([
    { license_type_id: product.typeId, active: 1, suspended: 0, expired: 0, revoked: 0, lapsed: 0, expiring: 0, capped: false },
  ]);

  service.advance(366 * DAY);
  await product.validate(license.key, device('a'));
  await service.run();
  expect((await overview()).licenses).toEqual([
    { license_type_id: product.typeId, active: 0, suspended: 0, expired: 1, revoked: 0, lapsed: 0, expiring: 0, capped: false },
  ]);

  await service.ok('renewLicense', { params: { id: license.id } });
  await service.run();
  expect((await overview()).licenses).toEqual([
    { license_type_id: product.typeId, active: 1, suspended: 0, expired: 0, revoked: 0, lapsed: 0, expiring: 0, capped: false },
  ]);

  await revoke(license);
  await revoke(license);
  await service.run();
  expect((await overview()).licenses).toEqual([
    { license_type_id: product.typeId, active: 0, suspended: 0, expired: 0, revoked: 1, lapsed: 0, expiring: 0, capped: false },
  ]);
});

test('licenses that have expired unnoticed, and those that expire within 30 days, are counted by type', async () => {
  const at = (days: number): string => new Date(service.now() + days * DAY).toISOString();
  const licenses = [];
  for (const days of [1, 2, 29, 31, 60]) licenses.push(await product.license({ expires_at: at(days) }));
  await product.license({ expires_at: at(3) }).then(revoke);
  await service.run();
  const counts = async () => (await overview()).licenses[0];
  expect(await counts()).toMatchObject({ active: 5, lapsed: 0, expiring: 3, capped: false });
  service.advance(2 * DAY + 1);
  expect(await counts()).toMatchObject({ active: 5, lapsed: 2, expiring: 2, capped: false });
  await product.validate(licenses[0]!.key, device('a'));
  expect(await counts()).toMatchObject({ lapsed: 1 });
});

test('issued and renewed licenses are counted by day for up to the last 90 days, and expiring licenses for the same number of future days', async () => {
  const at = (days: number): string => new Date(service.now() + days * DAY).toISOString();
  const dateIn = (days: number): string => at(days).slice(0, 10);
  const license = await product.license({ expires_at: at(100) });
  await service.run();
  service.advance(80 * DAY);
  await product.license({ expires_at: at(3) });
  await product.license({ expires_at: at(89) });
  await product.license({ expires_at: at(3) }).then(revoke);
  await service.ok('renewLicense', { params: { id: license.id }, body: { days: 1 } });
  await service.run();

  const { days, expiring_days: ahead } = await overview(90);
  expect([days.length, ahead.length, ahead[0]?.date]).toEqual([90, 90, dateIn(0)]);
  const busy = days.filter(({ issued, renewed }) => issued + renewed > 0).map(({ date, issued, renewed }) => ({ date, issued, renewed }));
  expect(busy).toEqual([
    { date: dateIn(-80), issued: 1, renewed: 0 },
    { date: dateIn(0), issued: 3, renewed: 1 },
  ]);
  const ending = [
    { date: dateIn(3), expiring: 1, capped: false },
    { date: dateIn(21), expiring: 1, capped: false },
    { date: dateIn(89), expiring: 1, capped: false },
  ];
  expect(ahead.filter(({ expiring }) => expiring > 0)).toEqual(ending);
  expect((await overview(7)).expiring_days.map(({ date }) => date)).toEqual(ahead.slice(0, 7).map(({ date }) => date));
  expect((await overview(7)).days).toEqual(days.slice(-7));
  expect((await service.call('getOverview', { params: { id: product.id }, query: { days: '91' } })).status).toBe(422);

  const all = await deployment({ days: '90' });
  expect(all.days.map(({ date, issued, renewed }) => ({ date, issued, renewed }))).toEqual(
    days.map(({ date, issued, renewed }) => ({ date, issued, renewed })),
  );
  expect((await deployment()).days).toEqual(all.days.slice(-30));
  expect((await service.call('getDeploymentOverview', { query: { days: '91' } })).status).toBe(422);

  // A row that the previous version of the service wrote contains neither the number of issued nor the number of renewed licenses.
  const { client, name: TableName } = service.app.table;
  const rows = (await everyRow(table)).filter(({ pk, sk }) => String(pk).startsWith(partitions.stats) && String(sk).startsWith(DAY_PREFIX));
  for (const { pk, sk } of rows)
    await client.send(new UpdateCommand({ TableName, Key: { pk, sk }, UpdateExpression: 'REMOVE issued, renewed' }));
  expect((await overview(90)).days.map(({ date, issued, renewed, delivered }) => [date, issued + renewed, delivered])).toEqual(
    days.map(({ date, delivered }) => [date, 0, delivered]),
  );
});

/** Issues a license that expires `days` days from now, and writes copies of its row directly into the table. */
async function expireIn(days: number, copies: number): Promise<void> {
  const { id } = await product.license({ expires_at: new Date(service.now() + days * DAY).toISOString() });
  if (copies === 0) return;
  const { client, name: TableName } = service.app.table;
  const [row = {}] = (await everyRow(table)).filter((found) => found['sk'] === 'LICENSE' && found['id'] === id);
  // The row is encoded only once, because encoding thousands of rows takes longer than writing them. The copies are not in the lists of
  // licenses, because the overview doesn't read these lists, and each index makes writing slower.
  const encoded = encode(Object.fromEntries(Object.entries(row).filter(([name]) => !/^(list|email)_[ps]k$/.test(name))));
  const rows = Array.from({ length: copies }, (_, place) => ({
    ...encoded,
    pk: { S: `${String(row['pk'])}-${place}` },
    lookup_sk: { S: `${String(row['lookup_sk'])}-${place}` },
  }));
  for (const some of chunks(rows, 25))
    await client.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: some.map((Item) => ({ PutRequest: { Item } })) } }));
}
test('licenses whose expiry has passed are counted up to 100 in the list of products, and the response marks an incomplete number', async () => {
  await expireIn(-1, 100);
  const [listed] = await service.ok<{ expiring: object }[]>('listProducts', { query: { include: 'expiring' } });
  expect(listed?.expiring).toMatchObject({ lapsed: 100, lapsed_capped: true });
});

/** For each of the next four days: the number of licenses that expire on that day, and whether the number is incomplete. */
const nextDays = (days: Overview['expiring_days']): [number, boolean][] =>
  days.slice(0, 4).map(({ expiring, capped }) => [expiring, capped]);

test('expiring licenses are counted only up to about 1,000 by type and up to 4,000 by day, and the response marks the incomplete numbers', async () => {
  await expireIn(1, 1000);
  await service.run();
  const { licenses, expiring_days } = await overview();
  expect(licenses).toMatchObject([{ active: 1, lapsed: 0, expiring: 1000, capped: true }]);
  expect(nextDays(expiring_days)).toEqual([
    [0, false],
    [1001, false],
    [0, false],
    [0, false],
  ]);

  await expireIn(2, MAX_EXPIRIES_READ - 1000);
  await expireIn(3, 0);
  expect(nextDays((await overview()).expiring_days)).toEqual([
    [0, false],
    [1001, false],
    [MAX_EXPIRIES_READ - 1001, true],
    [0, true],
  ]);
  expect(nextDays((await overview(2)).expiring_days)).toEqual([
    [0, false],
    [1001, false],
  ]);
});

describe('the numbers of all products', () => {
  interface Listed {
    readonly id: number;
    readonly numbers: { readonly licenses: object; readonly failed_deliveries: number };
    readonly expiring?: object;
  }
  const list = (query: Readonly<Record<string, string>> = {}, token?: string) =>
    service.ok<readonly Listed[]>('listProducts', {
      query: { include: 'numbers', ...query },
      ...(token !== undefined && { headers: { 'X-Svc-Admin-Token': token } }),
    });
  const newToken = async (body: object): Promise<string> =>
    (await service.ok<{ token: string }>('createToken', { body: { name: 'Test', ...body } })).token;

  /**
   * Creates and changes licenses of three products at the same time. The receiver refuses the events `license.activated`, so their delivery
   * fails. The third product has no webhook, so its events are not posted.
   */
  async function storm(): Promise<Product[]> {
    const products = [product, await service.newProduct(backend.url), await service.newProduct()];
    backend.answer = ({ event }) => (event === 'license.activated' ? 500 : 200);
    await Promise.all(
      products.flatMap((of) =>
        Array.from({ length: 6 }, async (_, place) => {
          const license = await of.license();
          if (place % 2 === 0) await of.activate(license.key, device('a'));
          if (place % 3 === 0) await service.ok('renewLicense', { params: { id: license.id } });
          if (place === 0) await revoke(license);
          if (place === 1) await service.ok('suspendLicense', { params: { id: license.id } });
        }),
      ),
    );
    while (service.queue.length > 0) {
      // The deliveries finish at the same time, so several functions record their results simultaneously.
      const messages = service.queue.splice(0);
      service.advance(20_000);
      await Promise.all(Array.from({ length: 4 }, (_, part) => service.deliver(...messages.filter((_, place) => place % 4 === part))));
    }
    await service.recover();
    return products;
  }

  const sumOf = (rows: readonly object[], name: string): number =>
    rows.reduce((sum, row) => sum + Number((row as Readonly<Record<string, unknown>>)[name]), 0);
  const statuses = ['active', 'suspended', 'expired', 'revoked'];

  test("are the sums of the products' overviews, after many events at once; a token that is bound to a product sees only its numbers", async () => {
    const products = await storm();
    const own = await Promise.all(products.map(({ id }) => service.ok<Overview>('getOverview', { params: { id } })));
    const all = await deployment();
    for (const status of statuses)
      expect([status, all.licenses[status]]).toEqual([
        status,
        sumOf(
          own.flatMap(({ licenses }) => licenses),
          status,
        ),
      ]);
    for (const name of ['issued', 'renewed', 'activations', 'delivered', 'failed', 'skipped'])
      expect([name, sumOf(all.days, name)]).toEqual([
        name,
        sumOf(
          own.flatMap(({ days }) => days),
          name,
        ),
      ]);
    expect(all.days.at(-1)).toMatchObject({ issued: 18, renewed: 6, activations: 9, failed: 6 });
    const today = own.map(({ days }, place) => {
      const { issued, renewed, failed } = days.at(-1)!;
      return { product_id: products[place]!.id, issued, renewed, failed };
    });
    expect(all).not.toHaveProperty('products');
    const { products: named = [] } = await deployment({ date: dateOfDay() });
    expect(named.toSorted((a, b) => a.product_id - b.product_id)).toEqual(today);
    expect(named[0]!.failed).toBeGreaterThan(0);
    expect((await deployment({ date: dateOfDay(1) })).products).toEqual([]);
    expect((await service.call('getDeploymentOverview', { query: { date: 'today' } })).status).toBe(422);

    // The list of products shows the same numbers for each product.
    const listed = await list();
    expect(listed.map(({ id, numbers }) => [id, numbers])).toEqual(
      products.map(({ id }, place) => [
        id,
        {
          licenses: Object.fromEntries(statuses.map((status) => [status, sumOf(own[place]!.licenses, status)])),
          failed_deliveries: sumOf(own[place]!.days, 'failed'),
        },
      ]),
    );
    expect(await list({ limit: '1' })).toEqual(listed.slice(0, 1));
    expect((await service.ok<object[]>('listProducts'))[0]).not.toHaveProperty('numbers');

    const token = await newToken({ scopes: ['read'], product_id: product.id });
    const mine = await deployment({ date: dateOfDay() }, token);
    expect(mine.licenses).toEqual(Object.fromEntries(statuses.map((status) => [status, sumOf(own[0]!.licenses, status)])));
    expect(mine.days.map(({ date, issued, failed }) => [date, issued, failed])).toEqual(
      own[0]!.days.map(({ date, issued, failed }) => [date, issued, failed]),
    );
    expect(mine.products?.map(({ product_id }) => product_id)).toEqual([product.id]);
    expect((await list({}, token)).map(({ id, numbers }) => [id, numbers])).toEqual([[product.id, listed[0]!.numbers]]);
  });

  test('are shown only to a token with the scope read', async () => {
    const releases = { 'X-Svc-Admin-Token': await newToken({ scopes: ['releases'] }) };
    expect((await service.call('listProducts', { query: { include: 'numbers' }, headers: releases })).status).toBe(403);
    expect((await service.call('listProducts', { headers: releases })).status).toBe(200);
    expect((await service.call('listProducts', { query: { include: 'everything' } })).status).toBe(422);
  });

  test('name the products that need attention, with what failed and what expires soon', async () => {
    const at = (days: number): string => new Date(service.now() + days * DAY).toISOString();
    const quiet = await service.newProduct(backend.url);
    await quiet.license({ expires_at: at(6.4) });
    await quiet.license({ expires_at: at(6.6) });
    await quiet.license({ expires_at: at(-1) });
    await revoke(await quiet.license({ expires_at: at(-1) }));
    await revoke(await quiet.license({ expires_at: at(1) }));
    const trial = await service.ok<{ id: number }>('createLicenseType', {
      params: { id: quiet.id },
      body: { name: 'Trial', kind: 'trial', duration_days: 3, max_seats: 1 },
    });
    await quiet.license({ license_type_id: trial.id });
    await service.run();
    backend.answer = () => 500;
    await product.license({ expires_at: at(40) });
    for (let round = 0; service.queue.length > 0; round += 1) {
      service.advance(20_000);
      await service.deliver(...service.queue.splice(0));
    }
    const named = {
      product_id: product.id,
      name: product.name,
      failed_deliveries: 1,
      failed_mails: 0,
      held_sales: 0,
      rejecting_connections: 0,
    };
    const attention = async (token?: string) => (await deployment({ include: 'attention' }, token)).attention;
    expect(await attention()).toEqual([named]);
    expect(await attention(await newToken({ scopes: ['read'], product_id: product.id }))).toEqual([named]);
    expect(await attention(await newToken({ scopes: ['read'], product_id: quiet.id }))).toEqual([]);
    expect(await deployment()).not.toHaveProperty('attention');

    // The period ends at midnight UTC, before the seventh day after today. Now it is noon, so the license that expires in 6.6 days expires
    // at 2 a.m. on the seventh day, after the end of the period.
    const none = { licenses: 0, capped: false, unreadable: 0, lapsed: 0, lapsed_capped: false };
    expect((await list({ include: 'expiring' })).map(({ id, expiring }) => [id, expiring])).toEqual([
      [product.id, none],
      [quiet.id, { ...none, licenses: 1, lapsed: 1 }],
    ]);

    backend.answer = () => 200;
    await service.ok('redeliver', { params: { event_id: (await product.deliveries())[0]!.id } });
    await service.run();
    expect(await attention()).toEqual([]);
  });

  test('need the same number of queries for any number of products', async () => {
    const calls = countCalls(service.client);
    const queriesOf = async (request: () => Promise<unknown>): Promise<number> => {
      const before = calls['QueryCommand'] ?? 0;
      await request();
      return (calls['QueryCommand'] ?? 0) - before;
    };
    const attention = () => deployment({ include: 'attention' });
    for (const products of [1, 5]) {
      for (let more = products === 1 ? 0 : 1; more < products; more += 1) await (await service.newProduct(backend.url)).license();
      await service.run();
      // The deployment's overview needs one query for each of its 16 shards. A list of products needs two queries per shard for the
      // numbers, and one for the list itself.
      expect([products, await queriesOf(deployment), await queriesOf(list)]).toEqual([products, 16, 33]);
      // The list of products that need attention adds queries for the failures by product, for the held sales and for wrong
      // signatures.
      expect([products, await queriesOf(attention)]).toEqual([products, 34]);
    }
    expect((await deployment()).licenses['active']).toBe(5);
  });
});

test('an activation counts as soon as a device takes a seat, even if the webhook refuses its event', async () => {
  const license = await product.license();
  await product.activate(license.key, device('a'));
  await product.activate(license.key, device('a'));
  backend.answer = () => 500;
  await product.activate(license.key, device('b'));
  await service.run();
  expect(await today()).toMatchObject({ activations: 2, failed: 3 });
});

describe('an event that is sent again counts once: with its previous outcome until the new round ends, and then with the new outcome', () => {
  type End = 'delivered' | 'failed' | 'skipped';
  const ends: [End, End][] = [
    ['delivered', 'failed'],
    ['failed', 'delivered'],
    ['failed', 'failed'],
    ['delivered', 'delivered'],
    ['skipped', 'delivered'],
    ['skipped', 'failed'],
    ['delivered', 'skipped'],
    ['failed', 'skipped'],
  ];
  const counts = (end: End) => ({ activations: 0, downloads: 0, delivered: 0, failed: 0, skipped: 0, [end]: 1 });

  test.each(ends)('%s, then %s', async (first, then) => {
    backend.answer = () => (first === 'delivered' ? 200 : 500);
    // Without a webhook, licenses count and events are skipped.
    if (first === 'skipped') await product.setWebhook('');
    await product.license();
    await service.run();
    await service.sweep();
    expect(await today()).toEqual(counts(first));

    await product.setWebhook(backend.url);
    let refusals = then === 'delivered' ? 1 : Infinity;
    backend.answer = () => (refusals-- > 0 ? 500 : 200);
    const [event] = await product.deliveries();
    await service.ok('redeliver', { params: { event_id: event!.id } });
    expect(await today()).toEqual(counts(first));
    await service.deliver(service.queue.pop()!);
    expect(await product.deliveries()).toMatchObject([{ status: 'pending' }]);
    expect(await today()).toEqual(counts(first));

    if (then === 'skipped') await product.setWebhook('');
    await service.run();
    expect(await product.deliveries()).toMatchObject([{ status: then }]);
    const { licenses, days } = await overview();
    expect(days.at(-1)).toEqual({ date: dateOfDay(), issued: 1, renewed: 0, ...counts(then) });
    expect(licenses).toEqual([
      { license_type_id: product.typeId, active: 1, suspended: 0, expired: 0, revoked: 0, lapsed: 0, expiring: 0, capped: false },
    ]);
  });
});

test('license types are listed in the order of their ids, regardless of the order of sales', async () => {
  const params = { id: product.id };
  const types = [product.typeId];
  // Ids with one digit and with two digits must be in numeric order.
  for (let place = 0; place < 11; place += 1)
    types.push((await service.ok<{ id: number }>('createLicenseType', { params, body: { name: `Type ${place}`, kind: 'lifetime' } })).id);
  expect(new Set(types.map((id) => String(id).length)).size).toBeGreaterThan(1);
  for (const license_type_id of types.toReversed()) await product.license({ license_type_id });
  await service.run();
  const { licenses } = await overview();
  expect(licenses).toEqual(
    types.map((license_type_id) => ({
      license_type_id,
      active: 1,
      suspended: 0,
      expired: 0,
      revoked: 0,
      lapsed: 0,
      expiring: 0,
      capped: false,
    })),
  );
});

test('the numbers of a busy product are spread over many partitions, so that its events do not wait for one another', async () => {
  for (let place = 0; place < 24; place += 1) await product.license();
  await service.run();
  const hit = new Set(
    (await everyRow(table)).map(({ pk }) => String(pk)).filter((pk) => pk.startsWith(`${partitions.stats}${product.id}#`)),
  );
  // There are 16 partitions. It is practically impossible that 24 events use only five of them.
  expect(hit.size).toBeGreaterThanOrEqual(6);
});

test("yesterday's numbers stay unchanged, and disappear after thirty days", async () => {
  const license = await product.license();
  await product.activate(license.key, device('a'));
  await service.run();
  service.advance(DAY);
  expect((await overview()).days.at(-2)).toMatchObject({ activations: 1, delivered: 2 });
  expect(await today()).toMatchObject({ activations: 0, delivered: 0 });
  service.advance(29 * DAY);
  expect((await shown()).activations).toBe(0);
  expect((await shown()).active).toBe(1);
});

test('a crash at any moment of a delivery leaves every event counted exactly once', async () => {
  for (let at = 1, calls = Infinity; at <= calls + 1; at += 1) {
    const license = await product.license();
    await service.run();
    await product.activate(license.key, device('a'));
    await revoke(license);

    const fuse = new Fuse(calls === Infinity ? Infinity : at - 1);
    const dying = startEventHarness(table);
    fuse.putInto(dying.client);
    dying.advance(service.now() - dying.now());
    let refusals = 1;
    backend.answer = () => (refusals-- > 0 ? 500 : 200);
    dying.queue.push(...service.queue.splice(0));
    await dying.run();
    dying.close();
    service.advance(dying.now() - service.now());
    await service.recover();

    expect([at, await shown()]).toEqual([at, await counted()]);
    if (calls === Infinity) calls = fuse.calls;
  }
});

test('many events at once are all counted', async () => {
  const licenses = await Promise.all(Array.from({ length: 12 }, () => product.license()));
  await Promise.all(licenses.flatMap(({ key }) => ['a', 'b'].map((letter) => product.activate(key, device(letter)))));
  await Promise.all(licenses.slice(0, 5).map(revoke));
  for (let messages = service.queue.splice(0); messages.length > 0; messages = service.queue.splice(0))
    await service.deliver(...messages, ...messages);
  await service.recover();
  expect(await shown()).toEqual(await counted());
  expect((await shown()).revoked).toBe(5);
});

test('the overview costs the same for any number of licenses', async () => {
  await Promise.all(Array.from({ length: 20 }, () => product.license()));
  await service.run();
  const calls = countCalls(service.client);
  await overview();
  // The overview needs two queries for each shard, two for expiring licenses, and one each for the latest events and the revenue. It
  // reads the product and the audience with GetItem.
  expect(calls).toEqual({ QueryCommand: 36, GetItemCommand: 2 });
});

test('a license that moves to another type is counted under the new type, and no longer under the old type', async () => {
  const { id: other } = await service.ok<{ id: number }>('createLicenseType', {
    params: { id: product.id },
    body: { name: 'Other', kind: 'lifetime' },
  });
  const license = await product.license();
  const move = (typeId: number) => service.ok('updateLicense', { params: { id: license.id }, body: { license_type_id: typeId } });
  const numbers = async (): Promise<object> =>
    Object.fromEntries(
      (await overview()).licenses.map(({ license_type_id, active, suspended }) => [license_type_id, { active, suspended }]),
    );
  await move(other);
  const moved = { [product.typeId]: { active: 0, suspended: 0 }, [other]: { active: 1, suspended: 0 } };
  expect(await numbers()).toEqual(moved);
  await service.run();
  expect(await numbers()).toEqual(moved);
  await service.ok('suspendLicense', { params: { id: license.id } });
  await move(product.typeId);
  await service.run();
  expect(await numbers()).toEqual({ [product.typeId]: { active: 0, suspended: 1 }, [other]: { active: 0, suspended: 0 } });
});
