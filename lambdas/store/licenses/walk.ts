import { boundDevice, type Device, type License } from '../../domain/license';
import { DEVICE_PREFIX, licenseList, type Key } from '../keys';
import { getItems, keyOf, queryPages } from '../items';
import type { Table } from '../table';
import { withDetails } from './details';
import { devicesMatch, isFilteredByIndex, matches, type LicenseFilter } from './filter';
import { keysPast, type LicensePage, type Start } from './page';
import { MAX_LISTED_DEVICES, readLicenses, type LicenseWithDevices } from './read';
import { deviceRowKey, toDevice } from './rows';

/** `WALK`: number of licenses that are read in one step through the list. `WALKS`: maximum number of steps in one call. */
const WALK = 500;
const WALKS = 20;

/** Reads the list until the rows of `limit` licenses match the filter, or until the maximum number of rows was read. */
export async function walkRows(
  table: Table,
  productId: number,
  filter: LicenseFilter,
  { order, past }: Start,
  limit: number,
  maxRows: number,
): Promise<LicensePage> {
  const licenses: LicenseWithDevices[] = [];
  let unreadable = 0;
  let rowsRead = 0;
  let scanned = past;
  for (let walk = 0; walk < WALKS && rowsRead < maxRows; walk += 1) {
    // The first step reads only as many licenses as the page needs, because all of them may match.
    const page = await walkLicenses(
      table,
      productId,
      filter,
      { order, past: scanned },
      walk === 0 ? Math.min(limit + 1, WALK) : WALK,
      maxRows - rowsRead,
    );
    licenses.push(...page.licenses);
    unreadable += page.unreadable;
    rowsRead += page.rowsRead;
    if (licenses.length > limit) {
      const shown = licenses.slice(0, limit);
      return { licenses: shown, unreadable, next: shown.at(-1)?.license.id ?? past };
    }
    if (page.next === undefined) return { licenses, unreadable };
    scanned = page.next;
  }
  return { licenses, unreadable, next: scanned };
}

interface Candidate {
  readonly id: number;
  readonly key: Key;
  readonly devices: Device[];
}

/** Why a walk has ended: the list has no more licenses, the page is full, or the maximum number of rows was read. */
type WalkEnd = 'list' | 'limit' | 'budget';

/** Lists licenses from the index, which contains their order and their devices. The fields of each license are read from the table. */
export async function walkLicenses(
  table: Table,
  productId: number,
  filter: LicenseFilter,
  start: Start,
  limit: number,
  maxRows: number,
  maxDevices = MAX_LISTED_DEVICES,
): Promise<LicensePage & { readonly rowsRead: number; readonly end: WalkEnd }> {
  const found: Candidate[] = [];
  // The devices of a license come after it in ascending order, and before it in descending order.
  const backwards = start.order === 'desc';
  let devices: Device[] = [];
  let current: Candidate | undefined;
  let scanned = start.past;
  let rowsRead = 0;
  let end: WalkEnd = 'list';

  // If the filter has no field of the index, the first page usually contains enough licenses, so the following pages do not grow.
  const rows = 2 * limit + 50;
  const query = { IndexName: 'list', ...keysPast('list', licenseList(productId), start) };
  scan: for await (const page of queryPages(table, isFilteredByIndex(filter) ? query : { ...query, Limit: rows }, rows)) {
    for (const item of page) {
      if ((item['sk'] as string).startsWith(DEVICE_PREFIX)) {
        const device = toDevice(item);
        // Devices that a reset has freed have a lower epoch. They must not count towards `maxDevices`, so they are dropped when a device
        // with a higher epoch is found.
        const { epoch = device.epoch } = devices[0] ?? {};
        if (device.epoch > epoch) devices.length = 0;
        if (device.epoch >= epoch && devices.length < maxDevices) devices.push(device);
        continue;
      }
      const id = Number(item['list_sk']);
      if (!backwards) devices = [];
      current = undefined;
      const wanted =
        (filter.status === undefined || item['status'] === filter.status) &&
        (filter.license_type_id === undefined || item['license_type_id'] === filter.license_type_id);
      if (wanted) {
        if (found.length === limit) {
          end = 'limit';
          break scan;
        }
        current = { id, key: keyOf(item), devices };
        found.push(current);
      }
      if (backwards) devices = [];
      scanned = id;
    }
    rowsRead += page.length;
    // In ascending order, the devices of a license follow the license. If the page has only one license, all its devices are read, even
    // beyond the maximum number of rows. If the license were left to the next page, the list would make no progress.
    if (rowsRead >= maxRows && scanned !== start.past && (backwards || !current || found.length > 1)) {
      end = 'budget';
      break;
    }
  }

  // In ascending order, some devices of the last license may not have been read when the scan stopped, so the next page contains this
  // license.
  if (end === 'budget' && !backwards && current) {
    found.pop();
    scanned = found.at(-1)?.id ?? start.past;
  }

  const { licenses, unreadable } = await readFound(table, found, filter);
  return { licenses, unreadable, rowsRead, end, ...(end !== 'list' && { next: scanned }) };
}

/** Reads the rows of the licenses that were found in the index. Licenses that no longer match the filter are left out. */
async function readFound(
  table: Table,
  found: readonly Candidate[],
  filter: LicenseFilter,
): Promise<Pick<LicensePage, 'licenses' | 'unreadable'>> {
  const devicesAt = new Map(found.map(({ key, devices }) => [key, devices]));
  const { entities, unreadable } = await readLicenses(table, [...devicesAt.keys()]);
  const matching = entities.filter(({ license }) => matches(license, filter));
  const licenses = await withDetails(
    table,
    matching.map(({ license }) => license),
  );
  const complete = await withChecks(
    table,
    matching.map(({ key }, index) => ({ license: licenses[index] as License, devices: devicesAt.get(key) ?? [] })),
  );
  return { licenses: complete.filter((record) => devicesMatch(record, filter)), unreadable };
}

/**
 * Completes devices with the fields that validations change, such as the lease and the day of last use. The index does not contain these
 * fields, so they are read from the table.
 */
async function withChecks(table: Table, records: readonly LicenseWithDevices[]): Promise<LicenseWithDevices[]> {
  const bound = records.map(({ license, devices }) => devices.filter((device) => boundDevice(license, device) !== undefined));
  const keys = records.flatMap(({ license }, place) => (bound[place] ?? []).map(({ fingerprint }) => deviceRowKey(license, fingerprint)));
  const items = (await getItems(table, keys))[Symbol.iterator]();
  return records.map(({ license }, place) => ({
    license,
    devices: (bound[place] ?? []).flatMap(() => {
      const item = items.next().value;
      return item ? [toDevice(item)] : [];
    }),
  }));
}
