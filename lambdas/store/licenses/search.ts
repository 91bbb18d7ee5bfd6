import type { License } from '../../domain/license';
import { fingerprintList, licenseKey, type Key } from '../keys';
import { listProductIds } from '../products';
import { readRows, UnreadableRow } from '../row';
import { getItems, queryPages } from '../items';
import type { Table } from '../table';
import { getLicenseWithDevices, MAX_ROWS, type LicenseWithDevices } from './read';
import { isDeadKey, toDevice, toLicense } from './rows';
import { licensesOfBuyer } from './of-buyer';
import { membershipsOf } from './of-member';
import { licensesOfOrder } from './of-order';
import { chunks } from '../chunks';

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

/** Number of licenses whose devices are read at the same time. */
const READ_TOGETHER = 10;

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
  const rows = await getItems(table, keys);
  const { entities, unreadable } = readRows(
    rows.filter((row) => row !== undefined && !isDeadKey(row)),
    (row) => ({ key: String(row?.['pk']), license: toLicense(row ?? {}) }),
  );
  const remaining = entities.filter(({ license }) => !past || compare(license, past) > 0).sort((a, b) => compare(a.license, b.license));
  const shown = remaining.slice(0, limit);

  const { licenses, next, ...withDevices } = await readTogether(table, shown);
  const last = shown.at(-1)?.license;
  const end = next ?? (remaining.length > limit ? last : undefined);
  return { licenses, unreadable: unreadable + withDevices.unreadable, ...(end && { next: end }) };
}

/**
 * Reads licenses with their devices, in the given order. If there are too many devices to read, `next` is the position of the last license
 * that was read.
 */
export async function readTogether(table: Table, found: readonly { readonly license: License; readonly key: string }[]): Promise<Found> {
  const licenses: LicenseWithDevices[] = [];
  let unreadable = 0;
  let devices = 0;
  let before: License | undefined;
  for (const batch of chunks(found, READ_TOGETHER)) {
    if (before && devices >= MAX_ROWS) return { licenses, unreadable, next: before };
    const settled = await Promise.allSettled(batch.map(({ license, key }) => getLicenseWithDevices(table, addressOf(license, key))));
    for (const one of settled) {
      if (one.status === 'fulfilled') {
        if (one.value) licenses.push(one.value);
        devices += one.value?.devices.length ?? 0;
      } else if (one.reason instanceof UnreadableRow) {
        unreadable += 1;
      } else {
        throw one.reason;
      }
    }
    before = batch.at(-1)?.license;
  }
  return { licenses, unreadable };
}

const addressOf = ({ product_id }: License, pk: string): { productId: number; key: string } => ({
  productId: product_id,
  key: pk.slice(licenseKey(product_id, '').pk.length),
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
  const devices: Key[] = [];
  for await (const page of queryPages(table, {
    IndexName: 'lookup',
    KeyConditionExpression: 'lookup_pk = :list',
    ExpressionAttributeValues: { ':list': fingerprintList(fingerprint) },
  })) {
    devices.push(...page.map(({ pk, sk }) => ({ pk: pk as string, sk: sk as string })));
  }
  const licenses = devices.map(({ pk }): Key => ({ pk, sk: licenseKey(0, '').sk }));
  const rows = await getItems(table, [...devices, ...licenses]);
  return licenses.filter((_, place) => {
    const [device, license] = [rows[place], rows[devices.length + place]];
    return device !== undefined && license !== undefined && !isDeadKey(license) && toDevice(device).epoch === license['epoch'];
  });
}
