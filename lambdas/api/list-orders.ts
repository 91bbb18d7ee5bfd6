import { fail } from '../contract/errors';
import { listOrders } from '../contract/orders';
import { orderView } from '../domain/payments/order-view';
import { pageLimit, pageOf } from '../runtime/http/paging';
import { operator, serve } from '../runtime/http';
import { getConnections } from '../store/payments/connections';
import * as store from '../store/payments/list-orders';
import { orderPosition } from '../store/payments/orders';
import { getProduct } from '../store/products';

export const handler = serve(listOrders, operator, async ({ params, query, app }) => {
  if (!(await getProduct(app.table, params.id))) return fail('not_found', 'There is no such product');
  const { orders, unreadable, next } = await store.listOrders(app.table, params.id, query, query.cursor, pageLimit(query.limit));
  const ids = [...new Set(orders.map(({ connection_id }) => connection_id))];
  const connections = new Map((await getConnections(app.table, ids)).map((connection) => [connection.id, connection]));
  const shown = orders.flatMap((order) => {
    const connection = connections.get(order.connection_id);
    return connection ? [{ order, view: orderView(order, connection) }] : [];
  });
  return pageOf(
    shown,
    next,
    ({ order }) => orderPosition(order),
    ({ view }) => view,
    unreadable,
  );
});
