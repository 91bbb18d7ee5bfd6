import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { createHmac } from 'node:crypto';
import { LEASE_MS, RETRY_DELAYS_MS } from '../../lambdas/domain/delivery';
import type { DeliveryView } from '../../lambdas/contract/webhooks';
import { EVENT_DAYS } from '../../lambdas/store/events/rows';
import { eventKey } from '../../lambdas/store/keys';
import { getItem } from '../../lambdas/store/items';
import { messageOf, startEventHarness, type EventHarness, type Message, type Product } from '../support/event-harness';
import { meter } from '../support/capacity';
import { failWhere, loseAnswers } from '../support/faults';
import { captureLogs } from '../support/logs';
import { ownTable } from '../support/own-table';
import { startReceiver, type Receiver } from '../support/receiver';
import { until } from '../support/until';

const logged = captureLogs();
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
const delivery = (id: string): Promise<DeliveryView> => service.ok<DeliveryView>('getDelivery', { params: { event_id: id } });
const redeliver = (id: string): Promise<DeliveryView> => service.ok<DeliveryView>('redeliver', { params: { event_id: id } });
const take = (): Message => {
  const message = service.queue.shift();
  if (!message) throw new Error('The queue is empty');
  return message;
};
/** A product with a pending event, and the event's message. */
async function oneEvent(url = backend.url): Promise<{ product: Product; id: string; message: Message }> {
  const product = await service.newProduct(url);
  await product.license();
  const [{ id }] = (await product.deliveries()) as [DeliveryView];
  return { product, id, message: take() };
}

describe('a product’s backend is notified of every change', () => {
  test('all eight events arrive, signed, in the order of their sequence, each with its license and device', async () => {
    const product = await service.newProduct(backend.url);
    const { id, key } = await product.license({ customer_email: 'ada@example.com', metadata: { seat: 'window' } });
    const params = { id };
    await product.activate(key, MACHINE);
    await product.deactivate(key, MACHINE);
    await service.ok('resetLicense', { params });
    service.advance(366 * 86_400_000);
    expect((await product.validate(key, MACHINE)).body).toMatchObject({ valid: false, status: 'expired' });
    await service.ok('renewLicense', { params });
    await service.ok('revokeLicense', { params });
    await service.ok('testWebhook', { params: { id: product.id } });
    await service.run();

    expect(backend.received.map(({ event, sequence }) => [event, sequence])).toEqual([
      ['license.created', 1],
      ['license.activated', 2],
      ['license.deactivated', 3],
      ['license.reset', 4],
      ['license.expired', 5],
      ['license.renewed', 6],
      ['license.revoked', 7],
      ['webhook.test', undefined],
    ]);
    expect(new Set(backend.ids()).size).toBe(8);
    for (const { raw, headers, event, id: eventId } of backend.received) {
      const payload = JSON.parse(raw.toString()) as { timestamp: string; data: Record<string, unknown> };
      expect(headers['x-svc-event']).toBe(event);
      expect(headers['x-svc-signature']).toBe(createHmac('sha256', product.secret).update(raw).digest('hex'));
      expect(eventId).toMatch(/^[0-9a-f]{32}$/);
      expect(payload.timestamp).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}\+00:00$/);
      expect(payload.data['product']).toBe(product.slug);
      const device = ['license.activated', 'license.deactivated'].includes(event);
      const fields = event === 'webhook.test' ? ['product'] : ['product', 'license', ...(device ? ['device'] : [])];
      expect([event, Object.keys(payload.data)]).toEqual([event, fields]);
      if (device) expect(payload.data['device']).toMatchObject({ fingerprint: MACHINE, platform: '' });
      if (event !== 'webhook.test') {
        expect(payload.data['license']).toMatchObject({ id, key, customer_email: 'ada@example.com', metadata: { seat: 'window' } });
        expect(payload.data['license']).not.toHaveProperty('activations');
      }
    }
    expect((await product.deliveries()).map(({ status, attempts }) => [status, attempts])).toEqual(Array(8).fill(['delivered', 1]));
    for (const secret of [key, 'ada@example.com', product.secret, product.api_key]) expect(logged().join()).not.toContain(secret);
    expect(logged().filter((line) => line.includes('EVENT_DELIVERED'))).toHaveLength(8);
  });

  test('nothing is sent if nothing changed', async () => {
    const product = await service.newProduct(backend.url);
    const { id, key } = await product.license();
    await product.activate(key, MACHINE);
    const before = (await product.deliveries()).length;
    await product.activate(key, MACHINE);
    await product.validate(key, MACHINE);
    await product.deactivate(key, 'b'.repeat(64));
    await product.activate('WRONG', MACHINE);
    await service.ok('revokeLicense', { params: { id } });
    await service.ok('revokeLicense', { params: { id } });
    await product.activate(key, MACHINE);
    expect((await product.deliveries()).length).toBe(before + 1);
  });

  test('a queue that is down prevents no change and loses no event', async () => {
    const down = startEventHarness(table, { send: () => Promise.reject(new Error('The queue is down')) });
    const product = await down.newProduct(backend.url);
    await product.license();
    down.close();
    service.advance(1000);
    await service.recover();
    expect(backend.received.map(({ event }) => event)).toEqual(['license.created']);
  });
});

