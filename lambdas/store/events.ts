import type { Event } from '../domain/event';
import { dueAt, eventKey, eventList, eventPosition, PENDING_SHARDS, pendingShard } from './keys';
import type { Item } from './table';
import { create, type Action } from './transaction';

/** Days that an event stays in the delivery log. */
export const EVENT_DAYS = 30;

/** Puts an event in the transaction of what it tells of: due at once, and in its product's log. */
export const recordEvent = (event: Event): Action => create(toItem(event));

/** Spreads the pending events by their id's random end. */
const shardOf = (id: string): number => Number.parseInt(id.slice(-2), 16) % PENDING_SHARDS;

const toItem = ({ id, license_id, ...event }: Event): Item => ({
  ...eventKey(id),
  ...event,
  ...(license_id !== null && { license_id }),
  list_pk: eventList(event.product_id),
  list_sk: eventPosition(event.created_at, id),
  pending_pk: pendingShard(shardOf(id)),
  pending_sk: dueAt(event.created_at),
  ttl: Math.ceil(event.created_at / 1000) + EVENT_DAYS * 86_400,
});
