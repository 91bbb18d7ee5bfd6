import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { DeliveryView } from '../../lambdas/contract/webhooks';
import { FAULT_DELAYS_MS } from '../../lambdas/domain/delivery';
import { dateOf } from '../../lambdas/domain/time';
import { eventKey, productKey } from '../../lambdas/store/keys';
import { getItem } from '../../lambdas/store/items';
import { startEventHarness, type EventHarness, type Product } from '../support/event-harness';
import { captureLogs } from '../support/logs';
import { ownTable } from '../support/own-table';
import { startReceiver, type Receiver } from '../support/receiver';

/**
 * Faults of the service itself must appear in the log. The attempts to deliver an event must end, and after a repair an operator must be
 * able to send the event again.
 */

const logged = captureLogs();
let service: EventHarness;
let backend: Receiver;
beforeEach(async () => {
  service = startEventHarness(await ownTable());
  backend = await startReceiver();
});
afterEach(async () => {
  service.close();
  await backend.close();
});

const update = (key: object, expression: string, value: unknown): Promise<unknown> =>
  service.client.send(
    new UpdateCommand({
      TableName: service.app.table.name,
      Key: { ...key },
      UpdateExpression: expression,
      ExpressionAttributeValues: { ':value': value },
    }),
  );
const delivery = (id: string): Promise<DeliveryView> => service.ok<DeliveryView>('getDelivery', { params: { event_id: id } });
async function newEvent(product: Product): Promise<string> {
  await product.license();
  return (await product.deliveries())[0]!.id;
}

test('a secret that cannot be decrypted is a failed attempt each time, with pauses from a minute to an hour, and ends; after a repair the event can be sent', async () => {
  const [product, other] = [await service.newProduct(backend.url), await service.newProduct(backend.url)];
  const sealed = (await getItem(service.app.table, productKey(product.id)))?.['sealed'] as Record<string, string>;
  await update(productKey(product.id), 'SET sealed = :value', { ...sealed, webhook_secret: sealed['api_key'] });
  const id = await newEvent(product);
  await newEvent(other);
  const begun = service.now();
  await service.run();
  // The delivery of other events continues.
  expect(backend.received).toHaveLength(1);
  const broken = await delivery(id);
  expect(broken).toMatchObject({
    status: 'failed',
    attempts: FAULT_DELAYS_MS.length + 1,
    last_error: expect.stringMatching(/^internal: /) as string,
    last_status: null,
    next_attempt_at: null,
  });
  expect(new Set(broken.history.map(({ status, error }) => [status, error?.slice(0, 10)].join()))).toEqual(new Set([',internal: ']));
  const waits = broken.history.map(({ at }, place) => Date.parse(at) - (place === 0 ? begun : Date.parse(broken.history[place - 1]!.at)));
  // The queue can delay a message for at most 15 minutes, so for a longer pause the message arrives early and waits again.
  expect(waits.map((ms) => Math.round(ms / 60_000))).toEqual([0, ...FAULT_DELAYS_MS.map((ms) => ms / 60_000)]);
  expect(Math.max(...FAULT_DELAYS_MS)).toBe(3_600_000);
  expect(logged().filter((line) => line.includes('DELIVERY_FAULT'))).toHaveLength(broken.attempts);

  await update(productKey(product.id), 'SET sealed = :value', sealed);
  await service.ok('redeliver', { params: { event_id: id } });
  await service.run();
  expect(await delivery(id)).toMatchObject({ status: 'delivered', attempts: broken.attempts + 1 });
  const { days, licenses } = await service.ok<{ days: { date: string; delivered: number; failed: number }[]; licenses: object[] }>(
    'getOverview',
    { params: { id: product.id } },
  );
  // The attempts may continue past midnight. The statistics count an event on the day on which it was created.
  expect([days.find(({ date }) => date === dateOf(begun)), licenses]).toMatchObject([{ delivered: 1, failed: 0 }, [{ active: 1 }]]);
});

test('the pauses after faults are the same when the event is sent again', async () => {
  const product = await service.newProduct(backend.url);
  const sealed = (await getItem(service.app.table, productKey(product.id)))?.['sealed'] as Record<string, string>;
  await update(productKey(product.id), 'SET sealed = :value', { ...sealed, webhook_secret: 'x' });
  const id = await newEvent(product);
  await service.run();
  const begun = service.now();
  await service.ok('redeliver', { params: { event_id: id } });
  await service.run();
  const times = [begun, ...(await delivery(id)).history.slice(FAULT_DELAYS_MS.length + 1).map(({ at }) => Date.parse(at))];
  const waits = times.slice(1).map((at, place) => Math.round((at - times[place]!) / 60_000));
  expect(waits).toEqual([0, ...FAULT_DELAYS_MS.map((ms) => ms / 60_000)]);
});

test('a fault of the service does not count as one of the four attempts of an event', async () => {
  backend.answer = () => 500;
  const product = await service.newProduct(backend.url);
  const sealed = (await getItem(service.app.table, productKey(product.id)))?.['sealed'] as Record<string, string>;
  await update(productKey(product.id), 'SET sealed = :value', { ...sealed, webhook_secret: 'x' });
  const id = await newEvent(product);
  await service.deliver(service.queue.pop()!);
  await update(productKey(product.id), 'SET sealed = :value', sealed);
  await service.run();
  expect(backend.received).toHaveLength(4);
  expect(await delivery(id)).toMatchObject({ status: 'failed', attempts: 5 });
});

test('the attempts for an event of a deleted product or an unreadable event also end, and do not stop other events', async () => {
  const [gone, product] = [await service.newProduct(backend.url), await service.newProduct(backend.url)];
  const lost = await newEvent(gone);
  const broken = await newEvent(product);
  await update(eventKey(broken), 'SET body = :value', Buffer.from('not compressed'));
  await product.license();
  await service.client.send(new DeleteCommand({ TableName: service.app.table.name, Key: productKey(gone.id) }));
  await service.recover();
  expect(backend.received).toHaveLength(1);
  for (const id of [lost, broken]) {
    const item = await getItem(service.app.table, eventKey(id));
    expect(item).toMatchObject({ status: 'failed', attempts: FAULT_DELAYS_MS.length + 1 });
    expect(item).not.toHaveProperty('pending_pk');
    expect(JSON.stringify(item?.['history'])).toContain('internal: ');
  }
});
