import { added, figures, partsOf, type Figure, type Sums } from '../../domain/payments/ledger';
import { monthOf, monthsAfter } from '../../domain/time';
import { orderKey, revenueKey, revenueOfProduct, UNCOUNTED_ORDERS } from '../keys';
import { queryPages } from '../items';
import { numberIn, stringIn } from '../row';
import type { Item } from '../codec';
import { add } from '../stats/count';
import { countUncounted } from '../stats/uncounted';
import type { Table } from '../table';
import { transact } from '../transaction';
import { toStoredOrder } from './orders';

/**
 * The revenue of products by month and currency, in counters that are kept forever. An order's row contains what the order still adds to the
 * counters. The sweeper moves it to the counters in one transaction, so that it is counted exactly once.
 */

/** Maximum number of months and currencies that one transaction counts. Only an order of an earlier version can need more. */
const MAX_COUNTED = 50;

/**
 * Counts what orders still add to the revenue of their products.
 *
 * @param isOver whether the time for this work has ended; the next run continues
 * @param onFault called for each order that could not be counted; the next run counts it
 */
export const countRevenue = (table: Table, isOver: () => boolean, onFault: (fault: unknown) => void): Promise<void> =>
  countUncounted(table, UNCOUNTED_ORDERS, isOver, onFault, countOrder);

/** Counts one order. If another request changes the order at the same time, the next run counts it. */
async function countOrder(table: Table, item: Item): Promise<void> {
  const { connection_id, uid, uncounted, version } = toStoredOrder(item);
  const product = numberIn(item, 'product_id');
  const now: Sums = Object.fromEntries(Object.entries(uncounted).slice(0, MAX_COUNTED));
  const rest = added(uncounted, now, -1);
  const isRest = Object.keys(rest).length > 0;
  await transact(table, [
    ...Object.entries(now).flatMap(([month, counts]) => add({ key: revenueKey(product, month), counts })),
    {
      Update: {
        Key: orderKey(connection_id, uid),
        UpdateExpression: `SET order_version = :next${isRest ? ', uncounted = :rest' : ' REMOVE uncounted, pending_pk, pending_sk'}`,
        ConditionExpression: 'order_version = :read',
        ExpressionAttributeValues: { ':next': version + 1, ':read': version, ...(isRest && { ':rest': JSON.stringify(rest) }) },
      },
    },
  ]);
}

/** The revenue of one month in one currency. Amounts are in the currency's minor unit. */
export interface Revenue {
  readonly month: string;
  readonly currency: string | null;
  readonly paid: number;
  readonly refunded: number;
  readonly fees: number;
  readonly net: number;
  readonly subscriptions: { readonly new: number; readonly renewed: number; readonly lost: number };
}

/** The revenue of the last months, oldest month first. Months in which nothing was counted are left out. */
export async function readRevenue(table: Table, productId: number, now: number, months: number): Promise<Revenue[]> {
  const rows: Revenue[] = [];
  for await (const page of queryPages(table, {
    KeyConditionExpression: 'pk = :pk AND sk >= :first',
    ExpressionAttributeValues: { ':pk': revenueOfProduct(productId), ':first': monthOf(monthsAfter(now, 1 - months)) },
  }))
    for (const item of page) {
      const count = (name: Figure): number => Number(item[name] ?? 0);
      // All numbers are 0 if everything was taken back, for example because the currency became known later.
      if (figures.every((name) => count(name) === 0)) continue;
      rows.push({
        ...partsOf(stringIn(item, 'sk')),
        paid: count('paid'),
        refunded: count('refunded'),
        fees: count('fees'),
        net: count('paid') - count('refunded'),
        subscriptions: { new: count('new'), renewed: count('renewed'), lost: count('lost') },
      });
    }
  return rows;
}
