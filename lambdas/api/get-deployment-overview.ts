import { getDeploymentOverview, MAX_DAY_PRODUCTS, MAX_OVERVIEW_DAYS, OVERVIEW_DAYS } from '../contract/overview';
import { serve } from '../runtime/http/serve';
import { numbersByProduct, numbersOfOnly, readDeploymentNumbers } from '../store/stats/deployment';
import { readProductNumbers } from '../store/stats/product';

export const handler = serve(
  getDeploymentOverview,
  async ({ query: { days = OVERVIEW_DAYS, date }, app: { table }, actor: { product_id: only }, now }) => {
    if (only !== null) return numbersOfOnly(only, await readProductNumbers(table, only, now, MAX_OVERVIEW_DAYS), days, date);
    const [numbers, products] = await Promise.all([
      readDeploymentNumbers(table, now, days),
      date === undefined ? undefined : numbersByProduct(table, date),
    ]);
    return { ...numbers, ...(products && { products: products.slice(0, MAX_DAY_PRODUCTS) }) };
  },
);
