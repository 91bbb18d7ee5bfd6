import type { RequestOrigin } from '../../domain/audit';
import { adapters, shownOrderId, type Notification } from '../../domain/payments';
import type { Connection } from '../../domain/payments/connection';
import { moneyOf } from '../../domain/payments/ledger';
import type { StoredOrder, WaitingNotification } from '../../domain/payments/order';
import { isOver, type Outcome } from '../../domain/payments/plan';
import { isLogged, recordPayment, settlePayment, type Payment } from '../../store/payments/log';
import type { Action } from '../../store/transaction';

/** Writes the rows of the payments log about notifications. */

/** A notification that will be written to the payments log. */
export interface Incoming {
  readonly notification: Notification;
  readonly source: Payment['source'];
  /** The body of the notification, encrypted for the row `paymentId`. */
  readonly payload: string;
  readonly paymentId: string;
  /** The origin of the notification, for the audit log. */
  readonly origin: RequestOrigin;
}

/** The actions that record a notification with its outcome. */
export function recordNotification(
  connection: Connection,
  { notification, source, payload, paymentId }: Incoming,
  { facts, uid }: Pick<StoredOrder, 'facts' | 'uid'>,
  outcome: Outcome,
  licenseIds: readonly number[],
  now: number,
): Action[] {
  const [first] = notification.actions;
  const adapter = adapters[connection.processor];
  const test = notification.test ?? connection.mode === 'test';
  const { transactionId, ...money } = moneyOf(notification);
  const links = adapter.links([...notification.ids, ...facts.ids], test);
  return recordPayment({
    id: paymentId,
    product_id: connection.product_id,
    connection_id: connection.id,
    processor: connection.processor,
    source,
    event_id: notification.eventId,
    type: notification.type,
    action: first.kind === 'oversized' ? first.of : first.kind,
    status: outcome.status,
    reason: outcome.reason,
    order_id: shownOrderId(adapter, facts.ids.length > 0 ? facts.ids : notification.ids),
    subscription_id: notification.subscriptionId,
    customer_email: notification.customerEmail ?? facts.customerEmail,
    test,
    license_ids: outcome.status === 'done' ? licenseIds : [],
    ...money,
    transaction_id: transactionId,
    order_link: links.order,
    subscription_link: links.subscription,
    occurred_at: notification.occurredAt,
    received_at: now,
    processed_at: isOver(outcome) ? now : null,
    order_uid: notification.ids.length > 0 ? uid : null,
    payload,
  });
}

/**
 * The actions that update the rows of waiting notifications whose status has changed. An order is kept longer than the rows of the payments
 * log. A row that has expired is not updated, because the update would create it again without its other fields.
 */
export const settleWaiting = (
  { product_id }: Connection,
  order_uid: string,
  waiting: readonly WaitingNotification[],
  outcomes: readonly Outcome[],
  licenseIds: readonly number[],
  now: number,
): Action[] =>
  waiting.flatMap(({ payment_id, received_at, status }, index) => {
    const outcome = outcomes[index];
    if (!outcome || outcome.status === status || !isLogged({ received_at }, now)) return [];
    const over = isOver(outcome);
    return [
      settlePayment(
        { product_id, order_uid, id: payment_id },
        { ...outcome, license_ids: over ? licenseIds : [], processed_at: over ? now : null },
      ),
    ];
  });
