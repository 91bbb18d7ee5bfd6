import { indexes, partitions, type Index } from '../../contract/access';
import { deviceKeyHash, isRecognized } from '../../domain/device-key';
import type { License } from '../../domain/license';
import { normalizeDeviceKey } from '../../domain/license-key';
import { findableOf, isAddressFound, kindsFound, prefixesOf, type TermPrefix } from '../../domain/search-term';
import { chunks } from '../chunks';
import type { Item } from '../codec';
import { getItems, queryPages } from '../items';
import { termList, type Key } from '../keys';
import { toMember } from '../members';
import type { Table } from '../table';
import { findDeviceKey } from './device-keys';
import { licensesOfOrder } from './of-order';
import { termIndexes } from './pointer';
import { isPast, type LicensePage, type Start } from './page';
import { MAX_ROWS, readLicenses, readTogether, rowKeysOf, type LicenseWithDevices } from './read';
import { addressOf, keysByFingerprint } from './search';

/**
 * The search with `q`: finds licenses by the beginning of a term, and by a whole device key, fingerprint or id of an order
 * (docs/spec/operator.md, Finding).
 */

/**
 * Maximum number of search terms that are considered for one prefix in one index. If more terms of the searched products begin with the
 * prefix, only the last terms in alphabetical order are considered. Among equal terms, these are the terms of the newest licenses.
 */
const MAX_TERMS = 10_000;

/** Maximum number of search terms that are read for one prefix in one index, including terms of products that the caller may not see. */
const MAX_TERMS_READ = 100_000;

/** Maximum number of hits that are compared with their licenses for one page. */
const MAX_COMPARED = 1_000;
/** Number of hits whose licenses are read at the same time. */
const COMPARED_TOGETHER = 50;
/** Maximum number of members of a license that are read to find out whether one of them matches. */
const MAX_MEMBERS = 10;

/** A license that has a matching term according to the indexes, which may be slightly behind the table. */
export interface Hit {
  readonly id: number;
  /** The rows of members who have the term. */
  readonly members: readonly Key[];
  /** Whether the search text is a whole value that leads to the license, which need not be compared again. */
  readonly isWhole: boolean;
}

/** The hits of a search, in no order, with one hit for each license. */
export interface Finding {
  readonly hits: readonly Hit[];
  readonly prefixes: readonly TermPrefix[];
}

/** @param productId the only product that is searched; null: all products */
export async function findByBeginning(table: Table, q: string, productId: number | null): Promise<Finding> {
  const prefixes = prefixesOf(q);
  const ofDeviceKey = await licenseOfDeviceKey(table, q, productId);
  if (ofDeviceKey) return { hits: ofDeviceKey, prefixes: [] };
  // Several kinds of terms share an index, so the same query may serve several kinds.
  const queries = new Map(
    prefixes.flatMap(({ kind, prefix }) => termIndexes[kind].map((index) => [`${index} ${prefix}`, { index, prefix }] as const)),
  );
  const found = await Promise.all([
    hitsOfWhole(table, q.trim(), productId),
    ...[...queries.values()].map(({ index, prefix }) => hitsOf(table, index, prefix, productId)),
  ]);
  const byId = new Map<number, Hit>();
  for (const hit of found.flat()) {
    const known = byId.get(hit.id);
    byId.set(hit.id, known ? { ...hit, members: [...known.members, ...hit.members], isWhole: known.isWhole || hit.isWhole } : hit);
  }
  return { hits: [...byId.values()], prefixes };
}

/** The license to which a whole device key belongs; undefined if the text is not a known device key. */
async function licenseOfDeviceKey(table: Table, q: string, productId: number | null): Promise<Hit[] | undefined> {
  const key = normalizeDeviceKey(q);
  const found = key === undefined ? undefined : await findDeviceKey(table, deviceKeyHash(key));
  if (!found || !isRecognized(found, productId ?? found.product_id, undefined, table.clock())) return undefined;
  return [{ id: found.license_id, members: [], isWhole: true }];
}

/** The licenses of an order with this id, and the licenses to which a device with this fingerprint is bound. */
async function hitsOfWhole(table: Table, text: string, productId: number | null): Promise<Hit[]> {
  if (/[\s@]/.test(text)) return [];
  const keys = (await Promise.all([licensesOfOrder(table, text, productId ?? undefined), keysByFingerprint(table, text)])).flat();
  const { entities } = await readLicenses(table, [...new Map(keys.map((key) => [key.pk, key])).values()]);
  return entities
    .filter(({ license }) => productId === null || license.product_id === productId)
    .map(({ license }) => ({ id: license.id, members: [], isWhole: true }));
}

