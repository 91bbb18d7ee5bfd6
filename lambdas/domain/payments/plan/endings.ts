import { idKey, type Action, type ActionKind, type Notification } from '../model';
import { withRefunded, type Received } from '../order';
import { fallBack, payUpdates } from './updates';
import { INDEPENDENT, isIndependent, type OrderDraft } from './order-draft';
import { done, waits, type Outcome } from './order-plan';
import { isAllRefunded, sequenceOf, type KeysOfPayment } from './payment-ids';

/** Plans the actions that end an order: a refund, a lost dispute, or the end of its subscription. */

type Refund = Extract<Action, { kind: 'refunded' | 'refunded_in_part' }>;

/**
 * Plans a refund. The refund of the latest payment revokes the licenses, and the refund of an earlier payment changes nothing. A license
 * whose payments extend only its updates is an exception: only the refund of the sale revokes such a license, and any other refund removes
 * the updates of the refunded period.
 */
export function refunded(draft: OrderDraft, { payment }: Notification, action: Refund): Outcome {
  const { order } = draft;
  const sequence = sequenceOf(order, payment);
  // While the payment is unknown, its amount is unknown as well, so partial refunds may add up to a full refund.
  const mayAddUp = sequence === undefined && action.kind === 'refunded_in_part' && action.part !== undefined;
  if (!mayAddUp && !revokes(draft, payment, action.kind)) return done('The connection is configured to ignore partial refunds.');
  if (sequence === undefined) return waits('The payment that was refunded is not known yet.');
  draft.note({ refunded: withRefunded(order.refunded, sequence) });
  const isEarlier = sequence < (order.sequence ?? 0);
  const earlier = 'The refund is for an earlier period; the current period is paid.';
  if (draft.licenses.every((license) => license.extends === 'license')) return isEarlier ? done(earlier) : close(draft, 'refunded');
  if (sequence === order.firstSequence) return close(draft, 'refunded');
  if (!isEarlier) draft.revokeAll((license) => license.extends === 'license');
  payUpdates(draft);
  return done(isEarlier ? earlier : null);
}

/**
 * Whether a refund is treated as a full refund. The decision depends on the kind of the refund, on the sum of all partial refunds, and on
 * the settings of the connection.
 */
const revokes = ({ terms, order }: OrderDraft, payment: Notification['payment'], kind: ActionKind): boolean =>
  kind === 'refunded' || (kind === 'refunded_in_part' && (terms.on_partial_refund === 'revoke' || isAllRefunded(order, payment)));

export function close(draft: OrderDraft, closed: 'refunded' | 'dispute_lost'): Outcome {
  draft.note({ closed });
  draft.revokeAll();
  return done();
}

/**
 * Plans the end of a subscription. Each license expires at the end of the paid time, without the grace period. If the license already has
 * an earlier expiry, it keeps that expiry. If an operator set the license to never expire, it still never expires. If a fallback applies,
 * the license stays valid.
 */
export function ended(draft: OrderDraft, endedAt: number | null, at: number): Outcome {
  const { paidAt, paidUntil } = draft.order;
  if (paidAt !== null && paidAt > at) return done('The order was paid again later.');
  draft.note({ endedAt: Math.max(draft.order.endedAt ?? at, at) });
  fallBack(draft);
  for (const license of draft.licenses) if (!license.granted.isFallback) draft.expireBy(license, paidUntil ?? endedAt ?? at);
  return done(draft.licenses.length > 0 && draft.licenses.every(isIndependent) ? INDEPENDENT : null);
}

/**
 * The reason why nothing may be issued for a sale: a refund or a lost dispute of the sale arrived first and waits for the sale. If the end
 * of the subscription arrived before the sale, the licenses are still issued, and the end is applied afterwards. (docs/spec/payments.md,
 * Order of arrival)
 *
 * @param isUpdates whether the sale has a line whose payments extend only updates. In this case the refund of a later payment does not
 * prevent the issue.
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
