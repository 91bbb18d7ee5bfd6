import { fail } from '../contract/errors';
import { getPayment } from '../contract/payments';
import { operator, serve } from '../runtime/http';
import * as log from '../store/payments/log';
import { showPayment } from '../use-cases/payments/show';

export const handler = serve(getPayment, operator, async ({ params, app }) => {
  const payment = await log.getPayment(app.table, params.payment);
  return payment ? showPayment(app, payment) : fail('not_found', 'There is no such payment');
});
