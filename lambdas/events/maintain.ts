import { getApp, type App, type Invocation } from '../runtime/app';
import { continueAllErasures } from '../use-cases/customers/erase';
import { removeTrials } from '../use-cases/remove-trials';
import { log } from '../runtime/observability/log';
import { removeFreedDevices } from '../store/licenses/freed-devices';
import { listProductIds } from '../store/products';
import { countAudiences } from '../store/stats/audience';

/** Background work that is split over many runs: see `maintain` in `contract/workers.ts`. */

/** Maximum number of rows that one run removes. */
const MAX_REMOVED = 5000;

/** Time, in ms, after which a run removes no further trial. */
const REMOVING_MS = 60_000;

/** Time, in ms, after which a run starts no further part of an erasure. */
const ERASING_MS = 60_000;

/** Time, in ms, after which a run counts the devices of no further product. */
const COUNTING_MS = 60_000;

/** Counts the devices that are used. A product whose devices cannot be counted does not stop the others, but the run fails at its end. */
async function countDevices({ table, realClock }: App): Promise<void> {
  const until = realClock() + COUNTING_MS;
  const faults: unknown[] = [];
  await countAudiences(
    table,
    await listProductIds(table),
    () => realClock() >= until,
    (product_id, fault) => {
      log.error('AUDIENCE_NOT_COUNTED', { product_id }, fault);
      faults.push(fault);
    },
  );
  if (faults.length > 0) throw new Error(`The devices of ${faults.length} products could not be counted`);
}

/** Runs on a schedule. */
export const handler = async (_event: unknown, context: Invocation): Promise<void> => {
  const app = getApp(context);
  const trials = await removeTrials(app, app.realClock() + REMOVING_MS);
  if (trials > 0) log.info('TRIALS_REMOVED', { removed: trials });
  const removed = await removeFreedDevices(app.table, MAX_REMOVED);
  if (removed > 0) log.info('FREED_DEVICES_REMOVED', { removed });
  await continueAllErasures(app, app.realClock() + ERASING_MS);
  await countDevices(app);
};
