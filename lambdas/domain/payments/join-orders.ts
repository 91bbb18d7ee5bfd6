import { idKey } from './model';
import { newOrder, unknownOrder, withPeriod, withRefunded, withRun, type Order, type StoredOrder } from './order';

/**
 * Joins several stored orders. If a notification contains ids of several stored orders, all of them are the same order at the processor.
 */

/** Combines the data of several orders. */
export function joined(orders: readonly Order[]): Order {
  // The order with the most lines is the basis of the result, because the other orders usually contribute only ids.
  const [first = newOrder, ...rest] = orders.toSorted((a, b) => b.lines.length - a.lines.length);
  const seen = new Set<string>();
  const latestOf = (pick: (order: Order) => number | null): number | null =>
    orders.reduce<number | null>((best, order) => (best === null ? pick(order) : Math.max(best, pick(order) ?? best)), null);
  return {
    ...first,
    ids: [first, ...rest].flatMap(({ ids }) => ids).filter((id) => !seen.has(idKey(id)) && seen.add(idKey(id))),
    payments: Object.assign({}, ...rest.map(({ payments }) => payments), first.payments) as Order['payments'],
    sequence: latestOf(({ sequence }) => sequence),
    paidUntil: latestOf(({ paidUntil }) => paidUntil),
    periods: orders.flatMap(({ periods }) => periods).reduce(withPeriod, []),
    runs: orders.flatMap(({ runs }) => runs).reduce(withRun, []),
    refunded: orders.flatMap(({ refunded }) => refunded).reduce(withRefunded, []),
    firstSequence: orders.find(({ firstSequence }) => firstSequence !== null)?.firstSequence ?? null,
    refunds: Object.assign({}, ...orders.map(({ refunds }) => refunds)) as Order['refunds'],
    paidAt: latestOf(({ paidAt }) => paidAt),
    endedAt: latestOf(({ endedAt }) => endedAt),
    cancellation: orders.map(({ cancellation }) => cancellation).sort((a, b) => (b?.at ?? 0) - (a?.at ?? 0))[0] ?? null,
    newest: orders.reduce<Order['newest']>(
      (newest, order) =>
        Object.fromEntries(
          (['payment', 'pause', 'dispute', 'lines'] as const).flatMap((topic) => {
            const times = [newest[topic], order.newest[topic]].filter((time) => time !== undefined);
            return times.length > 0 ? [[topic, Math.max(...times)]] : [];
          }),
        ),
      {},
    ),
    standing: [...new Set(orders.flatMap(({ standing }) => standing))],
    lines: orders.flatMap(({ lines }) => lines),
    unsold: [...new Set(orders.flatMap(({ unsold }) => unsold))],
    closed: orders.find(({ closed }) => closed !== null)?.closed ?? null,
    customerId: orders.find(({ customerId }) => customerId !== null)?.customerId ?? null,
    customerEmail: orders.find(({ customerEmail }) => customerEmail !== null)?.customerEmail ?? null,
  };
}

/**
 * Joins several stored orders. The order with the most ids keeps its row, and the commit removes the rows of the other orders. The ids of
 * these other orders must be written again, and one transaction has room for only some of them.
 */
export function joinStored(
  orders: readonly StoredOrder[],
  uid: string,
): { readonly stored: StoredOrder; readonly removed: readonly StoredOrder[] } {
  const [first = unknownOrder(uid), ...rest] = [...orders].sort((a, b) => b.order.ids.length - a.order.ids.length);
  if (rest.length === 0) return { stored: first, removed: [] };
  const all = [first, ...rest];
  return {
    stored: {
      ...first,
      order: joined(all.map(({ order }) => order)),
      licenses: all.flatMap(({ licenses }) => licenses),
      waiting: all.flatMap(({ waiting }) => waiting),
      joined: [...first.joined, ...rest.flatMap(({ uid, joined }) => [uid, ...joined])],
      issued_at: all.find(({ issued_at }) => issued_at !== null)?.issued_at ?? null,
    },
    removed: rest,
  };
}
