import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { DeliveryStatus } from '../contract/events';
import { LEASE_MS, type Delivery } from '../domain/delivery';
import type { Event } from '../domain/event';
import { tallyOf, type Tally } from '../domain/tally';
import { dueAt, eventKey, eventList, eventPosition, licenseEvents, PENDING_SHARDS, pendingShard, type Key } from './keys';
import { countEvents } from './stats';
import { getItem, getItems, persistently, queryPages, StoreUnavailable, type Item, type Table } from './table';
import { create, transact, type Action } from './transaction';

/** Days that an event stays in the delivery log. */
export const EVENT_DAYS = 30;

/** Spreads the pending events by their id's random end. */
const shardOf = (id: string): string => pendingShard(Number.parseInt(id.slice(-2), 16) % PENDING_SHARDS);

/** The payload is stored compressed: else the row of an activation outgrows 1 KB, and costs twice as much to write. */
const toItem = ({ id, license_id, body, ...event }: Event): Item => ({
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

const idOf = ({ pk, sk }: Item): string => `${(pk as string).slice(-10)}${sk as string}`;

const toDelivery = (item: Item): Delivery => {
  const { pk, sk, list_pk, list_sk, pending_pk, pending_sk, ttl, lease_token, body, ...delivery } = item;
  return { license_id: null, ...delivery, id: idOf(item), body: inflateRawSync(body as Uint8Array).toString() } as unknown as Delivery;
};

/** Puts an event in the transaction of what it tells of: due at once, and in its product's log. */
export const recordEvent = (event: Event): Action => create(toItem(event));

/** Records an event that tells of no change. */
export async function createEvent(table: Table, event: Event): Promise<void> {
  const outcome = await transact(table, [recordEvent(event)]);
  if (!outcome.committed) throw new Error(`Event ${event.id} exists already`);
}

export async function getDelivery(table: Table, id: string): Promise<Delivery | undefined> {
  const item = await getItem(table, eventKey(id));
  return item && toDelivery(item);
}

// ── Attempts ────────────────────────────────────────────────────────────────────────────────────

/** An event that this caller alone may attempt until its lease ends. */
export interface Claim {
  readonly delivery: Delivery;
  readonly token: string;
}

/** Why an event can't be attempted now: it is settled (or gone), due later, or another attempt is under way. */
export type Unclaimed = 'settled' | 'leased' | { readonly dueAt: number };

/** An update of one event; where its condition fails, the item as it is. */
async function updateIf(
  table: Table,
  id: string,
  update: { expression: string; condition: string; names?: Record<string, string>; values: Item },
): Promise<{ item: Item } | { refusedBy: Item | undefined }> {
  const command = new UpdateCommand({
    TableName: table.name,
    Key: eventKey(id),
    UpdateExpression: update.expression,
    ConditionExpression: update.condition,
    ExpressionAttributeNames: update.names,
    ExpressionAttributeValues: update.values,
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    const { Attributes } = await persistently(table, () => table.client.send(command));
    return { item: Attributes ?? {} };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return { refusedBy: error.Item && unmarshall(error.Item) };
  }
}

/*
 * A call whose answer was lost is made again, and then finds the row as it left it itself. Each of the updates
 * below takes that for the success that it is.
 */

/**
 * Takes a pending event that is due for one attempt. A crash leaves the lease to run out; the event then
 * is due again, and the sweeper finds it by then.
 */
export async function claimEvent(table: Table, id: string): Promise<Claim | Unclaimed> {
  const now = table.clock();
  const token = Buffer.from(table.random(8)).toString('hex');
  const outcome = await updateIf(table, id, {
    expression: 'SET lease_until = :until, lease_token = :token, pending_sk = :sweep',
    condition:
      '#status = :pending AND (attribute_not_exists(due_at) OR due_at <= :now) AND (attribute_not_exists(lease_until) OR lease_until <= :now)',
    names: { '#status': 'status' },
    values: { ':pending': 'pending', ':now': now, ':until': now + LEASE_MS, ':token': token, ':sweep': dueAt(now + LEASE_MS) },
  });
  const item = 'item' in outcome ? outcome.item : outcome.refusedBy;
  if ('item' in outcome || item?.['lease_token'] === token) return { delivery: toDelivery(item ?? {}), token };
  if (item?.['status'] !== 'pending') return 'settled';
  const { due_at = 0, lease_until = 0 } = toDelivery(item);
  return lease_until > now ? 'leased' : { dueAt: due_at };
}

/** What an attempt came to, to be recorded under its claim's token. */
export interface Settlement {
  readonly delivery: Delivery;
  readonly token: string;
}

/** Attempts that are recorded together at the most: with their numbers far below the 100 actions of a transaction. */
export const MAX_SETTLEMENTS = 20;

function settleAction({ delivery, token }: Settlement, { counted }: Tally): Action {
  const fields: Item = {
    status: delivery.status,
    url: delivery.url,
    attempts: delivery.attempts,
    round: delivery.round,
    history: delivery.history,
    delivered_at: delivery.delivered_at,
    due_at: delivery.due_at,
    ...(delivery.due_at !== undefined && { pending_sk: dueAt(delivery.due_at) }),
    ...counted,
  };
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined);
  const removed = ['lease_until', ...(delivery.due_at === undefined ? ['due_at', 'pending_pk', 'pending_sk'] : [])];
  return {
    Update: {
      Key: eventKey(delivery.id),
      UpdateExpression: `SET ${kept.map(([name]) => `#${name} = :${name}`).join(', ')} REMOVE ${removed.join(', ')}`,
      // The lease ends with the first recording: one that comes again, its answer lost, counts nothing twice.
      ConditionExpression: 'lease_token = :token AND attribute_exists(lease_until)',
      ExpressionAttributeNames: Object.fromEntries(kept.map(([name]) => [`#${name}`, name])),
      ExpressionAttributeValues: { ...Object.fromEntries(kept.map(([name, value]) => [`:${name}`, value])), ':token': token },
    },
  };
}

/**
 * Records what attempts came to, each under its token, which stays; and in the same transaction what that
 * adds to their products' numbers, so that they count every event once. Together they cost less than one by
 * one, and don't meet on a product's numbers.
 *
 * @returns for each whether it is recorded: false where its lease ran out and another took over. What keeps
 *   one from being recorded is its own failure, and holds up no other
 */
export async function settleEvents(table: Table, settlements: readonly Settlement[]): Promise<(boolean | Promise<boolean>)[]> {
  const alone = settlements.length === 1;
  const tallied = settlements.map((settlement) => ({ ...settlement, tally: tallyOf(settlement.delivery) }));
  const actions = [...tallied.map((one) => settleAction(one, one.tally)), ...countEvents(tallied)];
  const outcome = await transact(table, actions).catch((error: unknown) => {
    if (alone || error instanceof StoreUnavailable) throw error;
    return undefined;
  });
  if (outcome?.committed) return settlements.map(() => true);
  if (!alone) return settlements.map(async (one) => (await settleEvents(table, [one]))[0] ?? false);
  // The row that stands in the way may be this very recording, its answer lost.
  return settlements.map(({ token }) => outcome?.failed[0]?.['lease_token'] === token);
}

/** Starts a new round of attempts. An event that is pending stays as it is. Undefined where there is none. */
export async function redeliverEvent(table: Table, id: string): Promise<Delivery | undefined> {
  const now = table.clock();
  const outcome = await updateIf(table, id, {
    expression: 'SET #status = :pending, round = :zero, due_at = :now, pending_pk = :shard, pending_sk = :due REMOVE delivered_at, lease_token',
    condition: 'attribute_exists(pk) AND #status <> :pending',
    names: { '#status': 'status' },
    values: { ':pending': 'pending', ':zero': 0, ':now': now, ':shard': shardOf(id), ':due': dueAt(now) },
  });
  const item = 'item' in outcome ? outcome.item : outcome.refusedBy;
  return item && toDelivery(item);
}

// ── Lists ───────────────────────────────────────────────────────────────────────────────────────

/** Index rows that one call reads at the most, so that a filter that finds little still answers in time. */
const MAX_INDEX_ROWS = 20_000;

/** Where an event stands in its product's log. */
export const logPosition = ({ created_at, id }: Pick<Event, 'created_at' | 'id'>): string => eventPosition(created_at, id);

/** Up to `limit` events of a product, newest first, that are older than `before`. */
export async function listDeliveries(
  table: Table,
  productId: number,
  status: DeliveryStatus | undefined,
  before: string | undefined,
  limit: number,
  maxRows = MAX_INDEX_ROWS,
): Promise<{ deliveries: Delivery[]; next?: string }> {
  const found: Key[] = [];
  let scanned = before;
  let rowsRead = 0;
  let end: 'list' | 'limit' | 'budget' = 'list';
  scan: for await (const page of queryPages(table, {
    IndexName: 'list',
    ScanIndexForward: false,
    KeyConditionExpression: before === undefined ? 'list_pk = :list' : 'list_pk = :list AND list_sk < :before',
    ExpressionAttributeValues: { ':list': eventList(productId), ...(before !== undefined && { ':before': before }) },
    Limit: status === undefined ? limit + 1 : undefined,
  })) {
    for (const item of page) {
      if (status === undefined || item['status'] === status) {
        if (found.length === limit) {
          end = 'limit';
          break scan;
        }
        found.push({ pk: item['pk'] as string, sk: item['sk'] as string });
      }
      scanned = item['list_sk'] as string;
    }
    rowsRead += page.length;
    if (rowsRead >= maxRows) {
      end = 'budget';
      break;
    }
  }
  const items = await getItems(table, found);
  const deliveries = items
    .flatMap((item) => (item ? [toDelivery(item)] : []))
    .filter((delivery) => status === undefined || delivery.status === status);
  return { deliveries, ...(end !== 'list' && scanned !== undefined && { next: scanned }) };
}

/** Up to `limit` events of a license, newest first, that are older than `before`, the place of one. */
export async function listLicenseEvents(table: Table, licenseId: number, before: string | undefined, limit: number): Promise<{ deliveries: Delivery[]; next?: string }> {
  const items: Item[] = [];
  for await (const page of queryPages(table, {
    ScanIndexForward: false,
    KeyConditionExpression: before === undefined ? 'pk = :pk' : 'pk = :pk AND sk < :before',
    ExpressionAttributeValues: { ':pk': licenseEvents(licenseId), ...(before !== undefined && { ':before': before }) },
    Limit: limit + 1,
  })) {
    items.push(...page);
    if (items.length > limit) break;
  }
  const deliveries = items.slice(0, limit).map(toDelivery);
  const last = deliveries.at(-1);
  return { deliveries, ...(items.length > limit && last && { next: historyPosition(last) }) };
}

/** Where an event stands in its license's history. */
export const historyPosition = ({ id }: Pick<Event, 'id'>): string => eventKey(id).sk;

// ── Sweeping ────────────────────────────────────────────────────────────────────────────────────

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
