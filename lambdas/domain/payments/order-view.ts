import type { OrderView } from '../../contract/resources/order';
import { timestampOf, timestampOrNull } from '../time';
import { adapters, shownOrderId, type Line } from '.';
import type { Connection } from './connection';
import { orderedAt, type Facts } from './facts';
import { amountsOf } from './ledger';
import { idOf } from './notification';
import type { StoredOrder } from './order';
import { isEnded, linesOf, missingPayment, paidUntilOf, openPause } from './target';

/** Shows an order to the operator (docs/spec/payments.md, Orders). */

/** The state of the order's subscription; null if the order does not recur. */
function subscriptionOf(facts: Facts): OrderView['subscription'] {
  const paidUntil = paidUntilOf(facts);
  if (paidUntil === null && idOf(facts.ids, 'subscription') === null) return null;
  if (facts.isPaidOff) return { state: 'paid_off', renews_at: null, ends_at: null };
  if (facts.ended && isEnded(facts))
    return { state: 'ended', renews_at: null, ends_at: timestampOf(facts.ended.endedAt ?? facts.ended.at) };
  const endsAt = facts.cancellation?.endsAt ?? null;
  if (endsAt !== null) return { state: 'canceled', renews_at: null, ends_at: timestampOf(endsAt) };
  if (openPause(facts)) return { state: 'paused', renews_at: null, ends_at: null };
  const latest = facts.payments.find(({ until }) => until !== null && until === paidUntil);
  const state = missingPayment(facts) ? 'past_due' : latest?.isTrial ? 'trial' : 'active';
  return { state, renews_at: timestampOrNull(paidUntil), ends_at: null };
}

const isNamed = (lines: readonly Line[]): boolean => lines.some(({ refs }) => refs.length > 0);

/** The lines of the order. As long as no plan names them, the lines in the waiting notifications. */
const shownLines = ({ facts, waiting }: StoredOrder): OrderView['lines'] =>
  linesOf(facts)?.map(({ refs, quantity, sold }) => ({
    ref: sold?.ref ?? refs[0] ?? null,
    quantity,
    license_type_id: sold?.licenseTypeId ?? null,
  })) ??
  waiting
    .map(({ notification: { actions } }) => actions.flatMap((action) => ('lines' in action ? action.lines : [])))
    .toSorted((a, b) => Number(isNamed(b)) - Number(isNamed(a)))
    .find((lines) => lines.length > 0)
    ?.map(({ refs, quantity }) => ({ ref: refs[0] ?? null, quantity, license_type_id: null })) ??
  [];

/** @param now the current time in epoch ms */
export function orderView(stored: StoredOrder, { id, product_id, processor, mode }: Connection, now: number): OrderView {
  const { facts, licenses, waiting } = stored;
  const adapter = adapters[processor];
  const test = stored.test ?? mode === 'test';
  return {
    id: stored.uid,
    product_id,
    connection_id: id,
    processor,
    order_id: shownOrderId(adapter, facts.ids),
    subscription_id: idOf(facts.ids, 'subscription'),
    customer_email: facts.customerEmail,
    test,
    status: waiting.some(({ status }) => status === 'held') ? 'held' : waiting.length > 0 ? 'waiting' : 'done',
    lines: shownLines(stored),
    license_ids: licenses.map((license) => license.id),
    amounts: amountsOf(facts.ledger).map((amounts) => ({ ...amounts })),
    subscription: subscriptionOf(facts),
    links: { ...adapter.links(facts.ids, test) },
    receipt_url: facts.receipt && now < facts.receipt.until ? facts.receipt.url : null,
    created_at: timestampOf(orderedAt(facts)),
  };
}
