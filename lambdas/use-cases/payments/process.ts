import type { App } from '../../runtime/app';
import { getConnection } from '../../store/payments/connections';
import type { Payment } from '../../store/payments/log';
import { processOrder } from './carry-out';

/** Carries out again what is held or waits for the order of a row of the log. */
export async function processPayment(app: App, payment: Payment, now: number): Promise<void> {
  const { status, order_uid, connection_id } = payment;
  if ((status !== 'held' && status !== 'waiting') || order_uid === null) return;
  const connection = await getConnection(app.table, connection_id);
  if (connection) await processOrder(app, connection, order_uid, now);
}
