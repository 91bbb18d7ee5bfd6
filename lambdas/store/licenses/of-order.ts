import { adapters } from '../../domain/payments';
import type { Connection } from '../../domain/payments/connection';
import type { License } from '../../domain/license';
import { lookupKey } from '../../domain/license-key';
import { licenseKey, type Key } from '../keys';
import { getConnections, listConnections } from '../payments/connections';
import { findOrdersOf, type OrderInTable } from '../payments/orders';
import { listReconciliations } from '../payments/reconciliation';
import { getItems } from '../items';
import type { Table } from '../table';
import { isDeadKey, toLicense } from './rows';
import { rowKeysOf } from './read';

/**
 * Finds the orders that have exactly the given id at any processor.
 *
 * @param productId the product whose connections are searched; undefined: all products
 */
export async function ordersWithId(table: Table, order: string, productId?: number): Promise<OrderInTable[]> {
  const connections = productId === undefined ? await allConnections(table) : (await listConnections(table, productId)).entities;
  return findOrdersOf(
    table,
    connections.map(({ id, processor }) => ({
      connectionId: id,
      ids: adapters[processor].idKinds.map((kind) => ({ kind, id: order })),
    })),
  );
}

/**
 * Finds the licenses that were issued for an order of a payment processor, and returns the keys of their rows. The licenses are found by
 * their ids, because a reissued license no longer has the key that is stored with the order.
 *
 * @param order any id of the order, exactly as the processor sent it
 * @param productId the product whose connections are searched; undefined: all products
 */
export async function licensesOfOrder(table: Table, order: string, productId?: number): Promise<Key[]> {
  const orders = await ordersWithId(table, order, productId);
  const ids = orders.flatMap(({ licenses }) => licenses.map(({ id }) => id));
  return rowKeysOf(table, [...new Set(ids)]);
}

const allConnections = async (table: Table): Promise<readonly Connection[]> =>
  getConnections(
    table,
    (await listReconciliations(table)).map(({ connection_id }) => connection_id),
  );

/** The licenses of a product that still have the given keys. Licenses that were moved to a new key are left out. */
export async function unmovedLicenses(table: Table, productId: number, keys: readonly string[]): Promise<License[]> {
  const items = await getItems(
    table,
    keys.map((key) => licenseKey(productId, lookupKey(key) ?? '')),
  );
  return items.flatMap((item) => (item && !isDeadKey(item) ? [toLicense(item)] : []));
}
