import type { DeliveryView } from '../../lambdas/contract/webhooks';
import type { EventName } from '../../lambdas/contract/events';
import { skip } from '../../lambdas/domain/delivery';
import { GRACE_MS } from '../../lambdas/events/sweep';
import { MAX_SETTLEMENTS, settleEvents } from '../../lambdas/store/events/attempts';
import { dueEvents, type DueEvent } from '../../lambdas/store/events/overdue';
import { PENDING_SHARDS } from '../../lambdas/store/keys';
import { startEventHarness, type EventHarness, type Product } from '../support/event-harness';
import { meter } from '../support/capacity';
import { Fuse } from '../support/faults';
import { captureLogs } from '../support/logs';
import { ownTable } from '../support/own-table';
import { startReceiver, type Receiver } from '../support/receiver';

/** Events that nobody wants: of products without a webhook, or left out by the webhook's filter. */

captureLogs();
let table: string;
let service: EventHarness;
let backend: Receiver;
beforeAll(async () => {
  table = await ownTable();
});
beforeEach(async () => {
  service = startEventHarness(table);
  backend = await startReceiver();
});
afterEach(async () => {
  service.close();
  await backend.close();
});

const MACHINE = 'a'.repeat(64);
const filter = (product: Product, events: readonly EventName[] | null | undefined): Promise<unknown> =>
  service.ok('setWebhook', { params: { id: product.id }, body: { url: backend.url, ...(events !== undefined && { events }) } });
const statuses = async (product: Product): Promise<string[]> =>
  (await product.deliveries()).map(({ event, status }) => `${event} ${status}`).reverse();
const skippedToday = async ({ id }: Product): Promise<unknown> => {
  const { licenses, days } = await service.ok<{ licenses: object[]; days: { skipped: number; activations: number }[] }>('getOverview', {
    params: { id },
  });
  const sum = (name: 'skipped' | 'activations'): number => days.reduce((total, day) => total + day[name], 0);
  return { skipped: sum('skipped'), activations: sum('activations'), licenses };
};

describe('a product without a webhook', () => {
  test('pays for no message and no attempt: the sweeper settles its events together, and counts each once', async () => {
    const product = await service.newProduct();
    for (let i = 0; i < 40; i += 1) await product.activate((await product.license()).key, MACHINE);
    expect(service.queue).toEqual([]);
    const costs = meter(service.client);
    await service.sweep();
    const { calls, writeUnits } = costs.take();
    expect(service.queue).toEqual([]);
    expect(new Set(await statuses(product))).toEqual(new Set(['license.created skipped', 'license.activated skipped']));
    // In each of 16 shards one transaction, where each of 80 events had a claim and a transaction of its own.
    expect(calls.filter((call) => call === 'TransactWriteItems').length).toBeLessThanOrEqual(16);
    expect(calls).not.toContain('UpdateItem');
    // 2 for the event and 1 for each of its two indexes; the numbers are shared. A delivery has 11 and more.
    expect(writeUnits / 80).toBeLessThan(7);
    await service.sweep();
    expect(await skippedToday(product)).toMatchObject({ skipped: 80, activations: 40, licenses: [{ active: 40 }] });
  });

  test('has its events settled with those of many others, whose numbers do not fit into one transaction', async () => {
    const { table: store } = service.app;
    const products = await Promise.all(Array.from({ length: MAX_SETTLEMENTS }, () => service.newProduct()));
    for (const product of products) await product.license();
    const due: DueEvent[] = [];
    for (let shard = 0; shard < PENDING_SHARDS; shard += 1)
      for await (const page of dueEvents(store, shard, service.now())) due.push(...page);
    const costs = meter(service.client);
    const settled = await settleEvents(
      store,
      due.map(({ delivery, pendingSince }) => ({ delivery: skip(delivery), pendingSince })),
    );
    expect(settled).toEqual(products.map(() => true));
    expect(costs.take().calls).toEqual(['TransactWriteItems', 'TransactWriteItems']);
    for (const product of products) expect(await skippedToday(product)).toMatchObject({ skipped: 1, licenses: [{ active: 1 }] });
  });

  test('is posted what happens from the moment it gets one, also by functions that knew it without', async () => {
    const product = await service.newProduct();
    const { key } = await product.license();
    await product.activate(key, MACHINE);
    await product.setWebhook(backend.url);
    await product.deactivate(key, MACHINE);
    expect(service.queue).toHaveLength(1);
    await service.run();
    expect(backend.received.map(({ event }) => event)).toEqual(['license.deactivated']);
  });

  test('loses no event when it gets one: what was recorded just before is delivered, a minute late at the most', async () => {
    const product = await service.newProduct();
    const { key } = await product.license();
    await product.activate(key, MACHINE);
    await product.setWebhook(backend.url);
    expect(service.queue).toEqual([]);
    service.advance(GRACE_MS);
    await service.sweep();
    await service.run();
    expect((await statuses(product)).sort()).toEqual(['license.activated delivered', 'license.created delivered']);
  });

  test('shows what happened in its numbers at once, and no event twice', async () => {
    const product = await service.newProduct();
    const { id, key } = await product.license();
    await product.activate(key, MACHINE);
    await service.ok('suspendLicense', { params: { id } });
    const shown = { activations: 1, licenses: [{ active: 0, suspended: 1 }] };
    expect(await skippedToday(product)).toMatchObject({ skipped: 0, ...shown });
    await service.sweep();
    expect(await skippedToday(product)).toMatchObject({ skipped: 3, ...shown });
  });

  test('is sent nothing that was on its way when the webhook was cleared', async () => {
    const product = await service.newProduct(backend.url);
    await product.license();
    await product.setWebhook('');
    const other = startEventHarness(table, { clock: () => service.now() });
    await Promise.all([service.run(), other.sweep()]);
    other.close();
    expect(backend.received).toEqual([]);
    expect(await skippedToday(product)).toMatchObject({ skipped: 1, licenses: [{ active: 1 }] });
  });

  test('is counted right wherever the sweeper dies, and however many sweep at a time', async () => {
    for (let at = 1, calls = Infinity; at <= Math.min(calls, 60); at += 11) {
      const product = await service.newProduct();
      for (let i = 0; i < 6; i += 1) await product.license();
      const dying = startEventHarness(table, { clock: () => service.now() });
      const fuse = new Fuse(calls === Infinity ? Infinity : at);
      fuse.putInto(dying.client);
      await dying.sweep().catch(() => undefined);
      dying.close();
      if (calls === Infinity) calls = fuse.calls;
      const others = [1, 2].map(() => startEventHarness(table, { clock: () => service.now() }));
      await Promise.all([service, ...others].map((one) => one.sweep()));
      for (const one of others) one.close();
      expect([at, await statuses(product)]).toEqual([at, Array(6).fill('license.created skipped')]);
      expect(await skippedToday(product)).toMatchObject({ skipped: 6, licenses: [{ active: 6 }] });
    }
  });
});

