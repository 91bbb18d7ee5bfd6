import { exportCustomer } from '../contract/customers';
import { fail } from '../contract/errors';
import { operator, serve } from '../runtime/http';
import * as customers from '../use-cases/customers/export';

export const handler = serve(exportCustomer, operator, ({ body: { customer_email, cursor }, actor, app }) => {
  const from = cursor == null ? undefined : customers.parsePosition(cursor);
  if (cursor != null && !from) return fail('invalid_request', 'cursor must be the `next` of a response of this operation');
  return customers.exportCustomer(app, customer_email, actor.product_id, from);
});
