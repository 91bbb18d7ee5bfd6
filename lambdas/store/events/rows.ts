import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Delivery } from '../../domain/delivery';
import type { Event } from '../../domain/event';
import { dueAt, eventKey, eventList, eventPosition, PENDING_SHARDS, pendingShard } from '../keys';
import type { Item } from '../table';

/** How events are stored. */

/** Days that an event stays in the delivery log. */
export const EVENT_DAYS = 30;

/** Spreads the pending events by their id's random end. */
export const shardOf = (id: string): string => pendingShard(Number.parseInt(id.slice(-2), 16) % PENDING_SHARDS);

/** The payload is stored compressed: else the row of an activation outgrows 1 KB, and costs twice as much to write. */
export const toItem = ({ id, license_id, body, ...event }: Event): Item => ({
  ...eventKey(id),
  ...event,
  body: deflateRawSync(body),
  ...(license_id !== null && { license_id }),
  list_pk: eventList(event.product_id),
  list_sk: eventPosition(event.created_at, id),
  pending_pk: shardOf(id),
  pending_sk: dueAt(event.created_at),
  ttl: Math.ceil(event.created_at / 1000) + EVENT_DAYS * 86_400,
});

export const idOf = ({ pk, sk }: Item): string => `${(pk as string).slice(-10)}${sk as string}`;

export const toDelivery = (item: Item): Delivery => {
  const { pk, sk, list_pk, list_sk, pending_pk, pending_sk, ttl, lease_token, body, ...delivery } = item;
  return { license_id: null, ...delivery, id: idOf(item), body: inflateRawSync(body as Uint8Array).toString() } as unknown as Delivery;
};
