import { fail } from '../contract/errors';
import { processPayments } from '../contract/payments';
import { serve } from '../runtime/http/serve';
import { getPayment, listPayments } from '../store/payments/log';
import { getProduct } from '../store/products';
import { processPayment } from '../use-cases/payments/process';

/** Maximum number of rows that one request processes. (docs/spec/payments.md, Held sales) */
const MAX_PROCESSED = 1000;

export const handler = serve(processPayments, async ({ params, app, now }) => {
  if (!(await getProduct(app.table, params.id))) return fail('not_found', 'There is no such product');
  const { payments } = await listPayments(app.table, params.id, { status: 'held' }, undefined, MAX_PROCESSED);
  let processed = 0;
  let held = 0;
  // The oldest row is processed first. The rows are processed one at a time, because processing a row also processes the other rows of the
  // same order.
  for (const { id } of [...payments].reverse()) {
    const before = await getPayment(app.table, id);
    if (before?.status === 'held') await processPayment(app, before, now);
    const after = before?.status === 'held' ? await getPayment(app.table, id) : before;
    if (after?.status === 'held') held += 1;
    else processed += 1;
  }
  return { processed, held };
});
