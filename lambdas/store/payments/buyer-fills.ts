import * as z from 'zod/mini';
import { BUYER_FILLS, buyerFillKey, orderOfCustomerKey, ORDER_OF_CUSTOMER_PREFIX, paymentCustomerKey, type Key } from '../keys';
import { readRow, stringIn } from '../row';
import { getItem, queryPages } from '../items';
import type { Item } from '../codec';
import type { Table } from '../table';
import { transact, type Action } from '../transaction';
import { getPayment, isLogged, settlePayment, type PaymentStatus } from './log';
import { customerHash, customerSchema } from './orders';
import { list, number, string, type Stored } from '../../domain/stored';

/**
 * A row about unfinished work: a buyer's e-mail address became known and must be written to the orders that wait for the address. The row
 * is stored together with the address, so that the work can continue after an interruption. The transaction that writes the address to an
 * order also removes the order from the list of waiting orders.
 */
const fillSchema = z.object({
  /** The id of the payment that reported the e-mail address. The payment is a row of the payments log. */
  payment_id: string,
  connection_id: number,
  customer_hash: string,
  /** The ids of the licenses that belong to the filled orders. At most as many ids are stored as a row of the payments log lists. */
  license_ids: list(number),
});
export interface BuyerFill extends Stored<typeof fillSchema> {}

/** Maximum number of licenses that a row of the payments log lists. */
const MAX_NAMED = 1000;

const toFill = (item: Item): BuyerFill => readRow(fillSchema, item);

const putFill = (fill: BuyerFill): Action => ({ Put: { Item: { ...buyerFillKey(fill.payment_id), version: 1, ...fill } } });

/** The action that records that a customer's e-mail address must be written to the orders that wait for the address. */
export const noteFill = (connectionId: number, customerId: string, paymentId: string): Action =>
  putFill({ payment_id: paymentId, connection_id: connectionId, customer_hash: customerHash(customerId), license_ids: [] });

/** The unfinished work that a row of the payments log started; undefined if there is none. */
export async function getFill(table: Table, paymentId: string): Promise<BuyerFill | undefined> {
  const item = await getItem(table, buyerFillKey(paymentId));
  return item && toFill(item);
}

/** Lists the unfinished work of all connections. */
export async function listFills(table: Table): Promise<BuyerFill[]> {
  const fills: BuyerFill[] = [];
  for await (const page of queryPages(table, {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': BUYER_FILLS },
  }))
    fills.push(...page.map(toFill));
  return fills;
}

/** The customer's e-mail address, which the customer's orders do not contain yet; null if it is not known or was erased. */
export async function getCustomerEmail(table: Table, { connection_id, customer_hash }: BuyerFill): Promise<string | null> {
  const item = await getItem(table, paymentCustomerKey(connection_id, customer_hash));
  return item ? readRow(customerSchema, item).email : null;
}

/** The ids of a customer's orders that wait for the customer's e-mail address, in pages. */
export async function* waitingOrders(
  table: Table,
  { connection_id, customer_hash }: Pick<BuyerFill, 'connection_id' | 'customer_hash'>,
): AsyncGenerator<string[]> {
  const { pk } = paymentCustomerKey(connection_id, customer_hash);
  const values = { ':pk': pk, ':prefix': ORDER_OF_CUSTOMER_PREFIX };
  for await (const page of queryPages(table, {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: values,
  })) {
    yield page.map((item) => stringIn(item, 'uid'));
  }
}

/** Whether any order waits for the e-mail address of a customer. */
export async function isBuyerAwaited(table: Table, connectionId: number, customerId: string): Promise<boolean> {
  for await (const page of waitingOrders(table, { connection_id: connectionId, customer_hash: customerHash(customerId) }))
    if (page.length > 0) return true;
  return false;
}

/** The action that records that an order waits for the e-mail address of its customer. */
export const waitForBuyer = (connectionId: number, customerId: string, uid: string): Action => ({
  Put: { Item: { ...orderOfCustomerKey(connectionId, customerHash(customerId), uid), version: 1, uid } },
});

/** The actions that commit together with an order that received its buyer's e-mail address. */
export function filled(
  fill: BuyerFill,
  uid: string,
  licenseIds: readonly number[],
): { readonly actions: readonly Action[]; readonly after: BuyerFill } {
  const after = { ...fill, license_ids: [...fill.license_ids, ...licenseIds].slice(0, MAX_NAMED) };
  const order: Key = orderOfCustomerKey(fill.connection_id, fill.customer_hash, uid);
  return { actions: [{ Delete: { Key: order } }, putFill(after)], after };
}

/**
 * Ends the work when no order waits for the customer's e-mail address any more. If the row of the payments log has expired in the meantime,
 * it is not updated, because the update would create it again without its other fields.
 */
export async function endFill(
  table: Table,
  { payment_id, license_ids }: BuyerFill,
  status: PaymentStatus,
  reason: string | null,
  now: number,
): Promise<void> {
  const payment = await getPayment(table, payment_id);
  await transact(table, [
    ...(payment && isLogged(payment, now) ? [settlePayment(payment, { status, reason, license_ids, processed_at: now })] : []),
    { Delete: { Key: buyerFillKey(payment_id) } },
  ]);
}
