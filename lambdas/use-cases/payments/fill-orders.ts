import { notification as notificationOf } from '../../domain/payments/notification';
import type { Notification } from '../../domain/payments';
import type { Connection } from '../../domain/payments/connection';
import { NO_LICENSE_WAITS } from '../../domain/payments/plan';
import type { App } from '../../runtime/app';
import { log } from '../../runtime/observability/log';
import { endFill, filled, getCustomerEmail, getFill, waitingOrders, type BuyerFill } from '../../store/payments/buyer-fills';
import { getOrder } from '../../store/payments/orders';
import { StoreUnavailable } from '../../store/table';
import { transact } from '../../store/transaction';
import { processWaiting } from './process-waiting';

/**
 * A processor may report the e-mail address of a buyer later than the buyer's orders. The address is then written to every order that waits
 * for it. This is called filling the orders. Filling an order takes at least one database transaction. A row of type {@link BuyerFill}
 * records the progress. Unfinished work continues when the processor sends the same notification again, when the notification's row of the
 * payments log is processed again, or when the worker runs. (docs/spec/payments.md, Orders of one customer)
 */

/**
 * Continues to fill the orders of a buyer.
 *
 * @param paymentId the id of the row of the payments log that reported the e-mail address
 * @param until the time after which no further order is filled, epoch ms
 * @param onFault called for each order that a fault prevents from being filled
 * @returns the new status of this row; undefined if the row has no unfinished work
 * @throws StoreUnavailable if the table cannot be reached at all
 */
export async function fillOrders(
  app: App,
  connection: Connection,
  paymentId: string,
  now: number,
  until: number,
  onFault: () => void = () => undefined,
): Promise<'done' | 'ignored' | 'waiting' | undefined> {
  const { table } = app;
  let fill = await getFill(table, paymentId);
  if (!fill) return undefined;
  const email = await getCustomerEmail(table, fill);
  let isComplete = true;
  if (email !== null) {
    for await (const uids of waitingOrders(table, fill)) {
      for (const uid of uids) {
        if (app.realClock() >= until) return 'waiting';
        try {
          fill = await fillOrder(app, connection, fill, uid, email, now);
        } catch (error) {
          // The time for retries has ended, for example because another request fills the same orders.
          if (error instanceof StoreUnavailable) return 'waiting';
          // An order that fails stays on the list of waiting orders, and does not delay the other orders.
          log.error('ORDER_NOT_FILLED', { product_id: connection.product_id, connection_id: connection.id, payment_id: paymentId }, error);
          isComplete = false;
          onFault();
        }
      }
    }
  }
  if (!isComplete) return 'waiting';
  const [status, reason] = fill.license_ids.length > 0 ? (['done', null] as const) : (['ignored', NO_LICENSE_WAITS] as const);
  await endFill(table, fill, status, reason, now);
  return status;
}

/** Fills one order and removes it from the list of waiting orders. */
async function fillOrder(app: App, connection: Connection, fill: BuyerFill, uid: string, email: string, now: number): Promise<BuyerFill> {
  let after = fill;
  const alongside = (licenseIds: readonly number[]) => {
    const made = filled(fill, uid, licenseIds);
    ({ after } = made);
    return made.actions;
  };
  // Another notification may already have reported the e-mail address for this order.
  const order = await getOrder(app.table, connection.id, uid);
  if (order && order.facts.customerEmail !== null) await transact(app.table, alongside(order.licenses.map(({ id }) => id)));
  else
    await processWaiting(app, connection, uid, now, {
      first: {
        notification: { payment_id: fill.payment_id, status: 'waiting', received_at: now, notification: addressOf(email) },
        alongside,
      },
    });
  return after;
}

/** Creates a notification that reports only an e-mail address, so that the same code fills an order and processes notifications. */
const addressOf = (customerEmail: string): Notification =>
  notificationOf({ eventId: '', type: '', occurredAt: null, customerEmail, actions: [{ kind: 'buyer_known' }] });
