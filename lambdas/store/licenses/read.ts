import type { Device, License } from '../../domain/license';
import { lookupKey } from '../../domain/license-key';
import { DEVICE_PREFIX, licenseIdKey, licenseKey } from '../keys';
import { retry, TRY_AGAIN } from '../retry';
import { RowReader } from '../row';
import { getItem, queryPages, type Table } from '../table';
import { withDetails } from './details';
import { isDeadKey, licenseRowKey, toDevice, toLicense } from './rows';

/** Maximum number of devices listed with one license; `seats.used` counts them all. */
export const MAX_LISTED_DEVICES = 10_000;

/** Maximum number of rows that one call reads, so that a filter with few matches still responds in time. */
export const MAX_ROWS = 50_000;

/** The product and key of a license by its id. */
export interface LicenseAddress {
  readonly productId: number;
  /** As returned by `lookupKey`. */
  readonly key: string;
}

export async function findLicense(table: Table, id: number): Promise<LicenseAddress | undefined> {
  const item = await getItem(table, licenseIdKey(id));
  if (!item) return undefined;
  const row = new RowReader(item);
  const key = lookupKey(row.string('key'));
  return key === undefined ? undefined : { productId: row.number('product_id'), key };
}

/**
 * The result of `read` at the address of a license. If the license is moved to a new key between the two reads, it is
 * looked up again.
 *
 * @param read returns undefined if there is no license at the address
 * @returns undefined if there is no license with that id
 * @throws StoreUnavailable if the license is moved repeatedly until the request may not retry any more
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

/** A license by its current key; long metadata is not loaded. */
export async function getLicenseAt(table: Table, { productId, key }: LicenseAddress): Promise<License | undefined> {
  const item = await getItem(table, licenseKey(productId, key));
  return item && !isDeadKey(item) ? toLicense(item) : undefined;
}

/** A license by its id, in two reads; long metadata is not loaded. */
export const getLicense = (table: Table, id: number): Promise<License | undefined> =>
  readById(table, id, (address) => getLicenseAt(table, address));

export interface LicenseWithDevices {
  readonly license: License;
  readonly devices: readonly Device[];
}

/** The devices of a license, including those that a reset has freed. Reads at most {@link MAX_ROWS} rows. */
export async function readDevices(table: Table, license: License): Promise<Device[]> {
  const devices: Device[] = [];
  for await (const page of queryPages(table, {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :device)',
    ExpressionAttributeValues: { ':pk': licenseRowKey(license).pk, ':device': DEVICE_PREFIX },
  })) {
    devices.push(...page.map(toDevice));
    if (devices.length >= MAX_ROWS) break;
  }
  return devices;
}

/** A license by its key with its bound devices and its metadata, read consistently. */
export async function getLicenseWithDevices(
  table: Table,
  { productId, key }: LicenseAddress,
  maxDevices = MAX_LISTED_DEVICES,
): Promise<LicenseWithDevices | undefined> {
  const { pk } = licenseKey(productId, key);
  let license: License | undefined;
  const devices: Device[] = [];
  let rowsRead = 0;
  // In descending order, because LICENSE sorts after every DEVICE#…, and the epoch must be known first.
  for await (const page of queryPages(table, {
    ConsistentRead: true,
    ScanIndexForward: false,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': pk },
  })) {
    for (const item of page) {
      if (!(item['sk'] as string).startsWith(DEVICE_PREFIX)) license = isDeadKey(item) ? undefined : toLicense(item);
      else if (license && item['epoch'] === license.epoch) devices.push(toDevice(item));
    }
    rowsRead += page.length;
    // Rows of freed devices may still be there; the search for bound devices ends after this number of rows.
    if (devices.length >= maxDevices || rowsRead >= MAX_ROWS) break;
  }
  if (!license) return undefined;
  const [loaded = license] = await withDetails(table, [license]);
  return { license: loaded, devices: devices.slice(0, maxDevices) };
}
