import { randomBytes } from 'node:crypto';
import { skip } from '../../lambdas/domain/delivery';
import { claimEvent, settleEvents } from '../../lambdas/store/events/attempts';
import { licenseIdKey, productKey } from '../../lambdas/store/keys';
import { getItems } from '../../lambdas/store/items';
import {
  actionsOf,
  cancelled,
  cancelledFor,
  conflicted,
  intercept,
  leaveUnprocessed,
  overloaded,
  randomFaults,
  reset,
  serverError,
  throttled,
  timedOut,
  unavailable,
  type Call,
} from '../support/intercept';
import type { Harness } from '../support/harness';
import { anotherInstance, closeShops, openShop } from '../support/shop';
import { eventsOf, expectWholeHistory } from '../support/table';

/**
 * Injects faults between the service and its table. A fault must cause no wrong refusal and no double effect, and the response may be 503
 * only if the faults last longer than the retries.
 */

const unique = (): string => randomBytes(8).toString('hex');
beforeEach(() => {
  for (const level of ['error', 'warn'] as const) jest.spyOn(console, level).mockImplementation();
});
afterEach(closeShops);

/** Makes the first calls of an operation fail, each with one of the faults. Returns how many calls failed. */
function failFirst({ client }: Harness, operation: string, faults: readonly ((call: Call) => Error)[]): () => number {
  let failed = 0;
  intercept(client, async (call, next) => {
    const fault = call.operation === operation ? faults[failed] : undefined;
    if (!fault) return next();
    failed += 1;
    throw fault(call);
  });
  return () => failed;
}

const transient: [string, () => Error][] = [
  ['throttled', throttled],
  ['over the provisioned throughput', overloaded],
  ['met by a server error', serverError],
  ['met by an unavailable service', unavailable],
  ['out of time', timedOut],
  ['cut off', reset],
];
const cancellations: [string, (call: Call) => Error][] = [
  ['in conflict', (call) => cancelled('TransactionConflict', actionsOf(call))],
  ['in conflict over the event', (call) => cancelled('TransactionConflict', actionsOf(call), 1)],
  ['throttled in one action', (call) => cancelled('ThrottlingError', actionsOf(call), actionsOf(call) - 1)],
  ['over the throughput in one action', (call) => cancelled('ProvisionedThroughputExceeded', actionsOf(call))],
];

describe.each<[string, (call: Call) => Error]>([...transient, ...cancellations])('a transaction that is %s a few times', (_case, fault) => {
  test('does not keep a device from its seat, and activates it once', async () => {
    const service = await openShop({ kind: 'lifetime', max_seats: 1 });
    const { id, key } = await service.newLicense();
    const failed = failFirst(service, 'TransactWriteItems', [fault, fault, fault]);
    expect(await service.activate(key, 'fingerprint-1')).toMatchObject({ status: 200, body: { seats: { used: 1 } } });
    expect(failed()).toBe(3);
    expect((await eventsOf(id)).map(({ event }) => event)).toEqual(['license.created', 'license.activated']);
  });

  test('does not lose a sale, a renewal or a revocation', async () => {
    const service = await openShop({ kind: 'subscription', duration_days: 30 });
    failFirst(service, 'TransactWriteItems', [fault, fault]);
    const { id } = await service.newLicense();
    for (const operation of ['renewLicense', 'resetLicense', 'revokeLicense']) {
      failFirst(service, 'TransactWriteItems', [fault, fault]);
      expect((await service.call(operation, { params: { id } })).status).toBe(200);
    }
    expect((await eventsOf(id)).map(({ event }) => event)).toEqual([
      'license.created',
      'license.renewed',
      'license.reset',
      'license.revoked',
    ]);
  });
});

