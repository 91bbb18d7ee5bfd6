import type { Notification } from '../../domain/payments';
import type { Connection } from '../../domain/payments/connection';
import { withinLimits } from '../../domain/payments/limits';
import { joinStored, ordersOf, unknownOrder } from '../../domain/payments/order';
import { held, ignored, NO_LICENSE_WAITS, waits, type Outcome } from '../../domain/payments/plan';
import type { App } from '../../runtime/app';
import { log } from '../../runtime/observability/log';
import { count } from '../../runtime/observability/metrics';
import { isBuyerAwaited, noteFill, waitForBuyer } from '../../store/payments/buyer-fills';
import type { PaymentStatus } from '../../store/payments/log';
import { customerAction, readOrders, useEventId, type KnownOrders } from '../../store/payments/orders';
import { retryLimit } from '../../store/table';
import type { Action } from '../../store/transaction';
import { commitAll, type Commit, type Settled } from './commit';
import { fillOrders } from './fill-orders';
import { loadOrder, termKeys, termsOfSale } from './load-order';
import { planCommit } from './plan-transactions';
import { recordNotification, settleWaiting, type Incoming } from './log-rows';
import { processWaiting } from './process-waiting';

/**
 * Receives the notifications of payment processors. One transaction writes the row of the payments log, the order, its licenses and their
 * events (docs/spec/payments.md, What a notification does).
 */

export interface Receipt {
  /** `mismatch`: the dedupe key belongs to a notification with another content. Nothing was done. */
  readonly status: PaymentStatus | 'duplicate' | 'mismatch';
  readonly id: string;
}

