import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { newOrder, type Order } from '../../bin/sell/shop';
import { unpackBody } from '../../lambdas/store/events/compression';
import { stepsOf, type ScenarioName } from '../../bin/sell/scenarios';
import type { AuditEntryView } from '../../lambdas/contract/audit';
import type { LicenseView, OrderView } from '../../lambdas/contract/resources';
import type { DeliveryView } from '../../lambdas/contract/webhooks';
import { maintain as worker } from '../../lambdas/contract/workers';
import { addressHash } from '../../lambdas/domain/audit';
import { handler } from '../../lambdas/events/maintain';
import type { AppParts } from '../../lambdas/runtime/app';
import { parseConfig } from '../../lambdas/runtime/config';
import { paymentKey } from '../../lambdas/store/keys';
import { eraseCustomer } from '../../lambdas/use-cases/customers/erase';
import { shopOf } from '../support/counter';
import { asWorker } from '../support/declared-access';
import { startEventHarness, type EventHarness, type Product } from '../support/event-harness';
import { Fuse } from '../support/faults';
import { intercept } from '../support/intercept';
import { captureLogs } from '../support/logs';
import { startMailServer, type MailServer } from '../support/mail-server';
import { ownTable } from '../support/own-table';
import { startReceiver, type Receiver } from '../support/receiver';
import { sampled } from '../support/sampled';
import { everyRow } from '../support/table';
import { signInToPortal } from '../support/portal';

/**
 * A buyer requests an export or the erasure of their stored data. The export must contain all data about the buyer, and the erasure must
 * leave no data about the buyer.
 */

captureLogs();
const BUYER = 'Ada.Lovelace@Example.com';
/** This word is in all personal data of the buyer, so a test can find all places that contain it. */
const MARK = 'lovelace';
const SIGNING_SECRET = 'whsec_c3RyaXBlLXNlY3JldC1mb3ItdGVzdHM=';

interface Export {
  readonly customer_email: string;
  readonly licenses: LicenseView[];
  readonly notes: { readonly id: string; readonly license_id: number; readonly text: string }[];
  readonly refusals: { readonly license_id: number | null; readonly name: string | null }[];
  readonly events: DeliveryView[];
  readonly orders: OrderView[];
  readonly payments: { readonly id: string; readonly customer_email: string | null; readonly payload: unknown }[];
  readonly next: string | null;
}
interface Erasure {
  readonly licenses: number;
  readonly pending_events: number;
  readonly complete: boolean;
}

let table: string;
let service: EventHarness;
const open: EventHarness[] = [];
const receivers: Receiver[] = [];
const start = (parts: Partial<AppParts> = {}): EventHarness => {
  const started = startEventHarness(table, parts);
  open.push(started);
  return started;
};
/** Runs the worker that continues erasures, with only the access to the table that its row of the contract declares. */
const maintain = (): Promise<void> => handler({}, { app: asWorker(worker, service.app) });
beforeEach(async () => {
  table = await ownTable();
  service = start();
});
afterEach(async () => {
  open.splice(0).forEach(({ close }) => close());
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});

async function listen(): Promise<Receiver> {
  const receiver = await startReceiver();
  receivers.push(receiver);
  return receiver;
}

const erase = (email = BUYER, by = service): Promise<Erasure> => by.ok<Erasure>('eraseCustomer', { body: { customer_email: email } });
const exported = (email = BUYER): Promise<Export> => service.ok<Export>('exportCustomer', { body: { customer_email: email } });
const audited = (action: string): Promise<AuditEntryView[]> =>
  service.ok<AuditEntryView[]>('listAudit').then((entries) => entries.filter((entry) => entry.action === action));

/** All places in the table that contain the buyer's data. Bodies of events are decompressed; encrypted values can't be read. */
async function traces(mark = MARK): Promise<string[]> {
  const plain = (value: unknown): unknown => (value instanceof Uint8Array ? unpackBody(value) : value);
  return (await everyRow(table))
    .map((row) => JSON.stringify(row, (_name, value: unknown) => (value instanceof Uint8Array ? plain(value) : value)))
    .filter((text) => text.toLowerCase().includes(mark));
}

interface Sold {
  readonly product: Product;
  readonly license: LicenseView;
  readonly connection: { readonly id: number; readonly token: string };
  readonly order: Order;
}

async function notify({ connection, order }: Pick<Sold, 'connection' | 'order'>, scenario: ScenarioName, which = 0): Promise<void> {
  const shop = shopOf('stripe');
  const steps = stepsOf(scenario, shop, order);
  for (const message of steps[which]?.messages ?? []) {
    service.advance(1000);
    const headers = { 'Content-Type': message.contentType, ...shop.sign(message, SIGNING_SECRET, service.now()) };
    const { status } = await service.call('receivePayment', { params: { payment: connection.token }, body: message.body, headers });
    expect(status).toBe(200);
  }
}