describe('a request succeeds even if a read fails a few times', () => {
  const reads: [operation: string, name: string][] = [
    ['BatchGetItem', 'validate'],
    ['GetItem', 'getProduct'],
    ['GetItem', 'resetLicense'],
    ['GetItem', 'getLicense'],
    ['Query', 'getLicense'],
    ['Query', 'listLicenses'],
    ['BatchGetItem', 'listLicenses'],
    ['Query', 'listProducts'],
    ['Query', 'listLicenseTypes'],
    ['UpdateItem', 'createLicense'],
    ['GetItem', 'mintOfflineToken'],
  ];
  // All reads handle faults in the same way. Therefore each kind of read is tested with only one kind of fault.
  test.each(reads.map(([operation, name], place) => [operation, name, ...transient[place % transient.length]!] as const))(
    '%s in the request %s: %s',
    async (operation, name, _case, fault) => {
      const service = await openShop();
      const { id, key } = await service.newLicense();
      const failed = failFirst(service, operation, [fault, fault, fault, fault]);
      const params = { id: /icense$|Token$/.test(name) && name !== 'createLicense' ? id : service.productId };
      const request =
        name === 'validate'
          ? { query: { key, fingerprint: 'fingerprint-1' }, apiKey: service.apiKey }
          : name === 'createLicense'
            ? { body: { license_type_id: service.typeId } }
            : {};
      const { status, body } = await service.call(name, { params, ...request });
      expect({ status, body }).toEqual({ status: name === 'createLicense' ? 201 : 200, body: expect.anything() });
      expect(failed()).toBe(4);
    },
  );

  test.each(transient)('of a license and its device: %s', async (_case, fault) => {
    const service = await openShop();
    const { key } = await service.newLicense();
    const failed = failFirst(service, 'BatchGetItem', [fault, fault, fault, fault]);
    expect((await service.validate(key, 'fingerprint-1')).status).toBe(200);
    expect(failed()).toBe(4);
  });
});

test('keys that a BatchGetItem left unprocessed are read again: no unknown key, no unbound device, no missing row in a list', async () => {
  const service = await openShop();
  const { key } = await service.newLicense();
  await service.activate(key, 'fingerprint-1');
  for (let i = 0; i < 20; i += 1) await service.newLicense();
  let round = 0;
  intercept(service.client, async (call, next) =>
    call.operation === 'BatchGetItem' ? leaveUnprocessed(call, next, () => (round += 1) % 3 !== 0) : next(),
  );
  for (let i = 0; i < 4; i += 1) {
    service.advance(61_000);
    expect((await service.validate(key, 'fingerprint-1')).body).toMatchObject({ valid: true, device: { fingerprint: 'fingerprint-1' } });
  }
  const list = (await service.call('listLicenses', { params: { id: service.productId } })).body as unknown as unknown[];
  expect(list).toHaveLength(21);
});

test('a new label is stored although another transaction on the device was in progress', async () => {
  const service = await openShop();
  const { id, key } = await service.newLicense();
  await service.activate(key, 'fingerprint-1', { name: 'old' });
  failFirst(service, 'UpdateItem', [conflicted, throttled]);
  expect(await service.activate(key, 'fingerprint-1', { name: 'new' })).toMatchObject({ status: 200, body: { device: { name: 'new' } } });
  expect((await service.license(id)).activations).toMatchObject([{ name: 'new' }]);
});

test('a label that could not be stored is not shown in the response', async () => {
  const service = await openShop();
  const { key } = await service.newLicense();
  await service.activate(key, 'fingerprint-1', { name: 'old' });
  intercept(service.client, async (call, next) => (call.operation === 'UpdateItem' ? Promise.reject(throttled()) : next()));
  expect((await service.activate(key, 'fingerprint-1', { name: 'new' })).status).toBe(503);
});

test('an activation with a new label takes a seat again if its device was freed meanwhile, so that it returns no token for an unbound device', async () => {
  const service = await openShop();
  const { id, key } = await service.newLicense();
  await service.activate(key, 'fingerprint-1', { name: 'old' });
  let freed = false;
  intercept(service.client, async (call, next) => {
    if (call.operation === 'UpdateItem' && !freed) {
      freed = true;
      await service.deactivate(key, 'fingerprint-1');
    }
    return next();
  });
  expect((await service.activate(key, 'fingerprint-1', { name: 'new' })).status).toBe(200);
  expect(freed).toBe(true);
  expect(await service.license(id)).toMatchObject({ seats: { used: 1 }, activations: [{ name: 'new' }] });
});

