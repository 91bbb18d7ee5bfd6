import { redeliveryKey } from '../../lambdas/store/keys';
import { pendingRedeliveries, startRedelivery } from '../../lambdas/store/events/redelivery';
import { getItem } from '../../lambdas/store/items';
import { startEventHarness, type EventHarness, type Product } from '../support/event-harness';
import { Fuse } from '../support/faults';
import { captureLogs } from '../support/logs';
import { ownTable } from '../support/own-table';
import { startReceiver, type Receiver } from '../support/receiver';

/**
 * After an outage of a backend, an operator sends all missed events again with one call. Each event must get one new round, even if a
 * function dies.
 */

captureLogs();
let table: string;
let service: EventHarness;
let backend: Receiver;
let product: Product;
beforeAll(async () => {
  table = await ownTable();
});
beforeEach(async () => {
  service = startEventHarness(table);
  backend = await startReceiver(() => 500);
  product = await service.newProduct(backend.url);
});
afterEach(async () => {
  service.close();
  await backend.close();
});

const iso = (ms: number): string => new Date(ms).toISOString();
const redeliver = (body?: object, of: Product = product, by: EventHarness = service) =>
  by.call('redeliverMany', { params: { id: of.id }, ...(body && { body }) });
/** Creates failed events, one second apart. Returns their ids, oldest first. */
async function failedEvents(count: number): Promise<string[]> {
  const before = (await product.deliveries()).length;
  for (let i = 0; i < count; i += 1) {
    service.advance(1000);
    await product.license();
  }
  // Each iteration attempts all events in one batch. The loop ends after the fourth attempt, because no message is left then.
  for (let messages = service.queue.splice(0); messages.length > 0; messages = service.queue.splice(0)) {
    service.advance(Math.max(0, ...messages.map(({ at }) => at - service.now())));
    await service.deliver(...messages);
  }
  return (await product.deliveries())
    .slice(0, count === 0 ? 0 : -before || undefined)
    .map(({ id }) => id)
    .reverse();
}
const repair = (): void => {
  backend.answer = () => 200;
  backend.received.length = 0;
};

test('every failed event gets a new round, oldest first; delivered events and events of another product are unchanged', async () => {
  const failed = await failedEvents(12);
  repair();
  await product.license();
  await service.run();
  const other = await service.newProduct(backend.url);
  backend.answer = () => 500;
  await other.license();
  await service.run();
  repair();

  expect(await redeliver()).toMatchObject({ status: 202, body: { count: 12 } });
  expect(service.queue.map(({ body }) => (JSON.parse(body) as { event_id: string }).event_id)).toEqual(failed);
  await service.run();
  expect(backend.ids().sort()).toEqual([...failed].sort());
  expect((await product.deliveries()).map(({ status }) => status)).toEqual(Array(13).fill('delivered'));
  expect((await other.deliveries()).map(({ status }) => status)).toEqual(['failed']);
  expect(await redeliver()).toMatchObject({ status: 202, body: { count: 0 } });
  expect(await pendingRedeliveries(service.app.table, service.now() + 86_400_000)).toEqual([]);
});

test('the period includes `since` and excludes `until`; the default period is the last 30 days', async () => {
  const failed = await failedEvents(5);
  const created = new Map((await product.deliveries()).map(({ id, created_at }) => [id, Date.parse(created_at)]));
  const at = (place: number): number => created.get(failed[place]!)!;
  expect((await redeliver({ since: iso(at(1)), until: iso(at(1)) })).body).toEqual({ count: 0 });
  expect((await redeliver({ since: iso(at(4) + 1) })).body).toEqual({ count: 0 });
  expect((await redeliver({ status: 'skipped' })).body).toEqual({ count: 0 });
  repair();
  expect((await redeliver({ since: iso(at(1)), until: iso(at(3)) })).body).toEqual({ count: 2 });
  await service.run();
  expect(backend.ids()).toEqual([failed[1], failed[2]]);
  service.advance(31 * 86_400_000);
  expect((await redeliver({})).body).toEqual({ count: 0 });
  expect((await redeliver({ since: iso(at(0)), status: null, until: null })).body).toEqual({ count: 3 });
});

test('a period that ends before it begins contains no events', async () => {
  await failedEvents(1);
  const now = service.now();
  expect(await redeliver({ since: iso(now), until: iso(now - 1) })).toMatchObject({ status: 202, body: { count: 0 } });
  // Without `since`, the period begins 30 days ago.
  expect(await redeliver({ until: iso(now - 31 * 86_400_000) })).toMatchObject({ status: 202, body: { count: 0 } });
});