/** The licenses with a term that has the given prefix in an index. */
async function hitsOf(table: Table, index: Index, prefix: string, productId: number | null): Promise<Hit[]> {
  const { partitionKey, sortKey } = indexes[index];
  const hits: Hit[] = [];
  let read = 0;
  for await (const page of queryPages(table, {
    IndexName: index,
    KeyConditionExpression: `${partitionKey} = :list AND begins_with(${sortKey}, :prefix)`,
    ExpressionAttributeValues: { ':list': termList(prefix), ':prefix': prefix },
    ScanIndexForward: false,
    Limit: MAX_TERMS,
  })) {
    for (const item of page) {
      const { productId: of, ...hit } = hitOf(item, String(item[sortKey]));
      if (productId === null || of === productId) hits.push(hit);
    }
    read += page.length;
    if (hits.length >= MAX_TERMS || read >= MAX_TERMS_READ) break;
  }
  return hits;
}

/** @param position the position of the term in its index, which begins with the term (see `termPosition`) */
function hitOf(item: Item, position: string): Hit & { readonly productId: number } {
  const { pk, sk } = item as Item & Key;
  const [last = 0, beforeLast = 0] = position.split('#').reverse().map(Number);
  // The position of a device's name ends with the id of the license, because the keys of the device's row do not contain this id.
  if (pk.startsWith(partitions.license)) return { id: last, productId: beforeLast, members: [], isWhole: false };
  const ofMember = pk.startsWith(partitions.member);
  const id = Number(pk.slice((ofMember ? partitions.member : partitions.licenseId).length));
  return { id, productId: last, members: ofMember ? [{ pk, sk }] : [], isWhole: false };
}

/** Which licenses belong to a page of a search. */
export interface FoundPage {
  readonly start: Start;
  readonly limit: number;
  /** Whether a license belongs to the list. The first check does not know the devices and the long metadata. */
  readonly keep?: (license: License) => boolean;
  readonly keepWithDevices?: (record: LicenseWithDevices) => boolean;
}

/** Reads the licenses of one page of a search, in the order of their ids, with their devices. */
export async function readFound(
  table: Table,
  { hits, prefixes }: Finding,
  { start, limit, keep = () => true, keepWithDevices = () => true }: FoundPage,
): Promise<LicensePage> {
  const direction = start.order === 'asc' ? 1 : -1;
  const remaining = hits.filter(({ id }) => isPast(id, start)).sort((a, b) => direction * (a.id - b.id));
  const licenses: LicenseWithDevices[] = [];
  let unreadable = 0;
  let compared = 0;
  let devices = 0;
  for (const batch of chunks(remaining, Math.min(limit, COMPARED_TOGETHER))) {
    const { records, unreadable: unread, next } = await readHits(table, batch, keep);
    unreadable += unread;
    const isFound = await comparison(table, batch, prefixes);
    for (const [place, hit] of batch.entries()) {
      const record = records.get(hit.id);
      compared += 1;
      devices += record?.devices.length ?? 0;
      if (record && isFound(record) && keepWithDevices(record)) licenses.push(record);
      // The devices of the licenses after this one have not been read, because there are too many.
      const isEnd = licenses.length === limit || hit.id === next || (place === batch.length - 1 && devices >= MAX_ROWS);
      if (compared < remaining.length && (isEnd || compared >= MAX_COMPARED)) return { licenses, unreadable, next: hit.id };
    }
  }
  return { licenses, unreadable };
}

/** Reads the licenses of hits that belong to the list, by their ids. `next` is the last license that was read if not all were read. */
async function readHits(
  table: Table,
  hits: readonly Hit[],
  keep: (license: License) => boolean,
): Promise<{ records: ReadonlyMap<number, LicenseWithDevices>; unreadable: number; next?: number }> {
  const keys = await rowKeysOf(
    table,
    hits.map(({ id }) => id),
  );
  const { entities, unreadable } = await readLicenses(table, keys);
  const kept = entities.filter(({ license }) => keep(license));
  const { records, ...read } = await readTogether(
    table,
    kept.map(({ license, key }) => addressOf(license, key)),
  );
  const next = records.length < kept.length ? kept[records.length - 1]?.license.id : undefined;
  return {
    records: new Map(records.flatMap((record) => (record ? [[record.license.id, record]] : []))),
    unreadable: unreadable + read.unreadable,
    ...(next !== undefined && { next }),
  };
}

/**
 * Compares licenses with the search text once more, because the indexes may be slightly behind the table: with the terms of the licenses,
 * their devices and their members as they are in the table.
 */
async function comparison(
  table: Table,
  hits: readonly Hit[],
  prefixes: readonly TermPrefix[],
): Promise<(record: LicenseWithDevices) => boolean> {
  const rows = await getItems(
    table,
    hits.flatMap(({ members }) => members.slice(0, MAX_MEMBERS)),
  );
  const members = rows.flatMap((row) => (row ? [toMember(row)] : []));
  const found = new Set([
    ...hits.filter(({ isWhole }) => isWhole).map(({ id }) => id),
    ...members.filter(({ email }) => isAddressFound(email, prefixes)).map(({ license_id }) => license_id),
  ]);
  return ({ license, devices }) => found.has(license.id) || kindsFound(findableOf(license, devices), prefixes).length > 0;
}
