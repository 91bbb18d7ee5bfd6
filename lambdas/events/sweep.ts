import { getApp, type App } from '../runtime/app';
import { log } from '../runtime/observability/log';
import { duration } from '../runtime/observability/metrics';
import { overdueEvents, postponeSweep } from '../store/events/overdue';
import { PENDING_SHARDS } from '../store/keys';

/**
 * The net under the queue: what a crash between commit and recorded delivery, or a lost message, left
 * pending is put into the queue again. Each event is then left alone for a while, so that a long queue is
 * not made longer.
 */

/** An event whose message is on its way is not overdue yet, in ms. */
export const GRACE_MS = 10_000;
/** How long a swept event is left to its new message, in ms. */
export const PATIENCE_MS = 60_000;
/** Most events of one shard in one run. */
const MAX_PER_SHARD = 2500;

/** Puts the overdue events of a shard into the queue again. What fails with one is told at the end, when the others are done. */
async function sweepShard(app: App, shard: number, onWaited: (ms: number) => void): Promise<void> {
  const now = app.clock();
  const by = now - GRACE_MS;
  const faults: unknown[] = [];
  let swept = 0;
  for await (const ids of overdueEvents(app.table, shard, by)) {
    const outcomes = await Promise.allSettled(
      ids.map(async (id) => {
        const event = await postponeSweep(app.table, id, by, now + PATIENCE_MS);
        if (!event) return;
        onWaited(now - (event.due_at ?? event.created_at));
        await app.queue.send(id, 0);
        swept += 1;
      }),
    );
    faults.push(...outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : [])));
    if (swept + faults.length >= MAX_PER_SHARD) break;
  }
  if (swept > 0) log.warn('EVENTS_SWEPT', { shard, swept });
  if (faults.length > 0) throw new Error(`${faults.length} events of shard ${shard} could not be swept, the first because of: ${String(faults[0])}`);
}

/** Run by the clock. Fails where a shard did, when all are done. */
export const handler = async (): Promise<void> => {
  const app = getApp();
  let longest = 0;
  const onWaited = (ms: number): void => void (longest = Math.max(longest, ms));
  const shards = Array.from({ length: PENDING_SHARDS }, (_, shard) => sweepShard(app, shard, onWaited));
  const faults = (await Promise.allSettled(shards)).flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
  // Told in every run, so that a sweeper that doesn't run is noticed as well.
  duration('events.pending_age', longest);
  for (const fault of faults) log.error('SWEEP_FAULT', {}, fault);
  if (faults.length > 0) throw new Error('The sweep was not complete');
};
