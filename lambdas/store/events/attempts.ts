import { LEASE_MS, type Delivery, type DeliveryRecord } from '../../domain/delivery';
import { tallyOf, type Tally } from '../../domain/tally';
import { dueAt, eventKey } from '../keys';
import { countEvents } from '../stats';
import { StoreUnavailable, type Item, type Table } from '../table';
import { transact, type Action } from '../transaction';
import { toRecord } from './rows';
import { updateIf } from './update';

/** An event that this caller alone may attempt until its lease ends. */
export interface Claim {
  /** Without a body if that can't be read. */
  readonly delivery: DeliveryRecord;
  readonly token: string;
}

/** Why an event can't be attempted now: it is settled (or deleted), due later, or another attempt is under way. */
export type Unclaimed = 'settled' | 'leased' | ({ readonly dueAt: number } & Pick<Delivery, 'id' | 'product_id' | 'channel'>);

/*
 * A call whose response was lost is made again, and then finds the row that it has already written. Each of the updates
 * below takes that for the success that it is.
 */

/**
 * Takes a pending event that is due for one attempt. A crash leaves the lease to run out; the event then
 * is due again, and the sweeper finds it by then.
 */
export async function claimEvent(table: Table, id: string): Promise<Claim | Unclaimed> {
  const now = table.clock();
  const token = Buffer.from(table.random(8)).toString('hex');
  const update = await updateIf(table, id, {
    expression: 'SET lease_until = :until, lease_token = :token, pending_sk = :sweep',
    condition:
      // A round that begins is due at once, whatever the clock of the one who began it said.
      '#status = :pending AND (attribute_not_exists(due_at) OR due_at <= :now OR round = :begins) AND (attribute_not_exists(lease_until) OR lease_until <= :now)',
    names: { '#status': 'status' },
    values: {
      ':pending': 'pending',
      ':begins': 0,
      ':now': now,
      ':until': now + LEASE_MS,
      ':token': token,
      ':sweep': dueAt(now + LEASE_MS),
    },
  });
  const item = 'item' in update ? update.item : update.refusedBy;
  if ('item' in update || item?.['lease_token'] === token) return { delivery: toRecord(item ?? {}), token };
  if (item?.['status'] !== 'pending') return 'settled';
  const { product_id, channel, due_at = 0, lease_until = 0 } = toRecord(item);
  return lease_until > now ? 'leased' : { id, product_id, ...(channel && { channel }), dueAt: due_at };
}

/** What became of an event: recorded under the claim of its attempt, or, if it was not claimed, as long as it is as it was read. */
export type Settlement = { readonly delivery: DeliveryRecord } & ({ readonly token: string } | { readonly pendingSince: string });

/** Maximum number of events recorded together: each with its numbers takes up to 3 of the 100 actions of a transaction. */
export const MAX_SETTLEMENTS = 33;

/** Holds only if nobody else has recorded, claimed or postponed the event meanwhile. */
function settleCondition(settlement: Settlement): { readonly expression: string; readonly values: Item } {
  if ('pendingSince' in settlement) return { expression: 'pending_sk = :since', values: { ':since': settlement.pendingSince } };
  // The lease ends with the first recording: one that comes again, its response lost, counts nothing twice.
  return { expression: 'lease_token = :token AND attribute_exists(lease_until)', values: { ':token': settlement.token } };
}

function settleAction(settlement: Settlement, { counted }: Tally): Action {
  const { delivery } = settlement;
  const condition = settleCondition(settlement);
  const fields: Item = {
    status: delivery.status,
    url: delivery.url,
    attempts: delivery.attempts,
    round: delivery.round,
    faults: delivery.faults,
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
      ConditionExpression: condition.expression,
      ExpressionAttributeNames: Object.fromEntries(kept.map(([name]) => [`#${name}`, name])),
      ExpressionAttributeValues: { ...Object.fromEntries(kept.map(([name, value]) => [`:${name}`, value])), ...condition.values },
    },
  };
}

/**
 * Records what became of events, and in the same transaction what they add to their products' numbers, so that
 * they count every event once. Together they cost less than one by one, and don't conflict on a product's numbers.
 *
 * @returns for each whether it is recorded: false if another took it over. What keeps one from being recorded is
 *   its own failure, and holds up no other
 */
export async function settleEvents(table: Table, settlements: readonly Settlement[]): Promise<(boolean | Promise<boolean>)[]> {
  const alone = settlements.length === 1;
  const tallied = settlements.map((settlement) => ({ ...settlement, tally: tallyOf(settlement.delivery) }));
  const actions = [...tallied.map((one) => settleAction(one, one.tally)), ...countEvents(tallied)];
  const transaction = await transact(table, actions).catch((error: unknown) => {
    if (alone || error instanceof StoreUnavailable) throw error;
    return undefined;
  });
  if (transaction?.committed) return settlements.map(() => true);
  if (!alone) return settlements.map(async (one) => (await settleEvents(table, [one]))[0] ?? false);
  // The conflicting row may be from this very recording, if its response was lost.
  return settlements.map((settlement) => 'token' in settlement && transaction?.failed[0]?.['lease_token'] === settlement.token);
}
