import { fail } from '../contract/errors';
import { listProductRefusals } from '../contract/refusals';
import { operator, serve } from '../runtime/http';
import { getProduct } from '../store/products';
import { listRefusals } from '../use-cases/list-refusals';

export const handler = serve(listProductRefusals, operator, async ({ params, query, app, now }) => {
  if (!(await getProduct(app.table, params.id))) return fail('not_found', 'There is no such product');
  return listRefusals(app, { product_id: params.id, license_id: null }, query, now);
});