describe('the documented schedule', () => {
  test('0, 1, 5 and 15 s after the previous failure, then no more', async () => {
    const posts: number[] = [];
    backend.answer = () => {
      posts.push(service.now());
      service.advance(700);
      return 503;
    };
    const { id, message } = await oneEvent();
    const begun = service.now();
    await service.deliver(message);
    expect(service.queue.map(({ at }) => at - service.now())).toEqual([1000]);
    await service.run();
    expect(posts.map((at, place) => at - (posts[place - 1] ?? begun - 700) - 700)).toEqual([0, 1000, 5000, 15_000]);

    const settled = await delivery(id);
    expect(settled).toMatchObject({
      status: 'failed',
      attempts: 4,
      last_status: 503,
      last_error: 'the receiver responded with 503',
      next_attempt_at: null,
      delivered_at: null,
    });
    expect(settled.history.map(({ attempt, at, status, duration_ms }) => [attempt, Date.parse(at), status, duration_ms])).toEqual(
      posts.map((at, place) => [place + 1, at, 503, 700]),
    );
    expect(new Set(backend.received.map(({ raw }) => raw.toString())).size).toBe(1);
    await service.recover();
    expect(posts).toHaveLength(4);
  });

  test('each attempt has the same id, and a new timestamp and signature for Standard Webhooks', async () => {
    backend.answer = () => 500;
    const { id, message } = await oneEvent();
    await service.deliver(message);
    await service.run();
    expect(backend.received.map(({ headers }) => headers['webhook-id'])).toEqual([id, id, id, id]);
    expect(new Set(backend.received.map(({ headers }) => headers['x-svc-signature'])).size).toBe(1);
    expect(new Set(backend.received.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(4);
  });

  test('an event that is finally accepted has the status delivered, and the log has all attempts', async () => {
    const answers = [500, 404, 204];
    backend.answer = () => answers.shift() ?? 500;
    const { id, message } = await oneEvent();
    await service.deliver(message);
    expect(await delivery(id)).toMatchObject({ status: 'pending', attempts: 1, last_status: 500, delivered_at: null });
    expect(Date.parse((await delivery(id)).next_attempt_at ?? '') - service.now()).toBe(RETRY_DELAYS_MS[0]);
    await service.run();
    expect(await delivery(id)).toMatchObject({
      status: 'delivered',
      attempts: 3,
      last_error: null,
      last_status: 204,
      next_attempt_at: null,
    });
    expect((await delivery(id)).history.map(({ status, error }) => [status, error])).toEqual([
      [500, 'the receiver responded with 500'],
      [404, 'the receiver responded with 404'],
      [204, null],
    ]);
  });

  test('an event for a receiver that cannot be reached is retried like an event that a receiver refuses', async () => {
    const gone = await startReceiver();
    await gone.close();
    const { id, message } = await oneEvent(gone.url);
    await service.deliver(message);
    await service.run();
    expect(await delivery(id)).toMatchObject({
      status: 'failed',
      attempts: 4,
      last_status: null,
      last_error: expect.stringContaining('ECONNREFUSED') as string,
    });
  });

  test('a message that arrives early starts no attempt, and its event stays due at the planned time', async () => {
    backend.answer = () => 500;
    const { message } = await oneEvent();
    await service.deliver(message);
    const retry = take();
    service.advance(999);
    await service.deliver(retry);
    expect(backend.received).toHaveLength(1);
    const again = take();
    expect(again.at - service.now()).toBeGreaterThanOrEqual(1);
    service.advance(1);
    await service.deliver(again);
    expect(backend.received).toHaveLength(2);
  });
});

describe('the webhook is changed while events wait', () => {
  test('without a URL an event is skipped, and can be sent later', async () => {
    const product = await service.newProduct();
    await product.license();
    const [{ id }] = (await product.deliveries()) as [DeliveryView];
    await service.deliver(messageOf(id));
    expect(await delivery(id)).toMatchObject({
      status: 'skipped',
      url: null,
      attempts: 0,
      last_error: null,
      next_attempt_at: null,
      history: [],
    });
    await product.setWebhook(backend.url);
    await service.recover();
    expect(backend.received).toEqual([]);
    expect(await redeliver(id)).toMatchObject({ status: 'pending' });
    await service.run();
    expect(await delivery(id)).toMatchObject({ status: 'delivered', url: backend.url, attempts: 1 });
  });

  test('the next attempt goes to the new URL', async () => {
    backend.answer = () => 500;
    const { product, id, message } = await oneEvent();
    await service.deliver(message);
    const other = await startReceiver();
    await product.setWebhook(other.url);
    await service.run();
    await other.close();
    expect(await delivery(id)).toMatchObject({ status: 'delivered', url: other.url, attempts: 2 });
    expect([backend.received.length, other.received.length]).toEqual([1, 1]);
    expect(other.received[0]?.raw).toEqual(backend.received[0]?.raw);
  });

  test('a cleared URL ends the attempts', async () => {
    backend.answer = () => 500;
    const { product, id, message } = await oneEvent();
    await service.deliver(message);
    await product.setWebhook('');
    await service.run();
    expect(await delivery(id)).toMatchObject({ status: 'skipped', url: backend.url, attempts: 1, last_status: 500, next_attempt_at: null });
    await service.recover();
    expect(backend.received).toHaveLength(1);
  });

  test('a missing product has no webhook, and a request that sets the webhook does not create the product', async () => {
    const params = { id: 999_999_999 };
    for (const url of [backend.url, '']) expect(await service.call('setWebhook', { params, body: { url } })).toMatchObject({ status: 404 });
    for (const name of ['getWebhook', 'getProduct']) expect(await service.call(name, { params })).toMatchObject({ status: 404 });
  });

  test('if the table refuses the change, the response is a fault, not an unknown product', async () => {
    const product = await service.newProduct(backend.url);
    failWhere(service.client, (command) => command === 'TransactWriteItemsCommand');
    expect(await service.call('setWebhook', { params: { id: product.id }, body: { url: '' } })).toMatchObject({ status: 500 });
    expect(await service.ok('getWebhook', { params: { id: product.id } })).toMatchObject({ url: backend.url });
  });

  test('the secret stays the same when the URL changes', async () => {
    const product = await service.newProduct(backend.url);
    const set = await service.ok<{ url: string; secret: string }>('setWebhook', {
      params: { id: product.id },
      body: { url: `${backend.url}/2` },
    });
    expect(set).toEqual({ url: `${backend.url}/2`, events: null, secret: product.secret });
    expect(product.secret).toMatch(/^whsec_/);
  });
});

describe('a duplicate message posts nothing twice', () => {
  test('after the event was delivered', async () => {
    const { message } = await oneEvent();
    await service.deliver(message);
    await service.deliver(message, message);
    expect(backend.received).toHaveLength(1);
    expect(service.queue).toEqual([]);
  });

  test('while the event waits for its next attempt: the schedule does not change', async () => {
    backend.answer = () => 500;
    const { message } = await oneEvent();
    await service.deliver(message);
    await service.deliver(message, message, message);
    expect(backend.received).toHaveLength(1);
    await service.run();
    expect(backend.received).toHaveLength(4);
  });

  test('in one batch: one attempt', async () => {
    const { message } = await oneEvent();
    expect(await service.deliver(...Array<Message>(10).fill(message))).toEqual(Array(10).fill(true));
    expect(backend.received).toHaveLength(1);
  });

  test('in two functions at a time: one attempt', async () => {
    const { message } = await oneEvent();
    const other = startEventHarness(table, { clock: () => service.now() });
    await Promise.all([service.deliver(message), other.deliver(message)]);
    other.close();
    expect(backend.received).toHaveLength(1);
  });

  test('if it arrives during an attempt', async () => {
    let answer: () => void = () => undefined;
    backend.answer = () => new Promise<number>((resolve) => (answer = () => resolve(200)));
    const { id, message } = await oneEvent();
    const first = service.deliver(message);
    await until('the attempt is under way', () => backend.received.length === 1);
    service.advance(20_000);
    await service.deliver(message);
    // The message is not put back into the queue, where it would be delivered again and again until the attempt has ended.
    expect(service.queue).toEqual([]);
    answer();
    await first;
    expect(backend.received).toHaveLength(1);
    expect(await delivery(id)).toMatchObject({ status: 'delivered', attempts: 1 });
  });
});

describe('a fault of one event does not affect others', () => {
  test('a message that names no event is finished, because repeating it would change nothing', async () => {
    const { message } = await oneEvent();
    const outcomes = await service.deliver({ body: 'nonsense', at: 0 }, message, { body: '{}', at: 0 }, messageOf('0'.repeat(32)));
    expect(outcomes).toEqual([true, true, true, true]);
    expect(logged().filter((line) => line.includes('MESSAGE_REFUSED'))).toHaveLength(2);
    expect(backend.received).toHaveLength(1);
  });

  test('an attempt that outlived its lease does not overwrite the record of another attempt', async () => {
    const answers: (() => void)[] = [];
    backend.answer = () => new Promise<number>((resolve) => answers.push(() => resolve(answers.length === 1 ? 500 : 200)));
    const { id, message } = await oneEvent();
    const first = service.deliver(message);
    await until('the first attempt is under way', () => answers.length === 1);
    service.advance(31_000);
    const second = service.deliver(message);
    await until('the second attempt is under way', () => answers.length === 2);
    answers[1]?.();
    await second;
    answers[0]?.();
    await first;
    expect(await delivery(id)).toMatchObject({ status: 'delivered', attempts: 1 });
    await service.recover();
    expect(backend.received).toHaveLength(2);
  });

  test('an attempt that fails after another attempt has taken over its event requests no retry, and reports that it was too late', async () => {
    const answers: ((status: number) => void)[] = [];
    backend.answer = () => new Promise<number>((resolve) => void answers.push(resolve));
    const { id, message } = await oneEvent();
    const first = service.deliver(message);
    await until('the first attempt is under way', () => answers.length === 1);
    service.advance(LEASE_MS - 1);
    await service.deliver(message);
    expect([answers.length, service.queue]).toEqual([1, []]);
    service.advance(1);
    const second = service.deliver(message);
    await until('the second attempt is under way', () => answers.length === 2);

    answers[0]!(500);
    expect(await first).toEqual([true]);
    expect(service.queue).toEqual([]);
    const told = (): string[] =>
      ['LEASE_LOST', 'ATTEMPT_FAILED', 'EVENT_DELIVERED'].filter((what) =>
        logged().some((line) => line.includes(what) && line.includes(id)),
      );
    expect(told()).toEqual(['LEASE_LOST']);
    expect(await delivery(id)).toMatchObject({ status: 'pending', attempts: 0, history: [] });

    answers[1]!(200);
    expect(await second).toEqual([true]);
    expect(told()).toEqual(['LEASE_LOST', 'EVENT_DELIVERED']);
    expect(await delivery(id)).toMatchObject({ status: 'delivered', attempts: 1, history: [{ status: 200 }] });
    expect(service.queue).toEqual([]);
  });
});

describe('attempts that end at the same time are recorded together', () => {
  /** A product with n pending events, and their messages. */
  async function manyEvents(count: number): Promise<{ product: Product; messages: Message[] }> {
    const product = await service.newProduct(backend.url);
    for (let i = 0; i < count; i += 1) await product.license();
    return { product, messages: service.queue.splice(0) };
  }
  const idIn = ({ body }: Message): string => (JSON.parse(body) as { event_id: string }).event_id;
  const numbers = async ({ id }: Product): Promise<unknown> => (await service.call('getOverview', { params: { id } })).body;

  /** Lets all attempts end at the same time, so that all but the first are recorded in one transaction. */
  async function deliverTogether(
    messages: readonly Message[],
    meanwhile: () => Promise<void> = () => Promise.resolve(),
  ): Promise<boolean[]> {
    const answers: (() => void)[] = [];
    backend.answer = () => new Promise<number>((resolve) => answers.push(() => resolve(200)));
    const done = service.deliver(...messages);
    await until('all attempts are under way', () => answers.length === messages.length);
    await meanwhile();
    answers.forEach((answer) => answer());
    return done;
  }

  test('ten attempts for one product cost less than ten separate attempts: few transactions, one read of the product', async () => {
    const { product, messages } = await manyEvents(10);
    const costs = meter(service.client);
    expect(await deliverTogether(messages)).toEqual(messages.map(() => true));
    const { calls, writeUnits } = costs.take();
    expect(calls.filter((call) => call === 'GetItem')).toHaveLength(1);
    expect(calls.filter((call) => call === 'TransactWriteItems').length).toBeLessThan(10);
    // An event that is recorded separately takes 17 units (docs/operations.md, Cost).
    expect(writeUnits).toBeLessThan(10 * 13);
    expect((await product.deliveries()).map(({ status }) => status)).toEqual(messages.map(() => 'delivered'));
    expect(await numbers(product)).toMatchObject({
      licenses: [{ active: 10 }],
      days: expect.arrayContaining([expect.objectContaining({ delivered: 10 })]) as unknown,
    });
  });

  test('an event that lost its lease does not stop the other events, and each event counts once', async () => {
    const { product, messages } = await manyEvents(5);
    const lost = idIn(messages[3] as Message);
    const done = await deliverTogether(messages, async () => {
      await service.client.send(
        new UpdateCommand({
          TableName: table,
          Key: eventKey(lost),
          UpdateExpression: 'SET lease_token = :other',
          ExpressionAttributeValues: { ':other': 'taken over' },
        }),
      );
    });
    expect(done).toEqual(messages.map(() => true));
    const states = Object.fromEntries((await product.deliveries()).map(({ id, status }) => [id, status]));
    expect(states).toEqual(
      Object.fromEntries(messages.map((message) => [idIn(message), idIn(message) === lost ? 'pending' : 'delivered'])),
    );
    expect(await numbers(product)).toMatchObject({
      licenses: [{ active: 5 }],
      days: expect.arrayContaining([expect.objectContaining({ delivered: 4 })]) as unknown,
    });
  });

  test('an event that the table refuses is retried, and the others are finished', async () => {
    const { product, messages } = await manyEvents(5);
    const refused = idIn(messages[2] as Message);
    failWhere(
      service.client,
      (command, input) => command === 'TransactWriteItemsCommand' && JSON.stringify(input).includes(refused.slice(10)),
    );
    const done = await deliverTogether(messages);
    expect(done).toEqual(messages.map((message) => idIn(message) !== refused));
    expect((await product.deliveries({ status: 'delivered' })).map(({ id }) => id).sort()).toEqual(
      messages
        .map(idIn)
        .filter((id) => id !== refused)
        .sort(),
    );
    expect(await numbers(product)).toMatchObject({
      licenses: [{ active: 5 }],
      days: expect.arrayContaining([expect.objectContaining({ delivered: 4 })]) as unknown,
    });
  });

  test('a lost response of the table makes no event count twice', async () => {
    const { product, messages } = await manyEvents(5);
    loseAnswers(service.client, 'TransactWriteItemsCommand');
    expect(await deliverTogether(messages)).toEqual(messages.map(() => true));
    expect(await numbers(product)).toMatchObject({ licenses: [{ active: 5 }] });
  });
});

describe('an operator sends an event again', () => {
  const states: [string, number[], string][] = [
    ['delivered', [200], 'delivered'],
    ['failed', [500, 500, 500, 500], 'failed'],
  ];
  test.each(states)('an event that was %s: a new round of four attempts with the same bytes', async (_, answers, status) => {
    const all = [...answers];
    backend.answer = () => all.shift() ?? 500;
    const { id, message } = await oneEvent();
    await service.deliver(message);
    await service.run();
    expect(await delivery(id)).toMatchObject({ status });
    service.advance(60_000);

    const again = await redeliver(id);
    expect(again).toMatchObject({
      id,
      status: 'pending',
      attempts: answers.length,
      delivered_at: null,
      next_attempt_at: new Date(service.now()).toISOString(),
    });
    await service.run();
    expect(await delivery(id)).toMatchObject({ status: 'failed', attempts: answers.length + 4, delivered_at: null });
    expect((await delivery(id)).history.map(({ attempt }) => attempt)).toEqual(
      Array.from({ length: answers.length + 4 }, (_entry, place) => place + 1),
    );
    expect(new Set(backend.received.map(({ raw, id: sent }) => raw.toString() + sent)).size).toBe(1);
  });

  test('a pending event keeps its schedule, and no new round begins', async () => {
    backend.answer = () => 500;
    const { id, message } = await oneEvent();
    await service.deliver(message);
    const before = await delivery(id);
    expect(await redeliver(id)).toEqual(before);
    await service.run();
    expect(backend.received).toHaveLength(4);
  });

  test('the log keeps the last fifty attempts of an event, and counts all attempts', async () => {
    backend.answer = () => 500;
    const { id, message } = await oneEvent();
    await service.deliver(message);
    await service.run();
    for (let round = 0; round < 12; round += 1) {
      await redeliver(id);
      await service.run();
    }
    const { attempts, history } = await delivery(id);
    expect(attempts).toBe(52);
    expect([history.length, history[0]?.attempt, history.at(-1)?.attempt]).toEqual([50, 3, 52]);
  });

  test('an unknown event is 404', async () => {
    for (const name of ['getDelivery', 'redeliver']) {
      expect(await service.call(name, { params: { event_id: 'f'.repeat(32) } })).toMatchObject({ status: 404 });
      expect(await service.call(name, { params: { event_id: 'F'.repeat(32) } })).toMatchObject({ status: 404 });
      expect(await service.call(name, { params: { event_id: '1' } })).toMatchObject({ status: 404 });
    }
  });
});

describe('the delivery log', () => {
  test('an entry has exactly the documented fields', async () => {
    const { product, id, message } = await oneEvent();
    await service.deliver(message);
    const [entry] = await product.deliveries();
    const license = backend.received[0]!;
    expect(entry).toEqual({
      id,
      event: 'license.created',
      by: 'deployment',
      channel: 'webhook',
      product_id: product.id,
      license_id: (JSON.parse(license.raw.toString()) as { data: { license: { id: number } } }).data.license.id,
      url: backend.url,
      status: 'delivered',
      attempts: 1,
      last_error: null,
      last_status: 200,
      created_at: new Date(service.now()).toISOString(),
      next_attempt_at: null,
      delivered_at: new Date(service.now()).toISOString(),
      payload: JSON.parse(license.raw.toString()) as unknown,
      history: [{ attempt: 1, at: new Date(service.now()).toISOString(), status: 200, error: null, duration_ms: 0 }],
    });
    expect(await delivery(id)).toEqual(entry);
  });

  test('a test event responds with its log entry, and is refused if there is no URL', async () => {
    const product = await service.newProduct(backend.url);
    const params = { id: product.id };
    expect(await service.call('testWebhook', { params })).toMatchObject({
      status: 202,
      body: {
        event: 'webhook.test',
        license_id: null,
        status: 'pending',
        url: backend.url,
        attempts: 0,
        payload: { event: 'webhook.test', data: { product: product.slug } },
      },
    });
    await product.setWebhook('');
    expect(await service.call('testWebhook', { params })).toMatchObject({ status: 422 });
    expect(await service.call('testWebhook', { params: { id: 999_999_999 } })).toMatchObject({ status: 404 });
    expect(await product.deliveries()).toHaveLength(1);
  });

  test('is newest first, in pages without gaps or repeats while events arrive, and filters by status', async () => {
    const product = await service.newProduct(backend.url);
    for (let i = 0; i < 7; i += 1) {
      await product.license();
      // Some events have the same time, to the millisecond.
      if (i % 2) service.advance(1);
    }
    const [first, second] = [take(), take()];
    await service.deliver(first, second);
    const all = await product.deliveries();
    expect(all).toHaveLength(7);
    const order = all.map(({ created_at, id }) => `${created_at} ${id}`);
    expect(order).toEqual([...order].sort().reverse());

    const pages: DeliveryView[][] = [];
    for (let query: Record<string, string> | undefined = { limit: '3' }; query; ) {
      const page = await service.call('listDeliveries', { params: { id: product.id }, query });
      pages.push(page.body as unknown as DeliveryView[]);
      const link: string | undefined = page.headers['Link'];
      query = link === undefined ? undefined : Object.fromEntries(new URL(link.slice(1, link.indexOf('>')), 'http://x').searchParams);
      if (pages.length === 1) await product.license();
    }
    expect(pages.map((page) => page.length)).toEqual([3, 3, 1]);
    expect(pages.flat()).toEqual(all);

    const ids = async (status: string) => (await product.deliveries({ status })).map(({ id }) => id);
    expect(new Set(await ids('delivered'))).toEqual(new Set(backend.ids()));
    expect(await ids('pending')).toHaveLength(6);
    expect(await ids('failed')).toEqual([]);
    expect(await ids('skipped')).toEqual([]);
    expect(await service.call('listDeliveries', { params: { id: product.id }, query: { status: 'lost' } })).toMatchObject({ status: 422 });
    expect(await service.call('listDeliveries', { params: { id: product.id }, query: { cursor: 'x' } })).toMatchObject({ status: 422 });
    expect(await service.call('listDeliveries', { params: { id: 999_999_999 } })).toMatchObject({ status: 404 });
  });

  test('shows the events of its own product only', async () => {
    const [mine, other] = [await service.newProduct(backend.url), await service.newProduct(backend.url)];
    await mine.license();
    expect(await other.deliveries()).toEqual([]);
    expect(await mine.deliveries()).toHaveLength(1);
  });

  test('an entry is kept for 30 days, sent or not', async () => {
    const { id, message } = await oneEvent();
    const keptUntil = async () => ((await getItem(service.app.table, eventKey(id)))?.['ttl'] as number) * 1000;
    const thirtyDays = service.now() + 30 * 86_400_000;
    expect(EVENT_DAYS).toBe(30);
    expect(Math.abs((await keptUntil()) - thirtyDays)).toBeLessThanOrEqual(1000);
    await service.deliver(message);
    expect(Math.abs((await keptUntil()) - thirtyDays)).toBeLessThanOrEqual(1000);
  });
});
