import { LEASE_MS } from '../../lambdas/domain/delivery';
import { EVENT_RANDOM_BYTES, testEvent } from '../../lambdas/domain/event';
import { GRACE_MS, PATIENCE_MS } from '../../lambdas/events/sweep';
import { createEvent } from '../../lambdas/store/events/record';
import { PENDING_SHARDS } from '../../lambdas/store/keys';
import { startEventHarness, type EventHarness, type Product } from '../support/event-harness';
import { countCalls, failWhere, loseAnswers } from '../support/faults';
import { intercept } from '../support/intercept';
import { captureLogs } from '../support/logs';
import { ownTable } from '../support/own-table';
import { startReceiver, type Receiver } from '../support/receiver';

const logged = captureLogs();
let service: EventHarness;
let backend: Receiver;
let product: Product;
beforeEach(async () => {
  service = startEventHarness(await ownTable());
  backend = await startReceiver();
  product = await service.newProduct(backend.url);
});
afterEach(async () => {
  service.close();
  await backend.close();
});

/** Creates pending events whose messages are lost. */
async function lostEvents(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1)
    await createEvent(service.app.table, testEvent(product, service.now(), service.app.random(EVENT_RANDOM_BYTES)));
}
const idsInQueue = (): string[] => service.queue.map(({ body }) => (JSON.parse(body) as { event_id: string }).event_id);

test('an idle service costs only a few empty queries a minute', async () => {
  await product.license();
  await service.run();
  service.advance(3_600_000);
  const calls = countCalls(service.client);
  await service.sweep();
  // One query for each part of the index of pending events, for bulk redeliveries, for orders, and for meters.
  expect(calls).toEqual({ QueryCommand: PENDING_SHARDS + 3 });
  expect(service.queue).toEqual([]);
});

test('an event whose message was lost is delivered, and an event whose message is still in the queue gets no second message', async () => {
  await lostEvents(1);
  service.advance(GRACE_MS - 1);
  await service.sweep();
  expect(service.queue).toEqual([]);
  service.advance(1);
  await service.sweep();
  expect(service.queue).toHaveLength(1);
  await service.run();
  expect(backend.received).toHaveLength(1);
});

test('a slow queue does not get duplicate messages', async () => {
  await lostEvents(3);
  service.advance(GRACE_MS);
  for (let second = 0; second < 60; second += 5) {
    await service.sweep();
    service.advance(5000);
  }
  expect(service.queue).toHaveLength(3);
  // The messages that the sweeper has sent are lost as well.
  service.queue.length = 0;
  service.advance(PATIENCE_MS);
  await service.sweep();
  expect(service.queue).toHaveLength(3);
});

test('a crashed attempt is repeated after its lease has ended', async () => {
  await product.license();
  const [message] = service.queue.splice(0);
  failWhere(service.client, (command) => command !== 'UpdateItemCommand');
  expect(await service.deliver(message!)).toEqual([false]);
  const healthy = startEventHarness(service.app.table.name, { clock: () => service.now() });
  for (const wait of [0, LEASE_MS - 1, GRACE_MS]) {
    service.advance(wait);
    await healthy.sweep();
    expect(healthy.queue).toEqual([]);
  }
  service.advance(1);
  await healthy.sweep();
  await healthy.run();
  healthy.close();
  expect(backend.received).toHaveLength(1);
});

test('a retry whose message was lost is executed, but not before the planned time', async () => {
  backend.answer = () => 500;
  await product.license();
  const [message] = service.queue.splice(0);
  await service.deliver(message!);
  service.queue.length = 0;
  service.advance(1000 + GRACE_MS - 1);
  await service.sweep();
  expect(service.queue).toEqual([]);
  service.advance(1);
  await service.sweep();
  await service.run();
  expect(backend.received).toHaveLength(4);
});

test('no matter how many events are left, each is found', async () => {
  // Each part of the index contains more events than the table returns in one response.
  await lostEvents(100);
  intercept(service.client, async ({ operation, input }, next) => {
    if (operation === 'Query') input['Limit'] = 2;
    return next();
  });
  service.advance(GRACE_MS);
  await service.sweep();
  expect(new Set(idsInQueue()).size).toBe(100);
  expect(service.queue).toHaveLength(100);
});

test('two sweepers at a time send each event once', async () => {
  await lostEvents(20);
  service.advance(GRACE_MS);
  const other = startEventHarness(service.app.table.name, { clock: () => service.now() + 1 });
  await Promise.all([service.sweep(), other.sweep()]);
  expect(service.queue.length + other.queue.length).toBe(20);
  other.close();
});

test('an event that cannot be swept does not prevent the delivery of others', async () => {
  await lostEvents(20);
  service.advance(GRACE_MS);
  const [poisoned] = (await product.deliveries()).map(({ id }) => id);
  const broken = startEventHarness(service.app.table.name, { clock: () => service.now() });
  failWhere(broken.client, (command, input) => command === 'UpdateItemCommand' && JSON.stringify(input).includes(poisoned!.slice(10)));
  await expect(broken.sweep()).rejects.toThrow();
  expect(broken.queue).toHaveLength(19);
  expect(logged().some((line) => line.includes('SWEEP_FAULT'))).toBe(true);
  broken.close();
});

test('a part of the index that fails does not prevent the delivery of the events in other parts', async () => {
  await lostEvents(40);
  service.advance(GRACE_MS);
  const broken = startEventHarness(service.app.table.name, { clock: () => service.now() });
  failWhere(broken.client, (command, input) => command === 'QueryCommand' && JSON.stringify(input).includes('PENDING#0'));
  await expect(broken.sweep()).rejects.toThrow();
  await service.sweep();
  expect(broken.queue.length).toBeGreaterThan(service.queue.length);
  expect(broken.queue.length + service.queue.length).toBe(40);
  broken.close();
});

describe('a lost response of the table does not delay an event', () => {
  test('from the change to the last attempt', async () => {
    backend.answer = () => 500;
    loseAnswers(service.client, 'UpdateItemCommand', 'TransactWriteItemsCommand');
    await product.license();
    expect(service.queue).toHaveLength(1);
    await service.run();
    expect(backend.received).toHaveLength(4);
    expect(await product.deliveries()).toMatchObject([{ status: 'failed', attempts: 4 }]);
    expect(logged().filter((line) => line.includes('LEASE_LOST'))).toEqual([]);
  });

  test('when it is sent again', async () => {
    const { id } = await service.ok<{ id: string }>('testWebhook', { params: { id: product.id } });
    await service.run();
    loseAnswers(service.client, 'UpdateItemCommand');
    await service.ok('redeliver', { params: { event_id: id } });
    await service.run();
    expect(backend.received).toHaveLength(2);
  });

  test('when it is swept', async () => {
    await lostEvents(5);
    service.advance(GRACE_MS);
    loseAnswers(service.client, 'UpdateItemCommand');
    await service.sweep();
    expect(service.queue).toHaveLength(5);
  });
});
