import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { serveApi, type Api } from '../../bin/sell/api';
import type { Fact, Order, Shop } from '../../bin/sell/shop';
import { processors, type Processor } from '../../lambdas/contract/processors';
import { adapters } from '../../lambdas/domain/payments';
import { handler as reconcileHandler } from '../../lambdas/events/reconcile';
import { listReconciliations } from '../../lambdas/store/payments/reconciliation';
import { deliveriesOf, openCounter, orderOf, play, shopOf, signed, type Counter } from '../support/counter';
import { failWhere } from '../support/faults';
import { harnessConfig, startHarness, type Harness } from '../support/harness';
import { captureLogs } from '../support/logs';
import { ownTable } from '../support/own-table';
import { clockStart } from '../support/start';
import { eventsOf, expectWholeHistory } from '../support/table';

/** Tests the data that the service reads from a processor's API: sales whose notification was lost, and data that notifications lack. */

const logged = captureLogs();
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
let table: string;
const apis: Api[] = [];
const open: Harness[] = [];
const servers: Server[] = [];

beforeEach(async () => void (table = await ownTable()));
afterEach(async () => {
  open.splice(0).forEach((service) => service.close());
  await Promise.all(apis.splice(0).map((api) => api.stop()));
  for (const server of servers.splice(0)) server.close();
});

const start = (processorApis: Partial<Record<Processor, string>>): Harness => {
  const service = startHarness({ config: harnessConfig(table, { processorApis }) });
  open.push(service);
  return service;
};

interface Site {
  readonly counter: Counter;
  readonly service: Harness;
  readonly shop: Shop;
  readonly order: Order;
  readonly id: number;
  readonly token: string;
  /** The requests that the processor's simulated API received. */
  readonly asked: string[];
  /** Simulates that something, such as a sale, happens at the processor, and sends the notifications about it. */
  tell(fact: Fact): Promise<void>;
  /** Simulates that something happens at the processor, but sends no notifications about it. */
  lose(fact: Fact): void;
  /** Runs the worker once. */
  round(): Promise<void>;
}

/** A product that is sold at a processor whose API runs on this machine. */
async function openSite(processor: Processor, fields: object = {}, recurring = false): Promise<Site> {
  const shop = shopOf(processor);
  const asked: string[] = [];
  const api = await serveApi(shop, 0, (path) => asked.push(path));
  apis.push(api);
  const service = start({ [processor]: api.url });
  const counter = await openCounter(service);
  const { id, token } = await counter.connect(processor, { api_key: 'key-of-the-api', ...fields });
  const order = orderOf(processor, service.now(), { recurring });
  return {
    counter,
    service,
    shop,
    order,
    id,
    token,
    asked,
    tell: async (fact) => {
      for (const delivery of deliveriesOf(shop, fact, order, service.now())) expect((await counter.send(token, delivery)).status).toBe(200);
    },
    lose: (fact) => void shop.messages(fact, order),
    round: () => round(service),
  };
}

const round = (service: Harness): Promise<void> => reconcileHandler({}, service);

describe.each(processors.filter((processor) => adapters[processor].hasApi))('%s', (processor) => {
  test('a sale whose notifications were all lost is found and issued once, no matter how often the worker runs, even if the processor did not respond at first', async () => {
    const { counter, service, lose, round: next, id } = await openSite(processor);
    const silent = start({ [processor]: 'http://127.0.0.1:9' });
    silent.advance(service.now() - silent.now());
    lose('sale');
    expect(
      (await silent.call('reconcilePayments', { params: { id }, body: { since: new Date(service.now() - 40 * DAY).toISOString() } }))
        .status,
    ).toBe(202);
    await expect(round(silent)).rejects.toThrow('1 payments or connections could not be reconciled');
    expect(await counter.payments()).toEqual([]);
    // The next run reads the sales since the same time.
    expect(await listReconciliations(service.app.table)).toMatchObject([
      { pages: [], requested_at: null, since: service.now() - 40 * DAY },
    ]);
    expect(logged().join('\n')).not.toContain('key-of-the-api');

    service.advance(HOUR + 1);
    await next();
    const [license, ...others] = await counter.licenses();
    expect(others).toEqual([]);
    expect(license).toMatchObject({ status: 'active', order: { processor, connection_id: id } });
    const rows = await counter.payments();
    expect(new Set(rows.map(({ source }) => source))).toEqual(new Set(['reconcile']));
    expect((await service.call('getPaymentConnection', { params: { id } })).body).toMatchObject({
      last_reconciled_at: new Date(service.now()).toISOString(),
    });

    for (let i = 0; i < 2; i += 1) {
      service.advance(HOUR + 1);
      await next();
    }
    expect(await counter.licenses()).toEqual([license]);
    expect(await counter.payments()).toHaveLength(rows.length);
    expectWholeHistory(await eventsOf(license?.id ?? 0, table));
  });

  test('a reported sale is not executed again, and a late notification of a found sale is no second sale', async () => {
    const { counter, shop, order, service, token, tell, round } = await openSite(processor, {}, true);
    await tell('sale');
    const before = await counter.licenses();
    await round();
    expect(await counter.licenses()).toEqual(before);
    const late = deliveriesOf(shop, 'renewal', order, service.now());
    service.advance(HOUR + 1);
    await round();
    const found = await counter.licenses();
    for (const { body, headers } of late) {
      const message = { body, type: '', id: headers['webhook-id'] ?? '', contentType: headers['Content-Type'] ?? '' };
      expect((await counter.send(token, signed(shop, message, service.now()))).status).toBe(200);
    }
    const [after, ...others] = await counter.licenses();
    expect([others, after?.expires_at]).toEqual([[], found[0]?.expires_at]);
  });

  test('a refund whose notification was lost revokes', async () => {
    const { counter, service, tell, lose, round } = await openSite(processor);
    await tell('sale');
    service.advance(1000);
    lose('refunded');
    await round();
    expect(await counter.licenses()).toMatchObject([{ status: 'revoked' }]);
  });
});

