import { fail } from '../contract/errors';
import { resumeMail } from '../contract/mail';
import { operator, serve } from '../runtime/http';
import { getProduct } from '../store/products';
import { resumeMails } from '../store/suppressions';

export const handler = serve(resumeMail, operator, async ({ params, body: { customer_email }, app }) =>
  (await getProduct(app.table, params.id))
    ? { resumed: await resumeMails(app.table, params.id, customer_email) }
    : fail('not_found', 'There is no such product'),
);
