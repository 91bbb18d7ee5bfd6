import type { OrderView } from '../../contract/resources/order';
import { orderView } from '../../domain/payments/order-view';
import type { App } from '../../runtime/app';
import { getConnections } from '../../store/payments/connections';
import { listOrders, type OrderFilter } from '../../store/payments/list-orders';
import { orderPosition } from '../../store/payments/orders';

/** An order as the operator sees it, and its position in the list. */
interface ShownOrder {
  readonly position: string;
  readonly view: OrderView;
}

interface ShownOrders {
  readonly orders: readonly ShownOrder[];
  readonly unreadable: number;
  readonly next?: string | undefined;
}

/** Reads a page of the orders of a product with their views, newest first. */
export async function showOrders(
  app: App,
  productId: number,
  filter: OrderFilter,
  before: string | undefined,
  limit: number,
): Promise<ShownOrders> {
  const { orders, unreadable, next } = await listOrders(app.table, productId, filter, before, limit);
  const ids = [...new Set(orders.map(({ connection_id }) => connection_id))];
  const connections = new Map((await getConnections(app.table, ids)).map((connection) => [connection.id, connection]));
  const shown = orders.flatMap((order) => {
    const connection = connections.get(order.connection_id);
    return connection ? [{ position: orderPosition(order), view: orderView(order, connection, app.clock()) }] : [];
  });
  return { orders: shown, unreadable, next };
}
