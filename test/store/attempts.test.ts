import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { LEASE_MS, settle, skip, type DeliveryRecord } from '../../lambdas/domain/delivery';
import { EVENT_RANDOM_BYTES, testEvent } from '../../lambdas/domain/event';
import { claimEvent, settleEvents, type Claim, type Settlement } from '../../lambdas/store/events/attempts';
import { redeliverEvent } from '../../lambdas/store/events/redelivery';
import { createEvent } from '../../lambdas/store/events/record';
import { eventKey } from '../../lambdas/store/keys';
import { getItem } from '../../lambdas/store/items';
import type { Item } from '../../lambdas/store/codec';
import { startEventHarness, type EventHarness, type Product } from '../support/event-harness';
import { ownTable } from '../support/own-table';

/** Tests which worker may attempt an event, and what happens if the result of an attempt is recorded twice or too late. */

let service: EventHarness;
let product: Product;
beforeEach(async () => {
  service = startEventHarness(await ownTable());
  product = await service.newProduct('http://127.0.0.1:1/');
});
afterEach(() => service.close());

/** The id of a new pending event. */
async function newEvent(): Promise<string> {
  await product.license();
  return (JSON.parse(service.queue.pop()!.body) as { event_id: string }).event_id;
}
async function claimed(id: string): Promise<Claim> {
  const claim = await claimEvent(service.app.table, id, service.now());
  if (typeof claim === 'string' || 'dueAt' in claim) throw new Error(`Event ${id} can't be claimed: ${JSON.stringify(claim)}`);
  return claim;
}
const attempted = ({ delivery, token }: Claim, error: string | null = null): Settlement => ({
  delivery: settle(delivery, 'https://example.com/', { at: service.now(), durationMs: 7, status: error === null ? 200 : 500, error }),
  token,
});
const recorded = async (...settlements: readonly Settlement[]): Promise<boolean[]> => {
  const outcomes = await settleEvents(service.app.table, settlements);
  return Promise.all(outcomes.map(async (outcome) => outcome));
};
const row = (id: string): Promise<Item | undefined> => getItem(service.app.table, eventKey(id));
/** The numbers of the overview, summed over all days. */
const numbers = async (): Promise<unknown> => {
  const { days, licenses } = await service.ok<{ days: { delivered: number; failed: number }[]; licenses: unknown[] }>('getOverview', {
    params: { id: product.id },
  });
  const sum = (name: 'delivered' | 'failed'): number => days.reduce((total, day) => total + day[name], 0);
  return { delivered: sum('delivered'), failed: sum('failed'), licenses };
};

