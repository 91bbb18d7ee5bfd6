import { theApp, type App } from '../runtime/app';
import { log } from '../runtime/log';
import { overdueEvents, postponeSweep } from '../store/events';
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

async function sweepShard(app: App, shard: number): Promise<number> {
  const now = app.clock();
  const by = now - GRACE_MS;
  let swept = 0;
  for await (const ids of overdueEvents(app.table, shard, by)) {
    await Promise.all(
      ids.map(async (id) => {
        if (!(await postponeSweep(app.table, id, by, now + PATIENCE_MS))) return;
        await app.queue.send(id, 0);
        swept += 1;
      }),
    );
    if (swept >= MAX_PER_SHARD) break;
  }
  return swept;
}

/** Run by the clock. */
export const handler = async (): Promise<void> => {
  const app = theApp();
  let swept = 0;
  for (let shard = 0; shard < PENDING_SHARDS; shard += 1) swept += await sweepShard(app, shard);
  if (swept > 0) log.warn('EVENTS_SWEPT', { swept });
};
