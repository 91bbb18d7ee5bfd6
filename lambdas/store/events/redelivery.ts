import type { Delivery, DeliveryRecord } from '../../domain/delivery';
import { MAILTO } from '../../domain/event';
import { dueAt, eventList, eventPosition, PENDING_REDELIVERIES, redeliveryKey } from '../keys';
import { countKeyMail } from '../limits';
import { getItems, keyOf, queryAll, queryPages, updateItem } from '../items';
import type { Item } from '../codec';
import type { Table } from '../table';
import { create, transact } from '../transaction';
import { getDelivery } from './record';
import { idOf, shardOf, toRecord } from './rows';
import { eventUpdate, updateIf, type EventUpdate } from './update';
import { chunks } from '../chunks';

/**
 * Bulk redelivery starts a new round of attempts for each event of a product that has a given status and was created in a given period.
 * Each bulk redelivery has a row, so that the sweeper can continue the redelivery after an interruption. Each event stores the id of the
 * last bulk redelivery that started a round for it. Therefore each event gets only one round, even if a part of the bulk redelivery is
 * repeated.
 */

/** The result if the maximum number of mails per hour was already sent about the license or to the e-mail address. */
export const LIMIT_REACHED = 'limit_reached';

/** A bulk redelivery can start a new round for events with these statuses. */
export type Ended = 'failed' | 'skipped';

export interface Redelivery {
  readonly id: string;
  readonly product_id: number;
  readonly status: Ended;
  /**
   * The range of the events that must still be processed, as positions in the product's list of events: after `from`, up to and including
   * `to`.
   */
  readonly from: string;
  readonly to: string;
}

/** Number of days for which the row of a finished bulk redelivery is kept. */
const KEPT_DAYS = 7;

/** Number of events that are updated at the same time. */
const PARALLEL = 50;

/** The events of the list that have the given status, oldest first, in pages. */
async function* endedEvents(table: Table, { product_id, status, from, to }: Omit<Redelivery, 'id'>): AsyncGenerator<Item[]> {
  // DynamoDB refuses a range that ends before it begins.
  if (from > to) return;
  const pages = queryPages(table, {
    IndexName: 'list',
    KeyConditionExpression: 'list_pk = :list AND list_sk BETWEEN :from AND :to',
    FilterExpression: '#status = :status',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':list': eventList(product_id), ':status': status, ':from': from, ':to': to },
  });
  for await (const page of pages) yield page.filter(({ list_sk }) => list_sk !== from);
}

/** The events of a bulk redelivery: events that were created at `since` or later and before `until`, in epoch ms. */
export interface Selection {
  readonly productId: number;
  readonly status: Ended;
  readonly since: number;
  readonly until: number;
}

/**
 * Finds up to `limit` events, oldest first, and records a bulk redelivery of these events. `delayMs` is the time, in ms, after which the
 * sweeper continues the redelivery if the redelivery is not finished by then.
 *
 * @param deadline the time at which the search stops, epoch ms
 * @returns the number of events, and the redelivery if there are any events; undefined if the deadline was reached before an event was
 * found
 */
export async function startRedelivery(
  table: Table,
  { productId, status, since, until }: Selection,
  limit: number,
  delayMs: number,
  deadline: number,
): Promise<{ readonly count: number; readonly redelivery?: Redelivery } | undefined> {
  const range = { product_id: productId, status, from: eventPosition(since), to: eventPosition(until) };
  let count = 0;
  let to = range.to;
  let complete = true;
  for await (const page of endedEvents(table, range)) {
    const taken = page.slice(0, limit - count);
    count += taken.length;
    to = (taken.at(-1)?.['list_sk'] as string | undefined) ?? to;
    if (count === limit) break;
    if (table.realClock() >= deadline) {
      complete = false;
      break;
    }
  }
  if (count === 0) return complete ? { count } : undefined;
  const redelivery: Redelivery = { ...range, id: Buffer.from(table.random(8)).toString('hex'), to };
  const now = table.clock();
  table.audit?.describe({ details: [`${count} ${status}`] });
  await transact(table, [
    create({
      ...redeliveryKey(redelivery.id),
      ...redelivery,
      pending_pk: PENDING_REDELIVERIES,
      pending_sk: dueAt(now + delayMs),
      created_at: now,
      ttl: Math.ceil(now / 1000) + KEPT_DAYS * 86_400,
    }),
  ]);
  return { count, redelivery };
}

/** The unfinished bulk redeliveries that are due at or before the time `by` (epoch ms). */
export async function pendingRedeliveries(table: Table, by: number): Promise<Redelivery[]> {
  const due = await queryAll(table, {
    IndexName: 'pending',
    KeyConditionExpression: 'pending_pk = :pending AND pending_sk <= :by',
    ExpressionAttributeValues: { ':pending': PENDING_REDELIVERIES, ':by': dueAt(by) },
  });
  const items = await getItems(table, due.map(keyOf));
  return items.flatMap((item) => (item?.['pending_pk'] === PENDING_REDELIVERIES ? [toRedelivery(item)] : []));
}

