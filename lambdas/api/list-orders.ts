import { fail } from '../contract/errors';
import { listOrders } from '../contract/orders';
import { pageLimit, pageOf } from '../runtime/http/paging';
import { operator, serve } from '../runtime/http';
import { getProduct } from '../store/products';
import { showOrders } from '../use-cases/payments/show-orders';

export const handler = serve(listOrders, operator, async ({ params, query, app }) => {
  if (!(await getProduct(app.table, params.id))) return fail('not_found', 'There is no such product');
  const { orders, unreadable, next } = await showOrders(app, params.id, query, query.cursor, pageLimit(query.limit));
  return pageOf(
    orders,
    next,
    ({ position }) => position,
    ({ view }) => view,
    unreadable,
  );
});
