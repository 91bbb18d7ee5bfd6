import { LEASE_MS, type Delivery } from '../../domain/delivery';
import { tallyOf, type Tally } from '../../domain/tally';
import { dueAt, eventKey } from '../keys';
import { countEvents } from '../stats';
import { StoreUnavailable, type Item, type Table } from '../table';
import { transact, type Action } from '../transaction';
import { shardOf, toDelivery } from './rows';
import { updateIf } from './update';

/** An event that this caller alone may attempt until its lease ends. */
export interface Claim {
  readonly delivery: Delivery;
  readonly token: string;
}

/** Why an event can't be attempted now: it is settled (or gone), due later, or another attempt is under way. */
export type Unclaimed = 'settled' | 'leased' | { readonly dueAt: number };

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
      // A round that begins is due at once, whatever the clock of the one who began it said.
      '#status = :pending AND (attribute_not_exists(due_at) OR due_at <= :now OR round = :begins) AND (attribute_not_exists(lease_until) OR lease_until <= :now)',
    names: { '#status': 'status' },
    values: { ':pending': 'pending', ':begins': 0, ':now': now, ':until': now + LEASE_MS, ':token': token, ':sweep': dueAt(now + LEASE_MS) },
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
