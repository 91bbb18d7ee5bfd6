import { idKey, type Notification } from './model';
import { joinedFacts, noFacts, type Facts, type Received } from './facts';
import type { Sums } from './ledger';
import { uncountedAfter } from './revenue';

/** The format in which an order is stored. Times are epoch ms. */

/** A reference from an order to one of its licenses. */
export interface OrderLicenseRef {
  readonly id: number;
  /** The license's key when the order was last stored. */
  readonly key: string;
  /** Whether the license's key differs from the key that was issued for the order. */
  readonly reissued: boolean;
  /** The id of the license's line in the order. */
  readonly line: string;
  readonly issued_expires_at: number | null;
  /** The keys of the causes of suspension that an operator has overridden by reinstating the license. */
  readonly overridden: readonly string[];
}

/** A notification that cannot be processed yet, with the id and status of its row in the log. */
export interface WaitingNotification extends Received {
  readonly payment_id: string;
  readonly status: 'held' | 'waiting';
}

/** An order as it is stored. */
export interface StoredOrder {
  readonly uid: string;
  /** A counter that each change increases; 0 if the order is not stored yet. */
  readonly version: number;
  readonly facts: Facts;
  readonly licenses: readonly OrderLicenseRef[];
  readonly waiting: readonly WaitingNotification[];
  readonly issued_at: number | null;
  /** The ids of orders that were joined with this order. Rows of the payments log may still refer to these ids. */
  readonly joined: readonly string[];
  /** Whether the connection was in test mode when the order arrived; null in rows of earlier versions, which don't contain it. */
  readonly test: boolean | null;
  /** What is still to be added to the revenue of the product. */
  readonly uncounted: Sums;
}

/** A new order, for a notification whose ids are all unknown. */
export const unknownOrder = (uid: string): StoredOrder => ({
  uid,
  version: 0,
  facts: noFacts,
  licenses: [],
  waiting: [],
  issued_at: null,
  joined: [],
  test: null,
  uncounted: {},
});

/**
 * Of the orders that have an id of a notification, those that it concerns. If an order with licenses has the leading id, it concerns only
 * this order, and the ids of other orders are removed from the notification.
 */
export function ordersOf(
  found: readonly StoredOrder[],
  notification: Notification,
): { readonly orders: readonly StoredOrder[]; readonly notification: Notification } {
  const { leadingId, ids } = notification;
  const has = ({ facts }: StoredOrder, key: string): boolean => facts.ids.some((id) => idKey(id) === key);
  const leading = leadingId && found.find((order) => order.licenses.length > 0 && has(order, idKey(leadingId)));
  const others = found.filter((order) => order !== leading && order.licenses.length > 0);
  if (!leading || others.length === 0) return { orders: found, notification };
  return {
    orders: found.filter((order) => !others.includes(order)),
    notification: { ...notification, ids: ids.filter((id) => !others.some((order) => has(order, idKey(id)))) },
  };
}

/**
 * Joins several stored orders: the ids of one notification show that they are the same order at the processor. The order with the most ids
 * keeps its row, and the commit removes the rows of the other orders. The ids of these other orders must be written again, and one
 * transaction has room for only some of them.
 */
export function joinStored(
  orders: readonly StoredOrder[],
  uid: string,
): { readonly stored: StoredOrder; readonly removed: readonly StoredOrder[] } {
  const [first = unknownOrder(uid), ...rest] = [...orders].sort((a, b) => b.facts.ids.length - a.facts.ids.length);
  if (rest.length === 0) return { stored: first, removed: [] };
  const all = [first, ...rest];
  const facts = joinedFacts(all.map((one) => one.facts));
  return {
    stored: {
      ...first,
      facts,
      uncounted: uncountedAfter(all, facts),
      licenses: all.flatMap(({ licenses }) => licenses),
      waiting: all.flatMap(({ waiting }) => waiting),
      joined: [...first.joined, ...rest.flatMap(({ uid: one, joined }) => [one, ...joined])],
      issued_at: all.find(({ issued_at }) => issued_at !== null)?.issued_at ?? null,
    },
    removed: rest,
  };
}
