import type { RequestOrigin } from '../../domain/audit';
import type { Event } from '../../domain/event';
import type { Connection } from '../../domain/payments/connection';
import { occurrencesOf, type LicensePart } from '../../domain/payments/plan/plan-licenses';
import type { App } from '../../runtime/app';
import { retry, TRY_AGAIN, type PROGRESS } from '../../store/retry';
import { MAX_ACTIONS, transact, type Action } from '../../store/transaction';
import { announce } from '../announce';
import { auditPayments } from './audit';

/** One of the transactions for a notification. */
export interface Commit<Result> {
  readonly actions: readonly Action[];
  /** The events among the actions, to be announced. */
  readonly events: readonly Event[];
  /** How the actions change licenses, for the audit log. */
  readonly parts: readonly LicensePart[];
  /** Called after the commit: returns the result, or that more is to be done. */
  readonly committed: () => Result | typeof PROGRESS;
}

/** The result if nothing is left to commit. */
export interface Settled<Result> {
  readonly settled: Result;
}

/**
 * Commits what `prepare` loads and plans, one transaction after another, each on top of the state that was read. If
 * another request was faster, everything is loaded and planned again.
 *
 * @param origin where the notification came from, for the audit log
 * @throws StoreUnavailable if other requests stay faster until this one may not retry any more; nothing of the last
 * transaction is then committed
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
    // One action is reserved for the entry of the request itself.
    const entries = auditPayments(app, connection, origin, parts, MAX_ACTIONS - actions.length - (audit ? 1 : 0));
    const [first, ...others] = parts.filter((part) => occurrencesOf(part).length > 0);
    audit?.describe({ product_id: connection.product_id, license_id: first && others.length === 0 ? first.license.id : null });
    const outcome = await transact(app.table, [...actions, ...entries], retryUntil);
    if (!outcome.committed) return TRY_AGAIN;
    await announce(app, events);
    return next.committed();
  });
