import type { Device, License } from '../../domain/license';
import type { Product } from '../../domain/product';
import { deviceKey, licenseKey, productKey } from '../keys';
import { toDevice, toLicense } from './rows';
import { toProduct } from '../products';
import { getItems, type Table } from '../table';

export interface ActivationState {
  readonly product?: Product;
  readonly license?: License;
  readonly device?: Device;
}

/**
 * All that a client's request rests on, in one round trip: the license and the device, and the product too
 * where the caller doesn't hold it.
 *
 * @param key the canonical key; undefined where it can't be a key, so that only the product is read
 */
export async function readActivation(
  table: Table,
  productId: number,
  key: string | undefined,
  fingerprint: string,
  withProduct: boolean,
): Promise<ActivationState> {
  const wanted = {
    ...(withProduct && { product: productKey(productId) }),
    ...(key !== undefined && { license: licenseKey(productId, key), device: deviceKey(productId, key, fingerprint) }),
  };
  const names = Object.keys(wanted);
  const items = await getItems(table, Object.values(wanted));
  const item = (name: string) => items[names.indexOf(name)];
  const product = item('product');
  const license = item('license');
  const device = item('device');
  return {
    ...(product && { product: toProduct(product) }),
    ...(license && { license: toLicense(license) }),
    ...(device && { device: toDevice(device) }),
  };
}
