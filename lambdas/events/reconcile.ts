import { NO_ORIGIN } from '../domain/audit';
import { adapters } from '../domain/payments';
import type { Connection } from '../domain/payments/connection';
import { DAY_MS, HOUR_MS } from '../domain/time';
import { getApp, type App, type Invocation } from '../runtime/app';
import { log } from '../runtime/observability/log';
import { listFills } from '../store/payments/buyer-fills';
import { getConnection, recordTime } from '../store/payments/connections';
import {
  beginReconciliation,
  listReconciliations,
  saveReconciliation,
  type Reconciliation,
  type Run,
} from '../store/payments/reconciliation';
import { StoreUnavailable } from '../store/table';
import { fillOrders } from '../use-cases/payments/fill-orders';
import { processorApi, readBack, type AskProcessor } from '../use-cases/payments/read-back';
import { newPaymentId, receive } from '../use-cases/payments/receive';
import { payloadPlace } from '../use-cases/payments/secrets';

/**
 * Reads events from payment processors, every hour and on demand, and processes them like notifications. This is necessary because
 * processors stop sending a notification after a while (docs/spec/payments.md, Reconciling). The work of each run is limited, and the next
 * run continues with the rest.
 */

/** The first run of a connection also reads the events from this period, in ms, before the connection was created. */
const FIRST_LOOK_MS = 7 * DAY_MS;
/** Maximum number of pages that one run reads for one connection. */
const MAX_PAGES = 10;
/**
 * Maximum time, in ms, for which a run writes buyers' e-mail addresses to orders. After this time, the run begins with no further order.
 */
const FILLING_MS = 60_000;

/**
 * Starts a run. The run reads all lists of the processor from their first pages, and processes the changes since the last run. The periods
 * of two runs overlap by a day.
 */
function newRun(connection: Connection, { since }: Reconciliation, now: number): Run {
  const from =
    since ?? (connection.last_reconciled_at === null ? connection.created_at - FIRST_LOOK_MS : connection.last_reconciled_at - DAY_MS);
  return { started_at: now, running_since: from, pages: adapters[connection.processor].listings(from) };
}

const isDue = ({ pages, requested_at, started_at }: Reconciliation, now: number): boolean =>
  pages.length > 0 || requested_at !== null || started_at === null || now - started_at >= HOUR_MS;

interface ReadPage {
  /** The path of the next page; null after the last page. */
  readonly next: string | null;
  /** How many objects could not be processed. */
  readonly faults: number;
}

/** Processes the objects on one page. Returns undefined if the processor does not respond. */
async function readPage(
  app: App,
  connection: Connection,
  path: string,
  since: number,
  ask: AskProcessor,
  now: number,
): Promise<ReadPage | undefined> {
  const response = await ask(path);
  const page = response && adapters[connection.processor].page(path, response, since);
  if (!page) return undefined;
  let faults = 0;
  for (const body of page.bodies) {
    try {
      await processObject(app, connection, body, now);
    } catch (error) {
      // If an object always failed and ended the run, the objects after it would never be processed. The next run reads the same changes
      // again.
      if (error instanceof StoreUnavailable) throw error;
      faults += 1;
      log.error('RECONCILIATION_FAULT', { connection_id: connection.id }, error);
    }
  }
  return { next: page.next, faults };
}

async function processObject(app: App, connection: Connection, body: string, now: number): Promise<void> {
  const read = adapters[connection.processor].read(body, {});
  const notification = read && (await readBack(app, connection, read, true));
  if (!notification || notification === 'unproven') return;
  const paymentId = newPaymentId(app);
  const seal = await app.secrets.sealer('payment_payload');
  const payload = seal('payment_payload', body, payloadPlace(paymentId));
  await receive(app, connection, { notification, source: 'reconcile', payload, paymentId, origin: NO_ORIGIN }, now);
}

/** Reconciles one connection. Returns the number of faults. */
async function reconcile(app: App, state: Reconciliation, now: number): Promise<number> {
  const connection = await getConnection(app.table, state.connection_id);
  if (!connection?.enabled || connection.api_key === null) return 0;
  const isResumed = state.pages.length > 0;
  const run: Run = isResumed ? state : newRun(connection, state, now);
  if (!isResumed && !(await beginReconciliation(app.table, state, run))) return 0;
  const since = run.running_since ?? now;
  let { pages } = run;
  let faults = 0;
  for (let read = 0; read < MAX_PAGES && pages.length > 0; read += 1) {
    const [path = '', ...others] = pages;
    const ask = await processorApi(app, connection);
    const page = ask ? await readPage(app, connection, path, since, ask, now) : undefined;
    if (page === undefined) {
      log.warn('RECONCILIATION_FAILED', { connection_id: connection.id });
      await saveReconciliation(app.table, connection.id, [], since);
      return faults + 1;
    }
    faults += page.faults;
    pages = page.next === null ? others : [page.next, ...others];
    await saveReconciliation(app.table, connection.id, pages, page.faults > 0 ? since : undefined);
  }
  if (pages.length === 0) await recordTime(app.table, connection.id, 'last_reconciled_at', run.started_at ?? now);
  return faults;
}

/**
 * Continues to write buyers' e-mail addresses to orders, if a fault or a request's time limit has interrupted that work.
 *
 * @returns the number of faults
 */
async function continueFills(app: App, now: number): Promise<number> {
  const until = app.realClock() + FILLING_MS;
  let faults = 0;
  for (const { connection_id, payment_id } of await listFills(app.table)) {
    try {
      const connection = await getConnection(app.table, connection_id);
      if (connection) await fillOrders(app, connection, payment_id, now, until, () => (faults += 1));
    } catch (error) {
      faults += 1;
      log.error('BUYER_FILL_FAULT', { connection_id, payment_id }, error);
    }
  }
  return faults;
}

/**
 * Runs on a schedule. If an object or a connection fails, the run continues with the others.
 *
 * @throws after the run, if anything failed, so that an alarm is triggered
 */
export const handler = async (_event: unknown, context: Invocation): Promise<void> => {
  const app = getApp(context);
  const now = app.clock();
  let faults = await continueFills(app, now);
  for (const state of await listReconciliations(app.table)) {
    if (!isDue(state, now)) continue;
    try {
      faults += await reconcile(app, state, now);
    } catch (error) {
      faults += 1;
      log.error('RECONCILIATION_FAULT', { connection_id: state.connection_id }, error);
    }
  }
  if (faults > 0) throw new Error(`${faults} payments or connections could not be reconciled; the log has the reasons`);
};
