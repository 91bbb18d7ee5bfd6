import { fail } from '../contract/errors';
import { getOverview, OVERVIEW_DAYS } from '../contract/overview';
import { operator, serve } from '../runtime/http';
import { getProduct } from '../store/products';
import { readOverview } from '../store/stats/product';

export const handler = serve(getOverview, operator, async ({ params, query, app, now }) => {
  const [product, overview] = await Promise.all([
    getProduct(app.table, params.id),
    readOverview(app.table, params.id, now, query.days ?? OVERVIEW_DAYS),
  ]);
  return product ? overview : fail('not_found', 'There is no such product');
});
