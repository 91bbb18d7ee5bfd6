import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { randomBytes } from 'node:crypto';
import { missingFacts, scenarioNames, shops, stepsOf, type ScenarioName } from '../../bin/sell/scenarios';
import type { Fact } from '../../bin/sell/shop';
import { paymentColumns } from '../../lambdas/contract/payment-columns';
import { processors, type Processor } from '../../lambdas/contract/processors';
import { parseCsv, unguarded } from '../../lambdas/domain/csv';
import { DAY_MS as DAY } from '../../lambdas/domain/time';
import { chunks } from '../../lambdas/store/chunks';
import { paymentKey } from '../../lambdas/store/keys';
import type { AppParts } from '../../lambdas/runtime/app';
import { countHeld, getPayment, recordPayment } from '../../lambdas/store/payments/log';
import { transact } from '../../lambdas/store/transaction';
import { deliveriesOf, openCounter, orderOf, play, SECRETS, shopOf, signed, type Counter } from '../support/counter';
import { failWhere } from '../support/faults';
import { harnessConfig, startHarness, type CallResult, type Harness } from '../support/harness';
import { intercept } from '../support/intercept';
import { captureLogs } from '../support/logs';
import { ownTable } from '../support/own-table';
import { sampled } from '../support/sampled';
import { everyRow, eventsOf, expectWholeHistory, rowsBelow } from '../support/table';

/** Sends notifications of payment processors to the handlers, with the data that processors really send (docs/spec/payments.md). */

captureLogs();
const open: Harness[] = [];
afterAll(() => open.forEach((service) => service.close()));
function start(parts: Partial<AppParts> = {}): Harness {
  const service = startHarness(parts);
  open.push(service);
  return service;
}

let smallTable: string;
beforeAll(async () => void (smallTable = await ownTable()));
/** Starts a service with a separate table, for tests that read the whole table. The common table has tens of thousands of rows. */
const startSmall = (): Harness => start({ config: harnessConfig(smallTable) });

const ENDS: Readonly<Partial<Record<ScenarioName, readonly string[]>>> = {
  refund: ['revoked'],
  'refund-in-parts': ['revoked'],
  'dispute-lost': ['revoked'],
  twice: ['revoked'],
  'out-of-order': [],
  quantity: ['active', 'active'],
  'quantity-lowered': ['active', 'active'],
  'plan-and-quantity': ['active', 'active', 'active'],
  line: ['active', 'active'],
  'line-kept': ['active', 'active'],
};

describe.each(sampled(processors))('%s', (processor) => {
  // payment-effects.test.ts plays these scenarios with the plans that they are made for.
  const needPlans: readonly ScenarioName[] = ['updates', 'fallback', 'fallback-ended'];
  const isReportedBy = (by: Processor, name: ScenarioName): boolean => missingFacts(shops[by](), name).length === 0;
  // What a scenario does is tested for every processor in test/unit/payments/order.test.ts. Over HTTP, the first processor that reports all
  // of its facts plays it, and each processor plays a sale.
  const playable = scenarioNames.filter(
    (name) => !needPlans.includes(name) && (name === 'sale' || processors.find((by) => isReportedBy(by, name)) === processor),
  );

  test.each(playable)('%s has the documented effects, and leaves no waiting row', async (scenario) => {
    const counter = await openCounter(start());
    const { token } = await counter.connect(processor);
    const results = await play(counter, token, processor, scenario);
    expect(results.map(({ status }) => status)).toEqual(results.map(() => 200));
    const licenses = await counter.licenses();
    expect(licenses.map(({ status }) => status)).toEqual(ENDS[scenario] ?? ['active']);
    const rows = await counter.payments();
    expect(rows.filter(({ status }) => status === 'held' || status === 'waiting')).toEqual([]);
    for (const { id, order } of licenses) {
      expectWholeHistory(await eventsOf(id));
      expect(order).toMatchObject({ processor, test: false });
    }
    if (scenario === 'twice') expect(results.some(({ body }) => body['status'] === 'duplicate')).toBe(true);
  });

  test('a sender without the secret or the URL of the connection learns and changes nothing', async () => {
    const counter = await openCounter(start());
    const { id, token } = await counter.connect(processor);
    const shop = shopOf(processor);
    const [message] = stepsOf('sale', shop, orderOf(processor, counter.service.now()))[0]?.messages ?? [];
    if (!message) throw new Error('There is nothing to send');
    const signedAt = (at: number, secret = SECRETS[processor] ?? ''): Readonly<Record<string, string>> => ({
      'Content-Type': message.contentType,
      ...shop.sign(message, secret, at),
    });
    const now = counter.service.now();
    const refused: [string, { body: string; headers: Readonly<Record<string, string>> }][] = [
      ['x'.repeat(43), { body: message.body, headers: signedAt(now) }],
      ['short', { body: message.body, headers: signedAt(now) }],
    ];
    if (SECRETS[processor] !== undefined) {
      refused.push(
        [token, { body: `${message.body} `, headers: signedAt(now) }],
        [token, { body: message.body, headers: { 'Content-Type': message.contentType } }],
      );
      if (processor !== 'lemonsqueezy') refused.push([token, { body: message.body, headers: signedAt(now - 301_000) }]);
    }
    for (const [address, request] of refused) {
      const { status, body } = await counter.send(address, request);
      expect([status, body]).toEqual([401, { detail: 'Bad or missing credentials' }]);
    }
    await counter.service.call('updatePaymentConnection', { params: { id }, body: { enabled: false } });
    expect((await counter.send(token, { body: message.body, headers: signedAt(now) })).status).toBe(401);
    expect(await counter.payments()).toEqual([]);
    expect(await counter.licenses()).toEqual([]);
  });
});

