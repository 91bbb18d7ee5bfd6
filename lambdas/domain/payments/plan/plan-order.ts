import { topicOf, type Action, type Notification } from '../model';
import { timeOf, type Order, type OrderLicense, type Received } from '../order';
import { close, ended, endedBefore, refunded } from './endings';
import { linesChanged } from './line-changes';
import { OrderDraft } from './order-draft';
import { done, held, ignored, isOver, NO_LICENSE_WAITS, waits, type OrderPlan, type Outcome } from './order-plan';
import { paid } from './paid';
import { keysOfPayments, learn, sequenceOf, type KeysOfPayment } from './payment-ids';
import type { Terms } from './sold-as';
import { restart, stop } from './suspensions';

/**
 * Plans the effects of notifications on an order and its licenses (docs/spec/payments.md, What a notification does). The function does no
 * I/O. The caller loads the order, its licenses and the waiting notifications, and commits the plan. If the order has no licenses yet, a
 * refund, a lost dispute or an end of the subscription waits for the sale.
 *
 * @param order the stored order; `newOrder` if none of the ids is known; the result of `joined` if the ids belong to several orders
 * @param received the new notification, followed by the notifications that are waiting or held for any id of the order
 */
export function planOrder(order: Order, licenses: readonly OrderLicense[], received: readonly Received[], terms: Terms): OrderPlan {
  const draft = new OrderDraft(order, licenses, terms);
  const notifications = received.map(({ notification }) => notification);
  const keysOf = keysOfPayments(notifications);
  for (const notification of notifications) learn(draft, notification, keysOf);

  const outcomes: Outcome[] = received.map(() => waits());
  const [first, ...later] = [...received.keys()];
  later.sort((a, b) => timeOf(received[a]!) - timeOf(received[b]!));
  let open = first === undefined ? [] : [first, ...later];
  // A notification can contain the data for which another notification waits. Therefore the loop repeats until nothing changes.
  for (let progress = true; progress; ) {
    for (const index of open) {
      const waiting = received.filter((_, other) => outcomes[other]?.status === 'waiting');
      outcomes[index] = planNotification(draft, received[index]!, waiting, keysOf);
    }
    const left = open.filter((index) => !isOver(outcomes[index]!));
    progress = left.length > 0 && left.length < open.length;
    open = left;
  }
  return draft.plan(outcomes);
}

/**
 * Plans all actions of a notification. If the actions have different outcomes, the notification gets the first of these statuses that one
 * of its actions has: `held`, `waiting`, `done`, `ignored`.
 */
function planNotification(draft: OrderDraft, received: Received, waiting: readonly Received[], keysOf: KeysOfPayment): Outcome {
  const { notification } = received;
  const at = timeOf(received);
  const before = (isUpdates: boolean) => endedBefore(draft, notification, isUpdates, waiting, keysOf);
  const outcomes = notification.actions.map((action) => planAction(draft, action, notification, at, before));
  const status = (['held', 'waiting', 'done'] as const).find((one) => outcomes.some((outcome) => outcome.status === one)) ?? 'ignored';
  return { status, reason: outcomes.find((outcome) => outcome.status === status && outcome.reason !== null)?.reason ?? null };
}

/** Plans one action of a notification. */
function planAction(
  draft: OrderDraft,
  action: Action,
  notification: Notification,
  at: number,
  before: (isUpdates: boolean) => Order['closed'] | undefined,
): Outcome {
  const { terms, isKnown } = draft;
  if (action.kind === 'ignored') return ignored(action.reason);
  if (action.kind === 'untrusted') return held(action.reason);
  if (action.kind === 'oversized') {
    // Only the first payment needs the lines, so a further payment is planned without them.
    const isFurther = draft.licenses.length > 0 && action.of !== 'changed';
    const renewal: Action = { kind: 'renewal', lines: [], paidUntil: action.paidUntil };
    return isFurther ? planAction(draft, renewal, notification, at, before) : held(action.reason);
  }
  if (action.kind === 'buyer_known') return isKnown ? done() : ignored(NO_LICENSE_WAITS);
  if (action.kind === 'cancellation_announced') {
    if (isKnown && at >= (draft.order.cancellation?.at ?? at)) draft.note({ cancellation: { at, endsAt: action.endsAt } });
    return { status: isKnown ? 'done' : 'ignored', reason: 'Nothing changes until the subscription ends.' };
  }
  if ((action.kind === 'sale' || action.kind === 'renewal') && action.lines.length > 0)
    return paid(draft, action, notification, at, before);
  if (!isKnown) return waits();
  const topic = topicOf(action.kind);
  if (topic !== undefined && action.kind !== 'renewal') {
    const { newest } = draft.order;
    if (at < (newest[topic] ?? at)) return done('A newer state was already reported.');
    draft.note({ newest: { ...newest, [topic]: at } });
  }
  switch (action.kind) {
    case 'sale':
    case 'renewal':
      return paid(draft, action, notification, at, before);
    case 'linked':
      // If the notification names a payment, it waits until the payment is recorded. Only then can the other ids of the payment be
      // recorded, and a refund with these ids be assigned to the payment.
      return sequenceOf(draft.order, notification.payment) === undefined && notification.payment !== null
        ? waits('The payment is not known yet.')
        : done();
    case 'payment_failed':
      return stop(draft, 'payment', terms.on_payment_failed);
    case 'paid_again':
      return restart(draft, 'payment');
    case 'paused':
      return stop(draft, 'pause', 'suspend');
    case 'resumed':
      // When a cancellation is withdrawn, some processors report only that the subscription is active.
      if (at > (draft.order.cancellation?.at ?? at)) draft.note({ cancellation: null });
      return restart(draft, 'pause');
    case 'dispute_opened':
      // If the dispute revokes the licenses, the order is closed: a line or a quantity that is reported later must issue no valid license,
      // because the licenses would be revoked if it had been reported earlier.
      return terms.on_dispute === 'revoke' ? close(draft, 'dispute_lost') : stop(draft, 'dispute', terms.on_dispute);
    case 'dispute_won':
      return restart(draft, 'dispute');
    case 'dispute_lost':
      return close(draft, 'dispute_lost');
    case 'refunded':
    case 'refunded_in_part':
      return refunded(draft, notification, action);
    case 'ended':
      return ended(draft, action.endedAt, at);
    case 'changed':
      return linesChanged(draft, action.lines, action.complete ?? false, at);
  }
}
