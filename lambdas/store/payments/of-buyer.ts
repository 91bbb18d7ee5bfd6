import type { StoredOrder } from '../../domain/payments/order';
import { buyerLists, orderKey, orderPayments, paymentCustomerKey, type Key } from '../keys';
import { getItems, queryPages } from '../items';
import type { Table } from '../table';
import { transact } from '../transaction';
import { erasePayments } from './log';
import { customerKey, eraseOrder, toStoredOrder, type OrderInTable } from './orders';

/**
 * Finds and erases a buyer's data in three kinds of rows: rows of the payments log, orders, and rows with the e-mail addresses of
 * processors' customers.
 */

/** The keys of all rows in one partition of an index. */
async function keysIn(table: Table, index: 'email' | 'lookup', partition: string): Promise<Key[]> {
  const keys: Key[] = [];
  for await (const page of queryPages(table, {
    IndexName: index,
    KeyConditionExpression: `${index}_pk = :pk`,
    ExpressionAttributeValues: { ':pk': partition },
  })) {
    keys.push(...page.map(({ pk, sk }) => ({ pk: pk as string, sk: sk as string })));
  }
  return keys;
}

/** Finds the rows of a connection in which an e-mail address is stored, and returns the keys of these rows. */
export const rowsOfBuyer = async (table: Table, connectionId: number, email: string): Promise<Key[]> =>
  (await Promise.all(buyerLists(connectionId, email).map((list) => keysIn(table, 'email', list)))).flat();

/** Reads the orders whose rows are among the given keys. */
export const ordersAmong = async (table: Table, keys: readonly Key[]): Promise<OrderInTable[]> =>
  (
    await getItems(
      table,
      keys.filter(({ sk }) => sk === orderKey(0, '').sk),
    )
  ).flatMap((item) => (item ? [toStoredOrder(item)] : []));

/** Finds the rows of the payments log that are about an order, and returns the keys of these rows. */
export const paymentsOfOrder = async (
  table: Table,
  connectionId: number,
  { uid, joined }: Pick<StoredOrder, 'uid' | 'joined'>,
): Promise<Key[]> => (await Promise.all([uid, ...joined].map((each) => keysIn(table, 'lookup', orderPayments(connectionId, each))))).flat();

/**
 * Removes the buyer's data from an order, from the rows of the payments log about this order, and from the row of the processor's customer.
 * Returns false if another request changed the order in the meantime.
 */
export async function eraseBuyerOfOrder(table: Table, connectionId: number, order: StoredOrder): Promise<boolean> {
  await erasePayments(table, await paymentsOfOrder(table, connectionId, order));
  const { customerId, customerEmail } = order.facts;
  if (customerId !== null) await eraseCustomer(table, customerKey(connectionId, customerId));
  const isErased = customerEmail === null && order.waiting.every(({ notification }) => notification.customerEmail === null);
  return isErased || (await transact(table, [eraseOrder(connectionId, order)])).committed;
}

/** Removes the e-mail address of a processor's customer, if the address is stored. */
async function eraseCustomer(table: Table, key: Key): Promise<void> {
  await transact(table, [
    {
      Update: {
        Key: key,
        // The version increases, so that a concurrent request that has already read the address cannot write it again.
        UpdateExpression: 'SET email = :none REMOVE email_pk, email_sk ADD customer_version :one',
        ConditionExpression: 'attribute_type(email, :text)',
        ExpressionAttributeValues: { ':none': null, ':one': 1, ':text': 'S' },
      },
    },
  ]);
}

/** Removes all data about a buyer from a connection's rows. Returns false if another request changed an order in the meantime. */
export async function eraseRowsOfBuyer(table: Table, connectionId: number, keys: readonly Key[]): Promise<boolean> {
  await erasePayments(table, keys);
  let isDone = true;
  for (const order of await ordersAmong(table, keys)) isDone = (await eraseBuyerOfOrder(table, connectionId, order)) && isDone;
  for (const key of keys.filter(({ sk }) => sk === paymentCustomerKey(0, '').sk)) await eraseCustomer(table, key);
  return isDone;
}
