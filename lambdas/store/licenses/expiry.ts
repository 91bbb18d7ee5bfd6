import { EXPIRING_DAYS, MAX_COUNTED } from '../../contract/overview';
import type { LicenseStatus } from '../../contract/statuses';
import type { License } from '../../domain/license';
import { expiryList, expiryPosition, licenseKey } from '../keys';
import { readRows } from '../row';
import { BATCH_SIZE, getItems, queryPages, type Table } from '../table';
import { isDeadKey, toLicense } from './rows';

/** Licenses by when they expire, on the index `lookup`. Licenses that never expire are not in it. */

/** A half-open range of time, epoch ms: `expires_after` ≤ expiry < `expires_before`. A license that never expires is in none. */
export interface ExpiryRange {
  readonly expires_after?: number | undefined;
  readonly expires_before?: number | undefined;
}

export const hasRange = ({ expires_after, expires_before }: ExpiryRange): boolean => expires_after !== undefined || expires_before !== undefined;

export const isInRange = ({ expires_at }: Pick<License, 'expires_at'>, range: ExpiryRange): boolean =>
  !hasRange(range) || (expires_at !== null && expires_at >= (range.expires_after ?? 0) && expires_at < (range.expires_before ?? Infinity));

/** A license as the index shows it. */
export interface ExpiryEntry {
  readonly id: number;
  /** Epoch ms. */
  readonly expires_at: number;
  /** As `lookupKey` makes it. */
  readonly key: string;
}

/** Sorts behind every position of the index. */
const END = '~';

/**
 * The licenses of a product that expire within a range, in the order of their expiry, then of their ids, page by page.
 *
 * @param past the entry behind which to begin; undefined: at the beginning
 */
export async function* licensesByExpiry(
  table: Table,
  productId: number,
  { expires_after = 0, expires_before }: ExpiryRange,
  { order, past, limit }: { readonly order: 'asc' | 'desc'; readonly past?: Pick<ExpiryEntry, 'id' | 'expires_at'> | undefined; readonly limit?: number } = { order: 'asc' },
): AsyncGenerator<ExpiryEntry[]> {
  // Ids begin at 1, so that the position of id 0 sorts before every license of that instant.
  const rangeStart = expiryPosition(expires_after, 0);
  const rangeEnd = expires_before === undefined ? END : expiryPosition(expires_before, 0);
  const next = past && expiryPosition(past.expires_at, past.id + (order === 'asc' ? 1 : -1));
  const first = order === 'asc' && next !== undefined && next > rangeStart ? next : rangeStart;
  const last = order === 'desc' && next !== undefined && next < rangeEnd ? next : rangeEnd;
  if (first > last) return;

  const prefix = licenseKey(productId, '').pk;
  for await (const page of queryPages(table, {
    IndexName: 'lookup',
    ScanIndexForward: order === 'asc',
    KeyConditionExpression: 'lookup_pk = :list AND lookup_sk BETWEEN :first AND :last',
    ExpressionAttributeValues: { ':list': expiryList(productId), ':first': first, ':last': last },
    ...(limit !== undefined && { Limit: limit }),
  })) {
    yield page.map((item) => {
      const [expiresAt, id] = (item['lookup_sk'] as string).split('#');
      return { id: Number(id), expires_at: Number(expiresAt), key: (item['pk'] as string).slice(prefix.length) };
    });
  }
}

/** The licenses of one type whose expiry is near, or has passed. */
export interface ExpiryCounts {
  readonly lapsed: number;
  readonly expiring: number;
  /** True when there may be more than were counted. */
  readonly capped: boolean;
}

/** Licenses that one count reads at most. */
const MAX_READ = 4000;
const DAY_MS = 86_400_000;
const ACTIVE: LicenseStatus = 'active';

/**
 * Counts a product's active licenses by type: those past their expiry, the latest first, and those that expire soon.
 *
 * @returns the counts of a type
 */
export async function countExpiring(table: Table, productId: number, now: number): Promise<(typeId: number) => ExpiryCounts> {
  const [lapsed, expiring] = await Promise.all([
    countActive(table, productId, { expires_before: now }, 'desc'),
    countActive(table, productId, { expires_after: now, expires_before: now + EXPIRING_DAYS * DAY_MS }, 'asc'),
  ]);
  return (typeId) => {
    const counts = [lapsed, expiring].map(({ byType, isCut }) => {
      const counted = byType.get(typeId) ?? 0;
      return { number: Math.min(counted, MAX_COUNTED), capped: isCut || counted > MAX_COUNTED };
    });
    return { lapsed: counts[0]?.number ?? 0, expiring: counts[1]?.number ?? 0, capped: counts.some(({ capped }) => capped) };
  };
}

/** The index knows no status, because every change of one would then cost a write: the licenses are read themselves. */
async function countActive(table: Table, productId: number, range: ExpiryRange, order: 'asc' | 'desc'): Promise<{ byType: ReadonlyMap<number, number>; isCut: boolean }> {
  const byType = new Map<number, number>();
  let read = 0;
  for await (const page of licensesByExpiry(table, productId, range, { order, limit: BATCH_SIZE })) {
    const rows = await getItems(table, page.map(({ key }) => licenseKey(productId, key)));
    const { entities } = readRows(rows.flatMap((row) => (row && !isDeadKey(row) ? [row] : [])), toLicense);
    for (const { status, license_type } of entities) if (status === ACTIVE) byType.set(license_type.id, (byType.get(license_type.id) ?? 0) + 1);
    read += page.length;
    if (read >= MAX_READ) return { byType, isCut: true };
  }
  return { byType, isCut: false };
}
