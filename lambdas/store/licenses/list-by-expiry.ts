import { BATCH_SIZE } from '../items';
import type { Table } from '../table';
import { licenseKey } from '../keys';
import { hasRange, licensesByExpiry } from './expiry';
import { devicesMatch, isFiltered, matches, type LicenseFilter } from './filter';
import { findNamed } from './list';
import { walkRows } from './walk';
import { keyIn } from './page';
import { MAX_ROWS, readLicenses, readTogether, type LicenseWithDevices } from './read';
import { chunks } from '../chunks';

/** The list of licenses sorted by expiry. Licenses that never expire are at the end. (docs/spec/licenses.md, Lists by expiry) */

/** The position of a license in the list. */
export interface ExpiryPosition {
  /** The expiry in epoch ms; null if the license never expires. */
  readonly expires_at: number | null;
  readonly id: number;
}

/** Formats a position for cursors: `1795219200000-7`, or `never-7` if the license never expires. */
export const expiryCursor = ({ expires_at, id }: ExpiryPosition): string => `${expires_at ?? 'never'}-${id}`;

/** Parses the position in a cursor; undefined if the text is not a valid position. */
export function parseExpiryCursor(text: string): ExpiryPosition | undefined {
  const [, expiry, id] = /^(\d{1,16}|never)-(\d{1,16})$/.exec(text) ?? [];
  return expiry === undefined ? undefined : { expires_at: expiry === 'never' ? null : Number(expiry), id: Number(id) };
}

export interface ExpiryStart {
  readonly order: 'asc' | 'desc';
  /** The license after which the list continues. */
  readonly past?: ExpiryPosition | undefined;
}

export interface LicensesByExpiry {
  readonly licenses: readonly LicenseWithDevices[];
  /** Number of rows that this version cannot read. The licenses in these rows are missing from `licenses`. */
  readonly unreadable: number;
  /** The position after which there may be more licenses. */
  readonly next?: ExpiryPosition;
}

/** Compares two positions; positive if `a` comes after `b`. Licenses that never expire are last in ascending and in descending order. */
function compare(a: ExpiryPosition, b: ExpiryPosition, order: 'asc' | 'desc'): number {
  if ((a.expires_at === null) !== (b.expires_at === null)) return a.expires_at === null ? 1 : -1;
  const ascending = (a.expires_at ?? 0) - (b.expires_at ?? 0) || a.id - b.id;
  return order === 'asc' ? ascending : -ascending;
}

/** A license that matched the filter when its row was read. */
type Candidate = ExpiryPosition & { readonly key: string };

/** Lists up to `limit` licenses of a product by expiry, with their devices. A call stops reading after about `maxRows` rows. */
export async function listLicensesByExpiry(
  table: Table,
  productId: number,
  filter: LicenseFilter,
  start: ExpiryStart,
  limit: number,
  maxRows = MAX_ROWS,
): Promise<LicensesByExpiry> {
  const named = await findNamed(table, productId, filter, { order: 'asc', past: 0 });
  if (named) return listKeys(table, productId, named, filter, start, limit, maxRows);
  const expiring =
    start.past?.expires_at === null ? { licenses: [], unreadable: 0 } : await listExpiring(table, productId, filter, start, limit, maxRows);
  if (expiring.next || hasRange(filter)) return expiring;
  const never = await listNeverExpiring(table, productId, filter, start, limit - expiring.licenses.length, maxRows);
  return { ...never, licenses: [...expiring.licenses, ...never.licenses], unreadable: expiring.unreadable + never.unreadable };
}

/** Lists the licenses with the given keys that match the filter. The licenses are read first and then sorted in memory. */
async function listKeys(
  table: Table,
  productId: number,
  keys: readonly string[],
  filter: LicenseFilter,
  start: ExpiryStart,
  limit: number,
  maxRows: number,
): Promise<LicensesByExpiry> {
  const { past, order } = start;
  const { candidates, unreadable } = await readCandidates(table, productId, keys, filter);
  const remaining = candidates.filter((candidate) => !past || compare(candidate, past, order) > 0).sort((a, b) => compare(a, b, order));
  const loaded = await load(table, productId, remaining, filter, limit, maxRows);
  return { ...loaded, unreadable: unreadable + loaded.unreadable };
}

