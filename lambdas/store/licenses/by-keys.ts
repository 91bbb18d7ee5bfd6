import { chunks } from '../chunks';
import { BATCH_SIZE } from '../items';
import { licenseKey } from '../keys';
import { UnreadableRow } from '../row';
import type { Table } from '../table';
import { devicesMatch, isFiltered, matches, type LicenseFilter } from './filter';
import { isPast, keyIn, type LicensePage, type Start } from './page';
import { getLicenseWithDevices, readLicenses, type LicenseWithDevices } from './read';

/**
 * Reads the licenses with the given keys and returns the licenses that match the filter. The given keys must already be in the order of the
 * list.
 */
export async function licensesByKeys(
  table: Table,
  productId: number,
  keys: readonly string[],
  filter: LicenseFilter,
  start: Start,
  limit: number,
  maxRows: number,
): Promise<LicensePage> {
  const licenses: LicenseWithDevices[] = [];
  let devices = 0;
  let unreadable = 0;
  for (const batch of chunks(keys, BATCH_SIZE)) {
    for (const key of await matchingKeys(table, productId, batch, filter)) {
      try {
        const record = await getLicenseWithDevices(table, { productId, key });
        if (!record || !isPast(record.license.id, start) || !matches(record.license, filter) || !devicesMatch(record, filter)) continue;
        if (licenses.length === limit || devices >= maxRows) return { licenses, unreadable, ...nextAfter(licenses) };
        licenses.push(record);
        devices += record.devices.length;
      } catch (error) {
        if (!(error instanceof UnreadableRow)) throw error;
        unreadable += 1;
      }
    }
  }
  return { licenses, unreadable };
}

/**
 * Selects the keys whose licenses may match the filter. All rows of licenses are read at once, but reading the devices takes one more read
 * for each license. A reseller has thousands of licenses, so the devices are read only for licenses that may match.
 */
async function matchingKeys(table: Table, productId: number, keys: readonly string[], filter: LicenseFilter): Promise<readonly string[]> {
  if (keys.length === 1 || !isFiltered(filter)) return keys;
  const { entities } = await readLicenses(
    table,
    keys.map((key) => licenseKey(productId, key)),
  );
  return entities.filter(({ license }) => matches(license, filter)).map(({ key }) => keyIn(productId, key.pk));
}

const nextAfter = (licenses: readonly LicenseWithDevices[]): { next?: number } => {
  const last = licenses.at(-1);
  return last ? { next: last.license.id } : {};
};
