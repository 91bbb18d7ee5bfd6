import { eraseCustomer } from '../contract/customers';
import { serve } from '../runtime/http/serve';
import * as customers from '../use-cases/customers/erase';

/**
 * Time in ms after which the request starts no further step of the erasure. The maintenance worker finishes the licenses whose erasure has
 * begun. A repeated request does the rest.
 */
const WORK_MS = 10_000;

export const handler = serve(eraseCustomer, ({ body, actor, app, now }) =>
  customers.eraseCustomer(app, body.customer_email, actor.product_id, now, now + WORK_MS),
);
