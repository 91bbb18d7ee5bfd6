import type { License } from '../../domain/license';
import { lookupKey } from '../../domain/license-key';
import type { Product } from '../../domain/product';
import type { Catalogue } from '../../domain/releases/catalogue';
import type { Release } from '../../domain/releases/release';
import { versionPosition } from '../../domain/releases/version';
import { catalogueKey, licenseIdKey, licenseKey, productKey, productSlugKey, releaseKey, type Key } from '../keys';
import { isDeadKey, toLicense } from '../licenses/rows';
import { toProduct } from '../products';
import { RowReader } from '../row';
import { getItem, getItems, type Item, type Table } from '../table';
import { toCatalogue } from './catalogue';
import { toRelease } from './rows';

/** What a request of an updater reads: everything that is known at a time in one round trip. */

/** A license as the request names it: by its key, by its id, or by where its id has led. */
export type LicenseName = { readonly key: string } | { readonly id: number } | { readonly address: Key };

export interface Reads {
  readonly product?: boolean;
  readonly license?: LicenseName | undefined;
  /** Channels whose catalogues are read. */
  readonly channels?: readonly string[];
  /** Versions of releases. */
  readonly versions?: readonly string[];
}

export interface DownloadState {
  readonly product: Product | undefined;
  readonly license: License | undefined;
  /** True if the key was replaced by another one. */
  readonly isDeadKey: boolean;
  /** Where the license of an id is. */
  readonly address: Key | undefined;
  readonly catalogues: readonly Catalogue[];
  /** By the versions that were asked for. */
  readonly releases: ReadonlyMap<string, Release | undefined>;
}

function keyOf(productId: number, name: LicenseName): Key | undefined {
  if ('address' in name) return name.address;
  if ('id' in name) return licenseIdKey(name.id);
  const key = lookupKey(name.key);
  return key === undefined ? undefined : licenseKey(productId, key);
}

/** The row of the product's own license to which a license's id leads. */
function addressOf(productId: number, item: Item): Key | undefined {
  const row = new RowReader(item);
  const key = lookupKey(row.string('key'));
  return row.number('product_id') === productId && key !== undefined ? licenseKey(productId, key) : undefined;
}

export async function readDownloadState(
  table: Table,
  productId: number,
  { product, license, channels = [], versions = [] }: Reads,
): Promise<DownloadState> {
  const licenseAt = license && keyOf(productId, license);
  const keys = [
    ...(product ? [productKey(productId)] : []),
    ...(licenseAt ? [licenseAt] : []),
    ...channels.map((channel) => catalogueKey(productId, channel)),
    ...versions.map((version) => releaseKey(productId, versionPosition(version))),
  ];
  const items = await getItems(table, keys);
  const take = (count: number): readonly (Item | undefined)[] => items.splice(0, count);
  const [productItem] = take(product ? 1 : 0);
  const [licenseItem] = take(licenseAt ? 1 : 0);
  const isById = license !== undefined && 'id' in license;
  const isDead = licenseItem !== undefined && !isById && isDeadKey(licenseItem);
  return {
    product: productItem && toProduct(productItem),
    license: licenseItem && !isById && !isDead ? toLicense(licenseItem) : undefined,
    isDeadKey: isDead,
    address: licenseItem && isById ? addressOf(productId, licenseItem) : undefined,
    catalogues: take(channels.length).map((item) => toCatalogue(item).catalogue),
    releases: new Map(take(versions.length).map((item, index) => [versions[index] ?? '', item && toRelease(item).release])),
  };
}

/** The id of the product with a slug, which never changes. */
export async function findProductId(table: Table, slug: string): Promise<number | undefined> {
  const item = await getItem(table, productSlugKey(slug));
  return (item && new RowReader(item).nullableNumber('product_id')) ?? undefined;
}
