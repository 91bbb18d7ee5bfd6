import { fail } from '../contract/errors';
import { getOverview, OVERVIEW_DAYS, REVENUE_MONTHS } from '../contract/overview';
import { audienceView } from '../domain/audience';
import { operator, serve } from '../runtime/http';
import { readRevenue } from '../store/payments/revenue';
import { getProduct } from '../store/products';
import { readAudience } from '../store/stats/audience';
import { readOverview } from '../store/stats/product';

export const handler = serve(getOverview, operator, async ({ params, query, app, now }) => {
  const [product, overview, revenue, audience] = await Promise.all([
    getProduct(app.table, params.id),
    readOverview(app.table, params.id, now, query.days ?? OVERVIEW_DAYS),
    readRevenue(app.table, params.id, now, REVENUE_MONTHS),
    readAudience(app.table, params.id),
  ]);
  return product ? { ...overview, revenue, audience: audience && audienceView(audience) } : fail('not_found', 'There is no such product');
});
