import { orderList } from '../keys';
import { getItems, keyOf } from '../items';
import { readRows, type Readable } from '../row';
import { newestFirst, scanPage } from '../scan';
import type { Table } from '../table';
import { ordersWithId } from '../licenses/of-order';
import { listConnectionIds } from './connections';
import { ordersAmong, rowsOfBuyer } from './of-buyer';
import { orderPosition, toStoredOrder, type OrderInTable } from './orders';

/** Lists the orders of a product, newest first. */

export interface OrderFilter {
  readonly order?: string | undefined;
  readonly customer_email?: string | undefined;
}

interface OrderPage {
  readonly orders: readonly OrderInTable[];
  readonly unreadable: number;
  /** The position of the last order, if there may be further orders. */
  readonly next?: string;
}

const PAGE = 200;

/**
 * Lists up to `limit` orders that are older than the position `before`. An order that an earlier version stored is in the whole list after
 * its next notification; by buyer or id it is always found.
 */
export async function listOrders(
  table: Table,
  productId: number,
  filter: OrderFilter,
  before: string | undefined,
  limit: number,
): Promise<OrderPage> {
  const found = filter.order !== undefined || filter.customer_email !== undefined ? await findOrders(table, productId, filter) : undefined;
  return found ? pageOfFound(found, before, limit) : pageOfAll(table, productId, before, limit);
}

/** The orders with an id or of a buyer. They are few, so all of them are read. */
async function findOrders(table: Table, productId: number, { order, customer_email: email }: OrderFilter): Promise<OrderInTable[]> {
  const byId = order === undefined ? undefined : await ordersWithId(table, order, productId);
  if (email === undefined) return byId ?? [];
  const keys = await Promise.all((await listConnectionIds(table, productId)).map((connection) => rowsOfBuyer(table, connection, email)));
  const ofBuyer = await ordersAmong(table, keys.flat());
  return byId ? ofBuyer.filter(({ uid }) => byId.some((other) => other.uid === uid)) : ofBuyer;
}

function pageOfFound(found: readonly OrderInTable[], before: string | undefined, limit: number): OrderPage {
  const sorted = found
    .map((order) => ({ order, position: orderPosition(order) }))
    .filter(({ position }) => before === undefined || position < before)
    .toSorted((a, b) => (a.position < b.position ? 1 : -1));
  const page = sorted.slice(0, limit);
  const last = page.at(-1);
  return { orders: page.map(({ order }) => order), unreadable: 0, ...(last && sorted.length > limit && { next: last.position }) };
}

async function pageOfAll(table: Table, productId: number, before: string | undefined, limit: number): Promise<OrderPage> {
  const query = { ...newestFirst(orderList(productId), before, 'list'), Limit: PAGE };
  const { entries, last } = await scanPage(table, query, { keep: keyOf, limit, first: limit + 1 });
  const items = await getItems(table, entries);
  const { entities: orders, unreadable }: Readable<OrderInTable> = readRows(
    items.filter((item) => item !== undefined),
    toStoredOrder,
  );
  return { orders, unreadable, ...(last && { next: String(last['list_sk']) }) };
}
