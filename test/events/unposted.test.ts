import type { DeliveryView } from '../../lambdas/contract/webhooks';
import { partitions } from '../../lambdas/contract/access';
import type { EventName } from '../../lambdas/contract/events';
import { DAY_MS } from '../../lambdas/domain/time';
import { skip } from '../../lambdas/domain/delivery';
import { GRACE_MS } from '../../lambdas/events/sweep';
import { MAX_SETTLEMENTS, settleEvents } from '../../lambdas/store/events/attempts';
import { dueEvents, type DueEvent } from '../../lambdas/store/events/overdue';
import { updateIf } from '../../lambdas/store/events/update';
import { getItem } from '../../lambdas/store/items';
import { eventKey, PENDING_SHARDS, typesOfProduct, type Key } from '../../lambdas/store/keys';
import { messageOf, startEventHarness, type EventHarness, type Product } from '../support/event-harness';
import { meter } from '../support/capacity';
import { failWhere, Fuse, loseAnswers } from '../support/faults';
import { intercept } from '../support/intercept';
import { captureLogs } from '../support/logs';
import { ownTable } from '../support/own-table';
import { startReceiver, type Receiver } from '../support/receiver';
import { rowsBelow } from '../support/table';

/** Tests events that are not posted, because their product has no webhook or because the webhook's filter excludes them. */

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
  test('causes no message and no attempt: its events are skipped at once, and the sweeper counts them together, each once', async () => {
    const product = await service.newProduct();
    for (let i = 0; i < 40; i += 1) await product.activate((await product.license()).key, MACHINE);
    expect(service.queue).toEqual([]);
    expect(new Set(await statuses(product))).toEqual(new Set(['license.created skipped', 'license.activated skipped']));
    const costs = meter(service.client);
    await service.sweep();
    const { calls, writeUnits } = costs.take();
    expect(service.queue).toEqual([]);
    expect(new Set(await statuses(product))).toEqual(new Set(['license.created skipped', 'license.activated skipped']));
    // The sweeper needs one transaction for each of 16 shards. Separate deliveries would need a lease and a transaction for each of the 80
    // events.
    expect(calls.filter((call) => call === 'TransactWriteItems').length).toBeLessThanOrEqual(16);
    expect(calls).not.toContain('UpdateItem');
    // Each event takes 2 units for its row and 1 unit for each of its two indexes. The statistics of many events are written together. A
    // delivery would take at least 11 units per event.
    expect(writeUnits / 80).toBeLessThan(7);
    await service.sweep();
    expect(await skippedToday(product)).toMatchObject({ skipped: 80, activations: 40, licenses: [{ active: 40 }] });
  });

  test('has its events recorded together with events of many other products, even if the numbers do not fit into one transaction', async () => {
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
    // Each overview takes 33 queries. Therefore only one is requested, and the numbers of all products are read from their rows.
    expect(await skippedToday(products[0]!)).toMatchObject({ skipped: 1, licenses: [{ active: 1 }] });
    const rows = await rowsBelow(partitions.stats, store.name);
    const sum = (name: 'skipped' | 'active', isCounted: (key: Key) => boolean): number =>
      rows.filter(({ pk, sk }) => isCounted({ pk: String(pk), sk: String(sk) })).reduce((total, row) => total + Number(row[name] ?? 0), 0);
    expect(
      products.map(({ id }) => [
        sum('skipped', ({ pk }) => pk.startsWith(`${partitions.stats}${id}#`)),
        sum('active', ({ sk }) => sk.startsWith(`${typesOfProduct(id)}#`)),
      ]),
    ).toEqual(products.map(() => [1, 1]));
  });

  test('gets all events as soon as a webhook is set, even from functions whose cache contains the product without a webhook', async () => {
    const product = await service.newProduct();
    const { key } = await product.license();
    await product.activate(key, MACHINE);
    await product.setWebhook(backend.url);
    await product.deactivate(key, MACHINE);
    expect(service.queue).toHaveLength(1);
    await service.run();
    expect(backend.received.map(({ event }) => event)).toEqual(['license.deactivated']);
  });

  test('gets no event of a change before the webhook was set, unless an operator asks for it', async () => {
    const product = await service.newProduct();
    const { key } = await product.license();
    await product.activate(key, MACHINE);
    await product.setWebhook(backend.url);
    await service.recover();
    expect(await statuses(product)).toEqual(['license.created skipped', 'license.activated skipped']);
    expect(await skippedToday(product)).toMatchObject({ skipped: 2, activations: 1 });
    expect(await service.ok('redeliverMany', { params: { id: product.id }, body: { status: 'skipped' } })).toEqual({ count: 2 });
    await service.recover();
    expect(await statuses(product)).toEqual(['license.created delivered', 'license.activated delivered']);
    expect(await skippedToday(product)).toMatchObject({ skipped: 0, activations: 1, licenses: [{ active: 1 }] });
  });

  test('gets no event of an import, and counts each imported license and device for its own day', async () => {
    const product = await service.newProduct(backend.url);
    const type = await service.ok<{ id: number }>('createLicenseType', {
      params: { id: product.id },
      body: { name: 'Imported', kind: 'lifetime', max_seats: 3 },
    });
    const skips = { headers: { 'X-Svc-Webhook': 'skip' } };
    const at = (days: number): string => new Date(service.now() - days * DAY_MS).toISOString();
    const issue = (created_at: string): Promise<{ id: number }> =>
      service.ok('createLicense', { params: { id: product.id }, body: { license_type_id: type.id, mail: false, created_at }, ...skips });
    const { id } = await issue(at(20));
    await issue(at(4000));
    const device = { fingerprint: MACHINE, activated_at: at(10) };
    await service.ok('createActivation', { params: { id }, body: device, ...skips });
    await service.ok('suspendLicense', { params: { id }, body: {}, ...skips });
    await service.ok('reinstateLicense', { params: { id }, body: {} });
    await service.run();
    await service.sweep();
    expect(backend.received.map(({ event }) => event)).toEqual(['license.reinstated']);
    const { days, licenses } = await service.ok<
      { days: { date: string; issued: number; activations: number; skipped: number }[] } & { licenses: object[] }
    >('getOverview', { params: { id: product.id } });
    const busy = days.filter(({ issued, activations, skipped }) => issued + activations + skipped > 0);
    expect(busy).toMatchObject([
      { date: at(20).slice(0, 10), issued: 1, activations: 0, skipped: 0 },
      { date: at(10).slice(0, 10), issued: 0, activations: 1, skipped: 0 },
      { date: at(0).slice(0, 10), issued: 0, activations: 0, skipped: 4 },
    ]);
    expect(licenses).toMatchObject([{ active: 2 }]);
    const wrong = await service.call('suspendLicense', { params: { id }, body: {}, headers: { 'X-Svc-Webhook': 'no' } });
    expect(wrong).toMatchObject({ status: 422 });
  });

  test.each([
    ['redeliver', 'license.created'],
    ['redeliverMany', 'license.activated'],
  ])(
    'delivers and counts an event once if an operator sends it again before the sweeper has counted it as skipped (%s)',
    async (call, sent) => {
      const product = await service.newProduct();
      await product.activate((await product.license()).key, MACHINE);
      await product.setWebhook(backend.url);
      const [event] = (await product.deliveries({ event: sent })) as [DeliveryView];
      const again = (): Promise<unknown> =>
        call === 'redeliver'
          ? service.ok(call, { params: { event_id: event.id } })
          : service.ok(call, { params: { id: product.id }, body: { status: 'skipped', since: event.created_at } });
      // The redelivery starts between the read and the write of a sweep. The clock stands still, so that the event is due again at the
      // same time as before.
      const sweeping = startEventHarness(table, { clock: () => service.now() });
      let before: Promise<unknown> | undefined;
      intercept(sweeping.client, async ({ operation }, next) => {
        if (operation === 'TransactWriteItems') await (before ??= again());
        return next();
      });
      await sweeping.sweep();
      sweeping.close();
      expect(before).toBeDefined();
      await service.recover();
      expect(backend.received.filter(({ id }) => id === event.id)).toHaveLength(1);
      const delivered = backend.received.length;
      expect(await product.deliveries({ status: 'delivered' })).toHaveLength(delivered);
      expect(await skippedToday(product)).toMatchObject({ skipped: 2 - delivered, activations: 1, licenses: [{ active: 1 }] });
    },
  );

  test('has its events in the list of skipped events at once, and no event in the list of pending events', async () => {
    const product = await service.newProduct();
    const { id } = await product.license();
    expect(await product.deliveries({ status: 'skipped' })).toMatchObject([
      { license_id: id, url: null, attempts: 0, next_attempt_at: null, delivered_at: null, history: [] },
    ]);
    expect(await product.deliveries({ status: 'pending' })).toEqual([]);
    // A message for an event that is already skipped has no effect.
    const [{ id: event }] = (await product.deliveries()) as [DeliveryView];
    expect(await service.deliver(messageOf(event))).toEqual([true]);
    expect(service.queue).toEqual([]);
    expect(await skippedToday(product)).toMatchObject({ skipped: 1, licenses: [{ active: 1 }] });
  });

  test('records an event once even if the response of the table is lost', async () => {
    const product = await service.newProduct();
    const { key } = await product.license();
    const losing = startEventHarness(table, { clock: () => service.now() });
    loseAnswers(losing.client, 'TransactWriteItemsCommand');
    const params = { id: product.id };
    expect((await losing.call('activate', { params, apiKey: product.api_key, body: { key, fingerprint: MACHINE } })).status).toBe(200);
    await losing.sweep();
    losing.close();
    expect(await statuses(product)).toEqual(['license.created skipped', 'license.activated skipped']);
    expect(await skippedToday(product)).toMatchObject({ skipped: 2, activations: 1, licenses: [{ active: 1 }] });
  });

  test("has the events of an operator's changes skipped without the sweeper: at once, or by the delivery function", async () => {
    const product = await service.newProduct();
    const { id } = await product.license();
    await service.ok('reissueLicense', { params: { id } });
    expect(service.queue).toEqual([]);
    for (const name of ['suspendLicense', 'reinstateLicense', 'resetLicense', 'renewLicense', 'revokeLicense'])
      await service.ok(name, { params: { id } });
    await service.run();
    expect(await product.deliveries()).toHaveLength(7);
    expect(new Set((await product.deliveries()).map(({ status }) => status))).toEqual(new Set(['skipped']));
  });

  test.each([false, true])(
    'has the event of an expiry that a validation notices skipped (the product cannot be read: %s)',
    async (isFailing) => {
      const product = await service.newProduct();
      const { key } = await product.license({ expires_at: new Date(service.now() + 1000).toISOString() });
      await product.activate(key, MACHINE);
      service.advance(1000);
      const calls: string[] = [];
      let fails = isFailing;
      failWhere(service.client, (command) => {
        calls.push(command);
        return fails && command === 'GetItemCommand';
      });
      expect((await product.validate(key, MACHINE)).body).toMatchObject({ valid: false, status: 'expired' });
      // The function reads the product before the commit. If this read fails, the function still commits the change.
      expect(calls.slice(0, 3)).toEqual(['BatchGetItemCommand', 'GetItemCommand', 'TransactWriteItemsCommand']);
      expect(service.queue).toHaveLength(isFailing ? 1 : 0);
      fails = false;
      await service.run();
      expect(await statuses(product)).toEqual(['license.created skipped', 'license.activated skipped', 'license.expired skipped']);
    },
  );

  test('has an event counted even if its payload cannot be read any more', async () => {
    const product = await service.newProduct();
    await product.license();
    const [{ id }] = (await product.deliveries()) as [DeliveryView];
    await updateIf(service.app.table, id, {
      UpdateExpression: 'SET body = :damaged',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':damaged': Buffer.from('damaged') },
    });
    service.advance(GRACE_MS);
    await service.sweep();
    expect(service.queue).toEqual([]);
    expect(await skippedToday(product)).toMatchObject({ skipped: 1 });
    expect(await getItem(service.app.table, eventKey(id))).not.toHaveProperty('pending_pk');
  });

  test('shows its events in its numbers at once, and no event twice', async () => {
    const product = await service.newProduct();
    const { id, key } = await product.license();
    await product.activate(key, MACHINE);
    await service.ok('suspendLicense', { params: { id } });
    const shown = { activations: 1, licenses: [{ active: 0, suspended: 1 }] };
    expect(await skippedToday(product)).toMatchObject({ skipped: 2, ...shown });
    await service.run();
    expect(await skippedToday(product)).toMatchObject({ skipped: 3, ...shown });
    await service.sweep();
    expect(await skippedToday(product)).toMatchObject({ skipped: 3, ...shown });
  });

  test('gets no event that was waiting when the webhook was cleared', async () => {
    const product = await service.newProduct(backend.url);
    await product.license();
    await product.setWebhook('');
    const other = startEventHarness(table, { clock: () => service.now() });
    await Promise.all([service.run(), other.sweep()]);
    other.close();
    expect(backend.received).toEqual([]);
    expect(await skippedToday(product)).toMatchObject({ skipped: 1, licenses: [{ active: 1 }] });
  });

  test('is counted correctly wherever the sweeper dies, and with several sweepers at a time', async () => {
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

describe('a webhook with a filter of events', () => {
  test('gets only the events of its filter, and shows the filter', async () => {
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

  test('keeps its filter when only the URL changes, gets all events again if the filter is null, and no event if the filter is an empty list', async () => {
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
    // An event that was excluded before is sent when an operator requests it.
    const [{ id }] = (await product.deliveries()) as [DeliveryView];
    await service.ok('redeliver', { params: { event_id: id } });
    await service.run();
    expect(await statuses(product)).toEqual(['license.created delivered']);
  });

  test('only accepts existing event names', async () => {
    const product = await service.newProduct();
    for (const events of [['license.sold'], 'license.created', { 0: 'license.created' }, [null]]) {
      const { status, body } = await service.call('setWebhook', { params: { id: product.id }, body: { url: backend.url, events } });
      expect([status, String(body['detail'])]).toEqual([422, expect.stringContaining('events')]);
    }
  });
});
