import type { License } from '../../domain/license';
import { deviceKeyHash, type DeviceKey } from '../../domain/device-key';
import { lookupKey, normalizeDeviceKey } from '../../domain/license-key';
import type { Product } from '../../domain/product';
import type { Catalogue } from '../../domain/releases/catalogue';
import type { Release } from '../../domain/releases/release';
import { versionPosition } from '../../domain/releases/version';
import { catalogueKey, deviceKeyKey, licenseIdKey, licenseKey, productKey, productSlugKey, releaseKey, type Key } from '../keys';
import { toDeviceKey } from '../licenses/device-keys';
import { isDeadKey, toLicense } from '../licenses/rows';
import { toProduct } from '../products';
import { numberIn } from '../row';
import { getItem, getItems } from '../items';
import type { Item } from '../codec';
import type { Table } from '../table';
import { toCatalogue } from './catalogue';
import { toRelease } from './rows';
import { toAddress } from '../licenses/read';

/** Reads the data for an updater's request. Each round trip reads all rows whose keys are known at that time. */

/**
 * How a request names its license: by the license key, by the license's id, or by the key of the license's row. If the request names an id,
 * a first read finds the key of the row.
 */
export type LicenseName = { readonly key: string } | { readonly id: number } | { readonly address: Key };

export interface Reads {
  readonly product?: boolean;
  readonly license?: LicenseName | undefined;
  /** The channels whose catalogues are read. */
  readonly channels?: readonly string[];
  /** The versions of the releases that are read. */
  readonly versions?: readonly string[];
}

export interface DownloadState {
  readonly product: Product | undefined;
  readonly license: License | undefined;
  /** True if the license key in the request no longer works, because the license received another key. */
  readonly isDeadKey: boolean;
  /** The stored device key, if the request has a device key. */
  readonly deviceKey: DeviceKey | undefined;
  /** The key of the license's row, if the request named the license by its id. */
  readonly address: Key | undefined;
  readonly catalogues: readonly Catalogue[];
  /** The releases by version, for the versions that were requested. */
  readonly releases: ReadonlyMap<string, Release | undefined>;
}

function keyOf(productId: number, name: LicenseName): Key | undefined {
  if ('address' in name) return name.address;
  if ('id' in name) return licenseIdKey(name.id);
  const key = lookupKey(name.key);
  return key === undefined ? undefined : licenseKey(productId, key);
}

/** The key of the license's row; undefined if the license belongs to another product. */
function addressOf(productId: number, item: Item): Key | undefined {
  const address = toAddress(item);
  return address?.productId === productId ? licenseKey(productId, address.key) : undefined;
}

export async function readDownloadState(
  table: Table,
  productId: number,
  { product, license, channels = [], versions = [] }: Reads,
): Promise<DownloadState> {
  const licenseAt = license && keyOf(productId, license);
  const deviceKey = license && 'key' in license ? normalizeDeviceKey(license.key) : undefined;
  const hash = deviceKey === undefined ? undefined : deviceKeyHash(deviceKey);
  const keys = [
    ...(product ? [productKey(productId)] : []),
    ...(licenseAt ? [licenseAt] : []),
    ...(hash === undefined ? [] : [deviceKeyKey(hash)]),
    ...channels.map((channel) => catalogueKey(productId, channel)),
    ...versions.map((version) => releaseKey(productId, versionPosition(version))),
  ];
  const items = await getItems(table, keys);
  const take = (count: number): readonly (Item | undefined)[] => items.splice(0, count);
  const [productItem] = take(product ? 1 : 0);
  const [licenseItem] = take(licenseAt ? 1 : 0);
  const [deviceKeyItem] = take(hash === undefined ? 0 : 1);
  const isById = license !== undefined && 'id' in license;
  const isDead = licenseItem !== undefined && !isById && isDeadKey(licenseItem);
  return {
    product: productItem && toProduct(productItem),
    license: licenseItem && !isById && !isDead ? toLicense(licenseItem) : undefined,
    isDeadKey: isDead,
    deviceKey: deviceKeyItem && toDeviceKey(hash ?? '', deviceKeyItem),
    address: licenseItem && isById ? addressOf(productId, licenseItem) : undefined,
    catalogues: take(channels.length).map((item) => toCatalogue(item).catalogue),
    releases: new Map(take(versions.length).map((item, index) => [versions[index] ?? '', item && toRelease(item).release])),
  };
}

/** The id of the product that has the given slug. The slug of a product never changes. */
export async function findProductId(table: Table, slug: string): Promise<number | undefined> {
  const item = await getItem(table, productSlugKey(slug));
  return item && numberIn(item, 'product_id');
}
