import { getApp, type Invocation } from '../runtime/app';
import { continueAllErasures } from '../use-cases/customers/erase';
import { removeTrials } from '../use-cases/remove-trials';
import { log } from '../runtime/observability/log';
import { removeFreedDevices } from '../store/licenses/freed-devices';

/** Background work that is split over many runs: see `maintain` in `contract/workers.ts`. */

/** Maximum number of rows that one run removes. */
const MAX_REMOVED = 5000;

/** Time, in ms, after which a run removes no further trial. */
const REMOVING_MS = 60_000;

/** Time, in ms, after which a run starts no further part of an erasure. */
const ERASING_MS = 60_000;

/** Runs on a schedule. */
export const handler = async (_event: unknown, context: Invocation): Promise<void> => {
  const app = getApp(context);
  const trials = await removeTrials(app, app.clock() + REMOVING_MS);
  if (trials > 0) log.info('TRIALS_REMOVED', { removed: trials });
  const removed = await removeFreedDevices(app.table, MAX_REMOVED);
  if (removed > 0) log.info('FREED_DEVICES_REMOVED', { removed });
  await continueAllErasures(app, app.clock() + ERASING_MS);
};
