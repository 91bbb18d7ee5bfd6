import { stepsOf } from '../../bin/sell/scenarios';
import type { Fact, Message, Shop } from '../../bin/sell/shop';
import { processors, type Processor } from '../../lambdas/contract/processors';
import type { AppParts } from '../../lambdas/runtime/app';
import type { DeliveryView } from '../../lambdas/contract/webhooks';
import { deliveriesOf, openCounter, orderOf, shopOf, signed, type Counter, type OrderFields } from '../support/counter';
import { startEventHarness, type EventHarness } from '../support/event-harness';
import { Fuse } from '../support/faults';
import { harnessConfig } from '../support/harness';
import { captureLogs } from '../support/logs';
import { startMailServer, type MailServer } from '../support/mail-server';
import { ownTable } from '../support/own-table';
import { sampled } from '../support/sampled';
import { eventsOf, expectWholeHistory } from '../support/table';

/**
 * Follows a sale from the processor's request to the key in the buyer's mailbox. The key must arrive once, even if the request is sent 32
 * times at the same moment, or if the function dies at any of its calls.
 */

const logged = captureLogs();
const BUYER = 'ada@example.com';
let table: string;
let server: MailServer;
const open: EventHarness[] = [];

beforeAll(async () => {
  table = await ownTable();
  server = await startMailServer();
});
beforeEach(() => void (server.inbox.length = 0));
afterAll(async () => {
  open.forEach((service) => service.close());
  await server.close();
});

const secret = (name: string): Promise<string> =>
  Promise.resolve(name === 'adminToken' ? 'test-admin-token' : name === 'smtpUrl' ? server.url : `test-${name}`);

function start(parts: Partial<AppParts> = {}): EventHarness {
  const service = startEventHarness(table, {
    config: harnessConfig(table, { webhookAllowPrivate: true, mail: { transport: 'smtp', from: 'licenses@example.com' } }),
    fetchSecret: secret,
    ...parts,
  });
  open.push(service);
  return service;
}

async function openMailingCounter(service = start()): Promise<Counter & { readonly service: EventHarness }> {
  const counter = await openCounter(service);
  await service.ok('setMailSettings', { params: { id: counter.productId }, body: { send_keys: true } });
  return { ...counter, service };
}

const mailsOf = ({ service, productId }: Counter & { service: EventHarness }): Promise<DeliveryView[]> =>
  service.ok('listDeliveries', { params: { id: productId }, query: { channel: 'mail' } });

interface Sale {
  readonly shop: Shop;
  readonly messages: readonly Message[];
}
function saleOf(processor: Processor, now: number, fields: OrderFields = {}): Sale {
  const shop = shopOf(processor);
  const [step] = stepsOf('sale', shop, orderOf(processor, now, fields));
  return { shop, messages: step?.messages ?? [] };
}

describe.each(sampled(processors))('%s', (processor) => {
  test('a sale is a license and a mail with its key', async () => {
    const counter = await openMailingCounter();
    const { service } = counter;
    const { id, token } = await counter.connect(processor);
    const { shop, messages } = saleOf(processor, service.now());
    for (const message of messages) expect((await counter.send(token, signed(shop, message, service.now()))).status).toBe(200);
    await service.run();
    const [license, ...others] = await counter.licenses();
    expect(others).toEqual([]);
    expect(license).toMatchObject({ status: 'active', customer_email: BUYER, order: { processor, connection_id: id } });
    expect(server.inbox.map(({ to }) => to)).toEqual([[BUYER]]);
    expect(server.inbox[0]?.mail.text).toContain(license?.key);
    expect(await mailsOf(counter)).toMatchObject([
      {
        status: 'delivered',
        event: 'license.key_mailed',
        url: `mailto:${BUYER}`,
        license_id: license?.id,
        payload: { data: { license_ids: [license?.id] } },
      },
    ]);
    for (const hidden of [token, license?.key ?? '', BUYER]) expect(logged().join('\n')).not.toContain(hidden);
  });

  // Code that all processors share handles the duplicates. So one processor is tested with many copies, and the others with a few.
  const copies = processor === 'gumroad' ? 32 : 6;
  test(`every message of a sale, sent ${copies} times at once, gives one license, one event and one mail`, async () => {
    const counter = await openMailingCounter();
    const { service } = counter;
    const { token } = await counter.connect(processor);
    const { shop, messages } = saleOf(processor, service.now());
    const sent = messages.flatMap((message) => Array.from({ length: copies }, () => signed(shop, message, service.now())));
    const results = await Promise.all(sent.map((request) => counter.send(token, request)));
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set([200]));
    expect(results.filter(({ body }) => body['status'] === 'duplicate')).toHaveLength((copies - 1) * messages.length);
    await service.run();
    const [license, ...others] = await counter.licenses();
    expect(others).toEqual([]);
    const events = await eventsOf(license?.id ?? 0, table);
    expect(events.filter(({ event }) => event === 'license.created')).toHaveLength(1);
    expect(server.inbox).toHaveLength(1);
    expect(await counter.payments()).toHaveLength(messages.length);
  });

  test('wherever the function dies, each acknowledged sale exists once, and each other sale is created when its notification is repeated', async () => {
    // The code after the adapter is the same for all processors. Therefore the function dies at every call only with Gumroad, which sends
    // one message about a sale. Stripe sends several messages, and the function dies at every write. A death at a read leaves the table in
    // the same state as a death at the next write. With the other processors the function dies at every third call.
    const counted = processor === 'stripe' ? 'writes' : 'calls';
    const [step, offset] = processor === 'gumroad' || processor === 'stripe' ? [1, 0] : [3, processors.indexOf(processor) % 3];
    const service = start();
    for (let at = 1, calls = Infinity; at <= calls + 1; at = at === 1 ? 2 + offset : at + step) {
      server.inbox.length = 0;
      const counter = await openMailingCounter(service);
      const { token } = await counter.connect(processor);
      const { shop, messages } = saleOf(processor, service.now());
      const fuse = new Fuse(calls === Infinity ? Infinity : at - 1, counted);
      const dying = start({
        fetchSecret: (name) => fuse.burn(() => secret(name)),
        send: () => fuse.burn(() => Promise.resolve()),
      });
      fuse.putInto(dying.client);
      dying.advance(service.now() - dying.now());
      const context = `died before call ${at - 1} of ${calls}`;
      for (const message of messages) {
        const { status, body } = await dying.call('receivePayment', { params: { payment: token }, ...signed(shop, message, dying.now()) });
        expect([200, 500, 503]).toContain(status);
        if (status === 200) {
          const recorded = await service.call('getPayment', { params: { payment: String(body['id']) } });
          expect([context, recorded.status]).toEqual([context, 200]);
        }
        // A processor repeats a notification until it gets 200.
        if (status !== 200) expect((await counter.send(token, signed(shop, message, service.now()))).status).toBe(200);
      }
      dying.close();
      // Messages of the dead function are lost; the sweeper finds the pending events and mails.
      await service.recover();
      const [license, ...others] = await counter.licenses();
      expect([context, license?.status, others]).toEqual([context, 'active', []]);
      expectWholeHistory((await eventsOf(license!.id, table)).filter(({ event }) => event !== 'license.key_mailed'));
      expect([context, server.inbox.length]).toEqual([context, 1]);
      const payments = await counter.payments();
      expect(payments).toHaveLength(messages.length);
      expect(payments.filter(({ status }) => status === 'held' || status === 'waiting')).toEqual([]);
      if (calls === Infinity) {
        calls = fuse.calls;
        expect(calls).toBeGreaterThan(6);
      }
    }
  });
});