describe('the payments log for an accountant', () => {
  /** The rows of the log's CSV file. Each row is an object whose keys are the names of the columns. */
  const rowsOf = (text: string): Record<string, string>[] => {
    const [head, ...rows] = parseCsv(text).map(({ cells }) => cells.map(unguarded));
    expect(head).toEqual(paymentColumns.map(({ name }) => name));
    return rows.map((cells) => Object.fromEntries(cells.map((cell, place) => [head?.[place] ?? '', cell])));
  };

  test.each(sampled(processors))(
    '%s: amounts and links are in the rows of the list and of the CSV file, and each page of the CSV file names the columns',
    async (processor) => {
      const counter = await openCounter(start());
      const { token } = await counter.connect(processor);
      await play(counter, token, processor, 'refund', { email: '=cmd@example.com' });
      const rows = await counter.payments();
      const shown = rows.filter(({ amount }) => amount !== null);
      for (const row of shown) expect(row).toMatchObject({ amount: 4900, currency: 'USD' });
      const links = {
        stripe: /^https:\/\/dashboard\.stripe\.com\/payments\/pi_/,
        paddle: /^https:\/\/vendors\.paddle\.com\//,
        lemonsqueezy: /lemonsqueezy/,
      };
      for (const { links: given } of shown)
        expect(given).toEqual({
          order: processor in links ? expect.stringMatching(links[processor as keyof typeof links]) : null,
          subscription: null,
        });

      const list = { params: { id: counter.productId }, headers: { Accept: 'text/csv' } };
      const whole = await counter.service.call('listPayments', list);
      expect([whole.status, whole.headers['Content-Type']]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
      const lines = rowsOf(whole.text);
      expect(lines.map(({ id, amount, direction }) => [id, amount, direction])).toEqual(
        rows.map(({ id, amount, action }) => [
          id,
          amount === null ? '' : String(amount as number),
          amount === null ? '' : String(action).startsWith('refunded') ? 'refunded' : 'paid',
        ]),
      );
      for (const direction of ['paid', 'refunded']) expect(lines.some((line) => line['direction'] === direction)).toBe(true);
      expect(whole.text).toContain("'=cmd@example.com");
      expect(whole.text).not.toContain('payload');
      const { text, headers } = await counter.service.call('listPayments', { ...list, query: { limit: '1' } });
      expect(rowsOf(text)).toEqual(lines.slice(0, 1));
      const cursor = new URL(/<([^>]+)>/.exec(headers['Link'] ?? '')?.[1] ?? '', 'http://127.0.0.1').searchParams.get('cursor') ?? '';
      expect(rowsOf((await counter.service.call('listPayments', { ...list, query: { limit: '1', cursor } })).text)).toEqual(
        lines.slice(1, 2),
      );
    },
  );

  test('a row that was written before the service recorded amounts can still be read, and has no amounts', async () => {
    const counter = await openCounter(start());
    const { token } = await counter.connect('polar');
    await play(counter, token, 'polar', 'sale');
    const [row] = await counter.payments();
    const fields = ['amount', 'fee', 'currency', 'country', 'transaction_id', 'order_link', 'subscription_link'];
    await counter.service.client.send(
      new UpdateCommand({
        TableName: counter.service.app.table.name,
        Key: paymentKey(row!.id),
        UpdateExpression: `REMOVE ${fields.map((_, place) => `#f${place}`).join(', ')}`,
        ExpressionAttributeNames: Object.fromEntries(fields.map((field, place) => [`#f${place}`, field])),
      }),
    );
    expect((await counter.payments())[0]).toEqual({
      ...row,
      ...Object.fromEntries(fields.slice(0, 5).map((field) => [field, null])),
      links: { order: null, subscription: null },
    });
  });
});

test('a connection shows that signatures are wrong, with at most one write a minute, until a valid notification arrives', async () => {
  const counter = await openCounter(start());
  const { service } = counter;
  const { id, token } = await counter.connect('polar');
  const shop = shopOf('polar');
  const rejected = async (): Promise<unknown> => (await service.call('getPaymentConnection', { params: { id } })).body['rejected'];
  const attention = async (): Promise<unknown[]> => {
    const { body } = await service.call('getDeploymentOverview', { query: { include: 'attention' } });
    return (body['attention'] as unknown as { product_id: number }[]).filter(({ product_id: product }) => product === counter.productId);
  };
  expect(await rejected()).toEqual({ count: 0, last_at: null });
  const [message] = shop.messages('sale', orderOf('polar', service.now()));
  const wrong = () => ({
    body: message!.body,
    headers: { ...shop.sign(message!, 'whsec_d3Jvbmctc2VjcmV0LXdyb25nLXNlY3JldA==', service.now()) },
  });
  const first = new Date(service.now()).toISOString();
  for (let sent = 0; sent < 3; sent += 1) expect((await counter.send(token, wrong())).status).toBe(401);
  expect(await rejected()).toEqual({ count: 1, last_at: first });
  service.advance(60_000);
  expect((await counter.send(token, wrong())).status).toBe(401);
  expect(await rejected()).toMatchObject({ count: 2 });
  // A change of the connection doesn't hide the problem from the list of what needs attention.
  await service.call('updatePaymentConnection', { params: { id }, body: { name: 'Polar, main account' } });
  expect(await attention()).toMatchObject([{ product_id: counter.productId, rejecting_connections: 1, held_sales: 0 }]);
  expect((await counter.send(token, signed(shop, message!, service.now()))).status).toBe(200);
  expect(await rejected()).toEqual({ count: 0, last_at: null });
  expect(await attention()).toEqual([]);
});

test('a sale that no plan names is held, and issued when a plan names it', async () => {
  const counter = await openCounter(start());
  const { id, token } = await counter.connect('stripe', { default_license_type_id: null });
  await play(counter, token, 'stripe', 'sale', { ref: 'price_new', quantity: 3 });
  expect(await counter.licenses()).toEqual([]);
  const [held] = await counter.payments({ status: 'held' });
  expect(held).toMatchObject({ status: 'held', reason: expect.any(String), license_ids: [] });
  // The overview lists the held sale as needing attention until its license is issued.
  const { productId, service } = counter;
  const heldOf = async (only: number | null) => (await countHeld(service.app.table, only)).get(productId);
  expect([await heldOf(null), await heldOf(productId), (await countHeld(service.app.table, productId + 1)).has(productId)]).toEqual([
    1,
    1,
    false,
  ]);
  const plans = [{ ref: 'price_new', license_type_id: counter.typeId, quantity: 'seats' }];
  expect((await counter.service.call('updatePaymentConnection', { params: { id }, body: { plans } })).body).toMatchObject({
    plans: [{ ...plans[0], extends: 'license', fallback_months: null }],
    signing_secret_set: true,
  });
  const processed = await counter.service.call('processPayments', { params: { id: counter.productId } });
  expect(processed).toMatchObject({ status: 202, body: { held: 0 } });
  expect(await counter.licenses()).toMatchObject([
    { status: 'active', customer_email: 'ada@example.com', seats: { used: 0, max: 6 }, order: { ref: 'price_new' } },
  ]);
  expect(await counter.payments({ status: 'held' })).toEqual([]);
  expect([await heldOf(null), await heldOf(productId)]).toEqual([undefined, undefined]);
  expect(await counter.payments({ status: 'waiting' })).toEqual([]);
});

describe('a request to process all held sales', () => {
  /**
   * Creates three connections without a default license type. At each connection, the service holds a sale. Then sets the default license
   * type.
   */
  async function held(
    parts: Partial<AppParts> = {},
  ): Promise<{ counter: Counter; connections: readonly number[]; process: () => Promise<CallResult> }> {
    const counter = await openCounter(start(parts));
    const connections: number[] = [];
    for (let made = 0; made < 3; made += 1) {
      const { id, token } = await counter.connect('polar', { default_license_type_id: null });
      await play(counter, token, 'polar', 'sale');
      await counter.service.call('updatePaymentConnection', { params: { id }, body: { default_license_type_id: counter.typeId } });
      connections.push(id);
    }
    return { counter, connections, process: () => counter.service.call('processPayments', { params: { id: counter.productId } }) };
  }

  test('processes the other sales if one of them fails, and counts it as held', async () => {
    const { counter, connections, process } = await held();
    const ofSecond = `PAYMENT#ORDER#${connections[1]}#`;
    failWhere(counter.service.client, (_command, input) => JSON.stringify(input).includes(ofSecond));
    expect(await process()).toMatchObject({ status: 202, body: { processed: 2, held: 1 } });
    expect(await counter.licenses()).toHaveLength(2);
  });

  test('ends in time for a response, and counts the sales that it did not reach as held', async () => {
    const { counter, process } = await held();
    const { client, advance } = counter.service;
    client.middlewareStack.add(
      (next, { commandName = '' }) =>
        (args) => (commandName.startsWith('Transact') && advance(8000), next(args)),
      {
        step: 'initialize',
        name: 'slow',
      },
    );
    expect(await process()).toMatchObject({ status: 202, body: { processed: 2, held: 1 } });
    client.middlewareStack.remove('slow');
    expect(await process()).toMatchObject({ status: 202, body: { processed: 1, held: 0 } });
    expect(await counter.licenses()).toHaveLength(3);
  });

  // Otherwise a sale is never issued if the seller also sells a thousand things for which no license is meant.
  test('starts at a random row and so reaches each sale, although a thousand newer ones stay held', async () => {
    const starts = [0, 998];
    const random = (bytes: number): Buffer => {
      if (bytes !== 4) return randomBytes(bytes);
      const start = Buffer.alloc(4);
      start.writeUInt32BE(starts.shift() ?? 0);
      return start;
    };
    const { counter, process } = await held({ random });
    const { client, app, advance } = counter.service;
    const [newest] = await counter.payments();
    const sale = (await getPayment(app.table, newest!.id))!;
    const later = Array.from({ length: 1000 }, (_, place) => ({
      ...sale,
      // With these ids, the rows are listed before the rows of the three sales.
      id: `${'0'.repeat(8)}${sale.id.slice(12)}${place + 1000}`,
      received_at: sale.received_at + 1 + place,
      payload: null,
      order_uid: null,
    }));
    for (const some of chunks(later, 100)) await transact(app.table, some.flatMap(recordPayment));
    // The time for a response ends after some rows, so that the requests don't really process a thousand rows.
    intercept(client, ({ operation }, next) => {
      if (operation === 'GetItem') advance(300);
      return next();
    });
    expect(await process()).toMatchObject({ status: 202, body: { processed: 0, held: 1003 } });
    expect(await process()).toMatchObject({ status: 202, body: { processed: 3, held: 1000 } });
    expect(await counter.licenses()).toHaveLength(3);
    expect(starts).toEqual([]);
  });
});

describe('two orders that a later notification joins', () => {
  /**
   * Sends invoices and an order of Lemon Squeezy, and then their subscription. Only the notification about the subscription shows that
   * they belong together.
   */
  async function openJoined(
    fields: object = {},
    invoices = 1,
  ): Promise<{ counter: Counter; connectionId: number; order: string; types: readonly string[] }> {
    const counter = await openCounter(startSmall());
    const { id, token } = await counter.connect('lemonsqueezy', fields);
    const at = new Date(counter.service.now()).toISOString();
    const tell = async (event: string, type: string, id: string, attributes: object): Promise<void> => {
      const body = JSON.stringify({
        meta: { event_name: event, test_mode: false },
        data: { type, id, attributes: { ...attributes, updated_at: at } },
      });
      const message = { type: event, id: '', body, contentType: 'application/json' };
      expect((await counter.send(token, signed(shops.lemonsqueezy(), message, counter.service.now()))).status).toBe(200);
    };
    for (let invoice = 9201; invoice < 9201 + invoices; invoice += 1)
      await tell('subscription_payment_success', 'subscription-invoices', `${invoice}`, {
        subscription_id: 9001,
        billing_reason: invoice === 9201 ? 'initial' : 'renewal',
      });
    await tell('order_created', 'orders', '8001', { status: 'paid', first_order_item: { id: 8101, variant_id: 71, quantity: 1 } });
    const renews_at = new Date(counter.service.now() + 30 * DAY).toISOString();
    await tell('subscription_created', 'subscriptions', '9001', {
      order_id: 8001,
      order_item_id: 8101,
      variant_id: 71,
      status: 'active',
      renews_at,
      first_subscription_item: { quantity: 1 },
    });
    const types = ['order_created', 'subscription_created', 'subscription_payment_success'];
    return { counter, connectionId: id, order: '8001', types };
  }

  test('the filter by an id of the order lists the notifications of both', async () => {
    const { counter, order, types } = await openJoined();
    for (const id of [order, '9001', '9201']) expect((await counter.payments({ order: id })).map(({ type }) => type).sort()).toEqual(types);
  });

  test('each of their rows can be processed again', async () => {
    const { counter, connectionId, types } = await openJoined({ default_license_type_id: null });
    const invoice = (await counter.payments({ status: 'waiting' })).find(({ type }) => type === types[2]);
    await counter.service.call('updatePaymentConnection', {
      params: { id: connectionId },
      body: { default_license_type_id: counter.typeId },
    });
    expect((await counter.service.call('processPayment', { params: { payment: String(invoice?.id) } })).body).toMatchObject({
      status: 'done',
    });
    expect(await counter.licenses()).toMatchObject([{ order: { order_id: '8001', subscription_id: '9001' } }]);
    expect((await counter.payments()).map(({ status }) => status)).toEqual(['done', 'done', 'done']);
  });

  // Otherwise each notification that joins the orders would fail, and the payments of the subscription would never apply to the license. A
  // transaction has at most 100 actions, so it cannot write the rows of 102 ids.
  test.each(sampled([3, 100]))('are joined, no matter how many ids they have (%s invoices)', async (invoices) => {
    const { counter, connectionId } = await openJoined({}, invoices);
    expect(await counter.licenses()).toMatchObject([{ order: { order_id: '8001', subscription_id: '9001' } }]);
    expect((await counter.payments({ limit: '200' })).filter(({ status }) => status !== 'done')).toEqual([]);
    // The rows by which the service finds the order from its ids do not expire.
    const rows = await rowsBelow(`PAYMENT#ORDER_ID#${connectionId}#`, smallTable);
    expect(rows).toHaveLength(invoices + 2);
    expect(rows.filter(({ ttl }) => ttl !== undefined)).toEqual([]);
    expect(new Set(rows.map(({ uid }) => uid)).size).toBe(1);
  });
});

/** Deletes the expired rows of a connection, as DynamoDB does some time after the expiry. */
async function deleteExpired({ app, now }: Harness, connectionId: number, kinds: readonly string[]): Promise<void> {
  const expired = await everyRow(app.table.name, {
    FilterExpression: `#ttl < :now AND (connection_id = :connection OR ${kinds.map((_, place) => `begins_with(pk, :kind${place})`).join(' OR ')})`,
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: {
      ':now': now() / 1000,
      ':connection': connectionId,
      ...Object.fromEntries(kinds.map((kind, place) => [`:kind${place}`, `PAYMENT#${kind}#${connectionId}#`])),
    },
  });
  for (const { pk, sk } of expired) await transact(app.table, [{ Delete: { Key: { pk: String(pk), sk: String(sk) } } }]);
}

test('a held sale is issued after its row in the payments log has expired, and its row is not written again', async () => {
  const counter = await openCounter(startSmall());
  const { service } = counter;
  const { id, token } = await counter.connect('stripe', { default_license_type_id: null });
  const shop = shopOf('stripe');
  const order = orderOf('stripe', service.now(), { recurring: true });
  const sell = async (fact: Fact) => {
    for (const message of shop.messages(fact, order)) await counter.send(token, signed(shop, message, service.now()));
  };
  await sell('sale');
  const expired = await counter.payments();
  expect(expired.map(({ status }) => status)).toContain('held');
  // A later notification delays the expiry of the order's row, and of the rows for the ids in the notification.
  service.advance(60 * DAY);
  await sell('renewal');
  service.advance(31 * DAY);
  await deleteExpired(service, id, ['ORDER', 'ORDER_ID']);

  await service.call('updatePaymentConnection', { params: { id }, body: { default_license_type_id: counter.typeId } });
  expect(await service.call('processPayments', { params: { id: counter.productId } })).toMatchObject({ status: 202, body: { held: 0 } });
  expect(await counter.licenses()).toHaveLength(1);
  for (const payment of expired) expect((await service.call('getPayment', { params: { payment: payment.id } })).status).toBe(404);
  // The next renewal finds the order by the id of the subscription.
  await sell('renewal');
  expect(await counter.licenses()).toHaveLength(1);
  expect(await counter.payments({ status: 'waiting' })).toEqual([]);
});

test('a sale is issued although the ids of an expired order are not deleted yet', async () => {
  const counter = await openCounter(startSmall());
  const { service } = counter;
  const { id, token } = await counter.connect('polar');
  const shop = shopOf('polar');
  const order = orderOf('polar', service.now());
  const [sale] = deliveriesOf(shop, 'sale', order, service.now());
  for (const refund of deliveriesOf(shop, 'refunded', order, service.now()))
    expect((await counter.send(token, refund)).body).toMatchObject({ status: 'waiting' });
  service.advance(91 * DAY);
  await deleteExpired(service, id, ['ORDER']);
  const headers = {
    ...sale!.headers,
    ...shop.sign({ ...shop.messages('sale', order)[0]!, body: sale!.body }, SECRETS.polar!, service.now()),
  };
  expect((await counter.send(token, { body: sale!.body, headers })).body).toMatchObject({ status: 'done' });
  expect(await counter.licenses()).toHaveLength(1);
});

test('the thank-you page can read the license keys of its order for a day, with an order id that nobody can guess', async () => {
  const counter = await openCounter(start());
  const { token } = await counter.connect('stripe');
  await play(counter, token, 'stripe', 'sale');
  const [license] = await counter.licenses();
  const { order_id } = license!['order'] as { order_id: string };
  const purchase = (order: string): Promise<CallResult> =>
    counter.service.call('getPurchase', { params: { id: counter.productId }, apiKey: counter.apiKey, query: { order } });
  expect((await purchase(order_id)).body).toMatchObject({ status: 'ready', licenses: [{ key: license?.['key'] }] });
  for (const order of ['cs_unknown', '1', order_id.slice(0, -1)]) expect((await purchase(order)).body).toEqual({ status: 'pending' });
  counter.service.advance(86_400_000);
  expect((await purchase(order_id)).body).toEqual({ status: 'pending' });
  expect(await counter.payments({ order: order_id })).not.toEqual([]);
  expect(await counter.payments({ order: 'cs_unknown' })).toEqual([]);
});

describe('the thank-you page shows a key only to its buyer', () => {
  interface Shown {
    readonly counter: Counter;
    readonly id: number;
    readonly key: string;
    purchase(): Promise<unknown>;
    change(name: string, body?: object): Promise<void>;
  }
  async function sold(scenario: ScenarioName = 'sale', quantity = 1): Promise<Shown> {
    const counter = await openCounter(start());
    const { token } = await counter.connect('stripe', { plans: [{ ref: shops.stripe().ref.example, license_type_id: counter.typeId }] });
    await play(counter, token, 'stripe', scenario, { quantity, recurring: quantity > 1 });
    const [license] = await counter.licenses();
    if (!license?.order) throw new Error('Nothing was issued');
    const { id, key, order } = license;
    return {
      counter,
      id,
      key,
      purchase: async () =>
        (
          await counter.service.call('getPurchase', {
            params: { id: counter.productId },
            apiKey: counter.apiKey,
            query: { order: order.order_id },
          })
        ).body,
      change: async (name, body) => expect((await counter.service.call(name, { params: { id }, ...(body && { body }) })).status).toBe(200),
    };
  }
  const pending = { status: 'pending' };

  test('a reissued key is shown only to the person who got it from the operator, even after a later notification of the order', async () => {
    const { counter, change, purchase } = await sold();
    await change('reissueLicense');
    expect(await purchase()).toEqual(pending);

    // Later notifications of the order find the license by its new key.
    const shop = shops.stripe();
    const order = orderOf('stripe', counter.service.now(), { recurring: true });
    const { token } = await counter.connect('stripe');
    for (const delivery of deliveriesOf(shop, 'sale', order, counter.service.now())) await counter.send(token, delivery);
    const bought = (await counter.licenses()).at(-1)!;
    const { order_id } = bought.order!;
    await counter.service.call('reissueLicense', { params: { id: bought.id } });
    for (const delivery of deliveriesOf(shop, 'renewal', order, counter.service.now()))
      expect((await counter.send(token, delivery)).status).toBe(200);
    expect(
      (await counter.service.call('getPurchase', { params: { id: counter.productId }, apiKey: counter.apiKey, query: { order: order_id } }))
        .body,
    ).toEqual(pending);
  });

  test('the page shows no key for a refunded order', async () => {
    expect(await (await sold('refund')).purchase()).toEqual(pending);
  });

  test('a suspended license is shown again when it is reinstated; an expired license is hidden, whether or not its expiry was noticed', async () => {
    const { key, change, purchase } = await sold();
    await change('suspendLicense');
    expect(await purchase()).toEqual(pending);
    await change('reinstateLicense');
    expect(await purchase()).toMatchObject({ status: 'ready', licenses: [{ key }] });
    await change('updateLicense', { expires_at: '2020-01-01T00:00:00Z' });
    expect(await purchase()).toEqual(pending);
  });

  test('if one of several licenses is hidden, the others are still shown', async () => {
    const { counter, id, change, purchase } = await sold('sale', 3);
    await change('reissueLicense');
    const others = (await counter.licenses()).filter((license) => license.id !== id).map(({ key }) => ({ key }));
    expect(others).toHaveLength(2);
    expect(await purchase()).toMatchObject({ status: 'ready', licenses: others });
  });
});

test('a license shows the checkout session of its order, and is found by it, even if the invoice arrived first', async () => {
  const counter = await openCounter(start());
  const { token } = await counter.connect('stripe');
  const [session, ...paid] = deliveriesOf(
    shopOf('stripe'),
    'sale',
    orderOf('stripe', counter.service.now(), { recurring: true }),
    counter.service.now(),
  );
  for (const delivery of [...paid, session!]) expect((await counter.send(token, delivery)).status).toBe(200);
  const [license] = await counter.licenses();
  const { order_id } = license!.order!;
  expect(order_id).toMatch(/^cs_/);
  const found = await counter.service.call('searchLicenses', { params: { id: counter.productId }, query: { order: order_id } });
  expect(found.body).toMatchObject([{ id: license!.id }]);
});

test('licenses are found by any id of their order in the list and the search, even after a reissue, but in no other product', async () => {
  const [counter, other] = [await openCounter(start()), await openCounter(start())];
  const { token } = await counter.connect('stripe');
  await play(counter, token, 'stripe', 'renewal');
  await counter.service.call('createLicense', { params: { id: counter.productId }, body: { license_type_id: counter.typeId } });
  const [license, another] = await counter.licenses();
  const { order_id, subscription_id } = license!['order'] as { order_id: string; subscription_id: string };
  const found = async (name: string, query: Record<string, string>, id = counter.productId): Promise<unknown[]> =>
    ((await counter.service.call(name, { params: { id }, query })).body as unknown as Record<string, unknown>[]).map((row) => row['id']);
  expect([order_id, subscription_id]).not.toContain(null);
  for (const again of ['before', 'after a reissue']) {
    for (const order of [order_id, subscription_id]) {
      expect([again, await found('listLicenses', { order })]).toEqual([again, [license?.id]]);
      for (const query of [{ order }, { q: order }] as Record<string, string>[])
        expect([again, await found('searchLicenses', query)]).toEqual([again, [license?.id]]);
      // A reissue changes only how the license is found, so the filters are tested once.
      if (again !== 'before') continue;
      for (const more of [{ sort: 'expires_at' }, { direction: 'desc' }, { status: 'active' }] as Record<string, string>[])
        expect(await found('listLicenses', { order, ...more })).toEqual([license?.id]);
      for (const more of [{ status: 'revoked' }, { key: String(another?.['key']) }, { customer_email: 'nobody@example.com' }] as Record<
        string,
        string
      >[])
        expect(await found('listLicenses', { order, ...more })).toEqual([]);
      expect(await found('listLicenses', { order }, other.productId)).toEqual([]);
    }
    expect((await counter.service.call('reissueLicense', { params: { id: license?.id ?? 0 } })).status).toBe(200);
  }
  expect(await found('listLicenses', { order: 'cs_unknown' })).toEqual([]);
});

test("no response contains a connection's secrets, and after a rotation the old signing secret is accepted until its overlap ends", async () => {
  const counter = await openCounter(start());
  const { id, token } = await counter.connect('lemonsqueezy', { api_key: 'ls-api-key' });
  const changed = await counter.service.call('updatePaymentConnection', {
    params: { id },
    body: { signing_secret: 'another-secret', overlap_hours: 1 },
  });
  for (const text of [
    JSON.stringify(changed.body),
    JSON.stringify((await counter.service.call('listPaymentConnections', { params: { id: counter.productId } })).body),
  ]) {
    for (const secret of ['ls-api-key', 'lemon-secret', 'another-secret']) expect(text).not.toContain(secret);
  }
  expect((await play(counter, token, 'lemonsqueezy', 'sale')).map(({ status }) => status)[0]).toBe(200);
  counter.service.advance(3_600_001);
  expect((await play(counter, token, 'lemonsqueezy', 'sale')).map(({ status }) => status)[0]).toBe(401);
});

test('a change without an overlap also ends earlier secrets whose overlap has not ended, because one of them may be known to others', async () => {
  const counter = await openCounter(start());
  const { id, token } = await counter.connect('lemonsqueezy');
  const statusOfSale = async (): Promise<unknown> => (await play(counter, token, 'lemonsqueezy', 'sale'))[0]?.status;
  const change = (body: object) => counter.service.call('updatePaymentConnection', { params: { id }, body });
  await change({ signing_secret: 'second-secret' });
  expect(await statusOfSale()).toBe(200);
  await change({ signing_secret: 'third-secret', overlap_hours: 0 });
  expect(await statusOfSale()).toBe(401);
});

test('a body with a byte order mark is read, because some languages write one', async () => {
  const counter = await openCounter(start());
  const { token } = await counter.connect('custom');
  const shop = shopOf('custom');
  const [message] = shop.messages('sale', orderOf('custom', counter.service.now()));
  const marked = { ...message!, body: `\uFEFF${message!.body}` };
  expect(await counter.send(token, signed(shop, marked, counter.service.now()))).toMatchObject({ status: 200, body: { status: 'done' } });
});

test.each([
  [{ processor: 'gumroad', signing_secret: 'x'.repeat(40) }, 422],
  [
    {
      processor: 'stripe',
      plans: [
        { ref: 'a', license_type_id: 1 },
        { ref: 'a', license_type_id: 1 },
      ],
    },
    422,
  ],
  [{ processor: 'stripe', plans: [{ ref: 'a', license_type_id: 999_999 }] }, 404],
  [{ processor: 'stripe', default_license_type_id: 999_999 }, 404],
  [{ processor: 'paypal' }, 422],
  [{ processor: 'stripe', grace_days: 61 }, 422],
])('a connection with %j is refused (%i)', async (body, status) => {
  const counter = await openCounter(start());
  expect((await counter.service.call('createPaymentConnection', { params: { id: counter.productId }, body })).status).toBe(status);
});

const base64 = (bytes: number): string => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;
test.each([
  ['stripe', 'whsec_012345678', 'whsec_0123456789'],
  ['paddle', 'pdl_ntfset_0123', 'pdl_ntfset_01234'],
  ['lemonsqueezy', '12345', '123456'],
  // Polar's key needs at least 24 bytes: the decoded base64 after the prefix, or the text itself if it is not base64.
  ['polar', 'whsec_AA==', base64(24)],
  ['polar', base64(1), 'polar_whs_0123456789abcd'],
  ['polar', base64(23), base64(32)],
  ['polar', 'polar_whs_0123456789abc', `whsec_${'k'.repeat(43)}`],
  ['polar', 'whsec_', `whsec_${'!'.repeat(18)}`],
])('%s: %s can be guessed and is refused as a signing secret, %s is not', async (processor, short, long) => {
  const counter = await openCounter(start());
  const params = { id: counter.productId };
  const create = (signing_secret: string): Promise<CallResult> =>
    counter.service.call('createPaymentConnection', { params, body: { processor, signing_secret } });
  for (const secret of [short, `  ${short}   `.padEnd(60)]) {
    const { status, body } = await create(secret);
    expect([status, body['detail']]).toEqual([422, expect.stringMatching(/^signing_secret must/)]);
  }
  const made = await create(long);
  expect(made).toMatchObject({ status: 201, body: { signing_secret_set: true } });
  const change = (signing_secret: string): Promise<CallResult> =>
    counter.service.call('updatePaymentConnection', { params: { id: Number(made.body['id']) }, body: { signing_secret } });
  expect(await change(short)).toMatchObject({ status: 422, body: { detail: expect.stringMatching(/^signing_secret must/) as string } });
  expect((await change(long)).status).toBe(200);
});
