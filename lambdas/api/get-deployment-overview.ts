import { getDeploymentOverview, MAX_ATTENTION, MAX_DAY_PRODUCTS, MAX_OVERVIEW_DAYS, OVERVIEW_DAYS } from '../contract/overview';
import type { App } from '../runtime/app';
import { serve } from '../runtime/http/serve';
import { readAttention } from '../store/stats/attention';
import { numbersByProduct, numbersOfOnly, readDeploymentNumbers, type DeploymentNumbers } from '../store/stats/deployment';
import { readProductNumbers } from '../store/stats/product';

async function numbersOf(
  { table }: App,
  only: number | null,
  now: number,
  days: number,
  date: string | undefined,
): Promise<DeploymentNumbers> {
  if (only !== null) return numbersOfOnly(only, await readProductNumbers(table, only, now, MAX_OVERVIEW_DAYS), days, date);
  const [numbers, products] = await Promise.all([
    readDeploymentNumbers(table, now, days),
    date === undefined ? undefined : numbersByProduct(table, date),
  ]);
  return { ...numbers, ...(products && { products: products.slice(0, MAX_DAY_PRODUCTS) }) };
}

export const handler = serve(
  getDeploymentOverview,
  async ({ query: { days = OVERVIEW_DAYS, date, include }, app, actor: { product_id: only }, now }) => {
    const [numbers, attention] = await Promise.all([
      numbersOf(app, only, now, days, date),
      include && readAttention(app.table, only, now, MAX_ATTENTION),
    ]);
    return { ...numbers, ...(attention && { attention }) };
  },
);