test('skipped events are sent when there is a webhook', async () => {
  await product.setWebhook('');
  for (let i = 0; i < 3; i += 1) await product.license();
  await service.recover();
  await product.setWebhook(backend.url);
  repair();
  expect((await redeliver({ status: 'skipped' })).body).toEqual({ count: 3 });
  await service.run();
  expect(backend.received).toHaveLength(3);
});

test.each([
  ['a status that is not sent again', { status: 'delivered' }, 422],
  ['an invalid time', { since: 'yesterday' }, 422],
])('%s is refused', async (_, body, status) => {
  expect(await redeliver(body)).toMatchObject({ status });
  expect(await service.call('redeliverMany', { params: { id: 999_999_999 } })).toMatchObject({ status: 404 });
});

test('one call sends a limited number of events, the oldest first, and the next call continues with the following events', async () => {
  const failed = await failedEvents(7);
  const selection = { productId: product.id, status: 'failed', since: 0, until: service.now() } as const;
  const first = await startRedelivery(service.app.table, selection, 4, 0, Infinity);
  expect(first?.count).toBe(4);
  repair();
  service.advance(1000);
  await service.sweep();
  await service.run();
  expect(backend.ids()).toEqual(failed.slice(0, 4));
  expect((await redeliver()).body).toEqual({ count: 3 });
});

test('even with simultaneous calls, each event gets one round', async () => {
  const failed = await failedEvents(20);
  repair();
  const others = [1, 2, 3].map(() => startEventHarness(table, { clock: () => service.now() }));
  const answers = await Promise.all([service, ...others].map((one) => redeliver({}, product, one)));
  expect(answers.map(({ status }) => status)).toEqual(Array(4).fill(202));
  service.queue.push(...others.flatMap(({ queue }) => queue));
  for (const one of others) one.close();
  await service.run();
  expect(backend.received.map(({ id }) => id).sort()).toEqual([...failed].sort());
});

test('wherever the function dies, and even if messages are lost, the sweeper finishes the call: each event gets one round of four attempts', async () => {
  for (let at = 2, calls = Infinity; at <= calls; at += calls < 30 ? 1 : 5) {
    const failed = await failedEvents(2);
    backend.received.length = 0;
    const dying = startEventHarness(table, { clock: () => service.now() });
    const fuse = new Fuse(calls === Infinity ? Infinity : at);
    fuse.putInto(dying.client);
    const { status } = await redeliver({}, product, dying);
    dying.close();
    if (calls === Infinity) calls = fuse.calls;
    // The messages that the dying function sent are lost. The receiver refuses every post, so each round has four posts. An event with two
    // rounds would get more than four posts.
    await service.recover();
    const posts = new Map(failed.map((id) => [id, backend.received.filter((received) => received.id === id).length]));
    const rounds = new Set(posts.values());
    expect([at, status < 300 ? [4] : [0, 4]]).toEqual([at, expect.arrayContaining([...rounds])]);
    expect([at, rounds.size]).toEqual([at, 1]);
    expect(await pendingRedeliveries(service.app.table, service.now() + 86_400_000)).toEqual([]);
    expect((await product.deliveries({ status: 'failed' })).map(({ id }) => id).reverse()).toEqual(failed);
    // Now the receiver accepts these events, so the next run has only new failed events.
    backend.answer = () => 200;
    await redeliver();
    await service.run();
    backend.answer = () => 500;
  }
});

test('the sweeper continues an interrupted call where it stopped, even if two sweepers run at the same time', async () => {
  // One more than the events that the service updates at the same time.
  const failed = await failedEvents(51);
  const started = await startRedelivery(
    service.app.table,
    { productId: product.id, status: 'failed', since: 0, until: service.now() },
    10_000,
    0,
    Infinity,
  );
  repair();
  service.advance(1000);
  const other = startEventHarness(table, { clock: () => service.now() });
  await Promise.all([service.sweep(), other.sweep()]);
  service.queue.push(...other.queue);
  other.close();
  await service.run();
  expect(backend.received.map(({ id }) => id).sort()).toEqual([...failed].sort());
  const row = await getItem(service.app.table, redeliveryKey(started!.redelivery!.id));
  expect(row).not.toHaveProperty('pending_pk');
  expect(row?.['ttl']).toBeGreaterThan(service.now() / 1000);
});
