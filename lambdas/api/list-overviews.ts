import { listOverviews, MAX_OVERVIEWS, OVERVIEW_DAYS } from '../contract/overview';
import { pageLimit, pageOf } from '../runtime/http/paging';
import { serve } from '../runtime/http/serve';
import { listProductsSeen } from '../store/products';
import { readOverviews } from '../store/stats';

export const handler = serve(listOverviews, async ({ query, app, actor, now }) => {
  const { products, unreadable, next } = await listProductsSeen(
    app.table,
    actor.product_id,
    Number(query.cursor ?? 0),
    Math.min(pageLimit(query.limit), MAX_OVERVIEWS),
  );
  const overviews = await readOverviews(
    app.table,
    products.map(({ id }) => id),
    now,
    Math.max(query.days ?? 0, OVERVIEW_DAYS),
  );
  return pageOf(
    products,
    next,
    ({ id }) => id,
    ({ id }) => {
      const { licenses, days, expiring_days: ahead } = overviews.get(id) ?? { licenses: [], days: [], expiring_days: [] };
      const sum = (name: Exclude<keyof (typeof licenses)[number], 'license_type_id' | 'capped'>): number =>
        licenses.reduce((total, row) => total + row[name], 0);
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
        failed_deliveries: days.slice(-OVERVIEW_DAYS).reduce((total, { failed }) => total + failed, 0),
        ...(query.days !== undefined && {
          days: days.slice(-query.days).filter(({ date: _, ...counts }) => Object.values(counts).some((counted) => counted > 0)),
          expiring_days: ahead.slice(0, query.days).filter(({ expiring, capped }) => expiring > 0 || capped),
        }),
      };
    },
    unreadable,
  );
});
