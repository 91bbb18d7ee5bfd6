import type { Device, License } from '../../domain/license';
import { DEVICE_PREFIX, licenseIdKey, licenseKey } from '../keys';
import { getItem, queryPages, type Table } from '../table';
import { toDevice, toLicense } from './rows';

/** Devices listed with one license at the most; `seats.used` counts them all. */
export const MAX_LISTED_DEVICES = 10_000;

/** Rows that one call reads at the most, so that a list of which little matches still answers in time. */
export const MAX_ROWS = 50_000;

/** The product and key of a license by its id. */
export async function findLicense(table: Table, id: number): Promise<{ productId: number; key: string } | undefined> {
  const item = await getItem(table, licenseIdKey(id));
  return item && { productId: item['product_id'] as number, key: item['key'] as string };
}

/** A license by its id, in two reads. */
export async function getLicense(table: Table, id: number): Promise<License | undefined> {
  const found = await findLicense(table, id);
  const item = found && (await getItem(table, licenseKey(found.productId, found.key)));
  return item && toLicense(item);
}

export interface LicenseWithDevices {
  readonly license: License;
  readonly devices: readonly Device[];
}

/** A license by its key with its bound devices, read consistently. */
export async function getLicenseWithDevices(table: Table, productId: number, key: string): Promise<LicenseWithDevices | undefined> {
  const { pk } = licenseKey(productId, key);
  let license: License | undefined;
  const devices: Device[] = [];
  let rowsRead = 0;
  // Backwards, because LICENSE sorts behind every DEVICE#…: the epoch must be known first.
  for await (const page of queryPages(table, {
    ConsistentRead: true,
    ScanIndexForward: false,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': pk },
  })) {
    for (const item of page) {
      if (!(item['sk'] as string).startsWith(DEVICE_PREFIX)) license = toLicense(item);
      else if (item['epoch'] === license?.epoch) devices.push(toDevice(item));
    }
    rowsRead += page.length;
    // Devices that a reset has freed are still there: beyond so many of them, others are not looked for.
    if (devices.length >= MAX_LISTED_DEVICES || rowsRead >= MAX_ROWS) break;
  }
  return license && { license, devices: devices.slice(0, MAX_LISTED_DEVICES) };
}
