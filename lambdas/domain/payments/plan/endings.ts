import { idKey, type ActionKind, type Notification } from '../model';
import { withRefunded, type Received } from '../order';
import { fallBack, payUpdates } from './updates';
import { INDEPENDENT, isIndependent, type OrderDraft } from './order-draft';
import { done, waits, type Outcome } from './order-plan';
import { isAllRefunded, type KeysOfPayment } from './payment-ids';

/** The actions that end an order: a refund, a lost dispute, the end of its subscription. */

/**
 * A refund revokes, unless it concerns an earlier period. Where payments extend updates only, it takes back the updates
 * of its period, and only the refund of the sale revokes.
 */
export function refunded(draft: OrderDraft, { payment }: Notification, kind: 'refunded' | 'refunded_in_part'): Outcome {
  const { order } = draft;
  if (!revokes(draft, payment, kind)) return done('The connection is configured to ignore partial refunds.');
  const sequence = payment?.sequence ?? (payment?.ids ?? []).map((id) => order.payments[idKey(id)]).find((value) => value !== undefined);
  if (sequence === undefined) return waits('The payment that was refunded is not known yet.');
  draft.note({ refunded: withRefunded(order.refunded, sequence) });
  const isEarlier = order.sequence !== null && sequence < order.sequence;
  const earlier = 'The refund is for an earlier period; the current period is paid.';
  if (draft.licenses.every((license) => license.extends === 'license')) return isEarlier ? done(earlier) : close(draft, 'refunded');
  if (sequence === order.firstSequence) return close(draft, 'refunded');
  if (!isEarlier) draft.revokeAll((license) => license.extends === 'license');
  payUpdates(draft);
  return done(isEarlier ? earlier : null);
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
  fallBack(draft);
  for (const license of draft.licenses) if (!license.granted.isFallback) draft.expireBy(license, paidUntil ?? endedAt ?? at);
  return done(draft.licenses.length > 0 && draft.licenses.every(isIndependent) ? INDEPENDENT : null);
}

/**
 * Why nothing may be issued for a sale: its refund or lost dispute arrived before the sale and is waiting. An end that
 * waits is applied after the sale. (docs/spec/payments.md, Order of arrival)
 *
 * @param isUpdates whether a line of the sale extends updates only: then the refund of a later payment revokes nothing
 */
export function endedBefore(
  draft: OrderDraft,
  { payment, actions }: Notification,
  isUpdates: boolean,
  waiting: readonly Received[],
  keysOf: KeysOfPayment,
): 'refunded' | 'dispute_lost' | undefined {
  const own = new Set(keysOf(payment));
  const isSale = actions.some(({ kind }) => kind === 'sale');
  for (const { notification } of waiting) {
    const concerns = payment === null || (notification.payment?.ids ?? []).some((id) => own.has(idKey(id)));
    const isOfSale = payment === null ? notification.payment?.sequence === 0 : isSale;
    for (const { kind } of notification.actions) {
      if (concerns && (!isUpdates || isOfSale) && revokes(draft, notification.payment, kind)) return 'refunded';
      if (concerns && kind === 'dispute_lost') return 'dispute_lost';
    }
  }
  return undefined;
}