describe('a webhook that wants some events', () => {
  test('is sent those and no others, and says which', async () => {
    const product = await service.newProduct(backend.url);
    expect(await filter(product, ['license.revoked', 'license.activated'])).toEqual({
      url: backend.url,
      events: ['license.revoked', 'license.activated'],
      secret: product.secret,
    });
    const { id, key } = await product.license();
    await product.activate(key, MACHINE);
    await service.ok('resetLicense', { params: { id } });
    await service.ok('revokeLicense', { params: { id } });
    await service.ok('testWebhook', { params: { id: product.id } });
    await service.recover();
    expect(backend.received.map(({ event }) => event)).toEqual(['license.activated', 'license.revoked', 'webhook.test']);
    expect((await statuses(product)).sort()).toEqual([
      'license.activated delivered',
      'license.created skipped',
      'license.reset skipped',
      'license.revoked delivered',
      'webhook.test delivered',
    ]);
    expect((await product.deliveries({ status: 'skipped' })).map(({ url, attempts, last_error }) => [url, attempts, last_error])).toEqual(
      Array(2).fill([null, 0, null]),
    );
  });

  test('keeps its choice when only the URL changes, is sent all again with null, and nothing with none', async () => {
    const product = await service.newProduct();
    const events = async (): Promise<unknown> =>
      (await service.ok<{ events: unknown }>('getWebhook', { params: { id: product.id } })).events;
    expect(await events()).toBeNull();
    await filter(product, []);
    await product.license();
    await service.recover();
    expect(await statuses(product)).toEqual(['license.created skipped']);
    await filter(product, undefined);
    await product.setWebhook('');
    expect(await events()).toEqual([]);
    await filter(product, null);
    expect(await events()).toBeNull();
    // An event that was left out before is sent when it is asked for.
    const [{ id }] = (await product.deliveries()) as [DeliveryView];
    await service.ok('redeliver', { params: { event_id: id } });
    await service.run();
    expect(await statuses(product)).toEqual(['license.created delivered']);
  });

  test('names events that there are', async () => {
    const product = await service.newProduct();
    for (const events of [['license.sold'], 'license.created', { 0: 'license.created' }, [null]]) {
      const { status, body } = await service.call('setWebhook', { params: { id: product.id }, body: { url: backend.url, events } });
      expect([status, String(body['detail'])]).toEqual([422, expect.stringContaining('events')]);
    }
  });
});
