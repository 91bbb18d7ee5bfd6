import { LEASE_MS, type Delivery, type DeliveryRecord } from '../../domain/delivery';
import { tallyOf, type Tally } from '../../domain/tally';
import { dueAt, eventKey } from '../keys';
import { indexDevice } from '../licenses/device-names';
import { countEvents } from '../stats/count';
import type { Item } from '../codec';
import { StoreUnavailable, type Table } from '../table';
import { MAX_ACTIONS, transact, type Action } from '../transaction';
import { toRecord } from './rows';
import { updateIf } from './update';

/** The exclusive right of a caller to attempt an event until the lease ends. */
export interface Claim {
  /** The event. It has no body if the body cannot be read. */
  readonly delivery: DeliveryRecord;
  readonly token: string;
}

/** The reason why an event cannot be attempted now: it is settled or deleted, another attempt is running, or it is due later. */
export type Unclaimed = 'settled' | 'leased' | ({ readonly dueAt: number } & Pick<Delivery, 'id' | 'product_id' | 'channel'>);

/*
 * If DynamoDB's response to an update is lost, the update is repeated. The repeated update finds the row that the first update has already
 * written. `claimEvent` and `settleEvents` recognize such a row by the token of the claim, and report success.
 */

/**
 * Claims a pending event that is due, for one attempt. If the function crashes, the lease ends and the sweeper finds the event again.
 *
 * @param now the real time in epoch ms, because delays and leases use the real time
 */
export async function claimEvent(table: Table, id: string, now: number): Promise<Claim | Unclaimed> {
  const token = Buffer.from(table.random(8)).toString('hex');
  const { isWritten, item } = await updateIf(table, id, {
    UpdateExpression: 'SET lease_until = :until, lease_token = :token, pending_sk = :sweep',
    ConditionExpression:
      // A new round (`round` = 0) is due at once. Its `due_at` is ignored, because the clock of the function that started the round may be
      // fast. After a fault, `due_at` is not ignored: it is the end of the pause before the next attempt.
      '#status = :pending AND (attribute_not_exists(due_at) OR due_at <= :now OR (round = :begins AND attribute_not_exists(faults))) AND (attribute_not_exists(lease_until) OR lease_until <= :now)',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ':pending': 'pending',
      ':begins': 0,
      ':now': now,
      ':until': now + LEASE_MS,
      ':token': token,
      ':sweep': dueAt(now + LEASE_MS),
    },
  });
  if (isWritten || item?.['lease_token'] === token) return { delivery: toRecord(item ?? {}), token };
  if (item?.['status'] !== 'pending') return 'settled';
  const { product_id, channel, due_at = 0, lease_until = 0 } = toRecord(item);
  return lease_until > now ? 'leased' : { id, product_id, ...(channel && { channel }), dueAt: due_at };
}

/**
 * What must be recorded about an event. There are two kinds:
 * - With `token`: the result of an attempt. `token` is the token of the attempt's claim.
 * - With `pendingSince`: an event that was recorded as `skipped`, had no attempt and is not yet in the statistics. `pendingSince` is its
 *   position in the index of pending events. The event is only added to the statistics, and only if it has not changed since it was read.
 */
export type Settlement = { readonly delivery: DeliveryRecord } & ({ readonly token: string } | { readonly pendingSince: string });

/**
 * Maximum number of events that are recorded together. The actions for these events and for their statistics usually fit into one
 * transaction of 100 actions. If there are more actions, the events are recorded in several transactions.
 */
export const MAX_SETTLEMENTS = 33;

/** The condition that no other function has recorded, claimed or postponed the event in the meantime. */
function settleCondition(settlement: Settlement): { readonly expression: string; readonly values: Item } {
  // A redelivery sets `pending_sk` to the time when the redelivery starts. That may be the same millisecond as the previous value.
  // Therefore the status is compared too: a redelivery changes the status to `pending`.
  if ('pendingSince' in settlement)
    return { expression: 'pending_sk = :since AND #status = :status', values: { ':since': settlement.pendingSince } };
  // Recording the result removes `lease_until`. If DynamoDB's response is lost, the recording is repeated. This condition is then false, so
  // that no event is counted twice.
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
    mail: delivery.mail,
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
 * Records the results of attempts. The same transaction adds the results to the products' statistics, so that every event is counted once.
 * Recording several events together is cheaper, and avoids conflicts on a product's statistics. If one event cannot be recorded, the other
 * events are still recorded. Before that, activated devices become findable by their names.
 *
 * @returns for each event: true if its result was recorded, false if another function has claimed the event in the meantime
 */
export async function settleEvents(table: Table, settlements: readonly Settlement[]): Promise<(boolean | Promise<boolean>)[]> {
  const tallied = settlements.map((settlement) => ({ ...settlement, tally: tallyOf(settlement.delivery) }));
  const activations = tallied.filter(({ tally }) => tally.happened?.what === 'activations');
  // If the recording fails, both are repeated. In the opposite order, a device might never be found by its name.
  await Promise.all(activations.map(({ delivery }) => indexDevice(table, delivery)));
  return record(table, tallied);
}

async function record(table: Table, tallied: readonly (Settlement & { readonly tally: Tally })[]): Promise<(boolean | Promise<boolean>)[]> {
  const alone = tallied.length === 1;
  const actions = [...tallied.map((one) => settleAction(one, one.tally)), ...countEvents(tallied)];
  if (actions.length > MAX_ACTIONS) {
    const half = Math.ceil(tallied.length / 2);
    // The halves are recorded one after the other. Both may update the same rows of the statistics, and concurrent transactions on one row
    // conflict.
    return [...(await record(table, tallied.slice(0, half))), ...(await record(table, tallied.slice(half)))];
  }
  const transaction = await transact(table, actions).catch((error: unknown) => {
    if (alone || error instanceof StoreUnavailable) throw error;
    return undefined;
  });
  if (transaction?.committed) return tallied.map(() => true);
  if (!alone) return tallied.map(async (one) => (await record(table, [one]))[0] ?? false);
  // If the event's row still contains the token of this attempt, an earlier try has recorded the result, and DynamoDB's response to it was
  // lost.
  return tallied.map((settlement) => 'token' in settlement && transaction?.failed[0]?.['lease_token'] === settlement.token);
}
