import type { License } from '../../domain/license';
import { chunks } from '../chunks';
import { BATCH_SIZE, getItems } from '../items';
import { licenseKey } from '../keys';
import { readRows, type Readable, UnreadableRow } from '../row';
import type { Table } from '../table';
import { devicesMatch, isFiltered, matches, type LicenseFilter } from './filter';
import { isPast, type LicensePage, type Start } from './page';
import { getLicenseWithDevices, type LicenseWithDevices } from './read';
import { isDeadKey, toLicense } from './rows';

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
  const { entities } = await readLicenses(table, productId, keys);
  return entities.filter(({ license }) => matches(license, filter)).map(({ key }) => key);
}

/** Reads the licenses with the given keys, without their devices. A key is left out if no license has it any more. */
export async function readLicenses(
  table: Table,
  productId: number,
  keys: readonly string[],
): Promise<Readable<{ readonly key: string; readonly license: License }>> {
  const rows = await getItems(
    table,
    keys.map((key) => licenseKey(productId, key)),
  );
  return readRows(
    keys.flatMap((key, index) => {
      const row = rows[index];
      return row && !isDeadKey(row) ? [{ key, row }] : [];
    }),
    ({ key, row }) => ({ key, license: toLicense(row) }),
  );
}

const nextAfter = (licenses: readonly LicenseWithDevices[]): { next?: number } => {
  const last = licenses.at(-1);
  return last ? { next: last.license.id } : {};
};