test('twenty-five licenses, the maximum of an order, are issued, mailed in one mail, suspended and revoked together', async () => {
  const counter = await openMailingCounter();
  const { service } = counter;
  const { token } = await counter.connect('paddle');
  const shop = shopOf('paddle');
  const order = orderOf('paddle', service.now(), { quantity: 25 });
  const receive = async (fact: Fact): Promise<void> => {
    for (const message of deliveriesOf(shop, fact, order, service.now())) expect((await counter.send(token, message)).status).toBe(200);
  };
  await receive('sale');
  await service.run();
  const licenses = await counter.licenses();
  expect(licenses.map(({ status }) => status)).toEqual(Array.from({ length: 25 }, () => 'active'));
  expect(server.inbox).toHaveLength(1);
  for (const { key } of licenses) expect(server.inbox[0]?.mail.text).toContain(key);
  await receive('dispute opened');
  expect(new Set((await counter.licenses()).map(({ status }) => status))).toEqual(new Set(['suspended']));
  await receive('refunded');
  expect(new Set((await counter.licenses()).map(({ status }) => status))).toEqual(new Set(['revoked']));
});

test('an order of twenty-six licenses, one more than the maximum, is held with the reason', async () => {
  const counter = await openMailingCounter();
  const { token } = await counter.connect('paddle');
  const { shop, messages } = saleOf('paddle', counter.service.now(), { quantity: 26 });
  for (const message of messages) expect((await counter.send(token, signed(shop, message, counter.service.now()))).status).toBe(200);
  expect(await counter.licenses()).toEqual([]);
  expect(await counter.payments({ status: 'held' })).toMatchObject([{ reason: expect.stringContaining('26 licenses') as string }]);
});

test('a buyer whose e-mail address arrives after the sale gets the mail when the address arrives, and only once', async () => {
  const counter = await openMailingCounter();
  const { service } = counter;
  const { token } = await counter.connect('paddle');
  const shop = shopOf('paddle');
  const messages = deliveriesOf(shop, 'sale', orderOf('paddle', service.now()), service.now());
  const isOfCustomer = ({ body }: { body: string }): boolean => body.includes('"customer.created"');
  const [customer, ...rest] = [...messages.filter(isOfCustomer), ...messages.filter((message) => !isOfCustomer(message))];
  for (const message of rest) expect((await counter.send(token, message)).status).toBe(200);
  await service.run();
  expect(await counter.licenses()).toMatchObject([{ status: 'active', customer_email: null }]);
  expect(server.inbox).toEqual([]);
  for (let i = 0; i < 2; i += 1) expect((await counter.send(token, customer!)).status).toBe(200);
  await service.run();
  const [license] = await counter.licenses();
  expect(license).toMatchObject({ customer_email: BUYER });
  expect((await eventsOf(license!.id, table)).map(({ event }) => event)).toContain('license.updated');
  expect(server.inbox.map(({ to }) => to)).toEqual([[BUYER]]);
});

test('nobody gets a key of an order whose refund arrived before the sale', async () => {
  const counter = await openMailingCounter();
  const { service } = counter;
  const { token } = await counter.connect('polar');
  const shop = shopOf('polar');
  const order = orderOf('polar', service.now());
  const sale = deliveriesOf(shop, 'sale', order, service.now());
  for (const message of [...deliveriesOf(shop, 'refunded', order, service.now()), ...sale])
    expect((await counter.send(token, message)).status).toBe(200);
  await service.recover();
  expect([await counter.licenses(), server.inbox]).toEqual([[], []]);
});
