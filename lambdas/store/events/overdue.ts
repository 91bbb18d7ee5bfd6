import type { DeliveryRecord } from '../../domain/delivery';
import { dueAt, pendingShard } from '../keys';
import { getItems, keyOf, queryPages } from '../items';
import type { Table } from '../table';
import { toRecord } from './rows';
import { updateIf } from './update';

/** Pending events that are due, but that no function is attempting to deliver. The sweeper handles these events. */

/** A pending event that the sweeper found. */
export interface DueEvent {
  readonly delivery: DeliveryRecord;
  /**
   * The position in the index of pending events. The position changes whenever the event is claimed, recorded or postponed (see
   * `Settlement`).
   */
  readonly pendingSince: string;
}

/**
 * Reads the events of one shard that are due at or before the time `by` (epoch ms), in pages, oldest first. Each event is read
 * consistently.
 */
export async function* dueEvents(table: Table, shard: number, by: number): AsyncGenerator<DueEvent[]> {
  for await (const page of queryPages(table, {
    IndexName: 'pending',
    KeyConditionExpression: 'pending_pk = :shard AND pending_sk <= :by',
    ExpressionAttributeValues: { ':shard': pendingShard(shard), ':by': dueAt(by) },
    Limit: 100,
  })) {
    const items = await getItems(table, page.map(keyOf));
    yield items.flatMap((item) => {
      const since: unknown = item?.['pending_sk'];
      return item && typeof since === 'string' && since <= dueAt(by) ? [{ delivery: toRecord(item), pendingSince: since }] : [];
    });
  }
}

/** Hides a due event from the sweeper until `until` (epoch ms). Returns false if the event was claimed or recorded in the meantime. */
export async function postponeSweep(table: Table, { delivery, pendingSince }: DueEvent, until: number): Promise<boolean> {
  const { isWritten, item } = await updateIf(table, delivery.id, {
    UpdateExpression: 'SET pending_sk = :until',
    ConditionExpression: 'pending_sk = :since',
    ExpressionAttributeValues: { ':until': dueAt(until), ':since': pendingSince },
  });
  return isWritten || item?.['pending_sk'] === dueAt(until);
}