test('more rows than one BatchGetItem may request arrive in order, with a gap for each missing row', async () => {
  const service = await openShop();
  const sizes: number[] = [];
  intercept(service.client, async ({ operation, input }, next) => {
    if (operation === 'BatchGetItem')
      sizes.push(...Object.values(input['RequestItems'] as Record<string, { Keys: unknown[] }>).map(({ Keys }) => Keys.length));
    return next();
  });
  const known = productKey(service.productId);
  for (const count of [1, 99, 100, 101, 250]) {
    const keys = Array.from({ length: count }, (_, place) => (place === count - 1 ? known : licenseIdKey(2 ** 40 + place)));
    const items = await getItems(service.app.table, keys);
    expect(items.map((item) => item?.['pk'] as unknown)).toEqual(keys.map(({ pk }) => (pk === known.pk ? pk : undefined)));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(100);
    expect(sizes.splice(0).reduce((sum, size) => sum + size)).toBe(count);
  }
});

test('after a conflict an activation decides on the current license: repeating its outdated transaction would only delay the other devices', async () => {
  const shop = await openShop({ kind: 'lifetime', max_seats: 2 });
  const { id, key } = await shop.newLicense();
  const second = anotherInstance(shop);
  let transactions = 0;
  intercept(second.client, async (call, next) => {
    if (call.operation !== 'TransactWriteItems') return next();
    transactions += 1;
    if (transactions > 1) return next();
    await shop.activate(key, 'fingerprint-1');
    throw cancelled('TransactionConflict', actionsOf(call));
  });
  expect(await second.activate(key, 'fingerprint-2')).toMatchObject({ status: 200, body: { seats: { used: 2 } } });
  expect(transactions).toBe(2);
  expectWholeHistory(await eventsOf(id));
});

test('an event is sent again although its last attempt was being recorded', async () => {
  const service = await openShop();
  await service.call('setWebhook', { params: { id: service.productId }, body: { url: 'https://8.8.8.8/' } });
  const { id } = await service.newLicense();
  const [{ id: event_id } = { id: '' }] = await eventsOf(id);
  const { table } = service.app;
  const claim = await claimEvent(table, event_id, service.now());
  if (typeof claim === 'string' || !('token' in claim)) throw new Error('The event is taken');
  expect(await settleEvents(table, [{ delivery: skip(claim.delivery), token: claim.token }])).toEqual([true]);
  const failed = failFirst(service, 'TransactWriteItems', [(call) => cancelled('TransactionConflict', actionsOf(call)), throttled, reset]);
  expect(await service.call('redeliver', { params: { event_id } })).toMatchObject({
    status: 202,
    body: { id: event_id, status: 'pending' },
  });
  expect(failed()).toBe(3);
});

test('if another transaction is about to take a name, the name is not reported as taken (409) before that transaction has succeeded', async () => {
  const service = await openShop();
  const asked = { body: { name: unique(), slug: unique() }, headers: { 'Idempotency-Key': unique() } };
  const halfTrue = (call: Call): Error =>
    cancelledFor(Array.from({ length: actionsOf(call) }, (_, place) => (place === 0 ? 'TransactionConflict' : 'ConditionalCheckFailed')));
  const failed = failFirst(service, 'TransactWriteItems', [halfTrue, halfTrue]);
  const first = await service.call('createProduct', asked);
  expect([first.status, failed()]).toEqual([201, 2]);
  expect(await service.call('createProduct', asked)).toMatchObject({ status: 201, body: first.body });
});

test('if DynamoDB itself cancels a commit, for example because of throttling, the response is a fault and no name is reported as taken', async () => {
  const service = await openShop();
  const asked = { body: { name: unique(), slug: unique() } };
  const failed = failFirst(service, 'TransactWriteItems', [(call) => cancelledFor(Array.from({ length: actionsOf(call) }, () => 'None'))]);
  expect((await service.call('createProduct', asked)).status).toBe(500);
  expect(failed()).toBe(1);
  expect((await service.call('createProduct', asked)).status).toBe(201);
});

