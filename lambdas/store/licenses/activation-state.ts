import type { DeviceKey } from '../../domain/device-key';
import type { Device, License } from '../../domain/license';
import type { Product } from '../../domain/product';
import type { SigningSeeds } from '../../domain/signing-key';
import type { MeterState } from '../../domain/meters';
import { deviceKey, deviceKeyKey, licenseKey, meterKey, productKey, signingSeedsKey } from '../keys';
import { toMeter } from '../meters';
import type { LicenseState } from './commit';
import { toDeviceKey } from './device-keys';
import { readById } from './read';
import { isDeadKey, toDevice, toLicense } from './rows';
import { toProduct, toSigningSeeds } from '../products';
import { getItems } from '../items';
import type { Table } from '../table';

export interface ActivationState {
  readonly product?: Product;
  readonly seeds?: SigningSeeds;
  readonly license?: License;
  /** If the license received another key, so that this key no longer works: the id of the license. */
  readonly deadKeyOf?: number;
  readonly device?: Device;
  readonly meter?: MeterState;
  /** The stored device key; undefined if the request has no device key, or an unknown one. */
  readonly deviceKey?: DeviceKey;
}

/**
 * Reads all data for a client's request in one round trip: the license and the device, and if the caller asks for them, the product and its
 * signing seeds. If the key in the request has the format of a device key, the row of that key is read, too.
 *
 * @param key as returned by `lookupKey`; undefined if the text in the request cannot be a key. Then neither a license nor a device is read.
 * @param fingerprint the device's fingerprint; if undefined, no device is read
 * @param also what else is read; `meter` is the name of a meter
 */
export async function readActivation(
  table: Table,
  productId: number,
  key: string | undefined,
  fingerprint: string | undefined,
  also: {
    readonly product: boolean;
    readonly seeds: boolean;
    readonly meter?: string | undefined;
    readonly deviceKeyHash?: string | undefined;
  },
): Promise<ActivationState> {
  const wanted = {
    ...(also.product && { product: productKey(productId) }),
    ...(also.seeds && { seeds: signingSeedsKey(productId) }),
    ...(also.deviceKeyHash !== undefined && { deviceKey: deviceKeyKey(also.deviceKeyHash) }),
    ...(key !== undefined && { license: licenseKey(productId, key) }),
    ...(key !== undefined && fingerprint !== undefined && { device: deviceKey(licenseKey(productId, key), fingerprint) }),
    ...(key !== undefined && also.meter !== undefined && { meter: meterKey(productId, key, also.meter) }),
  };
  const names = Object.keys(wanted);
  const items = await getItems(table, Object.values(wanted));
  const item = (name: string) => items[names.indexOf(name)];
  const product = item('product');
  const license = item('license');
  const device = item('device');
  const meter = item('meter');
  const stored = item('deviceKey');
  return {
    ...(product && { product: toProduct(product) }),
    ...(also.seeds && { seeds: toSigningSeeds(item('seeds')) }),
    ...(license && (isDeadKey(license) ? { deadKeyOf: license['id'] as number } : { license: toLicense(license) })),
    ...(device && { device: toDevice(device) }),
    ...(meter && { meter: toMeter(meter) }),
    ...(stored && { deviceKey: toDeviceKey(also.deviceKeyHash ?? '', stored) }),
  };
}

/** Reads a license by its id, under its current key, together with the device of a fingerprint. */
export const readWithDevice = (table: Table, id: number, fingerprint: string): Promise<LicenseState | undefined> =>
  readById(table, id, async ({ productId, key }) => {
    const { license, device } = await readActivation(table, productId, key, fingerprint, { product: false, seeds: false });
    return license && { license, device };
  });
