import { eraseCustomer } from '../contract/customers';
import { operator, serve } from '../runtime/http';
import * as customers from '../use-cases/customers/erase';

/**
 * After this time, in ms, the request starts no further steps of the erasure. The maintenance worker finishes the licenses whose erasure
 * has begun. If the caller repeats the request, the repeated request erases the remaining data.
 */
const WORK_MS = 10_000;

export const handler = serve(eraseCustomer, operator, ({ body, actor, app, now }) =>
  customers.eraseCustomer(app, body.customer_email, actor.product_id, now, app.realClock() + WORK_MS),
);
