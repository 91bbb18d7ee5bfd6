import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { shops } from '../../bin/sell/scenarios';
import { DAY_MS } from '../../lambdas/domain/time';
import { handler as reconcileHandler } from '../../lambdas/events/reconcile';
import { paymentKey } from '../../lambdas/store/keys';
import { transact } from '../../lambdas/store/transaction';
import { deliveriesOf, openCounter, orderOf, signed, type Counter, type Delivery } from '../support/counter';
import { harnessConfig, startHarness, type CallResult, type Harness } from '../support/harness';
import { captureLogs } from '../support/logs';
import { ownTable } from '../support/own-table';
import { eventsOf, expectWholeHistory } from '../support/table';

/**
 * Without an `api_key` for Paddle, the service gets a buyer's e-mail address only after the sales. The address must be added to every
 * order, no matter how many orders the buyer has and how large they are.
 */

captureLogs();
let table: string;
const open: Harness[] = [];
beforeEach(async () => void (table = await ownTable()));
afterEach(() => open.splice(0).forEach((service) => service.close()));

interface Site {
  readonly counter: Counter;
  readonly service: Harness;
  readonly token: string;
  /** Creates orders of one customer, without the customer's e-mail address. */
  buy(orders: number, quantity: number): Promise<void>;
  /** Returns a notification that contains the e-mail address. Each call returns another notification. */
  address(email?: string): Delivery;
  addresses(): Promise<(string | null)[]>;
}

async function openSite(): Promise<Site> {
  const service = startHarness({ config: harnessConfig(table) });
  open.push(service);
  const counter = await openCounter(service);
  await service.call('setMailSettings', { params: { id: counter.productId }, body: { send_keys: true } });
  const { token } = await counter.connect('paddle');
  const shop = shops.paddle();
  let told = 0;
  const message = (type: string, data: object): Delivery => {
    const body = JSON.stringify({
      event_id: `evt_${String((told += 1)).padStart(26, '0')}`,
      event_type: type,
      occurred_at: new Date(service.now()).toISOString(),
      data,
    });
    return signed(shop, { type, id: '', body, contentType: 'application/json' }, service.now());
  };
  return {
    counter,
    service,
    token,
    buy: async (orders, quantity) => {
      for (let bought = 0; bought < orders; bought += 1) {
        const [sale] = deliveriesOf(shop, 'sale', orderOf('paddle', service.now(), { quantity }), service.now()).slice(-1);
        const { data } = JSON.parse(sale!.body) as { data: object };
        expect((await counter.send(token, message('transaction.completed', { ...data, customer_id: 'ctm_01ada' }))).body).toMatchObject({
          status: 'done',
        });
      }
    },
    address: (email = 'ada@example.com') => message('customer.updated', { id: 'ctm_01ada', email }),
    addresses: async () => (await counter.licenses()).map(({ customer_email }) => customer_email),
  };
}

/** Lets the given number of transactions succeed. All later transactions fail. */
function failAfter({ client }: Harness, transactions: number): () => void {
  let left = transactions;
  client.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        if (commandName === 'TransactWriteItemsCommand' && left-- <= 0) throw new Error('The table is gone (injected by the test)');
        return next(args);
      },
    { step: 'initialize', name: 'fault' },
  );
  return () => void client.middlewareStack.remove('fault');
}

const rowOf = async ({ counter }: Site): Promise<unknown> => (await counter.payments()).find(({ action }) => action === 'buyer_known');

test.each([
  [2, 25],
  [26, 1],
])('%i orders of %i licenses each get the address, and one mail each', async (orders, quantity) => {
  const site = await openSite();
  await site.buy(orders, quantity);
  const address = site.address();
  expect(await site.counter.send(site.token, address)).toMatchObject({ status: 200, body: { status: 'done' } });
  expect(await site.addresses()).toEqual(Array.from({ length: orders * quantity }, () => 'ada@example.com'));
  expect(await rowOf(site)).toMatchObject({ status: 'done', reason: null, license_ids: { length: orders * quantity } });
  const mails = await site.service.call('listDeliveries', {
    params: { id: site.counter.productId },
    query: { channel: 'mail', limit: '100' },
  });
  expect(mails.body).toHaveLength(orders);
  for (const { id } of await site.counter.licenses())
    expectWholeHistory((await eventsOf(id, table)).filter(({ event }) => event !== 'license.key_mailed'));
  expect(await site.counter.send(site.token, address)).toMatchObject({ status: 200, body: { status: 'duplicate' } });
  // All orders have an address now, so a new address of the customer changes none of them. Later orders get the new address at once.
  expect((await site.counter.send(site.token, site.address('eve@example.com'))).body).toMatchObject({ status: 'ignored' });
  expect(await site.counter.payments({ status: 'ignored' })).toMatchObject([{ reason: 'No license waits for this e-mail address.' }]);
  await site.buy(1, 1);
  expect((await site.addresses()).filter((email) => email === 'eve@example.com')).toHaveLength(1);
});

