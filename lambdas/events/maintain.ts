import { getApp } from '../runtime/app';
import { log } from '../runtime/observability/log';
import { removeFreedDevices } from '../store/licenses/freed-devices';
import { upgradeRows } from '../store/upgrade';

/** Work that no request waits for, a part in each run: rows of freed devices go, rows of the version before are upgraded. */

/** Rows in one run. */
const MAX_REMOVED = 5000;
const MAX_UPGRADED = 5000;

/** Tables whose rows are all upgraded: nothing is asked about them again in this instance. */
const upgradedTables = new Set<string>();

/** Run by the clock. */
export const handler = async (): Promise<void> => {
  const { table } = getApp();
  if (!upgradedTables.has(table.name)) {
    const { rows, isDone } = await upgradeRows(table, MAX_UPGRADED);
    if (rows > 0) log.info('ROWS_UPGRADED', { rows });
    if (isDone) upgradedTables.add(table.name);
  }
  const removed = await removeFreedDevices(table, MAX_REMOVED);
  if (removed > 0) log.info('FREED_DEVICES_REMOVED', { removed });
};