/** A payment processor sells a license of a product to the buyer, and renews it once. */
async function subscribe(product: Product): Promise<Pick<Sold, 'connection' | 'order'>> {
  const { id, url } = await service.ok<{ id: number; url: string }>('createPaymentConnection', {
    params: { id: product.id },
    body: { processor: 'stripe', signing_secret: SIGNING_SECRET, default_license_type_id: product.typeId },
  });
  const { ref } = shopOf('stripe');
  const order = newOrder({ email: BUYER.toLowerCase(), ref: ref.example, quantity: 1, recurring: true, test: false }, service.now());
  const sold = { connection: { id, token: url.split('/').pop() ?? '' }, order };
  await notify(sold, 'renewal', 0);
  await notify(sold, 'renewal', 1);
  return sold;
}

/** Creates a buyer with every kind of data that the service can store about a buyer. */
async function everythingAbout(webhook: string): Promise<Pick<Sold, 'product' | 'license'>> {
  const product = await service.newProduct(webhook);
  await service.ok('setMailSettings', { params: { id: product.id }, body: { send_keys: true } });
  // Long metadata of the license is replaced by other long metadata. Both requests have an Idempotency-Key, so the service stores their
  // responses.
  const long = (what: string): object => ({
    name: `Ada ${MARK}`,
    company: `Analytical ${MARK} ${what} Engines`,
    [`${MARK}-${what}`]: `${MARK} `.repeat(100),
  });
  const body = { license_type_id: product.typeId, customer_email: BUYER, metadata: long('first') };
  const license = await service.ok<LicenseView>('createLicense', {
    params: { id: product.id },
    body,
    headers: { 'Idempotency-Key': 'order-1' },
  });
  const params = { id: license.id };
  await service.ok('updateLicense', { params, body: { metadata: long('second') }, headers: { 'Idempotency-Key': 'change-1' } });
  const labels = { name: `${MARK}'s laptop`, platform: `${MARK}-os` };
  for (const fingerprint of ['fingerprint-1', 'fingerprint-2'])
    await service.call('activate', {
      params: { id: product.id },
      apiKey: product.api_key,
      body: { key: license.key, fingerprint, ...labels },
    });
  await service.ok('resetLicense', { params });
  for (const fingerprint of ['fingerprint-2', 'fingerprint-3'])
    await service.call('activate', {
      params: { id: product.id },
      apiKey: product.api_key,
      body: { key: license.key, fingerprint, ...labels },
    });
  await product.deactivate(license.key, 'fingerprint-3');
  await service.ok('reissueLicense', { params, headers: { 'Idempotency-Key': 'leak-1' } });
  const { key } = await service.ok<LicenseView>('getLicense', { params });
  await service.call('activate', {
    params: { id: product.id },
    apiKey: product.api_key,
    body: { key, fingerprint: 'fingerprint-1', ...labels },
  });
  const { session } = await signInToPortal((name, request) => service.ok(name, request), {
    product,
    license: { ...license, customer_email: BUYER },
  });
  await service.ok('labelPortalLicense', {
    params: { slug: product.slug, id: license.id },
    body: { label: MARK },
    headers: { 'X-Portal-Session': session },
  });
  await subscribe(product);
  return { product, license: { ...license, key } };
}

