import { adapters, type Notification } from '../../domain/payments';
import type { Connection } from '../../domain/payments/connection';
import { withinLimits } from '../../domain/payments/limits';
import type { WaitingNotification } from '../../domain/payments/order';
import { UnreadableSeal } from '../../domain/seal';
import type { App } from '../../runtime/app';
import { getConnection } from '../../store/payments/connections';
import { getPayment, type Payment } from '../../store/payments/log';
import { retryLimit } from '../../store/table';
import { fillOrders } from './fill-orders';
import { processWaiting } from './process-waiting';
import { readBack } from './read-back';
import { openPayload } from './secrets';

/**
 * Processes a held or waiting row of the payments log again, together with all notifications that wait for its order. The connection's
 * plans may have changed in the meantime, or the connection may have received an `api_key` with which missing data can be read. For a row
 * about a buyer, the function continues to write the buyer's e-mail address to the buyer's orders.
 *
 * @throws StoreUnavailable if other requests keep changing the order until the time for retries ends
 */
export async function processPayment(app: App, payment: Payment, now: number): Promise<void> {
  const { status, order_uid, connection_id } = payment;
  if (status !== 'held' && status !== 'waiting') return;
  const connection = await getConnection(app.table, connection_id);
  if (!connection) return;
  if (order_uid === null) {
    await fillOrders(app, connection, payment.id, now, retryLimit(app.table));
    return;
  }
  const readAgain = new Map<string, Promise<Notification>>();
  await processWaiting(app, connection, order_uid, now, {
    notificationOf: ({ payment_id, notification }) => {
      const read = readAgain.get(payment_id) ?? readBackAgain(app, connection, payment_id, notification);
      readAgain.set(payment_id, read);
      return read;
    },
    held: await asWaiting(app, connection, payment, status),
  });
}

/**
 * Converts a row of the payments log into a waiting notification of its order. This is needed if the notification did not fit into the
 * order's row. Returns undefined if the content cannot be read again.
 */
async function asWaiting(
  app: App,
  connection: Connection,
  { id, payload, received_at, customer_email, test }: Payment,
  status: WaitingNotification['status'],
): Promise<WaitingNotification | undefined> {
  const read = payload === null ? undefined : await readStored(app, connection, id, payload);
  if (!read) return undefined;
  const notification = withinLimits({ ...read, needs: [], test, customerEmail: read.customerEmail ?? customer_email });
  return { payment_id: id, status, received_at, notification };
}

/**
 * The notification in a row of the payments log, completed with data from the processor's API. No proof from the API is needed, because the
 * notification was already proven, or accepted without proof, when it was received.
 */
async function readBackAgain(app: App, connection: Connection, paymentId: string, notification: Notification): Promise<Notification> {
  const sealed = connection.api_key === null ? null : (await getPayment(app.table, paymentId))?.payload;
  if (sealed == null) return notification;
  const needs = (await readStored(app, connection, paymentId, sealed))?.needs ?? [];
  const read = await readBack(app, connection, { ...notification, needs }, true);
  return read === 'unproven' ? notification : withinLimits(read);
}

/** Reads a notification again from its stored body; undefined if the body cannot be decrypted. */
async function readStored(app: App, { processor }: Connection, paymentId: string, sealed: string): Promise<Notification | undefined> {
  const text = await openPayload(app, paymentId, sealed).catch((error: unknown) => {
    if (error instanceof UnreadableSeal) return undefined;
    throw error;
  });
  return text === undefined ? undefined : adapters[processor].read(text, {});
}
