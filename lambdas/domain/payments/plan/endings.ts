import { idKey, type ActionKind, type Notification } from '../model';
import { timeOf, type Order, type Received } from '../order';
import type { OrderDraft } from './order-draft';
import { done, waits, type Outcome } from './order-plan';
import { isAllRefunded, type KeysOfPayment } from './payment-ids';

/** The actions that end an order: a refund, a lost dispute, the end of its subscription. */

/** A refund revokes, unless it concerns an earlier period. */
export function refunded(draft: OrderDraft, { payment }: Notification, kind: 'refunded' | 'refunded_in_part'): Outcome {
  const { order } = draft;
  if (!revokes(draft, payment, kind)) return done('The connection is configured to ignore partial refunds.');
  const sequence = payment?.sequence ?? (payment?.ids ?? []).map((id) => order.payments[idKey(id)]).find((value) => value !== undefined);
  if (sequence === undefined) return waits('The payment that was refunded is not known yet.');
  if (order.sequence !== null && sequence < order.sequence) return done('The refund is for an earlier period; the current period is paid.');
  return close(draft, 'refunded');
}

/** Whether a refund ends the order, by its kind, its parts or the settings of the connection. */
const revokes = ({ terms, order }: OrderDraft, payment: Notification['payment'], kind: ActionKind): boolean =>
  kind === 'refunded' || (kind === 'refunded_in_part' && (terms.on_partial_refund === 'revoke' || isAllRefunded(order, payment)));

export function close(draft: OrderDraft, closed: 'refunded' | 'dispute_lost'): Outcome {
  draft.note({ closed });
  draft.revokeAll();
  return done();
}

/** "The earlier of itself and the end of what is paid, without grace"; an expiry of null (never) that the operator set stays. */
export function ended(draft: OrderDraft, endedAt: number | null, at: number): Outcome {
  const { paidAt, paidUntil } = draft.order;
  if (paidAt !== null && paidAt > at) return done('The order was paid again later.');
  draft.note({ endedAt: at });
  for (const license of draft.licenses) draft.expireBy(license, paidUntil ?? endedAt ?? at);
  return done();
}

/**
 * Why nothing may be issued for a sale: its refund, lost dispute or end arrived before the sale and is waiting.
 * (docs/spec/payments.md, Order of arrival)
 *
 * @param at when it was sold
 */
export function endedBefore(
  draft: OrderDraft,
  { payment }: Notification,
  at: number,
  waiting: readonly Received[],
  keysOf: KeysOfPayment,
): NonNullable<Order['closed']> | undefined {
  const own = new Set(keysOf(payment));
  for (const received of waiting) {
    const { notification } = received;
    const concerns = payment === null || (notification.payment?.ids ?? []).some((id) => own.has(idKey(id)));
    for (const { kind } of notification.actions) {
      if (concerns && revokes(draft, notification.payment, kind)) return 'refunded';
      if (concerns && kind === 'dispute_lost') return 'dispute_lost';
      const endedAt = timeOf(received);
      if (kind !== 'ended' || at > endedAt) continue;
      draft.note({ endedAt });
      return 'ended';
    }
  }
  return undefined;
}
