import { fail } from '../contract/errors';
import { getOverview, OVERVIEW_DAYS, REVENUE_MONTHS } from '../contract/overview';
import { operator, serve } from '../runtime/http';
import { readRevenue } from '../store/payments/revenue';
import { getProduct } from '../store/products';
import { readOverview } from '../store/stats/product';

export const handler = serve(getOverview, operator, async ({ params, query, app, now }) => {
  const [product, overview, revenue] = await Promise.all([
    getProduct(app.table, params.id),
    readOverview(app.table, params.id, now, query.days ?? OVERVIEW_DAYS),
    readRevenue(app.table, params.id, now, REVENUE_MONTHS),
  ]);
  return product ? { ...overview, revenue } : fail('not_found', 'There is no such product');
});
