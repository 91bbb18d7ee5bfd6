import { NO_ORIGIN } from '../../domain/audit';
import type { Notification } from '../../domain/payments';
import type { Connection } from '../../domain/payments/connection';
import { joinStored, type WaitingNotification } from '../../domain/payments/order';
import { isOver } from '../../domain/payments/plan';
import type { App } from '../../runtime/app';
import { findOrders, getOrder } from '../../store/payments/orders';
import { PROGRESS } from '../../store/retry';
import { getItems } from '../../store/items';
import type { Action } from '../../store/transaction';
import { commitAll, type Commit, type Settled } from './commit';
import { loadOrder, termKeys, termsOfSale } from './load-order';
import { planCommit } from './plan-transactions';
import { settleWaiting } from './log-rows';

/** Notifications to process in addition to the notifications that wait for an order. */
interface Also {
  /** Returns the new content of a waiting notification. If this function is not set, the stored content is used. */
  readonly notificationOf?: (entry: WaitingNotification) => Promise<Notification>;
  /**
   * A held or waiting notification from the payments log. It may be missing from the waiting notifications in the order's row, because it
   * did not fit into the row.
   */
  readonly held?: WaitingNotification | undefined;
  /** A notification that comes before the waiting notifications in the plan. It is processed even if no other notification waits. */
  readonly first?: {
    readonly notification: WaitingNotification;
    /** Returns the actions that are committed together with the last transaction. */
    readonly alongside: (licenseIds: readonly number[]) => readonly Action[];
  };
}

/**
 * Processes the held and waiting notifications of an order, as far as this is possible now. If nothing can be processed and there is no
 * `first`, the function writes nothing.
 *
 * @throws StoreUnavailable if other requests keep changing the order until the time for retries ends
 */
export async function processWaiting(
  app: App,
  connection: Connection,
  uid: string,
  now: number,
  { notificationOf, held, first }: Also = {},
): Promise<void> {
  let extra = held;
  const withExtra = (waiting: readonly WaitingNotification[]): readonly WaitingNotification[] =>
    extra === undefined || waiting.some(({ payment_id }) => payment_id === extra?.payment_id) ? waiting : [...waiting, extra];

  await commitAll(app, connection, app.table.audit?.origin ?? NO_ORIGIN, prepare);

  /** Loads and plans the next transaction for the order. */
  async function prepare(): Promise<Commit<void> | Settled<void>> {
    // If the order was joined with another order, the joined order is found by the ids in the notification.
    const order =
      (await getOrder(app.table, connection.id, uid)) ?? (await findOrders(app.table, connection.id, held?.notification.ids ?? []))[0];
    const open = order ? withExtra(order.waiting) : [];
    if (!order || (open.length === 0 && !first))
      return first ? { actions: first.alongside([]), events: [], parts: [], committed: () => undefined } : { settled: undefined };
    const notifications = new Map<string, Notification>();
    for (const entry of open) notifications.set(entry.payment_id, (await notificationOf?.(entry)) ?? entry.notification);
    // The new content of a notification may contain an id of another order. The two orders are then joined into one.
    const ids = [...notifications.values()].flatMap((notification) => notification.ids);
    const others = (await findOrders(app.table, connection.id, ids)).filter((other) => other.uid !== order.uid);
    const joined = joinStored([order, ...others], uid);
    const terms = termsOfSale(connection, await getItems(app.table, termKeys(connection)));
    const state = await loadOrder(app, connection, joined, terms);

    const waiting = withExtra(state.stored.waiting).map((entry) => ({
      ...entry,
      notification: notifications.get(entry.payment_id) ?? entry.notification,
    }));
    const received = first ? [first.notification, ...waiting] : waiting;
    return planCommit(app, state, received, now, ({ outcomes, after, licenseIds, parts, isPostponed }) => {
      // A change of a license may have no event, and a notification may have no row in the log any more.
      const isUnchanged = parts.length === 0 && outcomes.every(({ status }, index) => status === received[index]?.status);
      if (!first && isUnchanged) return { settled: undefined };
      const settled = settleWaiting(connection, after.uid, waiting, outcomes.slice(first ? 1 : 0), licenseIds, now);
      return {
        actions: [...settled, ...(first && !isPostponed ? first.alongside(licenseIds) : [])],
        committed: () => {
          // The notification was processed and must not be processed again in the next transaction.
          if (received.some(({ payment_id }, index) => payment_id === extra?.payment_id && outcomes[index] && isOver(outcomes[index])))
            extra = undefined;
          return isPostponed ? PROGRESS : undefined;
        },
      };
    });
  }
}