describe('an attempt is recorded once', () => {
  test.each<[string, string | null]>([
    ['that was accepted', null],
    ['that failed', 'the receiver responded with 500'],
  ])(
    "an attempt %s is recorded and counted once, even if the table's response was lost and the worker records the attempt again",
    async (_case, error) => {
      const id = await newEvent();
      const attempt = attempted(await claimed(id), error);
      expect(await recorded(attempt)).toEqual([true]);
      const [before, counted] = [await row(id), await numbers()];
      expect(await recorded(attempt)).toEqual([true]);
      expect([await row(id), await numbers()]).toEqual([before, counted]);
      expect(counted).toMatchObject({ delivered: error === null ? 1 : 0, licenses: [{ active: 1 }] });
    },
  );

  test("after another worker has taken over the event, the first worker's attempt changes nothing, and the other worker's attempt is recorded", async () => {
    const id = await newEvent();
    const first = await claimed(id);
    service.advance(LEASE_MS);
    const second = await claimed(id);
    const [before, counted] = [await row(id), await numbers()];
    expect(await recorded(attempted(first, 'the receiver responded with 500'))).toEqual([false]);
    expect([await row(id), await numbers()]).toEqual([before, counted]);

    expect(await recorded(attempted(second))).toEqual([true]);
    const settled = await row(id);
    expect(settled).toMatchObject({ status: 'delivered', attempts: 1 });
    expect(await recorded(attempted(first, 'the receiver responded with 500'))).toEqual([false]);
    expect(await row(id)).toEqual(settled);
    expect(await numbers()).toMatchObject({ delivered: 1, failed: 0, licenses: [{ active: 1 }] });
  });

  test('an attempt whose event was sent again meanwhile is not part of the new round', async () => {
    const id = await newEvent();
    const first = attempted(await claimed(id));
    await recorded(first);
    await redeliverEvent(service.app.table, id);
    const before = await row(id);
    expect(await recorded(first)).toEqual([false]);
    expect(await row(id)).toEqual(before);
  });

  test('an attempt whose event has expired after thirty days is not recorded, and is no fault', async () => {
    const id = await newEvent();
    const claim = await claimed(id);
    await service.client.send(new DeleteCommand({ TableName: service.app.table.name, Key: eventKey(id) }));
    expect(await recorded(attempted(claim))).toEqual([false]);
    expect(await row(id)).toBeUndefined();
  });

  test('if several attempts are recorded together, an attempt that lost its event is reported and does not prevent the record of the others', async () => {
    const ids = [await newEvent(), await newEvent(), await newEvent()];
    const claims = [];
    for (const id of ids) claims.push(await claimed(id));
    const [lost] = claims.splice(1, 1);
    service.advance(LEASE_MS);
    await claimed(ids[1]!);
    expect(await recorded(attempted(claims[0]!), attempted(lost!), attempted(claims[1]!))).toEqual([true, false, true]);
    const statuses = await Promise.all(ids.map(async (id) => (await row(id))?.['status'] as unknown));
    expect(statuses).toEqual(['delivered', 'pending', 'delivered']);
    expect(await numbers()).toMatchObject({ delivered: 2, licenses: [{ active: 3 }] });
  });

  test.each<[string, (delivery: DeliveryRecord) => DeliveryRecord]>([
    ['delivered', (delivery) => attempted({ delivery, token: '' }).delivery],
    ['skipped', skip],
  ])(
    'an attempt that ends its event (%s) removes the event from the index of pending events, so the sweeper does not send it again',
    async (status, end) => {
      const id = await newEvent();
      const { delivery, token } = await claimed(id);
      expect(await recorded({ delivery: end(delivery), token })).toEqual([true]);
      const ended = await row(id);
      expect(ended).toMatchObject({ status, lease_token: token });
      for (const name of ['pending_pk', 'pending_sk', 'due_at', 'lease_until']) expect(ended).not.toHaveProperty(name);
    },
  );
});

describe('an event is attempted by one worker at a time', () => {
  test('no other worker gets an event during its lease, to the last millisecond; afterwards exactly one worker gets it', async () => {
    const id = await newEvent();
    await claimed(id);
    for (const ms of [0, LEASE_MS - 1]) {
      service.advance(ms);
      expect(await claimEvent(service.app.table, id, service.now())).toBe('leased');
    }
    service.advance(1);
    await claimed(id);
    expect(await claimEvent(service.app.table, id, service.now())).toBe('leased');
  });

  test('between two attempts an event is due exactly at the time in its row', async () => {
    const id = await newEvent();
    await recorded(attempted(await claimed(id), 'the receiver responded with 500'));
    const dueAt = (await row(id))?.['due_at'] as number;
    service.advance(dueAt - service.now() - 1);
    expect(await claimEvent(service.app.table, id, service.now())).toEqual({ id, product_id: product.id, dueAt });
    service.advance(1);
    await claimed(id);
  });

  test('no worker gets an event that is settled or missing', async () => {
    const id = await newEvent();
    await recorded(attempted(await claimed(id)));
    for (const settled of [id, 'f'.repeat(32)]) expect(await claimEvent(service.app.table, settled, service.now())).toBe('settled');
  });
});

test('a new event never overwrites an event with the same id', async () => {
  const event = testEvent(product, service.now(), service.app.random(EVENT_RANDOM_BYTES));
  await createEvent(service.app.table, event);
  const before = await row(event.id);
  await expect(createEvent(service.app.table, { ...event, body: '{"other":true}' })).rejects.toThrow(event.id);
  expect(await row(event.id)).toEqual(before);
});
