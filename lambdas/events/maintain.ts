import { getApp } from '../runtime/app';
import { continueAllErasures } from '../use-cases/customers/erase';
import { log } from '../runtime/observability/log';
import { removeFreedDevices } from '../store/licenses/freed-devices';

/** Background work, a part in each run: removes rows of freed devices, and continues erasures of buyers' data. */

/** Maximum number of rows in one run. */
const MAX_REMOVED = 5000;

/** Time in one run, in ms, after which no further part of an erasure begins. */
const ERASING_MS = 60_000;

/** Runs on a schedule. */
export const handler = async (): Promise<void> => {
  const app = getApp();
  const { table } = app;
  const removed = await removeFreedDevices(table, MAX_REMOVED);
  if (removed > 0) log.info('FREED_DEVICES_REMOVED', { removed });
  await continueAllErasures(app, app.clock() + ERASING_MS);
};
