import type { License } from '../../domain/license';
import { fingerprintList, licenseKey, type Key } from '../keys';
import { listProductIds } from '../products';
import { getItems, keyOf, queryAll } from '../items';
import type { Table } from '../table';
import { keyIn } from './page';
import { readLicenses, readTogether, type LicenseAddress, type LicenseWithDevices } from './read';
import { isDeadKey, toDevice } from './rows';
import { licensesOfBuyer } from './of-buyer';
import { membershipsOf } from './of-member';
import { licensesOfOrder } from './of-order';

/** The search for licenses across all products by a whole value. (docs/spec/licenses.md, Search across products) */

/** The search criterion. */
export type LicenseSearch =
  | { readonly by: 'customer_email' | 'member'; readonly email: string }
  /** The key as returned by `lookupKey`; undefined if the given text cannot be a key. */
  | { readonly by: 'key'; readonly key: string | undefined }
  | { readonly by: 'fingerprint'; readonly fingerprint: string }
  | { readonly by: 'order'; readonly order: string };

/** The position of a license in the search results, which are sorted by time of creation (epoch ms) and then by id. */
export interface SearchPosition {
  readonly created_at: number;
  readonly id: number;
}

/** Formats a position for cursors. */
export const searchCursor = ({ created_at, id }: SearchPosition): string => `${created_at}-${id}`;

/** Parses the position in a cursor, whose format must already have been checked. */
export function parseSearchCursor(text: string): SearchPosition {
  const [createdAt, id] = text.split('-');
  return { created_at: Number(createdAt), id: Number(id) };
}

const compare = (a: SearchPosition, b: SearchPosition): number => a.created_at - b.created_at || a.id - b.id;

export interface Found {
  readonly licenses: readonly LicenseWithDevices[];
  readonly unreadable: number;
  /** The next page begins after this position. Absent if there are no more results. */
  readonly next?: SearchPosition;
}

/**
 * Finds up to `limit` licenses that match and come after `past`, oldest first.
 *
 * @param productId the only product that is searched; null: all products
 */
export async function searchLicenses(
  table: Table,
  search: LicenseSearch,
  past: SearchPosition | undefined,
  limit: number,
  productId: number | null,
): Promise<Found> {
  const found = await findKeys(table, search, productId);
  const keys = productId === null ? found : found.filter(({ pk }) => pk.startsWith(licenseKey(productId, '').pk));
  const { entities, unreadable } = await readLicenses(table, keys);
  const remaining = entities.filter(({ license }) => !past || compare(license, past) > 0).sort((a, b) => compare(a.license, b.license));
  const shown = remaining.slice(0, limit);

  const { records, ...read } = await readTogether(
    table,
    shown.map(({ license, key }) => addressOf(license, key)),
  );
  const next = records.length < remaining.length ? shown[records.length - 1]?.license : undefined;
  return {
    licenses: records.filter((record) => record !== undefined),
    unreadable: unreadable + read.unreadable,
    ...(next && { next }),
  };
}

/** @param row the key of the license's row */
export const addressOf = ({ product_id }: License, row: Key): LicenseAddress => ({
  productId: product_id,
  key: keyIn(product_id, row.pk),
});

/** The keys of the rows of licenses that may match the search. */
async function findKeys(table: Table, search: LicenseSearch, productId: number | null): Promise<Key[]> {
  switch (search.by) {
    case 'key':
      return search.key === undefined
        ? []
        : (productId === null ? await listProductIds(table) : [productId]).map((id) => licenseKey(id, search.key ?? ''));
    case 'customer_email':
      return (await licensesOfBuyer(table, search.email, productId)).map((found) => licenseKey(found.productId, found.key));
    case 'member':
      return (await membershipsOf(table, search.email, productId)).map(({ product_id, key }) => licenseKey(product_id, key));
    case 'fingerprint':
      return keysByFingerprint(table, search.fingerprint);
    case 'order':
      return licensesOfOrder(table, search.order);
  }
}

/** The licenses to which a device with this fingerprint is currently bound. Licenses that have freed the device in a reset are left out. */
export async function keysByFingerprint(table: Table, fingerprint: string): Promise<Key[]> {
  const listed = await queryAll(table, {
    IndexName: 'lookup',
    KeyConditionExpression: 'lookup_pk = :list',
    ExpressionAttributeValues: { ':list': fingerprintList(fingerprint) },
  });
  const devices = listed.map(keyOf);
  const licenses = devices.map(({ pk }): Key => ({ pk, sk: licenseKey(0, '').sk }));
  const rows = await getItems(table, [...devices, ...licenses]);
  return licenses.filter((_, place) => {
    const [device, license] = [rows[place], rows[devices.length + place]];
    return device !== undefined && license !== undefined && !isDeadKey(license) && toDevice(device).epoch === license['epoch'];
  });
}
