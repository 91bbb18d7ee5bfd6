import { getDeploymentOverview, OVERVIEW_DAYS } from '../contract/overview';
import { serve } from '../runtime/http/serve';
import { numbersOfOnly, readDeploymentNumbers } from '../store/stats/deployment';
import { readProductNumbers } from '../store/stats/product';

export const handler = serve(getDeploymentOverview, async ({ query, app, actor: { product_id: only }, now }) => {
  const days = query.days ?? OVERVIEW_DAYS;
  return only === null
    ? readDeploymentNumbers(app.table, now, days)
    : numbersOfOnly(only, await readProductNumbers(app.table, only, now, days));
});