describe.each([1, 2, 3, 4])('after a fault at transaction %i', (at) => {
  const continueBy: Readonly<Record<string, (site: Site, address: Delivery) => Promise<CallResult | void>>> = {
    'the same notification': (site, address) => site.counter.send(site.token, address),
    'a process call': async (site, address) => {
      // If the first transaction failed, the payments log has no row for the notification. The processor got an error, so the processor
      // sends the notification again.
      if (at === 1) return site.counter.send(site.token, address);
      return site.service.call('processPayment', { params: { payment: (await site.counter.payments({ status: 'waiting' }))[0]!.id } });
    },
    'the worker': async (site, address) => {
      if (at === 1) return site.counter.send(site.token, address);
      return reconcileHandler({}, site.service);
    },
  };

  test.each(Object.keys(continueBy))('%s adds the address to the remaining orders, and no order gets the address twice', async (name) => {
    const site = await openSite();
    await site.buy(3, 2);
    const address = site.address();
    const mend = failAfter(site.service, at - 1);
    const { status } = await site.counter.send(site.token, address);
    mend();
    expect(status).toBe(at === 1 ? 500 : 200);
    await continueBy[name]!(site, address);
    expect(await site.addresses()).toEqual(Array.from({ length: 6 }, () => 'ada@example.com'));
    expect(await rowOf(site)).toMatchObject({ status: 'done', license_ids: { length: 6 } });
    for (const { id } of await site.counter.licenses())
      expect((await eventsOf(id, table)).filter(({ event }) => event === 'license.updated')).toHaveLength(1);
  });
});

test('an order that a fault keeps from getting the address makes the worker fail, so that an alarm is triggered', async () => {
  const site = await openSite();
  await site.buy(2, 1);
  const mend = failAfter(site.service, 1);
  await site.counter.send(site.token, site.address());
  await expect(reconcileHandler({}, site.service)).rejects.toThrow('2 payments or connections could not be reconciled');
  mend();
  await reconcileHandler({}, site.service);
  expect(await site.addresses()).toEqual(['ada@example.com', 'ada@example.com']);
});

test('a notification with the address is not refused if it arrives while orders are being changed: the remaining orders get the address later', async () => {
  const site = await openSite();
  await site.buy(2, 2);
  const address = site.address();
  const mend = failAfter(site.service, 1);
  await site.counter.send(site.token, address);
  mend();
  // Another request commits before each commit of this request, so every commit of this request fails.
  site.service.client.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        if (commandName === 'TransactWriteItemsCommand')
          throw new TransactionCanceledException({ message: '', $metadata: {}, CancellationReasons: [{ Code: 'TransactionConflict' }] });
        return next(args);
      },
    { step: 'initialize', name: 'race' },
  );
  expect(await site.counter.send(site.token, address)).toMatchObject({ status: 200, body: { status: 'duplicate' } });
  expect(await rowOf(site)).toMatchObject({ status: 'waiting' });
  site.service.client.middlewareStack.remove('race');
  // A repeated notification is a duplicate, even if it completes the work of the first request.
  expect(await site.counter.send(site.token, address)).toMatchObject({ status: 200, body: { status: 'duplicate' } });
  expect(await rowOf(site)).toMatchObject({ status: 'done' });
  expect(await site.addresses()).toEqual(Array.from({ length: 4 }, () => 'ada@example.com'));
});

test('if the row of the payments log expires before all orders have the address, the orders still get it, and the row is not written again', async () => {
  const site = await openSite();
  const { service, counter } = site;
  await site.buy(2, 1);
  const mend = failAfter(service, 2);
  const { body } = await site.counter.send(site.token, site.address());
  mend();
  const payment = String(body['id']);
  service.advance(91 * DAY_MS);
  await transact(service.app.table, [{ Delete: { Key: paymentKey(payment) } }]);
  await reconcileHandler({}, service);
  expect(await site.addresses()).toEqual(['ada@example.com', 'ada@example.com']);
  expect((await service.call('getPayment', { params: { payment } })).status).toBe(404);
  expect(await counter.payments({ status: 'waiting' })).toEqual([]);
});

test('sales that arrive at the same time as the e-mail address get the address too', async () => {
  const site = await openSite();
  await site.buy(3, 1);
  await Promise.all([site.counter.send(site.token, site.address()), site.buy(1, 1), site.buy(1, 1), site.buy(1, 1)]);
  await reconcileHandler({}, site.service);
  expect(await site.addresses()).toEqual(Array.from({ length: 6 }, () => 'ada@example.com'));
  expect(await site.counter.payments({ status: 'waiting' })).toEqual([]);
});
