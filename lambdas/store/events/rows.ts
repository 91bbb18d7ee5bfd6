import { bounceTypes, deliveryStatuses, type LoggedEvent } from '../../contract/events';
import { languages } from '../../contract/languages';
import { licenseStatuses } from '../../contract/statuses';
import type { Attempt, Delivery, DeliveryRecord } from '../../domain/delivery';
import type { Event } from '../../domain/event';
import type { Bounce } from '../../domain/mail-feedback';
import type { PortalMailFacts } from '../../domain/portal/mail-facts';
import { dueAt, eventKey, eventList, eventPosition, PENDING_SHARDS, pendingShard } from '../keys';
import { RowReader } from '../row';
import type { Item } from '../codec';
import { packBody, unpackBody } from './compression';

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

/** @throws UnreadableRow */
export const toDelivery = (item: Item): Delivery => {
  const row = new RowReader(item);
  const optional = { ...numbers(row, ['attempts', 'round', 'due_at', 'lease_until', 'delivered_at', 'faults']) };
  const url = row.nullableString('url');
  const metadata_ref = row.nullableString('metadata_ref');
  const previous_status = row.nullableString('previous_status');
  const previous_type_id = row.nullableNumber('previous_type_id');
  const by = row.nullableString('by');
  const outcome = row.nullableString('outcome');
  return {
    id: idOf(item),
    // The name is not checked: an event that a newer version recorded is delivered unchanged.
    event: row.string('event') as LoggedEvent,
    product_id: row.number('product_id'),
    license_id: row.nullableNumber('license_id'),
    body: inflated(row),
    status: row.oneOf('status', deliveryStatuses),
    created_at: row.number('created_at'),
    ...(metadata_ref !== null && { metadata_ref }),
    ...(previous_status !== null && { previous_status: row.oneOf('previous_status', licenseStatuses) }),
    ...(previous_type_id !== null && { previous_type_id }),
    ...(by !== null && { by }),
    ...(item['channel'] === 'mail' && { channel: 'mail' }),
    ...(url !== null && { url }),
    ...(item['mail'] !== undefined && { mail: toMailFacts(row.map('mail')) }),
    ...optional,
    ...(item['history'] !== undefined && { history: row.maps('history').map(toAttempt) }),
    ...(item['bounce'] !== undefined && { bounce: toBounce(row.map('bounce')) }),
    ...(item['counted'] !== undefined && { counted: row.boolean('counted') }),
    ...(outcome !== null && { outcome: row.oneOf('outcome', ['delivered', 'failed', 'skipped'] as const) }),
  };
};

const toBounce = (row: RowReader): Bounce => ({
  at: row.number('at'),
  type: row.oneOf('type', bounceTypes),
  reason: row.string('reason'),
});

const toMailFacts = (row: RowReader): PortalMailFacts => {
  const session = row.nullableString('session');
  const device = row.nullableString('device');
  return {
    language: row.oneOf('language', languages),
    until: row.nullableNumber('until'),
    ...(session !== null && { session }),
    ...(device !== null && { device }),
    ...(row.boolean('unlisted') && { unlisted: true }),
  };
};

function inflated(row: RowReader): string {
  const body = row.bytes('body');
  try {
    return unpackBody(body);
  } catch {
    return row.refuse('body');
  }
}

function toAttempt(row: RowReader): Attempt {
  const response = row.nullableString('response');
  return {
    attempt: row.number('attempt'),
    at: row.number('at'),
    status: row.nullableNumber('status'),
    error: row.nullableString('error'),
    duration_ms: row.number('duration_ms'),
    ...(response !== null && { response }),
  };
}

/** Reads the numeric fields with the given names. Fields that the row does not contain are left out. */
const numbers = <Name extends string>(row: RowReader, names: readonly Name[]): Partial<Record<Name, number>> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = row.nullableNumber(name);
      return value === null ? [] : [[name, value]];
    }),
  ) as Partial<Record<Name, number>>;

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
