import { eraseCustomer } from '../contract/customers';
import { serve } from '../runtime/http/serve';
import * as customers from '../use-cases/customers/erase';

/** After this time, in ms, a request starts no further step of the erasure. */
const WORK_MS = 10_000;

export const handler = serve(eraseCustomer, ({ body, actor, app, now }) =>
  customers.eraseCustomer(app, body.customer_email, actor.product_id, now, now + WORK_MS),
);