const toRedelivery = ({ id, product_id, status, from, to }: Item): Redelivery => ({
  id: id as string,
  product_id: product_id as number,
  status: status as Ended,
  from: from as string,
  to: to as string,
});

/**
 * The update that makes an event pending and due, with a new round of attempts.
 *
 * @param condition the condition of the update
 * @param values the values that the condition refers to
 * @param redelivery the id of the bulk redelivery that starts the round
 */
function newRound(table: Table, id: string, condition: string, values: Item, redelivery?: string): EventUpdate {
  const now = table.clock();
  const mark = redelivery === undefined ? '' : ', redelivery = :redelivery';
  return {
    UpdateExpression: `SET #status = :pending, round = :zero, due_at = :now, pending_pk = :shard, pending_sk = :due${mark} REMOVE delivered_at, lease_token, faults, bounce`,
    ConditionExpression: condition,
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ...values,
      ':pending': 'pending',
      ':zero': 0,
      ':now': now,
      ':shard': shardOf(id),
      ':due': dueAt(now),
      ...(redelivery !== undefined && { ':redelivery': redelivery }),
    },
  };
}

/**
 * Starts a new round of attempts for an event. An event that is already pending is returned unchanged. Sending a delivered mail again
 * counts towards the limits of {@link countKeyMail}. Sending a failed mail again does not count, because the buyer never got the mail.
 *
 * @returns undefined if the event does not exist
 */
export async function redeliverEvent(table: Table, id: string): Promise<Delivery | typeof LIMIT_REACHED | undefined> {
  const found = await getDelivery(table, id);
  if (!found || found.status === 'pending') return found;
  table.audit?.describe({ product_id: found.product_id, license_id: found.license_id });
  const address = found.channel === 'mail' && found.status === 'delivered' ? (found.url ?? '').slice(MAILTO.length) : '';
  const limits = address === '' ? [] : countKeyMail(found, address, table.clock());
  const transaction = await transact(table, [
    eventUpdate(id, newRound(table, id, 'attribute_exists(pk) AND #status <> :pending', {})),
    ...limits,
  ]);
  if (!transaction.committed && transaction.failed[0] === undefined) return LIMIT_REACHED;
  // If the condition failed, a concurrent request has already made the event pending.
  return getDelivery(table, id);
}

/**
 * Starts the round of one event in a bulk redelivery. Returns undefined if the event must not be sent, because it has changed in the
 * meantime or already had its round.
 */
async function redeliverOne(table: Table, id: string, { id: redelivery, status }: Redelivery): Promise<DeliveryRecord | undefined> {
  const condition = '#status = :ended AND (attribute_not_exists(redelivery) OR redelivery <> :redelivery)';
  const { isWritten, item = {} } = await updateIf(table, id, newRound(table, id, condition, { ':ended': status }, redelivery));
  // If DynamoDB's response to an earlier try was lost, the round has already started, but its queue message may not have been sent yet.
  return isWritten || (item['redelivery'] === redelivery && item['status'] === 'pending') ? toRecord(item) : undefined;
}

/** Stores the progress of a bulk redelivery. If `from` is undefined, the redelivery is recorded as finished. */
async function saveProgress(table: Table, id: string, from: string | undefined): Promise<void> {
  await updateItem(table, {
    Key: redeliveryKey(id),
    UpdateExpression: from === undefined ? 'REMOVE pending_pk, pending_sk' : 'SET #from = :from',
    ...(from !== undefined && { ExpressionAttributeNames: { '#from': 'from' }, ExpressionAttributeValues: { ':from': from } }),
  });
}

/**
 * Continues a bulk redelivery, oldest events first, until it is finished or `deadline` (epoch ms) is reached. A call may be repeated or run
 * concurrently with another call.
 *
 * @param send is called with the events whose round has started
 * @returns the number of events that were passed to `send`
 */
export async function continueRedelivery(
  table: Table,
  redelivery: Redelivery,
  send: (events: readonly DeliveryRecord[]) => Promise<void>,
  deadline: number,
): Promise<number> {
  let started = 0;
  for await (const page of endedEvents(table, redelivery)) {
    for (const items of chunks(page, PARALLEL)) {
      if (table.realClock() >= deadline) return started;
      const rounds = await Promise.all(items.map((item) => redeliverOne(table, idOf(item), redelivery)));
      const events = rounds.flatMap((event) => event ?? []);
      if (events.length > 0) await send(events);
      started += events.length;
      await saveProgress(table, redelivery.id, items.at(-1)?.['list_sk'] as string);
    }
  }
  await saveProgress(table, redelivery.id, undefined);
  return started;
}