interface Received extends Receipt {
  /** The id of the order, if some of its notifications did not fit into the transaction and must still be processed. */
  readonly unfinished?: string;
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
export const newPaymentId = (app: App): string => hex(app.random(16));

/**
 * Receives a verified notification. If the notification is only about a buyer, the orders that wait for the buyer's address are filled as
 * well.
 *
 * @throws StoreUnavailable if other requests keep changing the order until the time for retries ends; the notification is then not recorded
 */
export async function receive(app: App, connection: Connection, incoming: Incoming, now: number): Promise<Receipt> {
  const notification = withinLimits(incoming.notification);
  const { status, id, unfinished } = await commitAll(app, connection, incoming.origin, () =>
    prepare(app, connection, { ...incoming, notification }, now),
  );
  if (status === 'held') reportHeld(connection, incoming);
  if (unfinished !== undefined) await processUnfinished(app, connection, unfinished, now);
  const isOfBuyer = notification.ids.length === 0 && notification.customerId !== null;
  if (!isOfBuyer || (status !== 'waiting' && status !== 'duplicate')) return { status, id };
  const filled = await fillOrders(app, connection, id, now, retryLimit(app.table));
  // A repeated notification continues unfinished work, but its status stays `duplicate`.
  return { status: status === 'duplicate' ? status : (filled ?? status), id };
}

/** Loads and plans the next transaction for a notification. */
async function prepare(app: App, connection: Connection, incoming: Incoming, now: number): Promise<Commit<Received> | Settled<Received>> {
  const { paymentId: id } = incoming;
  const known = await readOrders(app.table, connection.id, incoming.notification, termKeys(connection));
  if (known.duplicateOf !== undefined && !incoming.notification.repeatable) {
    const { content } = incoming.notification;
    const isOther = content !== undefined && known.contentOfDuplicate !== null && known.contentOfDuplicate !== content;
    return { settled: { status: isOther ? 'mismatch' : 'duplicate', id: known.duplicateOf } };
  }
  const terms = termsOfSale(connection, known.also);
  const { orders, notification } = ordersOf(known.orders, incoming.notification);
  const joined = joinStored(orders, hex(app.random(11)));
  const { stored } = joined;
  const once = notification.repeatable ? [] : [useEventId(connection.id, notification, id, now)];

  const outcome = outcomeWithoutOrder(connection, notification);
  if (outcome) {
    const actions = [...once, ...recordNotification(connection, incoming, stored, outcome, [], now)];
    return { actions, events: [], parts: [], committed: () => ({ status: outcome.status, id }) };
  }
  if (notification.ids.length === 0) return noteBuyer(app, connection, incoming, known, once, now);

  const state = await loadOrder(app, connection, joined, terms);
  const complete: Notification = { ...notification, customerEmail: notification.customerEmail ?? known.customerEmail };
  const received = [{ payment_id: id, received_at: now, notification: complete }, ...stored.waiting];
  return planCommit(app, state, received, now, ({ outcomes, after, licenseIds, isPostponed }) => {
    const [own, ...others] = outcomes;
    if (!own) throw new Error('A notification was not planned');
    const { customerId } = notification;
    const isNewCustomer = joined.removed.length > 0 || stored.facts.customerId === null;
    const isBuyerUnknown = customerId !== null && after.facts.customerEmail === null && isNewCustomer;
    return {
      actions: [
        ...once,
        ...recordNotification(connection, { ...incoming, notification: complete }, after, own, licenseIds, now),
        ...settleWaiting(connection, after.uid, stored.waiting, others, licenseIds, now),
        ...(isBuyerUnknown
          ? [customerAction(connection.id, customerId, known, null, now), waitForBuyer(connection.id, customerId, after.uid)]
          : []),
      ],
      committed: () => ({ status: own.status, id, ...(isPostponed && { unfinished: stored.uid }) }),
    };
  });
}

/** The outcome of a notification that is only recorded; undefined if the notification is about an order or a buyer. */
function outcomeWithoutOrder({ mode }: Connection, { test, ids, customerId, actions }: Notification): Outcome | undefined {
  if (mode === 'live' && test === true) return ignored('The notification is from the test mode, but the connection is live.');
  if (actions[0].kind === 'untrusted') return held(actions[0].reason);
  const concernsNone = ids.length === 0 && customerId === null;
  if (!concernsNone && actions.some(({ kind }) => kind !== 'ignored')) return undefined;
  const reasons = actions.flatMap((action) => (action.kind === 'ignored' ? [action.reason] : []));
  return ignored(actions[0].kind === 'ignored' ? reasons.join(' ') : null);
}

/**
 * The transaction that stores a buyer's e-mail address for future orders. Orders that wait for the address are filled afterwards
 * (`fill-orders.ts`).
 */
async function noteBuyer(
  app: App,
  connection: Connection,
  incoming: Incoming,
  known: KnownOrders,
  once: readonly Action[],
  now: number,
): Promise<Commit<Received>> {
  const { notification, paymentId: id } = incoming;
  const { customerId, customerEmail } = notification;
  if (customerId === null) throw new Error('A notification without ids must name a customer');
  const isAwaited = await isBuyerAwaited(app.table, connection.id, customerId);
  const outcome = isAwaited ? waits('The e-mail address is being written to the orders that wait for it.') : ignored(NO_LICENSE_WAITS);
  return {
    actions: [
      ...once,
      ...recordNotification(connection, incoming, unknownOrder(''), outcome, [], now),
      customerAction(connection.id, customerId, known, customerEmail, now),
      ...(isAwaited ? [noteFill(connection.id, customerId, id)] : []),
    ],
    events: [],
    parts: [],
    committed: () => ({ status: outcome.status, id }),
  };
}

/**
 * Processes the notifications that did not fit into the transaction. The function never fails, because the new notification is already
 * committed. If some notifications still wait afterwards, they are processed together with the order's next notification.
 */
async function processUnfinished(app: App, connection: Connection, uid: string, now: number): Promise<void> {
  try {
    await processWaiting(app, connection, uid, now);
  } catch (error) {
    log.warn('PAYMENT_POSTPONED', { product_id: connection.product_id, connection_id: connection.id }, error);
  }
}

/** Warns the operator that a buyer has paid and received nothing. There is no warning in test mode, where nobody pays. */
function reportHeld({ id, product_id, mode }: Connection, { notification, paymentId }: Incoming): void {
  if (mode === 'test' || notification.test === true) return;
  count('payment.held');
  log.warn('SALE_HELD', { product_id, connection_id: id, payment_id: paymentId });
}
