import { getApp } from '../runtime/app';
import { continueAllErasures } from '../use-cases/customers/erase';
import { log } from '../runtime/observability/log';
import { removeFreedDevices } from '../store/licenses/freed-devices';
import { makeSearchable } from '../store/licenses/pointer';
import { moveEarlierNumbers } from '../store/stats/earlier';

/** Background work that is split over many runs: see `maintain` in `contract/workers.ts`. */

/** Maximum number of rows that one run removes. */
const MAX_REMOVED = 5000;

/** Maximum number of licenses to which one run adds search terms. These licenses were recorded by an earlier version of the service. */
const MAX_SEARCHABLE = 2000;

/** Maximum number of products whose statistics one run converts from the format of an earlier version. */
const MAX_MOVED = 500;

/** Time, in ms, after which a run starts no further part of an erasure. */
const ERASING_MS = 60_000;

/** Runs on a schedule. */
export const handler = async (): Promise<void> => {
  const app = getApp();
  const { table } = app;
  const removed = await removeFreedDevices(table, MAX_REMOVED);
  if (removed > 0) log.info('FREED_DEVICES_REMOVED', { removed });
  const findable = await makeSearchable(table, MAX_SEARCHABLE, app.clock());
  if (findable > 0) log.info('LICENSES_MADE_FINDABLE', { licenses: findable });
  const moved = await moveEarlierNumbers(table, MAX_MOVED, app.clock());
  if (moved > 0) log.info('NUMBERS_MOVED', { rows: moved });
  await continueAllErasures(app, app.clock() + ERASING_MS);
};
