import type { RequestOrigin } from '../../domain/audit';
import type { Event } from '../../domain/event';
import type { Connection } from '../../domain/payments/connection';
import type { App } from '../../runtime/app';
import { retry, TRY_AGAIN, type PROGRESS } from '../../store/retry';
import { MAX_ACTIONS, transact, type Action } from '../../store/transaction';
import { announce } from '../announce';
import { auditPayments } from './audit';
import { occurrencesOf, type LicensePart } from './license-part';

/** A transaction for a notification. A notification may need several transactions. */
export interface Commit<Result> {
  readonly actions: readonly Action[];
  /** The events that the actions record. The events are announced after the commit. */
  readonly events: readonly Event[];
  /** The changes of licenses that the actions make, for the audit log. */
  readonly parts: readonly LicensePart[];
  /** Called after the commit. The function returns the result, or {@link PROGRESS} if another transaction is needed. */
  readonly committed: () => Result | typeof PROGRESS;
}

/** What `prepare` returns if nothing remains to be committed: the result. */
export interface Settled<Result> {
  readonly settled: Result;
}

/**
 * Commits transactions one after another. Before each transaction, `prepare` loads the data and plans the transaction. If the data has
 * changed since it was loaded, the transaction fails, and `prepare` is called again.
 *
 * @param origin the origin of the notification, for the audit log
 * @throws StoreUnavailable if other requests keep changing the data until the time for retries ends; nothing of the last transaction is
 * then committed
 */
export const commitAll = <Result>(
  app: App,
  connection: Connection,
  origin: RequestOrigin,
  prepare: () => Promise<Commit<Result> | Settled<Result>>,
): Promise<Result> =>
  retry(app.table, 'The order', async ({ retryUntil }) => {
    const next = await prepare();
    if ('settled' in next) return next.settled;
    const { actions, events, parts } = next;
    const { audit } = app.table;
    // If the request itself has an audit entry, one action is reserved for that entry.
    const entries = auditPayments(app, connection, origin, parts, MAX_ACTIONS - actions.length - (audit ? 1 : 0));
    const [first, ...others] = parts.filter((part) => occurrencesOf(part).length > 0);
    audit?.describe({ product_id: connection.product_id, license_id: first && others.length === 0 ? first.license.id : null });
    const outcome = await transact(app.table, [...actions, ...entries], retryUntil);
    if (!outcome.committed) return TRY_AGAIN;
    await announce(app, events);
    return next.committed();
  });