describe('a commit whose response was lost', () => {
  /** Commits, but reports an error to the caller. */
  const loseAnswers = ({ client }: Harness, times: number): void => {
    let lost = 0;
    intercept(client, async (call, next) => {
      const output = await next();
      if (call.operation !== 'TransactWriteItems' || lost >= times) return output;
      lost += 1;
      throw lost % 2 ? timedOut() : serverError();
    });
  };

  test('has no double effect: one seat, one event, one license', async () => {
    const service = await openShop({ kind: 'subscription', duration_days: 30, max_seats: 1 });
    await service.call('setWebhook', { params: { id: service.productId }, body: { url: 'https://8.8.8.8/' } });
    loseAnswers(service, 2);
    const { id, key } = await service.newLicense();
    loseAnswers(service, 2);
    expect(await service.activate(key, 'fingerprint-1')).toMatchObject({ status: 200, body: { seats: { used: 1 } } });
    const before = (await service.license(id)).expires_at ?? '';
    loseAnswers(service, 2);
    expect((await service.call('renewLicense', { params: { id }, body: { days: 1 } })).status).toBe(200);
    expect(Date.parse((await service.license(id)).expires_at ?? '') - Date.parse(before)).toBe(86_400_000);
    loseAnswers(service, 1);
    expect((await service.deactivate(key, 'fingerprint-1')).body).toEqual({ freed: true });
    loseAnswers(service, 3);
    expect((await service.call('resetLicense', { params: { id } })).body).toEqual({ status: 'reset', freed: 0 });
    loseAnswers(service, 3);
    expect((await service.call('revokeLicense', { params: { id } })).body).toMatchObject({ status: 'revoked' });
    const events = await eventsOf(id);
    expectWholeHistory(events);
    expect(events.map(({ event }) => event)).toEqual([
      'license.created',
      'license.activated',
      'license.renewed',
      'license.deactivated',
      'license.reset',
      'license.revoked',
    ]);
    // Each event was sent to the queue once.
    expect(new Set(service.sent.filter((message) => events.some((event) => message.includes(event.id)))).size).toBe(6);
  });

  test('is no duplicate: a product, a type and an idempotent sale are returned as created', async () => {
    const service = await openShop();
    const slug = unique();
    loseAnswers(service, 2);
    const product = await service.call('createProduct', { body: { name: slug, slug } });
    expect(product).toMatchObject({ status: 201, body: { slug } });
    loseAnswers(service, 2);
    expect(
      (await service.call('createLicenseType', { params: { id: service.productId }, body: { name: slug, kind: 'lifetime' } })).status,
    ).toBe(201);

    const sale = { params: { id: service.productId }, body: { license_type_id: service.typeId }, headers: { 'Idempotency-Key': unique() } };
    loseAnswers(service, 2);
    const first = await service.call('createLicense', sale);
    expect(first.status).toBe(201);
    expect(await service.call('createLicense', sale)).toMatchObject({ status: 201, body: first.body });
    expect(await eventsOf(Number(first.body['id']))).toHaveLength(1);
  });

  test("is found by the client's next request, even if the commit exceeded the time limit of the first request", async () => {
    const service = await openShop();
    const sale = { params: { id: service.productId }, body: { license_type_id: service.typeId }, headers: { 'Idempotency-Key': unique() } };
    let lost = 0;
    intercept(service.client, async (call, next) => {
      const output = await next();
      if (call.operation !== 'TransactWriteItems' || lost > 0) return output;
      lost += 1;
      service.advance(60_000);
      throw timedOut();
    });
    expect((await service.call('createLicense', sale)).status).toBe(503);
    const again = await service.call('createLicense', sale);
    expect(again.status).toBe(201);
    const all = (await service.call('listLicenses', { params: { id: service.productId } })).body as unknown as unknown[];
    expect(all).toHaveLength(1);
  });
});