/** Lists the licenses that expire. The index provides their order and their keys. */
async function listExpiring(
  table: Table,
  productId: number,
  filter: LicenseFilter,
  { order, past }: ExpiryStart,
  limit: number,
  maxRows: number,
): Promise<LicensesByExpiry> {
  const found: Candidate[] = [];
  let unreadable = 0;
  let rowsRead = 0;
  let scanned: ExpiryPosition | undefined;
  const from = past && past.expires_at !== null ? { id: past.id, expires_at: past.expires_at } : undefined;
  for await (const page of licensesByExpiry(table, productId, filter, {
    order,
    past: from,
    ...(!isFiltered(filter) && { limit: limit + 1 }),
  })) {
    for (const entries of chunks(page, BATCH_SIZE)) {
      const batch = await readCandidates(
        table,
        productId,
        entries.map(({ key }) => key),
        filter,
      );
      // The index may be slightly behind the table. If the expiry in the index entry differs from the expiry in the license's row, the
      // entry is left out, because the list contains the license at its new position.
      const places = new Map(entries.map((entry) => [entry.key, entry]));
      found.push(...batch.candidates.filter(({ key, expires_at }) => places.get(key)?.expires_at === expires_at));
      unreadable += batch.unreadable;
      rowsRead += entries.length;
      scanned = entries.at(-1);
      if (found.length > limit || rowsRead >= maxRows) break;
    }
    if (found.length > limit || rowsRead >= maxRows) break;
  }
  const loaded = await load(table, productId, found, filter, limit, maxRows);
  const next = loaded.next ?? (rowsRead >= maxRows ? scanned : undefined);
  return { licenses: loaded.licenses, unreadable: unreadable + loaded.unreadable, ...(next && { next }) };
}

/** Lists the licenses that never expire. No index contains only these licenses, so all licenses of the product are read and filtered. */
async function listNeverExpiring(
  table: Table,
  productId: number,
  filter: LicenseFilter,
  { order, past }: ExpiryStart,
  limit: number,
  maxRows: number,
): Promise<LicensesByExpiry> {
  // The licenses that never expire are the last part of the list. If the position `past` is before this part, the part is read from its
  // beginning (0).
  const start = { order, past: past?.expires_at === null ? past.id : 0 };
  const { licenses, unreadable, next } = await walkRows(table, productId, { ...filter, never_expires: true }, start, limit, maxRows);
  return { licenses, unreadable, ...(next !== undefined && { next: { expires_at: null, id: next } }) };
}

/** Reads licenses without their devices, and returns the licenses that match the filter, in the order of the keys. */
async function readCandidates(
  table: Table,
  productId: number,
  keys: readonly string[],
  filter: LicenseFilter,
): Promise<{ candidates: Candidate[]; unreadable: number }> {
  const { entities, unreadable } = await readLicenses(
    table,
    keys.map((key) => licenseKey(productId, key)),
  );
  const matching = entities.filter(({ license }) => matches(license, filter));
  return {
    candidates: matching.map(({ key, license: { id, expires_at } }) => ({ key: keyIn(productId, key.pk), id, expires_at })),
    unreadable,
  };
}

/** Loads the first `limit` candidates with their devices. */
async function load(
  table: Table,
  productId: number,
  candidates: readonly Candidate[],
  filter: LicenseFilter,
  limit: number,
  maxRows: number,
): Promise<LicensesByExpiry> {
  const addresses = candidates.slice(0, limit).map(({ key }) => ({ productId, key }));
  const { records, unreadable } = await readTogether(table, addresses, maxRows);
  const licenses = records.filter(
    (record, place) =>
      record !== undefined &&
      matches(record.license, filter) &&
      record.license.expires_at === candidates[place]?.expires_at &&
      devicesMatch(record, filter),
  ) as LicenseWithDevices[];
  const next = records.length < candidates.length ? candidates[records.length - 1] : undefined;
  return { licenses, unreadable, ...(next && { next }) };
}
