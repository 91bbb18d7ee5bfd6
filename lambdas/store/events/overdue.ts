import type { Delivery } from '../../domain/delivery';
import { dueAt, pendingShard } from '../keys';
import { queryPages, type Table } from '../table';
import { idOf, toDelivery } from './rows';
import { updateIf } from './update';

/** Pending events whose time has come and that nobody attempts: what the sweeper looks for. */

/** The ids of one shard's events that should have been attempted by `by`, oldest first. */
export async function* overdueEvents(table: Table, shard: number, by: number): AsyncGenerator<string[]> {
  for await (const page of queryPages(table, {
    IndexName: 'pending',
    KeyConditionExpression: 'pending_pk = :shard AND pending_sk <= :by',
    ExpressionAttributeValues: { ':shard': pendingShard(shard), ':by': dueAt(by) },
    Limit: 100,
  })) {
    yield page.map(idOf);
  }
}

/** Hides an overdue event from the sweeper until `until`, and gives it. Undefined where it is not pending any more or is not overdue. */
export async function postponeSweep(table: Table, id: string, by: number, until: number): Promise<Delivery | undefined> {
  const outcome = await updateIf(table, id, {
    expression: 'SET pending_sk = :until',
    condition: 'attribute_exists(pending_pk) AND pending_sk <= :by',
    values: { ':until': dueAt(until), ':by': dueAt(by) },
  });
  const item = 'item' in outcome ? outcome.item : outcome.refusedBy;
  return item && ('item' in outcome || item['pending_sk'] === dueAt(until)) ? toDelivery(item) : undefined;
}
