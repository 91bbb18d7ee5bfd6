import { fail } from '../contract/errors';
import { processPayments } from '../contract/payments';
import type { App } from '../runtime/app';
import { operator, serve } from '../runtime/http';
import { log } from '../runtime/observability/log';
import { getPayment, listHeld } from '../store/payments/log';
import { getProduct } from '../store/products';
import { StoreUnavailable } from '../store/table';
import { processPayment } from '../use-cases/payments/process';

/** Maximum number of rows that one request processes. (docs/spec/payments.md, Held sales) */
const MAX_PROCESSED = 1000;
/** After this time, in ms, the request starts to process no further rows. A repeated request processes the rest. */
const WORK_MS = 15_000;

export const handler = serve(processPayments, operator, async ({ params, app, now }) => {
  if (!(await getProduct(app.table, params.id))) return fail('not_found', 'There is no such product');
  const rows = await listHeld(app.table, params.id);
  // The request starts at a random row. If every request started at the same row, and if many rows stayed held, no request would reach the
  // last rows.
  const first = Buffer.from(app.random(4)).readUInt32BE() % Math.max(1, rows.length);
  const tried = [...rows.slice(first), ...rows.slice(0, first)].slice(0, MAX_PROCESSED);
  const until = app.realClock() + WORK_MS;
  let held = rows.length - tried.length;
  let fault: Error | undefined;
  // The rows are processed one at a time, because processing a row also processes the other rows of the same order.
  for (const id of tried) {
    try {
      if (app.realClock() >= until || (await staysHeld(app, id, now))) held += 1;
    } catch (error) {
      if (error instanceof StoreUnavailable || !(error instanceof Error)) throw error;
      log.error('PAYMENT_NOT_PROCESSED', { product_id: params.id, payment_id: id }, error);
      fault = error;
      held += 1;
    }
  }
  // If one row fails, the other rows are processed nevertheless. If none can be processed, the request fails.
  if (fault && held === rows.length) throw fault;
  return { processed: rows.length - held, held };
});

/** Processes a row. Returns whether it is still held. */
async function staysHeld(app: App, id: string, now: number): Promise<boolean> {
  const payment = await getPayment(app.table, id);
  if (payment?.status !== 'held') return false;
  await processPayment(app, payment, now);
  return (await getPayment(app.table, id))?.status === 'held';
}
