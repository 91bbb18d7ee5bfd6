import { lookupKey } from '../../domain/license-key';
import { adapters } from '../../domain/payments';
import { licenseKey, type Key } from '../keys';
import { getConnection } from '../payments/connections';
import { findOrders } from '../payments/orders';
import { listReconciliations } from '../payments/reconciliation';
import type { Table } from '../table';

/**
 * The keys of the rows of the licenses that an order of a payment processor has issued, of whatever product.
 *
 * @param order any id of the order, exactly as the processor gave it
 */
export async function licensesOfOrder(table: Table, order: string): Promise<Key[]> {
  const found = await Promise.all(
    (await listReconciliations(table)).map(async ({ connection_id }): Promise<Key[]> => {
      const connection = await getConnection(table, connection_id);
      if (!connection) return [];
      const orders = await findOrders(table, connection.id, adapters[connection.processor].idKinds.map((kind) => ({ kind, id: order })));
      return orders.flatMap(({ licenses }) => licenses.map(({ key }) => licenseKey(connection.product_id, lookupKey(key) ?? '')));
    }),
  );
  return found.flat();
}
