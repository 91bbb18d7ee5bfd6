import { fail } from '../contract/errors';
import { processPayment } from '../contract/payments';
import { operator, serve } from '../runtime/http';
import { getPayment } from '../store/payments/log';
import * as payments from '../use-cases/payments/process';
import { showPayment } from '../use-cases/payments/show';

export const handler = serve(processPayment, operator, async ({ params, app, now }) => {
  const payment = await getPayment(app.table, params.payment);
  if (!payment) return fail('not_found', 'There is no such payment');
  await payments.processPayment(app, payment, now);
  return showPayment(app, (await getPayment(app.table, params.payment)) ?? payment);
});
