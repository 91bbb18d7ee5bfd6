import { getDeploymentOverview, MAX_DAY_PRODUCTS, OVERVIEW_DAYS } from '../contract/overview';
import { serve } from '../runtime/http/serve';
import { numbersByProduct, numbersOfOnly, readDeploymentNumbers } from '../store/stats/deployment';
import { readProductNumbers } from '../store/stats/product';

export const handler = serve(
  getDeploymentOverview,
  async ({ query: { days = OVERVIEW_DAYS, date }, app, actor: { product_id: only }, now }) => {
    const [numbers, products] = await Promise.all([
      only === null ? readDeploymentNumbers(app.table, now, days) : readProductNumbers(app.table, only, now, days).then(numbersOfOnly),
      date === undefined ? undefined : numbersByProduct(app.table, date),
    ]);
    return {
      ...numbers,
      ...(products && { products: products.filter(({ product_id: id }) => only === null || id === only).slice(0, MAX_DAY_PRODUCTS) }),
    };
  },
);
