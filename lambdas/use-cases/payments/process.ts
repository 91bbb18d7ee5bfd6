import type { App } from '../../runtime/app';
import { getConnection } from '../../store/payments/connections';
import type { Payment } from '../../store/payments/log';
import { retryLimit } from '../../store/table';
import { processOrder } from './carry-out';
import { fillOrders } from './fill-orders';

/** Carries out again what is held or waits for the order of a row of the log, or goes on to fill a buyer's orders. */
export async function processPayment(app: App, payment: Payment, now: number): Promise<void> {
  const { status, order_uid, connection_id } = payment;
  if (status !== 'held' && status !== 'waiting') return;
  const connection = await getConnection(app.table, connection_id);
  if (!connection) return;
  if (order_uid === null) await fillOrders(app, connection, payment.id, now, retryLimit(app.table));
  else await processOrder(app, connection, order_uid, now, payment);
}
