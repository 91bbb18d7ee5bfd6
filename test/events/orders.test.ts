import type * as z from 'zod/mini';
import type { Rows } from '../../lambdas/contract';
import type { OrderView } from '../../lambdas/contract/resources/order';
import { deliveriesOf, openCounter, orderOf, play, shopOf, type Counter } from '../support/counter';
import { startEventHarness, type EventHarness } from '../support/event-harness';
import { Fuse } from '../support/faults';
import { harnessConfig } from '../support/harness';
import { captureLogs } from '../support/logs';
import { ownTable } from '../support/own-table';
import { signInToPortal } from '../support/portal';

/**
 * The operator reads in the list of orders and in the overview what was earned. any-order.property.test.ts proves that the numbers of an
 * order do not depend on the order of arrival; these tests prove that they reach the list and the counters, once.
 */

captureLogs();
let table: string;
const open: EventHarness[] = [];
beforeAll(async () => void (table = await ownTable()));
afterAll(() => open.forEach((service) => service.close()));

function start(): EventHarness {
  const service = startEventHarness(table, { config: harnessConfig(table) });
  open.push(service);
  return service;
}

const orders = async ({ service, productId }: Counter, query: Record<string, string> = {}): Promise<OrderView[]> => {
  const { status, body } = await service.call('listOrders', { params: { id: productId }, query });
  expect(status).toBe(200);
  return body as unknown as OrderView[];
};

async function revenue(service: EventHarness, { productId }: Counter): Promise<z.output<Rows['getOverview']['response']>['revenue']> {
  await service.sweep();
  return (await service.ok<z.output<Rows['getOverview']['response']>>('getOverview', { params: { id: productId } })).revenue;
}

const month = (service: EventHarness): string => new Date(service.now()).toISOString().slice(0, 7);
const NONE = { new: 0, renewed: 0, lost: 0 };

test.each(['stripe', 'paddle', 'custom'] as const)('%s: a sale, renewed and refunded, is one order with one sum', async (processor) => {
  const service = start();
  const counter = await openCounter(service);
  const { id, token } = await counter.connect(processor);
  const shop = shopOf(processor);
  const order = orderOf(processor, service.now(), { recurring: true });
  const sent = (['sale', 'renewal'] as const).flatMap((fact) => deliveriesOf(shop, fact, order, service.now()));
  // The processor repeats what the service has acknowledged.
  for (const delivery of [...sent, ...sent]) expect((await counter.send(token, delivery)).status).toBe(200);
  const [one, ...others] = await orders(counter);
  const [license] = await counter.licenses();
  expect(others).toEqual([]);
  expect(one).toMatchObject({
    product_id: counter.productId,
    connection_id: id,
    processor,
    order_id: license?.order?.order_id,
    customer_email: 'ada@example.com',
    test: false,
    status: 'done',
    lines: [{ quantity: 1, license_type_id: counter.typeId }],
    license_ids: [license?.id],
    subscription: { state: 'active', ends_at: null },
  });
  const paid = one!.amounts[0]!.paid;
  expect(one!.amounts).toMatchObject([{ paid, refunded: 0, net: paid }]);
  const { currency } = one!.amounts[0]!;
  const total = async () =>
    (await revenue(service, counter)).reduce(
      (sum, row) => ({
        currency: row.currency,
        net: sum.net + row.net,
        new: sum.new + row.subscriptions.new,
        renewed: sum.renewed + row.subscriptions.renewed,
      }),
      { currency: null as string | null, net: 0, new: 0, renewed: 0 },
    );
  expect(await total()).toEqual({ currency, net: paid, new: 1, renewed: 1 });

  for (const delivery of deliveriesOf(shop, 'refunded', order, service.now())) await counter.send(token, delivery);
  const [refunded] = await orders(counter);
  expect(refunded!.amounts[0]).toMatchObject({ paid, refunded: paid / 2, net: paid / 2 });
  expect(await total()).toMatchObject({ net: paid / 2 });
});

test('a buyer sees the money of the own orders in the portal, but no order of others and nothing of the vendor', async () => {
  const service = start();
  const counter = await openCounter(service);
  const { token } = await counter.connect('stripe');
  await play(counter, token, 'stripe', 'sale');
  const [license] = await counter.licenses();
  const [order] = await orders(counter);
  const { slug } = await service.ok<{ slug: string }>('getProduct', { params: { id: counter.productId } });
  const product = { id: counter.productId, slug };
  const shownTo = async (email: string): Promise<unknown> => {
    const { session } = await signInToPortal((name, request) => service.ok(name, request), {
      product,
      license: { id: license!.id, key: license!.key, customer_email: email },
    });
    return service.ok('listPortalOrders', { params: { slug }, headers: { 'X-Portal-Session': session } });
  };
  const { order_id, processor, created_at, license_ids, subscription, receipt_url } = order!;
  const [{ currency, paid, refunded }] = order!.amounts as [OrderView['amounts'][number]];
  const shown = { order_id, processor, created_at, license_ids, amounts: [{ currency, paid, refunded }], subscription, receipt_url };
  expect(await shownTo('ada@example.com')).toEqual([shown]);
  const params = { id: counter.productId };
  await service.ok('createLicense', { params, body: { license_type_id: counter.typeId, customer_email: 'eve@example.com' } });
  expect(await shownTo('eve@example.com')).toEqual([]);
});

