import type { Device, License } from '../../domain/license';
import type { Product } from '../../domain/product';
import type { SigningSeeds } from '../../domain/signing-key';
import { deviceKey, licenseKey, productKey, signingSeedsKey } from '../keys';
import { isDeadKey, toDevice, toLicense } from './rows';
import { toProduct, toSigningSeeds } from '../products';
import { getItems, type Table } from '../table';

export interface ActivationState {
  readonly product?: Product;
  readonly seeds?: SigningSeeds;
  readonly license?: License;
  /** True when the key was replaced by another: it is dead. */
  readonly isDeadKey?: boolean;
  readonly device?: Device;
}

/**
 * All that a client's request rests on, in one round trip: the license and the device, and the product and its
 * signing seeds if the caller asks for them.
 *
 * @param key as `lookupKey` makes it; undefined when it can't be a key, so that only the product is read
 */
export async function readActivation(
  table: Table,
  productId: number,
  key: string | undefined,
  fingerprint: string,
  also: { readonly product: boolean; readonly seeds: boolean },
): Promise<ActivationState> {
  const wanted = {
    ...(also.product && { product: productKey(productId) }),
    ...(also.seeds && { seeds: signingSeedsKey(productId) }),
    ...(key !== undefined && { license: licenseKey(productId, key), device: deviceKey(licenseKey(productId, key), fingerprint) }),
  };
  const names = Object.keys(wanted);
  const items = await getItems(table, Object.values(wanted));
  const item = (name: string) => items[names.indexOf(name)];
  const product = item('product');
  const license = item('license');
  const device = item('device');
  return {
    ...(product && { product: toProduct(product) }),
    ...(also.seeds && { seeds: toSigningSeeds(item('seeds')) }),
    ...(license && (isDeadKey(license) ? { isDeadKey: true } : { license: toLicense(license) })),
    ...(device && { device: toDevice(device) }),
  };
}
