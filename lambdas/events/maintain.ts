import { getApp } from '../runtime/app';
import { continueAllErasures } from '../use-cases/customers/erase';
import { log } from '../runtime/observability/log';
import { removeFreedDevices } from '../store/licenses/freed-devices';
import { upgradeRows } from '../store/upgrade';

/**
 * Work that no request waits for, a part in each run: rows of freed devices are removed, rows of the previous version upgraded, erasures of
 * buyers' data continued.
 */

/** Rows in one run. */
const MAX_REMOVED = 5000;
const MAX_UPGRADED = 5000;

/** Time in one run, in ms, after which no further part of an erasure begins. */
const ERASING_MS = 60_000;

/** Tables whose rows are all upgraded: nothing is asked about them again in this instance. */
const upgradedTables = new Set<string>();

/** Run by the clock. */
export const handler = async (): Promise<void> => {
  const app = getApp();
  const { table } = app;
  if (!upgradedTables.has(table.name)) {
    const { rows, isDone } = await upgradeRows(table, MAX_UPGRADED);
    if (rows > 0) log.info('ROWS_UPGRADED', { rows });
    if (isDone) upgradedTables.add(table.name);
  }
  const removed = await removeFreedDevices(table, MAX_REMOVED);
  if (removed > 0) log.info('FREED_DEVICES_REMOVED', { removed });
  await continueAllErasures(app, app.clock() + ERASING_MS);
};
