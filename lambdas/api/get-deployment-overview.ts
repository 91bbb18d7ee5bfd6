import { getDeploymentOverview, MAX_ATTENTION, MAX_DAY_PRODUCTS, MAX_OVERVIEW_DAYS, OVERVIEW_DAYS } from '../contract/overview';
import { operator, serve } from '../runtime/http';
import { failuresOfOnly, readAttention, readFailures } from '../store/stats/attention';
import { numbersByProduct, numbersOfOnly, readDeploymentNumbers } from '../store/stats/deployment';
import { readProductNumbers } from '../store/stats/product';

export const handler = serve(
  getDeploymentOverview,
  operator,
  async ({ query: { days = OVERVIEW_DAYS, date, include }, app: { table }, actor: { product_id: only }, now }) => {
    if (only !== null) {
      const known = await readProductNumbers(table, only, now, MAX_OVERVIEW_DAYS);
      const attention = include && (await readAttention(table, only, failuresOfOnly(only, known), MAX_ATTENTION));
      return { ...numbersOfOnly(only, known, days, date), ...(attention && { attention }) };
    }
    const [numbers, products, attention] = await Promise.all([
      readDeploymentNumbers(table, now, days),
      date === undefined ? undefined : numbersByProduct(table, date),
      include && readAttention(table, only, readFailures(table, now), MAX_ATTENTION),
    ]);
    return { ...numbers, ...(products && { products: products.slice(0, MAX_DAY_PRODUCTS) }), ...(attention && { attention }) };
  },
);