describe('trials that somebody started with the address', () => {
  /** Starts a trial of a product, with the buyer's address. */
  async function startTrial(): Promise<{ readonly product: Product; readonly id: number }> {
    const product = await service.newProduct((await listen()).url);
    await service.ok('createLicenseType', {
      params: { id: product.id },
      body: { name: 'Trial', kind: 'trial', duration_days: 14, self_service: true },
    });
    const body = { fingerprint: 'fingerprint-1', name: `${MARK}'s laptop`, customer_email: BUYER };
    const { license } = await service.ok<{ license: { id: number } }>('startTrial', {
      params: { id: product.id },
      apiKey: product.api_key,
      body,
    });
    await service.recover();
    return { product, id: license.id };
  }
  const found = async ({ id }: Product): Promise<number[][]> => {
    const lists = [
      await service.ok<LicenseView[]>('searchLicenses', { query: { customer_email: BUYER } }),
      await service.ok<LicenseView[]>('listLicenses', { params: { id }, query: { customer_email: BUYER } }),
      await service.ok<LicenseView[]>('listLicenses', { params: { id }, query: { customer_email: BUYER, sort: 'expires_at' } }),
      (await exported()).licenses,
    ];
    return lists.map((list) => list.map((license) => license.id));
  };
  const shown = async (id: number): Promise<string | null> =>
    (await service.ok<LicenseView>('getLicense', { params: { id } })).customer_email;

  test('appear in no search and no export by e-mail address, but show the address, and are erased together with the buyer', async () => {
    const { product, id } = await startTrial();
    expect(await shown(id)).toBe(BUYER);
    expect(await found(product)).toEqual([[], [], [], []]);
    expect((await exported()).events).toEqual([]);

    // A reissued trial still belongs to no buyer.
    await service.ok('reissueLicense', { params: { id } });
    expect([await shown(id), await found(product)]).toEqual([BUYER, [[], [], [], []]]);
    await service.recover();
    expect(await erase(BUYER.toUpperCase())).toEqual({ licenses: 1, pending_events: 0, complete: true });
    expect(await shown(id)).toBeNull();
    expect(await traces()).toEqual([]);
  });

  test.each([BUYER, BUYER.toLowerCase()])('belong to the buyer after the operator sets the address (%s)', async (customer_email) => {
    const { product, id } = await startTrial();
    await service.ok('updateLicense', { params: { id }, body: { customer_email } });
    expect(await found(product)).toEqual([[id], [id], [id], [id]]);
    expect((await service.ok<DeliveryView[]>('listLicenseEvents', { params: { id } })).map(({ event }) => event)).toEqual([
      'license.updated',
      'license.activated',
      'license.created',
    ]);
    expect((await audited('updateLicense')).map(({ summary }) => summary)).toEqual(['Change a license: customer_email']);
    // Repeating the request changes nothing.
    await service.ok('updateLicense', { params: { id }, body: { customer_email } });
    expect(await service.ok<DeliveryView[]>('listLicenseEvents', { params: { id } })).toHaveLength(3);
    await service.recover();
    expect((await erase()).licenses).toBe(1);
    expect(await traces()).toEqual([]);
  });

  test('have no e-mail address any more after the operator removes it', async () => {
    const { product, id } = await startTrial();
    await service.ok('updateLicense', { params: { id }, body: { customer_email: null } });
    expect([await shown(id), await found(product)]).toEqual([null, [[], [], [], []]]);
    expect(await erase()).toMatchObject({ licenses: 0 });
  });
});