describe('faults that outlast the budget of 5 s', () => {
  test.each<[string, string, (call: Call) => Error]>([
    ['conflicts', 'TransactWriteItems', (call) => cancelled('TransactionConflict', actionsOf(call))],
    ['throttling', 'TransactWriteItems', throttled],
    ['no connection', 'TransactWriteItems', reset],
    ['throttled reads', 'BatchGetItem', throttled],
    ['no response to reads', 'BatchGetItem', timedOut],
  ])('cause a response with 503, and nothing is changed: %s', async (_case, operation, fault) => {
    const service = await openShop();
    const { id, key } = await service.newLicense();
    const began = service.now();
    let calls = 0;
    intercept(service.client, async (call, next) => {
      if (call.operation !== operation) return next();
      calls += 1;
      throw fault(call);
    });
    const { status, body } = await service.activate(key, 'fingerprint-1');
    expect({ status, keys: Object.keys(body) }).toEqual({ status: 503, keys: ['detail'] });
    const waited = service.now() - began;
    expect(waited).toBeGreaterThanOrEqual(5000);
    expect(waited).toBeLessThan(6000);
    // The store tries many times, but waits between the tries.
    expect(calls).toBeGreaterThan(10);
    expect(calls).toBeLessThan(200);
    expect(await service.license(id)).toMatchObject({ seats: { used: 0 }, activations: [] });
    expect(await eventsOf(id)).toHaveLength(1);
  });

  test('a license is not reported as unknown if BatchGetItem never processes its key', async () => {
    const service = await openShop();
    const { key } = await service.newLicense();
    intercept(service.client, async (call, next) =>
      call.operation === 'BatchGetItem' ? leaveUnprocessed(call, next, () => true) : next(),
    );
    expect((await service.validate(key, 'fingerprint-1')).status).toBe(503);
    expect((await service.activate(key, 'fingerprint-1')).status).toBe(503);
  });

  test('a mistake in a request is not a temporary fault: it is reported at once', async () => {
    const service = await openShop();
    const { key } = await service.newLicense();
    let calls = 0;
    intercept(service.client, async (call, next) => {
      if (call.operation !== 'TransactWriteItems') return next();
      calls += 1;
      throw Object.assign(new Error('injected by the test'), {
        name: 'ValidationException',
        $fault: 'client',
        $metadata: { httpStatusCode: 400 },
      });
    });
    expect((await service.activate(key, 'fingerprint-1')).status).toBe(500);
    expect(calls).toBe(1);
  });
});

test('an event that the queue refused is committed nevertheless, and the device is activated', async () => {
  const service = await openShop({ kind: 'lifetime' }, { send: () => Promise.reject(new Error('injected by the test')) });
  await service.call('setWebhook', { params: { id: service.productId }, body: { url: 'https://8.8.8.8/' } });
  const { id, key } = await service.newLicense();
  expect((await service.activate(key, 'fingerprint-1')).status).toBe(200);
  expect((await eventsOf(id)).map(({ event }) => event)).toEqual(['license.created', 'license.activated']);
});

test.each([1, 2, 3])('with random faults (seed %i) every response is true and every change has exactly one event', async (seed) => {
  const service = await openShop({ kind: 'subscription', duration_days: 30, max_seats: 3 });
  const { id, key } = await service.newLicense();
  const faults = randomFaults(service.client, seed, 0.15);
  const bound = new Set<string>();
  const changes = ['license.created'];
  for (let step = 0; step < 40; step += 1) {
    const fingerprint = `fingerprint-${(step * 7 + seed) % 5}`;
    const seats = (): unknown => ({ used: bound.size, max: 3 });
    if (step % 13 === 12) {
      expect(await service.call('resetLicense', { params: { id } })).toMatchObject({ status: 200, body: { freed: bound.size } });
      bound.clear();
      changes.push('license.reset');
    } else if (step % 3 === 2) {
      expect(await service.deactivate(key, fingerprint)).toMatchObject({ status: 200, body: { freed: bound.has(fingerprint) } });
      if (bound.delete(fingerprint)) changes.push('license.deactivated');
    } else if (step % 5 === 4) {
      const { status, body } = await service.validate(key, fingerprint);
      expect({ status, valid: body['valid'], bound: 'device' in body, seats: body['seats'] }).toEqual({
        status: 200,
        valid: true,
        bound: bound.has(fingerprint),
        seats: seats(),
      });
    } else {
      const full = !bound.has(fingerprint) && bound.size === 3;
      const { status, body } = await service.activate(key, fingerprint);
      expect(status).toBe(full ? 429 : 200);
      // A full license is reported once in 24 hours.
      if (full && !changes.includes('license.seats_exhausted')) changes.push('license.seats_exhausted');
      if (full) continue;
      if (!bound.has(fingerprint)) changes.push('license.activated');
      bound.add(fingerprint);
      expect(body['seats']).toEqual(seats());
    }
  }
  expect(faults.count).toBeGreaterThan(10);
  const events = await eventsOf(id);
  expectWholeHistory(events);
  expect(events.map(({ event }) => event)).toEqual(changes);
  expect((await service.license(id)).activations).toHaveLength(bound.size);
});
