import { DEAD_KEY_MS, deviceKeySchema, type DeviceKey } from '../../domain/device-key';
import { lookupKey } from '../../domain/license-key';
import type { Device, License, SignIn } from '../../domain/license';
import type { MeterState } from '../../domain/meters';
import { deviceKey, deviceKeyKey, licenseKey, meterKey } from '../keys';
import { toMeter } from '../meters';
import { readRow } from '../row';
import { getItem, getItems, updateItem } from '../items';
import type { Item } from '../codec';
import type { Table } from '../table';
import type { Action } from '../action';
import { getLicense } from './read';
import { isDeadKey, toDevice, toLicense } from './rows';

/**
 * The rows of device keys. A device key works as long as the row of its device contains its hash and the device has a seat. Freeing a device
 * therefore ends its key in the same write. The row of a key that no longer works is kept for some time, so that requests with this key get
 * an understandable refusal.
 */

const toItem = ({ hash, dead_at, ...key }: DeviceKey): Item => ({
  ...deviceKeyKey(hash),
  version: 1,
  ...key,
  ...(dead_at !== null && { dead_at, ttl: Math.ceil((dead_at + DEAD_KEY_MS) / 1000) }),
});

export const toDeviceKey = (hash: string, item: Item): DeviceKey => ({ hash, ...readRow(deviceKeySchema, item) });

const keyOf = (license: License, fingerprint: string, { key_hash }: SignIn, dead_at: number | null): DeviceKey => ({
  hash: key_hash,
  product_id: license.product_id,
  license_id: license.id,
  license_key: lookupKey(license.key) ?? license.key,
  fingerprint,
  dead_at,
});

/** The action that stores the key of a device; none if the device has no key. */
export const liveDeviceKey = (license: License, { fingerprint, sign_in }: Device): Action[] =>
  sign_in ? [{ Put: { Item: toItem(keyOf(license, fingerprint, sign_in, null)) } }] : [];

/** The action that records that the key of a device no longer works since `at`; none if the device had no key. */
export const deadDeviceKey = (license: License, device: Device | undefined, at: number): Action[] =>
  device?.sign_in ? [{ Put: { Item: toItem(keyOf(license, device.fingerprint, device.sign_in, at)) } }] : [];

/** Records that a key no longer works since `at`, unless that was recorded before. The key's device was freed by a reset or a reissue. */
export async function endDeviceKey(table: Table, { key_hash }: SignIn, at: number): Promise<void> {
  await updateItem(table, {
    Key: deviceKeyKey(key_hash),
    UpdateExpression: 'SET dead_at = :at, #ttl = :ttl',
    ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(dead_at)',
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: { ':at': at, ':ttl': Math.ceil((at + DEAD_KEY_MS) / 1000) },
  });
}

export async function findDeviceKey(table: Table, hash: string): Promise<DeviceKey | undefined> {
  const item = await getItem(table, deviceKeyKey(hash));
  return item && toDeviceKey(hash, item);
}

/** The license and the device of a device key, and the meter that a request names. */
export interface SignedIn {
  readonly license: License;
  readonly device: Device | undefined;
  readonly meter: MeterState | undefined;
}

/**
 * Reads the license and the device of a device key, in one round trip unless the license has received another key since. The device may be
 * missing or belong to an earlier epoch of the license.
 *
 * @returns undefined if the license no longer exists
 */
export async function readByDeviceKey(
  table: Table,
  { product_id, license_id, license_key, fingerprint }: DeviceKey,
  meterName?: string,
): Promise<SignedIn | undefined> {
  const key = licenseKey(product_id, license_key);
  const [license, device, meter] = await getItems(table, [
    key,
    deviceKey(key, fingerprint),
    ...(meterName === undefined ? [] : [meterKey(product_id, license_key, meterName)]),
  ]);
  if (license && !isDeadKey(license))
    return { license: toLicense(license), device: device && toDevice(device), meter: meter && toMeter(meter) };
  const moved = await getLicense(table, license_id);
  return moved && { license: moved, device: undefined, meter: undefined };
}