describe('erasing', () => {
  test('leaves no personal data of a buyer in the table or in events that are sent later, and their licenses keep working', async () => {
    const receiver = await listen();
    const { product, license } = await everythingAbout(receiver.url);
    await service.ok('createNote', {
      params: { id: license.id },
      body: { text: 'Mrs Lovelace called' },
      headers: { 'Idempotency-Key': 'note-1' },
    });
    await service.ok('suspendLicense', { params: { id: license.id } });
    const refused = { key: license.key, fingerprint: 'fingerprint-1', name: "Lovelace's laptop" };
    await service.call('activate', { params: { id: product.id }, apiKey: product.api_key, body: refused });
    await service.ok('reinstateLicense', { params: { id: license.id } });
    await service.recover();
    expect((await exported()).refusals).toMatchObject([{ license_id: license.id, name: "Lovelace's laptop" }]);
    expect((await traces()).length).toBeGreaterThan(15);
    const before = await exported();
    expect(before.licenses).toHaveLength(2);
    expect(before.payments.length).toBeGreaterThan(1);
    receiver.received.length = 0;

    expect(await erase(BUYER.toUpperCase())).toEqual({ licenses: 2, pending_events: 0, complete: true });
    expect(await traces()).toEqual([]);
    const rows = await everyRow(table);
    expect(rows.filter(({ pk }) => String(pk).startsWith('ERASURE#'))).toEqual([]);
    expect(rows.filter(({ pk }) => String(pk).startsWith('IDEMPOTENCY#') && !String(pk).includes('createProduct'))).toEqual([]);
    expect(rows.filter(({ pk }) => String(pk).startsWith('METADATA#'))).toEqual([]);
    const payments = await service.ok<Export['payments']>('listPayments', { params: { id: product.id } });
    expect(payments.map(({ payload, customer_email }) => [payload, customer_email])).toEqual(payments.map(() => [null, null]));
    // The revenue and the licenses follow from the order, so only the address is removed from it.
    const orders = await service.ok<OrderView[]>('listOrders', { params: { id: product.id } });
    expect(orders).toEqual(before.orders.map((order) => ({ ...order, customer_email: null, receipt_url: null })));
    expect(orders).toHaveLength(1);

    for (const { id } of before.licenses) {
      const now = await service.ok<LicenseView>('getLicense', { params: { id } });
      const was = before.licenses.find((one) => one.id === id)!;
      const activations = was.activations.map((device) => ({ ...device, name: '', platform: '' }));
      expect(now).toEqual({ ...was, customer_email: null, label: null, metadata: {}, activations });
    }
    expect((await product.validate(license.key, 'fingerprint-1')).body).toMatchObject({ valid: true, device: { name: '' } });
    expect(await exported()).toEqual({
      customer_email: BUYER,
      licenses: [],
      notes: [],
      meters: [],
      refusals: [],
      events: [],
      orders: [],
      payments: [],
      memberships: [],
      next: null,
    });

    // Receivers are informed about each license, and erased events are sent again without the data.
    await service.recover();
    const posted = (): { id: string; event: string; data: { license: LicenseView; device?: { name: string } } }[] =>
      receiver.received.map(({ raw }) => JSON.parse(raw.toString()) as never);
    expect(posted().map(({ event, data }) => [event, data.license.customer_email])).toEqual([
      ['license.updated', null],
      ['license.updated', null],
    ]);

    receiver.received.length = 0;
    const [activated] = (await product.deliveries()).filter(
      ({ event, license_id }) => event === 'license.activated' && license_id === license.id,
    );
    await service.ok('redeliver', { params: { event_id: activated!.id } });
    await service.recover();
    expect(posted()).toMatchObject([
      {
        id: activated!.id,
        event: 'license.activated',
        data: { license: { id: license.id, customer_email: null, metadata: {} }, device: { name: '', platform: '' } },
      },
    ]);
    expect(receiver.received[0]!.raw.toString()).not.toMatch(/lovelace/i);
  });

  test('first delivers pending events, and then erases them, even if no further request follows', async () => {
    const receiver = await listen();
    const product = await service.newProduct(receiver.url);
    const license = await product.license({ customer_email: BUYER, metadata: { note: MARK.repeat(100) } });
    expect(await erase()).toEqual({ licenses: 1, pending_events: 1, complete: false });
    expect((await service.ok<LicenseView>('getLicense', { params: { id: license.id } })).customer_email).toBeNull();
    expect(await erase()).toEqual({ licenses: 0, pending_events: 1, complete: false });

    await service.recover();
    const created = receiver.received
      .map(({ raw }) => JSON.parse(raw.toString()) as { event: string; data: { license: LicenseView } })
      .find(({ event }) => event === 'license.created');
    expect(created?.data.license).toMatchObject({ customer_email: BUYER, metadata: { note: MARK.repeat(100) } });
    await maintain();
    expect(await traces()).toEqual([]);
    expect(await erase()).toEqual({ licenses: 0, pending_events: 0, complete: true });
  });

  test('removes what the receiver of the events has responded, which may contain what it received', async () => {
    const receiver = await listen();
    receiver.answer = (_, response) => void response.writeHead(500).end(`no customer ${BUYER}`);
    const product = await service.newProduct(receiver.url);
    await product.license({ customer_email: BUYER });
    await service.recover();
    const responses = async () => (await product.deliveries()).map(({ history }) => history.map(({ response }) => response));
    expect(await responses()).toEqual([Array(4).fill(`no customer ${BUYER}`)]);
    receiver.answer = () => 200;
    expect(await erase()).toEqual({ licenses: 1, pending_events: 0, complete: true });
    expect(await traces()).toEqual([]);
    expect((await responses()).flat()).toEqual(Array(4).fill(undefined));
  });

  test('keeps data that the operator or new devices add after the erasure', async () => {
    const receiver = await listen();
    const product = await service.newProduct(receiver.url);
    const metadata = { note: MARK.repeat(100) };
    const license = await product.license({ customer_email: BUYER, metadata });
    await erase();
    service.advance(1000);
    // Long metadata is in a row whose key contains the metadata's hash. The metadata is the same as before the erasure, so the row gets the
    // same key again.
    await service.ok('updateLicense', { params: { id: license.id }, body: { customer_email: 'grace@example.com', metadata } });
    await service.call('activate', {
      params: { id: product.id },
      apiKey: product.api_key,
      body: { key: license.key, fingerprint: 'fingerprint-9', name: 'new laptop' },
    });
    await service.recover();
    expect((await erase()).complete).toBe(true);
    expect(await service.ok('getLicense', { params: { id: license.id } })).toMatchObject({
      customer_email: 'grace@example.com',
      metadata,
      activations: [{ name: 'new laptop' }],
    });
    const [activated] = (await product.deliveries()).filter(({ event }) => event === 'license.activated');
    expect(activated?.payload).toMatchObject({
      data: { license: { customer_email: 'grace@example.com', metadata }, device: { name: 'new laptop' } },
    });
  });

  test('the service does not store the address again if a processor reports it again', async () => {
    const sold = await subscribe(await service.newProduct((await listen()).url));
    const [{ id }] = (await exported()).licenses as [LicenseView];
    await service.recover();
    await erase();
    service.advance(86_400_000);
    await notify(sold, 'renewal', 2);
    expect((await service.ok<LicenseView>('getLicense', { params: { id } })).customer_email).toBeNull();
    // The processor has reported the address again since the erasure; another erasure removes it.
    await service.recover();
    expect((await erase()).complete).toBe(true);
    expect(await traces()).toEqual([]);
  });

  test('a held sale, and a customer who has bought nothing yet, are forgotten as well', async () => {
    const PADDLE_SECRET = 'pdl_ntfset_secret';
    const product = await service.newProduct();
    const connect = async (processor: string, secret: string): Promise<{ id: number; token: string }> => {
      const { id, url } = await service.ok<{ id: number; url: string }>('createPaymentConnection', {
        params: { id: product.id },
        body: { processor, signing_secret: secret },
      });
      return { id, token: url.split('/').pop() ?? '' };
    };
    const stripe = await connect('stripe', SIGNING_SECRET);
    const shop = shopOf('stripe');
    await notify(
      {
        connection: stripe,
        order: newOrder({ email: BUYER, ref: shop.ref.example, quantity: 1, recurring: false, test: false }, service.now()),
      },
      'sale',
    );
    const paddle = await connect('paddle', PADDLE_SECRET);
    const body = JSON.stringify({
      event_id: 'evt_1',
      event_type: 'customer.created',
      occurred_at: new Date(service.now()).toISOString(),
      data: { id: 'ctm_1', email: BUYER },
    });
    const headers = shopOf('paddle').sign({ body, contentType: 'application/json' } as never, PADDLE_SECRET, service.now());
    expect(
      (
        await service.call('receivePayment', {
          params: { payment: paddle.token },
          body,
          headers: { 'Content-Type': 'application/json', ...headers },
        })
      ).status,
    ).toBe(200);
    expect((await traces()).some((row) => row.includes('CUSTOMER#'))).toBe(true);

    expect((await exported()).payments.length).toBeGreaterThanOrEqual(2);
    expect(await erase()).toEqual({ licenses: 0, pending_events: 0, complete: true });
    expect(await traces()).toEqual([]);
  });

  test('after a function died at any point, another call erases the rest', async () => {
    const product = await service.newProduct();
    const type = { name: 'Team', kind: 'lifetime', binding: 'user' };
    const { id: team } = await service.ok<{ id: number }>('createLicenseType', { params: { id: product.id }, body: type });
    const shared = await product.license({ license_type_id: team });
    /**
     * Creates a buyer, who is also a member of another license, and whose data contains a word that the data of no other buyer contains.
     * Returns the word.
     */
    const newBuyer = async (place: number): Promise<string> => {
      // The index entries of a search contain the words without punctuation.
      const word = `${MARK}x${place}x`;
      const email = `${word}@${word}.example`;
      const metadata = { name: `Ada ${word}`, company: `${word} & Sons`, note: word.repeat(70) };
      const license = await product.license({ customer_email: email, metadata });
      await service.call('activate', {
        params: { id: product.id },
        apiKey: product.api_key,
        body: { key: license.key, fingerprint: 'fingerprint-1', name: word },
      });
      await service.ok('createNote', {
        params: { id: license.id },
        headers: { 'Idempotency-Key': `note-${place}` },
        body: { text: word },
      });
      await service.ok('putMember', { params: { id: shared.id }, body: { email, invite: false } });
      return word;
    };
    const dieAt = async (at: number, word: string): Promise<{ writes: number; status: number }> => {
      const dying = start({ clock: () => service.now() });
      const fuse = new Fuse(at, 'writes');
      fuse.putInto(dying.client);
      const { status } = await dying.call('eraseCustomer', { body: { customer_email: `${word}@${word}.example` } });
      return { writes: fuse.calls, status };
    };
    const first = await newBuyer(0);
    await service.recover();
    const { writes } = await dieAt(Infinity, first);
    expect(writes).toBeGreaterThan(3);

    const deaths: { at: number; word: string }[] = [];
    for (const at of sampled(Array.from({ length: writes }, (_, place) => place + 1))) deaths.push({ at, word: await newBuyer(at) });
    await service.recover();
    for (const { at, word } of deaths) {
      expect((await dieAt(at, word)).status).not.toBe(200);
      // The worker continues the erasure if the license's row was already changed.
      await maintain();
      expect((await erase(`${word}@${word}.example`)).complete).toBe(true);
      expect({ at, left: await traces(word) }).toEqual({ at, left: [] });
    }
  });

  test('after a function died at any point, the worker finishes the erasure', async () => {
    const product = await service.newProduct();
    const license = await product.license({ customer_email: BUYER });
    await service.call('activate', {
      params: { id: product.id },
      apiKey: product.api_key,
      body: { key: license.key, fingerprint: 'fingerprint-1', name: MARK },
    });
    await service.recover();
    // The function's remaining time is only enough to erase the data in the license's own row.
    expect(await eraseCustomer(service.app, BUYER, null, service.now(), service.now())).toEqual({
      licenses: 0,
      pending_events: 0,
      complete: false,
    });
    const dying = start();
    dying.client.middlewareStack.add(
      (next, { commandName = '' }) =>
        (args) =>
          commandName === 'UpdateItemCommand' ? Promise.reject(new Error('The function died')) : next(args),
      { step: 'initialize', priority: 'high' },
    );
    expect((await dying.call('eraseCustomer', { body: { customer_email: BUYER } })).status).toBe(500);
    expect((await traces()).length).toBeGreaterThan(0);
    await maintain();
    await service.recover();
    await maintain();
    expect(await traces()).toEqual([]);
  });

  test('changes that happen at the same moment neither bring the address back nor get lost', async () => {
    const product = await service.newProduct();
    const license = await product.license({ customer_email: BUYER });
    const params = { id: license.id };
    await Promise.all([
      erase(),
      start().call('activate', {
        params: { id: product.id },
        apiKey: product.api_key,
        body: { key: license.key, fingerprint: 'fingerprint-1', name: MARK },
      }),
      start().call('suspendLicense', { params }),
      start().call('renewLicense', { params, body: { days: 5 } }),
    ]);
    await service.recover();
    await maintain();
    expect((await erase()).complete).toBe(true);
    const now = await service.ok<LicenseView>('getLicense', { params });
    expect(now).toMatchObject({ customer_email: null, status: 'suspended' });
    const addresses = await traces('lovelace@');
    expect(addresses).toEqual([]);
  });

  test('an erased mail has no address, so it is never sent', async () => {
    const mails = start();
    const product = await service.newProduct();
    await service.ok('setMailSettings', { params: { id: product.id }, body: { send_keys: true } });
    await product.license({ customer_email: BUYER });
    await mails.recover();
    await erase();
    const [mail] = await product.deliveries({ channel: 'mail' });
    expect(mail).toMatchObject({ url: 'mailto:', status: 'skipped' });
  });

  describe('the history of a mail that could not be sent', () => {
    let mails: EventHarness;
    let product: Product;
    let server: MailServer;
    beforeEach(async () => {
      server = await startMailServer();
      server.refusal = 450;
      mails = start({
        config: { ...parseConfig({}), tableName: table, mail: { transport: 'smtp', from: 'licenses@example.com' } },
        fetchSecret: (name) =>
          Promise.resolve(name === 'adminToken' ? 'test-admin-token' : name === 'smtpUrl' ? server.url : `test-${name}`),
      });
      product = await mails.newProduct();
      await mails.ok('setMailSettings', { params: { id: product.id }, body: { send_keys: true } });
      await product.license({ customer_email: BUYER });
      await mails.run();
    });
    afterEach(() => server.close());
    const readMail = async (): Promise<DeliveryView> => (await product.deliveries({ channel: 'mail' }))[0]!;

    test('does not contain the address in the spelling of the mail server either', async () => {
      expect(await readMail()).toMatchObject({ attempts: 4, last_error: expect.stringContaining('ada.lovelace@example.com') });
      expect((await erase()).complete).toBe(true);
      expect(await traces()).toEqual([]);
      const erased = await readMail();
      expect(erased).toMatchObject({
        url: 'mailto:',
        status: 'failed',
        attempts: 4,
        last_status: 450,
        last_error: 'the error message was erased',
      });
      expect(erased.history).toHaveLength(4);
    });

    test('keeps the attempts of a redelivery that ran while the mail was being erased', async () => {
      const { id } = await readMail();
      const erasing = start();
      let goOn: () => void = () => undefined;
      const hasRead = new Promise<void>((reached) => {
        intercept(erasing.client, async ({ operation, input }, next) => {
          const key = input['Key'] as { readonly sk?: { readonly S: string } } | undefined;
          if (operation === 'UpdateItem' && key?.sk?.S === id.slice(10)) {
            reached();
            await new Promise<void>((resolve) => (goOn = resolve));
          }
          return next();
        });
      });
      const erasure = erase(BUYER, erasing);
      await hasRead;
      await mails.ok('redeliver', { params: { event_id: id } });
      await mails.run();
      goOn();
      expect((await erasure).complete).toBe(false);
      expect((await erase()).complete).toBe(true);
      const { history, url } = await readMail();
      expect(url).toBe('mailto:');
      // The redelivery ends with one attempt, which sends nothing, because the license no longer has the address.
      expect(history.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5]);
      expect(await traces()).toEqual([]);
    });

    test('does not contain an address that the license had before, and the data of its present buyer stays', async () => {
      const grace = 'grace@example.com';
      const [{ id } = { id: 0 }] = (await exported()).licenses;
      await mails.ok('updateLicense', {
        params: { id },
        body: { customer_email: grace, metadata: { of: 'Grace' } },
        headers: { 'Idempotency-Key': 'move-1' },
      });
      const removed = await product.license({ customer_email: BUYER, metadata: { of: MARK } });
      await mails.run();
      await mails.ok('updateLicense', { params: { id: removed.id }, body: { customer_email: null, metadata: {} } });

      // Each buyer is shown only the events of the time when the license was theirs.
      const named = ({ events }: Export): string[] => events.map(({ event }) => event).sort();
      const [theirs, graces] = [await exported(), await exported(grace)];
      const sold = ['license.created', 'license.key_mailed'];
      expect([theirs.licenses, named(theirs)]).toEqual([[], [...sold, ...sold].sort()]);
      expect(named(graces)).toEqual(['license.updated']);
      expect(JSON.stringify(graces).toLowerCase()).not.toContain(MARK);

      expect(await erase(BUYER.toUpperCase())).toEqual({ licenses: 0, pending_events: 0, complete: true });
      expect(await traces()).toEqual([]);
      expect(named(await exported())).toEqual([]);
      const kept = await exported(grace);
      expect([kept.licenses, kept.events]).toEqual([graces.licenses, expect.arrayContaining(graces.events)]);
    });
  });

  test('an address that a license had before waits for its pending events, and the worker finishes the erasure', async () => {
    const receiver = await listen();
    const product = await service.newProduct(receiver.url);
    const { id } = await product.license({ customer_email: BUYER });
    await service.ok('updateLicense', { params: { id }, body: { customer_email: 'grace@example.com' } });
    expect(await erase()).toEqual({ licenses: 0, pending_events: 1, complete: false });
    await service.recover();
    expect(receiver.received.some(({ raw }) => raw.includes(BUYER))).toBe(true);
    await maintain();
    expect(await traces()).toEqual([]);
    expect(await erase()).toEqual({ licenses: 0, pending_events: 0, complete: true });
  });

  test('is in the audit log once, with a hash instead of the address; an erasure that finds nothing is not in the log', async () => {
    expect(await erase('nobody@example.com')).toEqual({ licenses: 0, pending_events: 0, complete: true });
    const product = await service.newProduct();
    for (let times = 0; times < 3; times += 1) await product.license({ customer_email: BUYER });
    await service.recover();
    await erase();
    await erase();
    const entries = await audited('eraseCustomer');
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({
      actor: 'deployment',
      target: addressHash(BUYER),
      summary: "Erase a buyer's data",
      product_id: null,
      license_id: null,
    });
    expect(addressHash(BUYER)).toBe(addressHash(BUYER.toUpperCase()));
  });

  test('and exporting are refused without a valid e-mail address', async () => {
    for (const body of [{}, { customer_email: 'nobody' }, { customer_email: null }, { customer_email: '' }])
      for (const name of ['eraseCustomer', 'exportCustomer'])
        expect({ body, name, status: (await service.call(name, { body })).status }).toEqual({ body, name, status: 422 });
  });
});

