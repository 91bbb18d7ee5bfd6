import { listOverviews, MAX_OVERVIEWS } from '../contract/overview';
import { pageLimit, pageOf } from '../runtime/http/paging';
import { serve } from '../runtime/http/serve';
import { listProductsSeen } from '../store/products';
import { readOverviews } from '../store/stats';

export const handler = serve(listOverviews, async ({ query, app, actor, now }) => {
  const { products, next } = await listProductsSeen(app.table, actor.product_id, Number(query.cursor ?? 0), Math.min(pageLimit(query.limit), MAX_OVERVIEWS));
  const overviews = await readOverviews(app.table, products.map(({ id }) => id), now);
  return pageOf(
    products,
    next,
    ({ id }) => id,
    ({ id }) => {
      const { licenses, days } = overviews.get(id) ?? { licenses: [], days: [] };
      const sum = (name: Exclude<keyof (typeof licenses)[number], 'license_type_id' | 'capped'>): number => licenses.reduce((total, row) => total + row[name], 0);
      return {
        product_id: id,
        licenses: {
          active: sum('active'),
          suspended: sum('suspended'),
          expired: sum('expired'),
          revoked: sum('revoked'),
          lapsed: sum('lapsed'),
          expiring: sum('expiring'),
          capped: licenses.some(({ capped }) => capped),
        },
        failed_deliveries: days.reduce((total, { failed }) => total + failed, 0),
      };
    },
  );
});
