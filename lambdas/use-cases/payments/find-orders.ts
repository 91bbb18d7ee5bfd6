import { adapters } from '../../domain/payments';
import type { StoredOrder } from '../../domain/payments/order';
import type { App } from '../../runtime/app';
import { listConnections } from '../../store/payments/connections';
import { findOrdersOf } from '../../store/payments/orders';

/** Finds the orders of a product that have exactly the given id at any processor. */
export async function ordersOf(app: App, productId: number, id: string): Promise<StoredOrder[]> {
  const { entities: connections } = await listConnections(app.table, productId);
  return findOrdersOf(
    app.table,
    connections.map((connection) => ({
      connectionId: connection.id,
      ids: adapters[connection.processor].idKinds.map((kind) => ({ kind, id })),
    })),
  );
}
