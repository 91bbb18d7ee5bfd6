import * as z from 'zod/mini';
import type { LoggedEvent } from '../../contract/events';
import { deliverySchema, type Attempt, type Delivery, type DeliveryRecord } from '../../domain/delivery';
import type { Event } from '../../domain/event';
import { dueAt, eventKey, eventList, eventPosition, PENDING_SHARDS, pendingShard } from '../keys';
import { readRow } from '../row';
import type { Item } from '../codec';
import { packBody, unpackBody } from './compression';
import { packed } from '../../domain/stored';

/** A new event. `due_at` is its due time; undefined if the event is due at once. */
export type NewEvent = Event & Pick<Delivery, 'due_at'>;

/** Number of days for which an event stays in the delivery log. */
export const EVENT_DAYS = 30;

/** Number of days for which an event is stored if it does not appear in the delivery log. */
const UNLISTED_DAYS = 1;

/** The shard of a pending event. The random last digits of the event's id determine it. */
export const shardOf = (id: string): string => pendingShard(Number.parseInt(id.slice(-2), 16) % PENDING_SHARDS);

/** The row of a new event. An event without `due_at` is due at once. */
export const toItem = ({ id, license_id, body, ...event }: NewEvent): Item => ({
  ...eventKey(id),
  ...event,
  body: packBody(body),
  ...(license_id !== null && { license_id }),
  ...(!event.mail?.unlisted && listKeys({ id, ...event })),
  pending_pk: shardOf(id),
  pending_sk: dueAt(event.due_at ?? event.created_at),
  ttl: Math.ceil(event.created_at / 1000) + (event.mail?.unlisted ? UNLISTED_DAYS : EVENT_DAYS) * 86_400,
});

/** The index keys that list an event in the delivery log. */
export const listKeys = ({
  id,
  product_id,
  created_at,
}: Pick<Event, 'id' | 'product_id' | 'created_at'>): { readonly list_pk: string; readonly list_sk: string } => ({
  list_pk: eventList(product_id),
  list_sk: eventPosition(created_at, id),
});

export const idOf = ({ pk, sk }: Item): string => `${(pk as string).slice(-10)}${sk as string}`;

/** The body is stored in compressed form. */
const rowSchema = z.extend(deliverySchema, { body: packed(unpackBody) });

/** @throws UnreadableRow */
export const toDelivery = (item: Item): Delivery => readRow(rowSchema, { ...item, id: idOf(item) });

/**
 * Reads an event. If the payload cannot be read, the event is returned without the payload, so that the failed delivery can still be
 * recorded.
 */
export function toRecord(item: Item): DeliveryRecord {
  try {
    return toDelivery(item);
  } catch {
    const number = (name: string): number => (typeof item[name] === 'number' ? item[name] : 0);
    return {
      id: idOf(item),
      event: String(item['event']) as LoggedEvent,
      ...(item['channel'] === 'mail' && { channel: 'mail' }),
      product_id: number('product_id'),
      license_id: null,
      status: item['status'] === 'skipped' ? 'skipped' : 'pending',
      created_at: number('created_at'),
      attempts: number('attempts'),
      round: number('round'),
      faults: number('faults'),
      // Without these times, an event whose pause or lease has not ended would look as if it were due.
      ...(typeof item['due_at'] === 'number' && { due_at: item['due_at'] }),
      ...(typeof item['lease_until'] === 'number' && { lease_until: item['lease_until'] }),
      history: Array.isArray(item['history']) ? (item['history'] as Attempt[]) : [],
    };
  }
}
