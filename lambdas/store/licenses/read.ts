import { boundDevice, type Device, type License } from '../../domain/license';
import { lookupKey } from '../../domain/license-key';
import { DEVICE_PREFIX, licenseIdKey, licenseKey, type Key } from '../keys';
import { chunks } from '../chunks';
import { retry, TRY_AGAIN } from '../retry';
import { numberIn, readRows, stringIn, UnreadableRow, type Readable } from '../row';
import type { Item } from '../codec';
import { getItem, getItems, readItems, wholePartition } from '../items';
import { scanPage } from '../scan';
import type { Table } from '../table';
import { withDetails } from './details';
import { deviceRowKey, isDeadKey, licenseRowKey, toDevice, toLicense } from './rows';

/** Maximum number of devices that are listed with one license. `seats.used` counts all devices. */
export const MAX_LISTED_DEVICES = 10_000;

/** Maximum number of rows that one call reads, so that the call returns in time even if few rows match the filter. */
export const MAX_ROWS = 50_000;

/** The product and the key of a license, which identify its row. */
export interface LicenseAddress {
  readonly productId: number;
  /** The license key as returned by `lookupKey`. */
  readonly key: string;
}

/** The license to which a row leads from the license's id. */
export function toAddress(item: Item): LicenseAddress | undefined {
  const key = lookupKey(stringIn(item, 'key'));
  return key === undefined ? undefined : { productId: numberIn(item, 'product_id'), key };
}

export async function findLicense(table: Table, id: number): Promise<LicenseAddress | undefined> {
  const item = await getItem(table, licenseIdKey(id));
  return item && toAddress(item);
}

/** The keys of the rows of the licenses with these ids. Licenses that do not exist or cannot be found are left out. */
export async function rowKeysOf(table: Table, ids: readonly number[]): Promise<Key[]> {
  const { entities } = await readItems(table, ids.map(licenseIdKey), (item) => ({ address: toAddress(item) }));
  return entities.flatMap(({ address }) => (address ? [licenseKey(address.productId, address.key)] : []));
}

/**
 * Finds the product and key of a license by its id, and returns the result of `read` for this product and key. If the license is moved to a
 * new key between the two reads, the product and key are looked up again.
 *
 * @param read returns undefined if the product has no license with that key
 * @returns undefined if there is no license with that id
 * @throws StoreUnavailable if the license is moved again and again until the time for retries ends
 */
export function readById<Found>(
  table: Table,
  id: number,
  read: (address: LicenseAddress) => Promise<Found | undefined>,
): Promise<Found | undefined> {
  return retry(table, 'The key of the license', async () => {
    const address = await findLicense(table, id);
    return address && ((await read(address)) ?? TRY_AGAIN);
  });
}

/** Reads a license by its current key, without its long metadata. */
export async function getLicenseAt(table: Table, { productId, key }: LicenseAddress): Promise<License | undefined> {
  const item = await getItem(table, licenseKey(productId, key));
  return item && !isDeadKey(item) ? toLicense(item) : undefined;
}

/** Reads a license by its id in two reads, without its long metadata. */
export const getLicense = (table: Table, id: number): Promise<License | undefined> =>
  readById(table, id, (address) => getLicenseAt(table, address));

/** Reads licenses by the keys of their rows, without their devices. A key is left out if no license has it any more. */
export async function readLicenses(
  table: Table,
  keys: readonly Key[],
): Promise<Readable<{ readonly key: Key; readonly license: License }>> {
  const rows = await getItems(table, keys);
  return readRows(
    keys.flatMap((key, place) => {
      const row = rows[place];
      return row && !isDeadKey(row) ? [{ key, row }] : [];
    }),
    ({ key, row }) => ({ key, license: toLicense(row) }),
  );
}

/** The licenses, by their ids, on which the device with this fingerprint has a seat. */
export async function readBoundDevices(
  table: Table,
  licenses: readonly License[],
  fingerprint: string,
): Promise<ReadonlyMap<number, Device>> {
  const rows = await getItems(
    table,
    licenses.map((license) => deviceRowKey(license, fingerprint)),
  );
  return new Map(
    licenses.flatMap((license, place): [number, Device][] => {
      const row = rows[place];
      const device = boundDevice(license, row && toDevice(row));
      return device ? [[license.id, device]] : [];
    }),
  );
}

export interface LicenseWithDevices {
  readonly license: License;
  readonly devices: readonly Device[];
}

/** The devices of a license, including devices that a reset has freed. Reads {@link MAX_ROWS} rows at most. */
export async function readDevices(table: Table, license: License): Promise<readonly Device[]> {
  const query = {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :device)',
    ExpressionAttributeValues: { ':pk': licenseRowKey(license).pk, ':device': DEVICE_PREFIX },
  };
  const { entries } = await scanPage(table, query, { keep: toDevice, limit: MAX_ROWS, budget: MAX_ROWS });
  return entries;
}

/** Reads a license by its key consistently, with its bound devices and its metadata. */
export async function getLicenseWithDevices(
  table: Table,
  { productId, key }: LicenseAddress,
  maxDevices = MAX_LISTED_DEVICES,
): Promise<LicenseWithDevices | undefined> {
  const { pk } = licenseKey(productId, key);
  let license: License | undefined;
  const keep = (item: Item): Device | undefined => {
    if ((item['sk'] as string).startsWith(DEVICE_PREFIX)) return license && item['epoch'] === license.epoch ? toDevice(item) : undefined;
    license = isDeadKey(item) ? undefined : toLicense(item);
    return undefined;
  };
  // The query runs in descending order, because the sort key `LICENSE` follows every `DEVICE#…`, and the epoch of the license must be known
  // before its devices are read. The partition may still contain rows of freed devices, so the search for bound devices ends after a maximum
  // number of rows.
  const query = { ...wholePartition(pk), ScanIndexForward: false };
  const { entries: devices } = await scanPage(table, query, { keep, limit: maxDevices, budget: MAX_ROWS });
  if (!license) return undefined;
  const [loaded = license] = await withDetails(table, [license]);
  return { license: loaded, devices };
}

/** Number of licenses whose devices are read at the same time. */
const READ_TOGETHER = 10;

/**
 * Reads licenses with their devices, in the given order, until they have `maxDevices` devices together.
 *
 * @returns a record for each license that was read: undefined if the license no longer has this key, or if this version cannot read its row
 */
export async function readTogether(
  table: Table,
  addresses: readonly LicenseAddress[],
  maxDevices = MAX_ROWS,
): Promise<{ readonly records: readonly (LicenseWithDevices | undefined)[]; readonly unreadable: number }> {
  const records: (LicenseWithDevices | undefined)[] = [];
  let unreadable = 0;
  let devices = 0;
  for (const batch of chunks(addresses, READ_TOGETHER)) {
    if (records.length > 0 && devices >= maxDevices) break;
    for (const one of await Promise.allSettled(batch.map((address) => getLicenseWithDevices(table, address)))) {
      if (one.status === 'rejected' && !(one.reason instanceof UnreadableRow)) throw one.reason;
      const record = one.status === 'fulfilled' ? one.value : undefined;
      if (one.status === 'rejected') unreadable += 1;
      records.push(record);
      devices += record?.devices.length ?? 0;
    }
  }
  return { records, unreadable };
}
