import type { Delivery } from '../../domain/delivery';
import type { Event } from '../../domain/event';
import type { Bounce } from '../../domain/mail-feedback';
import { eventKey } from '../keys';
import { getItem } from '../items';
import type { Table } from '../table';
import { create, transact, type Action } from '../transaction';
import { updateIf } from './update';
import { EVENT_DAYS, listKeys, toDelivery, toItem, type NewEvent } from './rows';

/**
 * The action that records an event, for the transaction of the change that the event reports. An event without `due_at` is due at once. The
 * event appears in its product's delivery log unless `mail.unlisted` is set.
 */
export const recordEvent = (event: NewEvent): Action => create(toItem(event));

/**
 * Records an event that reports no change of a license.
 *
 * @param limits actions that enforce limits in the same transaction, see `limits.ts`
 * @returns false if a limit is reached; nothing is recorded then
 */
export async function createEvent(table: Table, event: Event, limits: readonly Action[] = []): Promise<boolean> {
  table.audit?.describe({ product_id: event.product_id, license_id: event.license_id });
  const transaction = await transact(table, [recordEvent(event), ...limits]);
  if (!transaction.committed && transaction.failed[0] !== undefined) throw new Error(`Event ${event.id} already exists`);
  return transaction.committed;
}

/** The action that adds an event to its product's delivery log, for an event that was recorded with `mail.unlisted`. */
export const listEvent = (event: Pick<Event, 'id' | 'product_id' | 'created_at'>): Action => {
  const { list_pk, list_sk } = listKeys(event);
  return {
    Update: {
      Key: eventKey(event.id),
      UpdateExpression: 'SET list_pk = :list, list_sk = :position, #ttl = :ttl',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: {
        ':list': list_pk,
        ':position': list_sk,
        ':ttl': Math.ceil(event.created_at / 1000) + EVENT_DAYS * 86_400,
      },
    },
  };
};

/** Records that a delivered mail bounced. Nothing happens if the event is no longer stored. */
export const recordBounce = async (table: Table, id: string, bounce: Bounce): Promise<void> =>
  void (await updateIf(table, id, {
    UpdateExpression: 'SET bounce = :bounce',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':bounce': bounce },
  }));

export async function getDelivery(table: Table, id: string): Promise<Delivery | undefined> {
  const item = await getItem(table, eventKey(id));
  return item && toDelivery(item);
}