test.each([
  ['stripe', 30],
  ['lemonsqueezy', 1],
] as const)('%s: the link to the receipt is shown only while it works, for %d days', async (processor, days) => {
  const service = start();
  const counter = await openCounter(service);
  const { token } = await counter.connect(processor);
  const order = orderOf(processor, service.now(), { recurring: true });
  for (const delivery of deliveriesOf(shopOf(processor), 'sale', order, service.now())) await counter.send(token, delivery);
  const link = async (): Promise<string | null> => (await orders(counter))[0]!.receipt_url;
  expect(await link()).toMatch(/^https:\/\/\S+$/);
  service.advance(days * 86_400_000 - 3_600_000);
  expect(await link()).toMatch(/^https:/);
  service.advance(2 * 3_600_000);
  expect(await link()).toBeNull();
});

test('wherever the sweeper dies, an order is counted once', async () => {
  const service = start();
  for (let at = 0, calls = 1; at <= calls; at += 1) {
    const counter = await openCounter(service);
    const { token } = await counter.connect('stripe');
    await play(counter, token, 'stripe', 'sale');
    const dying = start();
    const fuse = new Fuse(at === 0 ? Infinity : at - 1, 'writes');
    fuse.putInto(dying.client);
    await dying.sweep().catch(() => undefined);
    if (at === 0) calls = fuse.calls;
    const amounts = (await orders(counter))[0]?.amounts;
    expect([at, await revenue(service, counter)]).toEqual([at, [{ month: month(service), ...amounts?.[0], fees: 0, subscriptions: NONE }]]);
  }
});

test('an order of the test mode, or of another product, is listed but does not count', async () => {
  const service = start();
  const counter = await openCounter(service);
  const { token } = await counter.connect('stripe', { mode: 'test' });
  await play(counter, token, 'stripe', 'sale', { test: true });
  expect(await orders(counter)).toMatchObject([{ test: true, status: 'done', license_ids: [expect.any(Number)] }]);
  const other = await openCounter(service);
  const held = await other.connect('stripe', { default_license_type_id: null });
  await play(other, held.token, 'stripe', 'sale');
  const { ref } = shopOf('stripe');
  // The ref with which the operator can add a plan.
  const lines = [{ ref: ref.example, quantity: 1, license_type_id: null }];
  expect(await orders(other)).toMatchObject([{ test: false, status: 'held', lines, license_ids: [] }]);
  expect([await revenue(service, counter), await revenue(service, other)]).toEqual([[], []]);
  // When a plan names the order, its money counts.
  await service.ok('updatePaymentConnection', { params: { id: held.id }, body: { default_license_type_id: other.typeId } });
  await service.ok('processPayments', { params: { id: other.productId } });
  expect(await orders(other)).toMatchObject([{ status: 'done', license_ids: [expect.any(Number)] }]);
  expect(await revenue(service, other)).toMatchObject([{ month: month(service), refunded: 0 }]);
});

test('orders are listed in pages, newest first, and found by buyer and by any of their ids', async () => {
  const service = start();
  const counter = await openCounter(service);
  const { token } = await counter.connect('stripe');
  const second = await counter.connect('polar');
  for (const email of ['ada@example.com', 'grace@example.com', 'Ada@Example.com']) {
    const shop = shopOf('stripe');
    service.advance(60_000);
    for (const delivery of deliveriesOf(shop, 'sale', orderOf('stripe', service.now(), { email }), service.now()))
      expect((await counter.send(token, delivery)).status).toBe(200);
  }
  await play(counter, second.token, 'polar', 'sale', { email: 'grace@example.com' });
  const all = await orders(counter);
  expect(all.map(({ created_at }) => created_at)).toEqual(
    all
      .map(({ created_at }) => created_at)
      .toSorted()
      .reverse(),
  );
  expect(all).toHaveLength(4);
  const seen: unknown[] = [];
  for (let query: Record<string, string> | undefined = { limit: '1' }; query; ) {
    const { body, headers } = await service.call('listOrders', { params: { id: counter.productId }, query });
    seen.push(...(body as unknown as OrderView[]));
    const next: string | undefined = /[?&]cursor=([^&>]+)/.exec(headers?.['Link'] ?? '')?.[1];
    query = next === undefined ? undefined : { limit: '1', cursor: next };
  }
  expect(seen).toEqual(all);
  const of = (email: string) => orders(counter, { customer_email: email });
  expect((await of('ADA@example.com')).map(({ id }) => id)).toEqual(
    all.filter(({ customer_email: email }) => email?.toLowerCase() === 'ada@example.com').map(({ id }) => id),
  );
  expect((await of('grace@example.com')).map(({ processor }) => processor).toSorted()).toEqual(['polar', 'stripe']);
  expect(await orders(counter, { order: all[1]?.order_id ?? '' })).toEqual([all[1]]);
  expect(await orders(counter, { order: all[1]?.order_id ?? '', customer_email: 'nobody@example.com' })).toEqual([]);
});
