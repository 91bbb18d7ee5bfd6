import * as z from 'zod/mini';
import { idKey, type Notification } from './model';
import { NO_MONEY } from './notification';
import { joinedFacts, noFacts, type Facts, type Received } from './facts';
import type { Sums } from './ledger';
import { uncountedAfter } from './revenue';
import { flag, json, list, number, orNull, string, type Stored } from '../stored';

/** The format in which an order is stored. Times are epoch ms. */

/** A reference from an order to one of its licenses. */
const licenseRefSchema = z.object({
  id: number,
  /** The license's key when the order was last stored. */
  key: string,
  /** Whether the license's key differs from the key that was issued for the order. */
  reissued: flag,
  /** The id of the license's line in the order. */
  line: string,
  issued_expires_at: orNull(number),
  /** The keys of the causes of suspension that an operator has overridden by reinstating the license. */
  overridden: list(string),
});
export interface OrderLicenseRef extends Stored<typeof licenseRefSchema> {}

/** A notification that cannot be processed yet, with the id and status of its row in the log. */
export interface WaitingNotification extends Received {
  readonly payment_id: string;
  readonly status: 'held' | 'waiting';
}

/** An order as it is stored. */
export const orderSchema = z.object({
  uid: string,
  /** A counter that each change increases; 0 if the order is not stored yet. */
  version: number,
  facts: z.pipe(
    json<Partial<Facts>>(),
    z.transform((facts): Facts => ({ ...noFacts, ...facts })),
  ),
  licenses: list(licenseRefSchema),
  waiting: z.pipe(
    json<readonly WaitingNotification[]>(),
    // These fields are needed only when a notification arrives, and are not stored.
    z.transform((all) =>
      all.map((entry): WaitingNotification => ({ ...entry, notification: { ...entry.notification, needs: [], money: NO_MONEY } })),
    ),
  ),
  issued_at: orNull(number),
  /** The ids of orders that were joined with this order. Rows of the payments log may still refer to these ids. */
  joined: list(string),
  /** Whether the connection was in test mode when the order arrived; null in rows of earlier versions, which don't contain it. */
  test: orNull(z.boolean()),
  /** What is still to be added to the revenue of the product. */
  uncounted: z._default(json<Sums>(), {}),
});
export interface StoredOrder extends Stored<typeof orderSchema> {}

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