test('a long list is read in parts: the next run reads the rest, and a request for a new run is executed only after that', async () => {
  const shop = shopOf('polar');
  const order = orderOf('polar', clockStart());
  shop.messages('sale', order);
  const PAGES = 14;
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const page = Number(url.searchParams.get('page') ?? 1);
    seen.push(`${url.pathname} ${page}`);
    const listed = shop.api(url) as { items: unknown[] };
    const isOrders = url.pathname.startsWith('/orders');
    // The sale is on the last page.
    const items =
      isOrders && page < PAGES
        ? []
        : isOrders
          ? (shop.api(new URL('/orders/?page=1&limit=100', url)) as { items: unknown[] }).items
          : listed.items;
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(
      JSON.stringify({
        items: items.length > 0 ? items : [{ id: `o-${page}`, status: 'pending', created_at: '2020-01-01T00:00:00Z' }],
        pagination: { max_page: isOrders ? PAGES : 1 },
      }),
    );
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const service = start({ polar: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  const counter = await openCounter(service);
  const { id } = await counter.connect('polar', { api_key: 'polar_oat_key' });
  await round(service);
  expect(seen).toHaveLength(10);
  expect(await counter.licenses()).toEqual([]);
  await service.call('reconcilePayments', { params: { id } });
  await round(service);
  expect(await counter.licenses()).toHaveLength(1);
  expect(seen.filter((page) => page.startsWith('/orders')).map((page) => Number(page.split(' ')[1]))).toEqual(
    Array.from({ length: PAGES }, (_, index) => index + 1),
  );
  expect((await listReconciliations(service.app.table))[0]?.requested_at).not.toBeNull();
  const read = seen.length;
  await round(service);
  expect(seen.length).toBeGreaterThan(read);
});

// Otherwise the sales after the object would never be found, because each run would end at the object.
test('an object that cannot be processed delays no other object, and the next run processes it again', async () => {
  const { counter, service, shop, order, round } = await openSite('polar');
  const other = orderOf('polar', service.now(), { email: 'bob@example.com' });
  let isFailing = true;
  failWhere(service.client, (command, input) => isFailing && command.startsWith('Transact') && JSON.stringify(input).includes('ada@'));
  for (const one of [order, other]) shop.messages('sale', one);
  // The sales are older than the day by which the periods of two runs overlap.
  service.advance(3 * DAY);
  // The run ends with an error, so that an alarm is triggered.
  await expect(round()).rejects.toThrow('1 payments or connections could not be reconciled');
  expect(await counter.licenses()).toMatchObject([{ customer_email: 'bob@example.com' }]);
  expect(logged().join('\n')).toContain('RECONCILIATION_FAULT');
  isFailing = false;
  service.advance(HOUR + 1);
  await round();
  expect(await counter.licenses()).toHaveLength(2);
});

test('reconciling needs an api_key and an enabled connection', async () => {
  const service = start({});
  const counter = await openCounter(service);
  const { id } = await counter.connect('stripe');
  expect(await service.call('reconcilePayments', { params: { id } })).toMatchObject({
    status: 422,
    body: { detail: expect.stringContaining('api_key') as string },
  });
  expect((await service.call('reconcilePayments', { params: { id: 999_999 } })).status).toBe(404);
  await service.call('updatePaymentConnection', { params: { id }, body: { api_key: 'key', enabled: false } });
  expect((await service.call('reconcilePayments', { params: { id } })).status).toBe(202);
  // No request is sent to a disabled or unknown processor.
  await round(service);
  expect(await counter.payments()).toEqual([]);
});

describe('an api_key with which the service reads what a notification lacks', () => {
  test('finds what a Stripe checkout sold: the license type and the quantity, without an invoice', async () => {
    const site = await openSite('stripe', { default_license_type_id: null });
    const { counter, shop, order, service, token, id, asked } = site;
    const plans = [{ ref: order.ref, license_type_id: counter.typeId, quantity: 'seats' }];
    await service.call('updatePaymentConnection', { params: { id }, body: { plans } });
    const [session] = deliveriesOf(shop, 'sale', { ...order, quantity: 1 }, service.now());
    expect((await counter.send(token, session!)).body).toMatchObject({ status: 'done' });
    expect(asked.join()).toContain('/line_items');
    expect(await counter.licenses()).toMatchObject([{ seats: { max: 2 }, order: { ref: order.ref, line: order.ref } }]);
  });

  test('that is set later is used: a sale that was held because of the missing api_key is issued', async () => {
    const { counter, shop, order, service, token, id } = await openSite('stripe', { default_license_type_id: null, api_key: null });
    const plans = [{ ref: order.ref, license_type_id: counter.typeId, quantity: 'licenses' }];
    await service.call('updatePaymentConnection', { params: { id }, body: { plans } });
    const [session] = deliveriesOf(shop, 'sale', order, service.now());
    const held = await counter.send(token, session!);
    expect(held.body).toMatchObject({ status: 'held' });
    const payment = String(held.body['id']);
    expect(await counter.payments()).toMatchObject([{ id: payment, reason: expect.stringContaining('api_key') as string }]);
    expect((await service.call('processPayment', { params: { payment } })).body).toMatchObject({ status: 'held' });
    await service.call('updatePaymentConnection', { params: { id }, body: { api_key: 'rk_live_1' } });
    expect((await service.call('processPayment', { params: { payment } })).body).toMatchObject({ status: 'done', reason: null });
    expect(await counter.licenses()).toMatchObject([{ order: { ref: order.ref } }]);
  });

  test('gives the service the address of a Paddle buyer at once', async () => {
    const { counter, shop, order, service, token } = await openSite('paddle');
    const sale = deliveriesOf(shop, 'sale', order, service.now()).find(({ body }) => body.includes('transaction.completed'));
    expect((await counter.send(token, sale!)).body).toMatchObject({ status: 'done' });
    expect(await counter.licenses()).toMatchObject([{ customer_email: order.email }]);
  });

  test.each(['stripe', 'paddle', 'lemonsqueezy', 'polar'] as const)(
    "does not prevent a license if the processor's API does not respond (%s)",
    async (processor) => {
      const service = start({ [processor]: 'http://127.0.0.1:9' });
      const counter = await openCounter(service);
      const { token } = await counter.connect(processor, { api_key: 'key' });
      expect((await play(counter, token, processor, 'sale')).map(({ status }) => status)).not.toContain(503);
      expect(await counter.licenses()).toMatchObject([{ status: 'active' }]);
    },
  );

  test('proves a Gumroad sale: nothing happens for a sale that Gumroad does not know, or while its API does not respond, and neither blocks the real sale', async () => {
    const { counter, shop, order, service, token, id } = await openSite('gumroad');
    const [sale] = deliveriesOf(shop, 'sale', order, service.now());
    const forged = { ...sale!, body: sale!.body.replace(/sale_id=[^&]*/, 'sale_id=Forged1%3D%3D') };
    expect((await counter.send(token, forged)).body).toMatchObject({ status: 'ignored' });
    const silent = start({ gumroad: 'http://127.0.0.1:9' });
    silent.advance(service.now() - silent.now());
    expect((await silent.call('receivePayment', { params: { payment: token }, ...sale! })).status).toBe(503);
    expect(await counter.licenses()).toEqual([]);
    expect(await counter.payments()).toHaveLength(1);
    // The ping's content is not trusted: the buyer's address comes from Gumroad's API.
    const typed = { ...sale!, body: sale!.body.replace(/email=[^&]*/, 'email=mallory%40example.com') };
    expect((await counter.send(token, typed)).body).toMatchObject({ status: 'done' });
    expect(await counter.licenses()).toMatchObject([{ customer_email: order.email, order: { connection_id: id } }]);
    expect((await counter.send(token, { ...sale!, body: `${sale!.body}&retry_count=1` })).body).toMatchObject({ status: 'duplicate' });
  });

  test('is not used for a Gumroad test ping, and the test ping does not block the real sale with the same data', async () => {
    const { counter, shop, order, service, token, asked } = await openSite('gumroad');
    const [sale] = deliveriesOf(shop, 'sale', order, service.now());
    for (let i = 0; i < 2; i += 1)
      expect((await counter.send(token, { ...sale!, body: `${sale!.body}&test=true` })).body).toMatchObject({ status: 'ignored' });
    expect(asked).toEqual([]);
    expect((await counter.send(token, sale!)).body).toMatchObject({ status: 'done' });
    expect(await counter.licenses()).toHaveLength(1);
  });
});
