import { getApp, type App, type Invocation } from '../runtime/app';
import { log } from '../runtime/observability/log';
import { count, duration } from '../runtime/observability/metrics';
import { notify, queueOf } from '../runtime/queue';
import { chunks } from '../store/chunks';
import { countRevenue } from '../store/payments/revenue';
import { countMeters } from '../store/stats/meters';
import { MAX_SETTLEMENTS, settleEvents } from '../store/events/attempts';
import { continueRedelivery, pendingRedeliveries } from '../store/events/redelivery';
import { dueEvents, postponeSweep, type DueEvent } from '../store/events/overdue';
import { dueAt, PENDING_SHARDS } from '../store/keys';

/**
 * Runs on a schedule and finishes work that other functions left unfinished:
 *
 * - Events that were recorded as skipped are not in the statistics yet. The sweep adds them to the statistics, many events in one
 *   transaction.
 * - Some events are still pending after their due time: a message was lost, or a function crashed before it sent the message or recorded
 *   the delivery. The sweep puts these events into the queue again. It then waits for a while before it queues the same event once more, so
 *   that a long queue does not grow further.
 * - Bulk redeliveries that are not finished are continued.
 * - What changed in orders is added to the revenue of their products, and what was consumed to the statistics.
 */

/** Time, in ms, from the due time of an event until the event counts as overdue. During this time, the event's message may still arrive. */
export const GRACE_MS = 10_000;
/** Minimum time, in ms, between two sweeps that put the same event into the queue. */
export const PATIENCE_MS = 60_000;
/** Maximum duration, in ms, of the work on each shard, on the bulk redeliveries, and on orders. The next run continues with the rest. */
const RUN_MS = 40_000;

/** The results of one run of the sweep. */
interface Sweep {
  /** The longest time, in ms, that an event in this run has waited since it was due. */
  waited: number;
  skipped: number;
  queued: number;
  readonly faults: unknown[];
}

/** Collects the results of several calls. A failed call counts as a fault of the sweep and does not affect the other calls. */
async function each<Item, Result>(sweep: Sweep, items: Iterable<Item>, call: (item: Item) => Promise<Result>): Promise<Result[]> {
  const settled = await Promise.allSettled([...items].map(call));
  return settled.flatMap((one) => {
    if (one.status === 'fulfilled') return [one.value];
    sweep.faults.push(one.reason);
    return [];
  });
}

/** Adds events that were recorded as skipped to the statistics. */
async function countSkipped(app: App, sweep: Sweep, events: readonly DueEvent[]): Promise<void> {
  for (const batch of chunks(events, MAX_SETTLEMENTS)) {
    const recorded = await each(sweep, [batch], (all) => settleEvents(app.table, all));
    const skipped = (await each(sweep, recorded.flat(), (one) => Promise.resolve(one))).filter(Boolean).length;
    sweep.skipped += skipped;
    count('delivery.skipped', skipped);
  }
}

/** Puts overdue events into the queue again. */
async function requeue(app: App, sweep: Sweep, events: readonly DueEvent[], until: number): Promise<void> {
  const postponed = await each(sweep, events, async (event) => ((await postponeSweep(app.table, event, until)) ? [event.delivery] : []));
  const due = postponed.flat();
  await each(sweep, chunks(due, MAX_SETTLEMENTS), async (batch) => {
    await queueOf(app).send(batch);
    sweep.queued += batch.length;
  });
}

/** Handles the due events of a shard: adds skipped events to the statistics, and puts overdue events into the queue again. */
async function sweepShard(app: App, sweep: Sweep, shard: number): Promise<void> {
  const now = app.clock();
  const until = app.realClock() + RUN_MS;
  for await (const events of dueEvents(app.table, shard, now)) {
    const isSkipped = ({ delivery: { status } }: DueEvent): boolean => status === 'skipped';
    const dueSince = ({ delivery: { due_at, created_at } }: DueEvent): number => due_at ?? created_at;
    const skipped = events.filter(isSkipped);
    const overdue = events.filter((event) => !isSkipped(event) && event.pendingSince <= dueAt(now - GRACE_MS));
    for (const event of [...skipped, ...overdue]) sweep.waited = Math.max(sweep.waited, now - dueSince(event));
    await countSkipped(app, sweep, skipped);
    await requeue(app, sweep, overdue, now + PATIENCE_MS);
    if (app.realClock() >= until) break;
  }
}

/** Continues the bulk redeliveries that are not finished. */
async function redeliver(app: App, sweep: Sweep): Promise<void> {
  const now = app.clock();
  await each(sweep, await pendingRedeliveries(app.table, now), async (redelivery) => {
    const started = await continueRedelivery(app.table, redelivery, (events) => notify(app, events), app.realClock() + RUN_MS);
    log.info('EVENTS_REDELIVERED', { redelivery: redelivery.id, started });
  });
}

/** Adds what changed in orders to the revenue of their products. */
async function countOrders(app: App, sweep: Sweep): Promise<void> {
  const until = app.realClock() + RUN_MS;
  await countRevenue(
    app.table,
    () => app.realClock() >= until,
    (fault) => sweep.faults.push(fault),
  );
}

/** Adds what was consumed to the statistics. */
async function countConsumed(app: App, sweep: Sweep): Promise<void> {
  const until = app.realClock() + RUN_MS;
  await countMeters(
    app.table,
    () => app.realClock() >= until,
    (fault) => sweep.faults.push(fault),
  );
}

/** Runs on a schedule. If a part of the run failed, the run fails at its end. */
export const handler = async (_event: unknown, context: Invocation): Promise<void> => {
  const app = getApp(context);
  const sweep: Sweep = { waited: 0, skipped: 0, queued: 0, faults: [] };
  const shards = Array.from({ length: PENDING_SHARDS }, (_, shard) => () => sweepShard(app, sweep, shard));
  await each(sweep, [...shards, () => redeliver(app, sweep), () => countOrders(app, sweep), () => countConsumed(app, sweep)], (work) =>
    work(),
  );
  // Every run reports this metric, so a missing metric shows that the sweep no longer runs.
  duration('events.pending_age', sweep.waited);
  const { skipped, queued, faults } = sweep;
  if (skipped > 0) log.info('EVENTS_SKIPPED', { skipped });
  if (queued > 0) log.warn('EVENTS_SWEPT', { swept: queued });
  for (const fault of faults.slice(0, 10)) log.error('SWEEP_FAULT', {}, fault);
  if (faults.length > 0) throw new Error(`The sweep was not complete: ${faults.length} faults`);
};
