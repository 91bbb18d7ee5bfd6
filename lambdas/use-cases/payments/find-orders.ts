import { adapters } from '../../domain/payments';
import type { StoredOrder } from '../../domain/payments/order';
import type { App } from '../../runtime/app';
import { listConnections } from '../../store/payments/connections';
import { findOrders } from '../../store/payments/orders';

/** Finds the orders of a product that have exactly the given id at any processor. */
export async function ordersOf(app: App, productId: number, id: string): Promise<StoredOrder[]> {
  const { entities: connections } = await listConnections(app.table, productId);
  const found = await Promise.all(
    connections.map((connection) =>
      findOrders(
        app.table,
        connection.id,
        adapters[connection.processor].idKinds.map((kind) => ({ kind, id })),
      ),
    ),
  );
  return found.flat();
}
