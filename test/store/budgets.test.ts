import { BatchWriteCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { randomBytes } from 'node:crypto';
import { eventKey, licenseKey, refusalsOf } from '../../lambdas/store/keys';
import { itemSize, meter, transactionUnits, type Spent } from '../support/capacity';
import { startEventHarness } from '../support/event-harness';
import { connect, startHarness, tableName, type CallRequest, type CallResult, type Harness } from '../support/harness';
import { captureLogs } from '../support/logs';
import { ownTable } from '../support/own-table';
import { signInToPortal } from '../support/portal';
import { volume } from '../support/sampled';
import { untilNoon } from '../support/start';
import { eventsOf } from '../support/table';

/**
 * Tests the cost of operations in capacity units and round trips (docs/operations.md, Cost). The cost must be the same for one device and
 * for very many devices.
 */

captureLogs();
type Row = Record<string, unknown> & { pk: string; sk: string };
const fingerprint = (): string => randomBytes(32).toString('hex');
const MONTH = 31 * 86_400_000;

interface Fixture {
  readonly harness: Harness;
  readonly licenseId: number;
  readonly productId: number;
  readonly key: string;
  readonly bound: string;
  activate(fingerprint: string): Promise<number>;
  deactivate(fingerprint: string): Promise<number>;
  validate(fingerprint: string): Promise<number>;
  /** Returns the cost since the previous call of this function. */
  spent(): Spent & { sent: number };
}

/** Creates a typical license with the given number of bound devices. Afterwards, the tested function instance has cached the product. */
async function start(devices: number): Promise<Fixture> {
  const harness = startHarness();
  const unique = randomBytes(4).toString('hex');
  const product = (await harness.call('createProduct', { body: { name: `Photo Studio ${unique}`, slug: `photo-studio${unique}` } }))
    .body as Record<string, unknown>;
  expect(product['slug']).toHaveLength(20);
  const params = { id: Number(product['id']) };
  await harness.call('setWebhook', { params, body: { url: 'https://8.8.8.8/' } });
  const type = { name: 'Professional, yearly', kind: 'subscription', duration_days: 30, max_seats: devices + 3 };
  const typeId = (await harness.call('createLicenseType', { params, body: type })).body['id'];
  const sale = { license_type_id: typeId, customer_email: 'ada.lovelace@example.com', metadata: { order: 'A-1001', plan: 'pro' } };
  const license = (await harness.call('createLicense', { params, body: sale })).body as Record<string, unknown>;
  const key = String(license['key']);
  const apiKey = String(product['api_key']);
  const bound = fingerprint();
  const claim = (print: string): object => ({ key, fingerprint: print, name: "Ada's MacBook Pro", platform: 'darwin' });
  const status = (name: string, request: object): Promise<number> =>
    harness.call(name, { params, apiKey, ...request }).then((answer) => answer.status);
  const activate = (print: string): Promise<number> => status('activate', { body: claim(print) });
  expect(await activate(bound)).toBe(200);
  await multiply(params.id, key, devices - 1);

  const costs = meter(harness.client);
  let sent = harness.sent.length;
  return {
    harness,
    licenseId: Number(license['id']),
    productId: params.id,
    key,
    bound,
    activate,
    deactivate: (print) => status('deactivate', { body: { key, fingerprint: print } }),
    validate: (print) => status('validate', { query: { key, fingerprint: print } }),
    spent: () => {
      const before = sent;
      sent = harness.sent.length;
      return { ...costs.take(), sent: sent - before };
    },
  };
}

async function rowsOf(pk: string): Promise<Row[]> {
  const client = connect();
  const rows: Row[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const page = await client.send(
      new QueryCommand({
        TableName: tableName(),
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': pk },
        ConsistentRead: true,
        ExclusiveStartKey: start,
      }),
    );
    rows.push(...((page.Items ?? []) as Row[]));
    start = page.LastEvaluatedKey;
  } while (start);
  client.destroy();
  return rows;
}

/** Adds `more` copies of a license's only device, as if the copies had been activated. */
async function multiply(productId: number, key: string, more: number): Promise<void> {
  const { pk, sk } = licenseKey(productId, key);
  const device = (await rowsOf(pk)).find((row) => row.sk !== sk);
  if (!device || more === 0) return;
  const client = connect();
  const copies = Array.from({ length: more }, () => {
    const print = fingerprint();
    const was = String(device['fingerprint']);
    return { ...device, fingerprint: print, sk: device.sk.replace(was, print), list_sk: String(device['list_sk']).replace(was, print) };
  });
  for (let at = 0; at < copies.length; at += 25) {
    await client.send(
      new BatchWriteCommand({ RequestItems: { [tableName()]: copies.slice(at, at + 25).map((Item) => ({ PutRequest: { Item } })) } }),
    );
  }
  await client.send(
    new UpdateCommand({
      TableName: tableName(),
      Key: { pk, sk },
      UpdateExpression: 'ADD seats_used :more',
      ExpressionAttributeValues: { ':more': more },
    }),
  );
  client.destroy();
}

// The rows of 150 devices don't fit into one transaction or one batch.
describe.each([1, 150])('with %i devices on the license', (devices) => {
  let it: Fixture;
  beforeEach(async () => {
    it = await start(devices);
  });
  afterEach(() => it.harness.close());

  test('a validation is one read of 2 units, and writes nothing', async () => {
    for (const print of [it.bound, fingerprint()]) {
      expect(await it.validate(print)).toBe(200);
      expect(it.spent()).toEqual({ calls: ['BatchGetItem'], readUnits: 2, writeUnits: 0, parallel: 1, sent: 0 });
    }
  });

  test('the first check of a day records the day for one write unit, and later checks of that day write nothing', async () => {
    it.harness.advance(86_400_000);
    await it.validate(fingerprint());
    it.spent();
    expect(await it.validate(it.bound)).toBe(200);
    expect(it.spent()).toEqual({ calls: ['BatchGetItem', 'UpdateItem'], readUnits: 2, writeUnits: 1, parallel: 1, sent: 0 });
    expect(await it.validate(it.bound)).toBe(200);
    expect(it.spent()).toEqual({ calls: ['BatchGetItem'], readUnits: 2, writeUnits: 0, parallel: 1, sent: 0 });
  });

  test('the product and its signing seeds are read together with the license, not before it, once a minute', async () => {
    // The first validation of a day also writes, so the clock moves to a time that is far from midnight.
    it.harness.advance(untilNoon(it.harness.now()));
    await it.validate(it.bound);
    it.spent();
    it.harness.advance(61_000);
    for (const units of [4, 2]) {
      expect(await it.validate(it.bound)).toBe(200);
      expect(it.spent()).toEqual({ calls: ['BatchGetItem'], readUnits: units, writeUnits: 0, parallel: 1, sent: 0 });
    }
  });

  test('a device that is bound already activates with one read of 2 units', async () => {
    expect(await it.activate(it.bound)).toBe(200);
    expect(it.spent()).toEqual({ calls: ['BatchGetItem'], readUnits: 2, writeUnits: 0, parallel: 1, sent: 0 });
  });

  test('a new device activates in two round trips, for at most 10 units', async () => {
    expect(await it.activate(fingerprint())).toBe(200);
    const { writeUnits, ...spent } = it.spent();
    expect(spent).toEqual({ calls: ['BatchGetItem', 'TransactWriteItems'], readUnits: 2, parallel: 1, sent: 1 });
    expect(writeUnits).toBeLessThanOrEqual(10);
  });

  test('if the product has no webhook, the same calls also read the product, because a webhook may have been set since the last read', async () => {
    const params = { id: it.productId };
    await it.harness.call('setWebhook', { params, body: { url: '' } });
    it.harness.advance(61_000);
    const print = fingerprint();
    it.harness.advance(61_000);
    await it.validate(print);
    for (const call of [it.activate, it.deactivate]) {
      it.spent();
      expect(await call(print)).toBe(200);
      const { writeUnits, ...spent } = it.spent();
      expect(spent).toMatchObject({ calls: ['BatchGetItem', 'TransactWriteItems'], readUnits: 3, sent: 0 });
      expect(writeUnits).toBeLessThanOrEqual(10);
    }
    expect((await it.harness.call('listDeliveries', { params, query: { limit: '2' } })).body).toMatchObject([
      { event: 'license.deactivated', status: 'skipped' },
      { event: 'license.activated', status: 'skipped' },
    ]);
    await it.harness.call('setWebhook', { params, body: { url: 'https://8.8.8.8/' } });
    it.spent();
    expect(await it.activate(print)).toBe(200);
    expect(it.spent()).toMatchObject({ sent: 1 });
  });

  test('a device that returns after a reset activates with the same cost', async () => {
    await it.harness.call('resetLicense', { params: { id: it.licenseId } });
    it.spent();
    expect(await it.activate(it.bound)).toBe(200);
    const { calls, writeUnits } = it.spent();
    expect(calls).toEqual(['BatchGetItem', 'TransactWriteItems']);
    expect(writeUnits).toBeLessThanOrEqual(10);
  });

  test('a deactivation takes two round trips, for at most 10 units', async () => {
    expect(await it.deactivate(it.bound)).toBe(200);
    const { writeUnits, ...spent } = it.spent();
    expect(spent).toEqual({ calls: ['BatchGetItem', 'TransactWriteItems'], readUnits: 2, parallel: 1, sent: 1 });
    expect(writeUnits).toBeLessThanOrEqual(10);
  });

  test('a reset of every seat takes three round trips, for at most 9 units, and 4 units for its entry in the audit log', async () => {
    const { body } = await it.harness.call('resetLicense', { params: { id: it.licenseId } });
    expect(body).toEqual({ status: 'reset', freed: devices });
    const { writeUnits, ...spent } = it.spent();
    expect(spent).toEqual({ calls: ['GetItem', 'GetItem', 'TransactWriteItems'], readUnits: 2, parallel: 1, sent: 1 });
    expect(writeUnits).toBeLessThanOrEqual(13);
  });

  test.each(['validate', 'activate'] as const)(
    'the first %s after expiry takes two round trips, for at most 7 units, and one unit to record the refusal; the next one writes nothing',
    async (name) => {
      it.harness.advance(MONTH);
      // After the first expiry, the license is renewed for a day. The measured request is the first one after the second expiry.
      await it.validate('unknown-device').then(() => it.harness.call('renewLicense', { params: { id: it.licenseId }, body: { days: 1 } }));
      it.harness.advance(86_400_000);
      it.spent();
      expect(await it[name](it.bound)).toBe(name === 'validate' ? 200 : 403);
      const { writeUnits, readUnits, ...spent } = it.spent();
      // The last two calls record the refusal.
      expect(spent).toEqual({ calls: ['BatchGetItem', 'TransactWriteItems', 'Query', 'PutItem'], parallel: 1, sent: 1 });
      // The cached product is a day old, so the BatchGetItem call also reads the product and its signing seeds.
      expect(readUnits).toBeLessThanOrEqual(5);
      expect(writeUnits).toBeLessThanOrEqual(8);

      expect(await it[name](it.bound)).toBe(name === 'validate' ? 200 : 403);
      expect(it.spent()).toEqual({ calls: ['BatchGetItem'], readUnits: 2, writeUnits: 0, parallel: 1, sent: 0 });
    },
  );

  test('a device that is refused because of a full license costs only reads, after the full license was reported once', async () => {
    for (let i = 0; i < 3; i += 1) await it.activate(fingerprint());
    it.spent();
    const refused = fingerprint();
    expect(await it.activate(refused)).toBe(429);
    expect(it.spent()).toMatchObject({ sent: 1 });
    expect(await it.activate(refused)).toBe(429);
    const { writeUnits, sent, calls } = it.spent();
    expect({ writeUnits, sent }).toEqual({ writeUnits: 0, sent: 0 });
    expect(calls.length).toBeLessThanOrEqual(3);
  });

  test('a request with a wrong API key costs one unit, whether or not the function has cached the product', async () => {
    for (const elapsed of [0, 61_000]) {
      it.harness.advance(elapsed);
      expect(
        (await it.harness.call('validate', { params: { id: it.productId }, apiKey: 'x', query: { key: 'x', fingerprint: 'abcdefgh' } }))
          .status,
      ).toBe(401);
      expect(it.spent()).toMatchObject({ calls: ['GetItem'], readUnits: 1, writeUnits: 0 });
    }
  });
});

test('a refusal of an unknown key costs at most 2 read and 2 write units, no matter how many rows there are and how long their texts are', async () => {
  const it = await start(1);
  const { body: product } = await it.harness.call('getProduct', { params: { id: it.productId } });
  const refuse = async (key: string): Promise<Spent> => {
    const long = '\u{1d4d0}'.repeat(200);
    const body = { key, fingerprint: fingerprint(), name: long, platform: long, release: { version: '1.0.0' } };
    const { status } = await it.harness.call('activate', { params: { id: it.productId }, apiKey: String(product['api_key']), body });
    expect(status).toBe(404);
    return it.spent();
  };
  // Each request also looks for the license and the device, which costs 2 read units.
  const own = 2;
  const costs: Spent[] = [];
  for (let count = 0; count < volume(120, 700); count += 1) {
    it.harness.advance(200);
    if (count % 100 === 0) {
      // A product is cached for a minute. It is read again here, so that no measured request reads it.
      it.harness.advance(61_000);
      await it.validate(it.bound);
      it.spent();
    }
    if (count % 100 === 0) await it.validate(it.bound).then(it.spent);
    costs.push(await refuse(`never-issued-${count}`));
  }
  expect(Math.max(...costs.map(({ readUnits }) => readUnits)) - own).toBeLessThanOrEqual(2);
  expect(Math.max(...costs.map(({ writeUnits }) => writeUnits))).toBeLessThanOrEqual(2);
  const rows = await rowsOf(refusalsOf({ product_id: it.productId, license_id: null }));
  expect(rows.length).toBeLessThanOrEqual(512);
  expect(Math.max(...rows.map(itemSize))).toBeLessThanOrEqual(512);

  // The same refusal within a minute costs nothing more.
  const claim = { key: 'never-issued', fingerprint: fingerprint() };
  const again = async (): Promise<Spent> => {
    await it.harness.call('activate', { params: { id: it.productId }, apiKey: String(product['api_key']), body: claim });
    return it.spent();
  };
  expect((await again()).calls).toEqual(['BatchGetItem', 'Query', 'PutItem']);
  it.harness.advance(1000);
  expect((await again()).calls).toEqual(['BatchGetItem']);
  it.harness.close();
});

test('rows fit their units with a margin, and the emulator charges what DynamoDB publishes', async () => {
  const it = await start(1);
  expect(await it.activate(fingerprint())).toBe(200);
  const activation = it.spent().writeUnits;
  const { pk, sk } = licenseKey(it.productId, it.key);
  const rows = await rowsOf(pk);
  const license = itemSize(rows.find((row) => row.sk === sk)!);
  const device = Math.max(...rows.filter((row) => row.sk !== sk).map(itemSize));
  const events = await rowsOf(eventKey((await eventsOf(it.licenseId))[0]!.id).pk);
  const event = Math.max(...events.map(itemSize));
  // The four additional units are for index entries: the device in its list and by its fingerprint, and the event in its product's log and
  // among the pending events.
  expect(activation).toBe(transactionUnits(license) + transactionUnits(device) + transactionUnits(event) + 4);
  // Each row must fit into one unit (1024 bytes). The margin of 200 bytes is for longer names and e-mail addresses, and for the larger ids
  // of a service that has been in use for years.
  expect(Math.max(license, device, event)).toBeLessThanOrEqual(1024 - 200);
  it.harness.close();
});

test('metadata of 16 KB does not increase the cost of an activation or a validation, and is returned completely', async () => {
  const it = await start(1);
  const { body } = await it.harness.call('listLicenseTypes', { params: { id: it.productId } });
  const metadata = { note: randomBytes(6000).toString('base64') };
  const sale = { license_type_id: (body as unknown as { id: number }[])[0]?.id, metadata };
  const license = (await it.harness.call('createLicense', { params: { id: it.productId }, body: sale })).body as Record<string, unknown>;
  const { body: product } = await it.harness.call('getProduct', { params: { id: it.productId } });
  it.spent();
  const request = { params: { id: it.productId }, apiKey: String(product['api_key']) };
  const claim = { key: String(license['key']), fingerprint: fingerprint() };
  expect((await it.harness.call('activate', { ...request, body: claim })).status).toBe(200);
  expect(it.spent()).toMatchObject({ readUnits: 2, writeUnits: 10 });
  expect((await it.harness.call('validate', { ...request, query: claim })).status).toBe(200);
  expect(it.spent()).toMatchObject({ readUnits: 2, writeUnits: 0 });

  const id = Number(license['id']);
  expect((await it.harness.call('getLicense', { params: { id } })).body['metadata']).toEqual(metadata);
  const events = (await it.harness.call('listLicenseEvents', { params: { id } })).body as unknown as {
    payload: { data: { license: { metadata: unknown } } };
  }[];
  expect(events.map(({ payload }) => payload.data.license.metadata)).toEqual([metadata, metadata]);
  it.harness.close();
});

test('an app polls with one read until its sign-in is approved, and a device key costs one more read than a license key', async () => {
  const it = await start(1);
  const params = { id: it.productId };
  const { slug, api_key } = (await it.harness.call('getProduct', { params })).body as unknown as { slug: string; api_key: string };
  const ok = async (name: string, request: CallRequest): Promise<unknown> => (await it.harness.call(name, request)).body;
  const license = { id: it.licenseId, key: it.key, customer_email: 'ada.lovelace@example.com' };
  const { session } = await signInToPortal(ok, { product: { ...params, slug }, license });
  const print = fingerprint();
  const app = (name: string, body: object): Promise<CallResult> => it.harness.call(name, { params, apiKey: api_key, body });
  const asked = (await app('createActivationRequest', { fingerprint: print })).body as unknown as { request: string; user_code: string };
  it.spent();
  await app('createActivationRequest', { fingerprint: fingerprint() });
  expect(it.spent()).toEqual({ calls: ['TransactWriteItems'], readUnits: 0, writeUnits: 4, parallel: 1, sent: 0 });

  const poll = (): Promise<CallResult> => app('pollActivationRequest', { request: asked.request, fingerprint: print });
  expect((await poll()).body).toMatchObject({ status: 'pending' });
  expect(it.spent()).toEqual({ calls: ['GetItem'], readUnits: 1, writeUnits: 0, parallel: 1, sent: 0 });
  const decision = { user_code: asked.user_code, decision: 'approve', license_id: it.licenseId };
  const approved = await it.harness.call('decideActivationRequest', {
    params: { slug },
    headers: { 'X-Portal-Session': session },
    body: decision,
  });
  expect(approved.status).toBe(200);
  it.spent();
  const { activation } = (await poll()).body as unknown as { activation: { license: { key: string } } };
  expect(it.spent()).toEqual({ calls: ['GetItem', 'BatchGetItem'], readUnits: 3, writeUnits: 0, parallel: 1, sent: 0 });

  const query = { key: activation.license.key, fingerprint: print };
  expect((await it.harness.call('validate', { params, apiKey: api_key, query })).body).toMatchObject({ valid: true });
  // The first read finds the row of the key, and no row of a license with this key.
  expect(it.spent()).toMatchObject({ calls: ['BatchGetItem', 'BatchGetItem'], writeUnits: 0, parallel: 1, sent: 0 });
  it.harness.close();
});

test.each([0, 1_000_000])(
  'a consumption is one read and one transaction of two rows for 4 write units, also after %i were consumed',
  async (used) => {
    const it = await start(1);
    const meters = [{ name: 'exports', included: 2_000_000, period: 'month' }];
    await it.harness.call('updateLicense', { params: { id: it.licenseId }, body: { meters } });
    const { body: product } = await it.harness.call('getProduct', { params: { id: it.productId } });
    const consume = (count: number): Promise<CallResult> =>
      it.harness.call('consume', {
        params: { id: it.productId },
        apiKey: String(product['api_key']),
        body: { key: it.key, fingerprint: it.bound, meter: 'exports', amount: 1, id: `consumption-${count}` },
      });
    // The first consumption of a meter also adds the row to an index, which lists it for the statistics.
    await consume(0);
    await it.harness.call('correctMeter', { params: { id: it.licenseId, name: 'exports' }, body: { used } });
    it.spent();
    expect((await consume(1)).body).toMatchObject({ used: used + 1 });
    expect(it.spent()).toEqual({ calls: ['BatchGetItem', 'TransactWriteItems'], readUnits: 3, writeUnits: 4, parallel: 1, sent: 0 });
    // A product without a webhook is not read again: a consumption usually records no event.
    await it.harness.call('setWebhook', { params: { id: it.productId }, body: { url: '' } });
    it.harness.advance(61_000);
    await consume(2);
    it.spent();
    await consume(3);
    expect(it.spent()).toMatchObject({ calls: ['BatchGetItem', 'TransactWriteItems'], readUnits: 3 });
    it.harness.close();
  },
);

test('search entries cost what docs/operations.md says, and an activation pays nothing for them', async () => {
  const service = startEventHarness(await ownTable());
  const product = await service.newProduct();
  const { key } = await product.license();
  const costs = meter(service.client);
  /** The write units of a call, after a call of the same kind has filled the caches. */
  const units = async (call: () => Promise<unknown>): Promise<number> => {
    costs.take();
    await call();
    return costs.take().writeUnits;
  };
  const activated = async (name: string): Promise<readonly number[]> => {
    const body = { key, fingerprint: fingerprint(), name, platform: 'darwin' };
    const activation = await units(() => service.call('activate', { params: { id: product.id }, apiKey: product.api_key, body }));
    return [activation, await units(() => service.sweep())];
  };
  await service.sweep();
  await activated('');
  const [nameless = 0, counted = 0] = await activated('');
  expect(await activated("Ada's MacBook")).toEqual([nameless, counted + 2]);

  const issued = (metadata: object): Promise<number> => units(() => product.license({ metadata }));
  const plain = await issued({ order: 'A-1' });
  expect((await issued({ name: 'Ada Lovelace', company: 'Northwind Traders' })) - plain).toBe(6);
  // The terms of more than four words are in two rows.
  expect((await issued({ name: 'Ada Augusta King Noel', company: 'Northwind Traders' })) - plain).toBe(10);
  service.close();
});