describe('exporting', () => {
  test('returns all data about an e-mail address in every product, and no data about other people', async () => {
    const { license, product } = await everythingAbout((await listen()).url);
    const other = await service.newProduct();
    const second = await other.license({ customer_email: BUYER.toLowerCase() });
    await other.license({ customer_email: 'grace@example.com' });
    for (const text of ['First', 'Second']) {
      await service.ok('createNote', { params: { id: license.id }, body: { text } });
      service.advance(1000);
    }
    await service.recover();

    const all = await exported(BUYER.toUpperCase());
    expect(all.notes).toMatchObject(['Second', 'First'].map((text) => ({ license_id: license.id, text })));
    const found = all.licenses.map(({ id }) => id);
    expect(found).toEqual(expect.arrayContaining([license.id, second.id]));
    expect(found).toHaveLength(3);
    expect(all.licenses).toEqual(await Promise.all(found.map((id) => service.ok('getLicense', { params: { id } }))));
    for (const id of found) {
      expect(all.events.filter(({ license_id }) => license_id === id)).toEqual(await service.ok('listLicenseEvents', { params: { id } }));
    }
    expect(all.payments.every(({ payload }) => payload !== null)).toBe(true);
    expect(all.orders).toMatchObject([{ customer_email: BUYER.toLowerCase(), amounts: [{ paid: expect.any(Number) }] }]);
    expect(all.orders).toEqual(await service.ok('listOrders', { params: { id: product.id } }));
    expect(JSON.stringify(all)).not.toContain('grace@');
    expect(all.next).toBeNull();
    expect(await audited('exportCustomer')).toMatchObject([{ target: addressHash(BUYER), summary: "Export a buyer's data" }]);
    expect(JSON.stringify(await audited('exportCustomer'))).not.toMatch(/lovelace/i);
  });

  test('a license that changed hands keeps its order and payments with the buyer who paid, in exports and erasures', async () => {
    const product = await service.newProduct();
    await subscribe(product);
    const [license] = (await exported()).licenses;
    const grace = 'grace@example.com';
    await service.ok('updateLicense', { params: { id: license!.id }, body: { customer_email: grace } });
    await service.recover();
    const before = await exported();
    expect([before.licenses.length, before.orders.length, before.payments.length > 0]).toEqual([0, 1, true]);
    expect(await exported(grace)).toMatchObject({ licenses: [{ id: license!.id }], orders: [], payments: [] });

    expect((await erase(grace)).complete).toBe(true);
    const { orders, payments } = await exported();
    expect({ orders, payments }).toEqual({ orders: before.orders, payments: before.payments });
  });

  test('an unknown address is no error', async () => {
    expect(await exported('nobody@example.com')).toEqual({
      customer_email: 'nobody@example.com',
      licenses: [],
      notes: [],
      meters: [],
      refusals: [],
      events: [],
      orders: [],
      payments: [],
      memberships: [],
      next: null,
    });
  });

  test('data that is too large for one response is divided into several responses, without a gap or a repetition', async () => {
    const product = await service.newProduct();
    // A Lambda response contains the JSON body as a string, so each quote is escaped twice and becomes four characters.
    const metadata = { note: '"'.repeat(8000) };
    const licenses: LicenseView[] = [];
    for (let count = 0; count < 3; count += 1) licenses.push(await product.license({ customer_email: BUYER, metadata }));
    for (let times = 0; times < 45; times += 1) for (const { id } of licenses) await service.ok('resetLicense', { params: { id } });
    const [first] = licenses;
    for (let count = 0; count < 3; count += 1)
      await service.ok('createNote', { params: { id: first!.id }, body: { text: `${count}${'x'.repeat(1999)}` } });

    const pages: Export[] = [];
    let cursor: string | null = null;
    do {
      const page: Export = await service.ok<Export>('exportCustomer', { body: { customer_email: BUYER, cursor } });
      expect(Buffer.byteLength(JSON.stringify(JSON.stringify(page)))).toBeLessThan(5_500_000);
      pages.push(page);
      cursor = page.next;
    } while (cursor !== null);
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.flatMap((page) => page.licenses.map(({ id }) => id))).toEqual(licenses.map(({ id }) => id));
    const events = pages.flatMap((page) => page.events.map(({ id }) => id));
    expect(new Set(events).size).toBe(events.length);
    expect(events).toHaveLength(3 * 46);
    expect(pages.flatMap((page) => page.notes.map(({ text }) => text[0])).sort()).toEqual(['0', '1', '2']);
  });

  test('each payment is exported once, and a payment that expires between two responses does not hide another payment', async () => {
    const product = await service.newProduct();
    const { connection, order } = await subscribe(product);
    const shop = shopOf('stripe');
    const [message] = stepsOf('renewal', shop, order)[1]!.messages;
    for (let count = 0; count < 6; count += 1) {
      service.advance(1000);
      const notification = JSON.parse(message!.body) as object;
      const body = JSON.stringify({ ...notification, id: `evt_${count}`, padding: 'x'.repeat(900_000) });
      const headers = { 'Content-Type': message!.contentType, ...shop.sign({ ...message!, body }, SIGNING_SECRET, service.now()) };
      expect((await service.call('receivePayment', { params: { payment: connection.token }, body, headers })).status).toBe(200);
    }
    const page = (cursor: string | null): Promise<Export> =>
      service.ok<Export>('exportCustomer', { body: { customer_email: BUYER, cursor } });
    const first = await page(null);
    const all = [...first.payments];
    for (let { next } = first; next !== null; ) {
      const further = await page(next);
      all.push(...further.payments);
      ({ next } = further);
    }
    expect(all.length).toBeGreaterThan(first.payments.length);
    // The buyer also has payments for products of other tests.
    const logged = (await service.ok<{ id: string }[]>('listPayments', { params: { id: product.id } })).map(({ id }) => id);
    expect(all.map(({ id }) => id).filter((id) => logged.includes(id))).toEqual(logged.reverse());

    await service.client.send(new DeleteCommand({ TableName: table, Key: paymentKey(first.payments[0]!.id) }));
    const rest = await page(first.next);
    expect(rest.payments[0]?.id).toBe(all[first.payments.length]?.id);
  });

  test('refuses cursors that the service did not return', async () => {
    const long = 'f'.repeat(22);
    for (const cursor of ['x', 'license-', 'payment-1', 'order-1', `payment-1-${long}`, `license-1-${long}f`, 'license-1-xyz']) {
      const { status } = await service.call('exportCustomer', { body: { customer_email: BUYER, cursor } });
      expect({ cursor, status }).toEqual({ cursor, status: 422 });
    }
  });
});

test('a token that is bound to a product sees and erases only the data of that product', async () => {
  const mine = await service.newProduct();
  const theirs = await service.newProduct();
  const own = await mine.license({ customer_email: BUYER });
  const other = await theirs.license({ customer_email: BUYER });
  await service.recover();
  const { token } = await service.ok<{ token: string }>('createToken', {
    body: { name: 'support', scopes: ['manage'], product_id: mine.id },
  });
  const headers = { 'X-Svc-Admin-Token': token };
  const body = { customer_email: BUYER };
  expect((await service.ok<Export>('exportCustomer', { body, headers })).licenses.map(({ id }) => id)).toEqual([own.id]);
  expect(await service.ok<Erasure>('eraseCustomer', { body, headers })).toMatchObject({ licenses: 1 });
  const addressOf = async (id: number): Promise<string | null> =>
    (await service.ok<LicenseView>('getLicense', { params: { id } })).customer_email;
  expect([await addressOf(own.id), await addressOf(other.id)]).toEqual([null, BUYER]);
});
