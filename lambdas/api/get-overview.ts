import { fail } from '../contract/errors';
import { getOverview } from '../contract/overview';
import { serve } from '../runtime/http/serve';
import { getProduct } from '../store/products';
import { readOverview } from '../store/stats';

export const handler = serve(getOverview, async ({ params, app, now }) => {
  const [product, overview] = await Promise.all([getProduct(app.table, params.id), readOverview(app.table, params.id, now)]);
  return product ? overview : fail('not_found', 'There is no such product');
});
