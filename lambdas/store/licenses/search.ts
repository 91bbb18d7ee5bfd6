import { indexes, partitions } from '../../contract/access';
import type { License } from '../../domain/license';
import { deviceKeyHash, isRecognized } from '../../domain/device-key';
import { lookupKey, normalizeDeviceKey } from '../../domain/license-key';
import { emailTerm, matches, prefixesOf, type TermPrefix } from '../../domain/search-term';
import { fingerprintList, licenseIdKey, licenseKey, termList, type Key } from '../keys';
import { listProductIds } from '../products';
import { toMember } from '../members';
import { readRows, UnreadableRow } from '../row';
import { getItems, queryPages } from '../items';
import type { Item } from '../codec';
import type { Table } from '../table';
import { findDeviceKey } from './device-keys';
import { getLicenseWithDevices, MAX_ROWS, readById, type LicenseWithDevices } from './read';
import { termIndexes } from './pointer';
import { isDeadKey, toDevice, toLicense } from './rows';
import { licensesOfBuyer } from './of-buyer';
import { membershipsOf } from './of-member';
import { licensesOfOrder } from './of-order';
import { chunks } from '../chunks';

/** The search for licenses across all products. (docs/spec/licenses.md, Search across products) */

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
async function readTogether(table: Table, found: readonly { readonly license: License; readonly key: string }[]): Promise<Found> {
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

/** Maximum number of licenses that {@link findLicensesByBeginning} returns. */
const MAX_FOUND = 50;

/**
 * Maximum number of search terms that are considered for one prefix. If more terms of the searched products begin with the prefix, only the
 * first terms in alphabetical order are considered, and the search returns the newest licenses with these terms.
 */
const MAX_TERMS = 10_000;

/** Maximum number of search terms that are read for one prefix, including terms of products that the caller may not see. */
const MAX_TERMS_READ = 100_000;

/**
 * Finds licenses with a search term that begins with the text, newest first, or the license of a whole device key. Returns up to `limit` licenses, but never more than {@link
 * MAX_FOUND}.
 *
 * @param productId the only product that is searched; null: all products
 */
export async function findLicensesByBeginning(table: Table, q: string, limit: number, productId: number | null): Promise<Found> {
  const ofDevice = await findByDeviceKey(table, q, productId);
  if (ofDevice) return { licenses: [ofDevice], unreadable: 0 };
  const prefixes = prefixesOf(q);
  const hits = (await Promise.all(prefixes.map((prefix) => termsWith(table, prefix, productId)))).flat();
  const seen = new Map(hits.map((hit) => [hit.id, hit]));
  const newest = [...seen.values()].sort((a, b) => compare(b, a)).slice(0, Math.min(limit, MAX_FOUND));
  const pointers = await getItems(
    table,
    newest.map(({ id }) => licenseIdKey(id)),
  );
  const keys = pointers.flatMap((item) => {
    const key = item && lookupKey(String(item['key']));
    return key === undefined ? [] : [licenseKey(Number(item?.['product_id']), key)];
  });
  const rows = (await getItems(table, keys)).filter((row) => row !== undefined && !isDeadKey(row));
  const { entities, unreadable } = readRows(rows, (row) => ({ key: String(row?.['pk']), license: toLicense(row ?? {}) }));
  const found = await readTogether(table, entities);
  // The indexes may be slightly behind the table. Therefore the search text is compared again, with the terms of the licenses and their
  // members as they are in the table.
  const ofMembers = await licensesOfMembers(
    table,
    hits.flatMap(({ member }) => member ?? []),
    prefixes,
  );
  return {
    licenses: found.licenses.filter(({ license }) => matches(license, prefixes) || ofMembers.has(license.id)),
    unreadable: unreadable + found.unreadable,
  };
}

/** The ids of the licenses of members whose addresses begin with the text. */
async function licensesOfMembers(table: Table, keys: readonly Key[], prefixes: readonly TermPrefix[]): Promise<ReadonlySet<number>> {
  const members = (await getItems(table, keys)).flatMap((row) => (row ? [toMember(row)] : []));
  const found = members.filter(({ email }) => prefixes.some(({ kind, prefix }) => kind === 'email' && emailTerm(email).startsWith(prefix)));
  return new Set(found.map(({ license_id }) => license_id));
}

/** The license to which a whole device key belongs; undefined if the text is not a known device key. */
async function findByDeviceKey(table: Table, q: string, productId: number | null): Promise<LicenseWithDevices | undefined> {
  const key = normalizeDeviceKey(q);
  const found = key === undefined ? undefined : await findDeviceKey(table, deviceKeyHash(key));
  if (!found || !isRecognized(found, productId ?? found.product_id, undefined, table.clock())) return undefined;
  return readById(table, found.license_id, (address) => getLicenseWithDevices(table, address));
}

interface TermHit extends SearchPosition {
  readonly productId: number;
  /** The row of the member who has the term; undefined if the license has it. */
  readonly member?: Key;
}

/** The licenses that have a search term with the given prefix according to the index, which may be slightly behind the table. */
async function termsWith(table: Table, { kind, prefix }: TermPrefix, productId: number | null): Promise<TermHit[]> {
  const index = termIndexes[kind];
  const { partitionKey, sortKey } = indexes[index];
  const hits: TermHit[] = [];
  let read = 0;
  for await (const page of queryPages(table, {
    IndexName: index,
    KeyConditionExpression: `${partitionKey} = :list AND begins_with(${sortKey}, :prefix)`,
    ExpressionAttributeValues: { ':list': termList(prefix), ':prefix': prefix },
    Limit: MAX_TERMS,
  })) {
    for (const item of page) {
      const [of, createdAt] = String(item[sortKey]).split('#').reverse();
      const { pk, sk } = item as Item & Key;
      const ofMember = pk.startsWith(partitions.member);
      const id = Number(pk.slice((ofMember ? partitions.member : partitions.licenseId).length));
      if (productId === null || Number(of) === productId)
        hits.push({ created_at: Number(createdAt), id, productId: Number(of), ...(ofMember && { member: { pk, sk } }) });
    }
    read += page.length;
    if (hits.length >= MAX_TERMS || read >= MAX_TERMS_READ) break;
  }
  return hits;
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
async function keysByFingerprint(table: Table, fingerprint: string): Promise<Key[]> {
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
