import { EXPIRING_DAYS, MAX_COUNTED, MAX_EXPIRIES_READ, MAX_SOON_READ, SOON_DAYS } from '../../contract/overview';
import type { LicenseKind } from '../../contract/license-kinds';
import type { LicenseStatus } from '../../contract/statuses';
import type { License } from '../../domain/license';
import { dateOf, DAY_MS } from '../../domain/time';
import { chunks } from '../chunks';
import { expiryList, expiryPosition, licenseKey } from '../keys';
import { BATCH_SIZE, queryPages } from '../items';
import type { Table } from '../table';
import { readLicenses } from './read';

/** Uses the index `lookup` to list and count licenses by expiry. Licenses that never expire are not in this index. */

/** A range of expiry times, epoch ms: `expires_after` ≤ expiry < `expires_before`. Licenses that never expire are in no range. */
export interface ExpiryRange {
  readonly expires_after?: number | undefined;
  readonly expires_before?: number | undefined;
}

export const hasRange = ({ expires_after, expires_before }: ExpiryRange): boolean =>
  expires_after !== undefined || expires_before !== undefined;

export const isInRange = ({ expires_at }: Pick<License, 'expires_at'>, range: ExpiryRange): boolean =>
  !hasRange(range) || (expires_at !== null && expires_at >= (range.expires_after ?? 0) && expires_at < (range.expires_before ?? Infinity));

/** A license's entry in the index of expiries. */
export interface ExpiryEntry {
  readonly id: number;
  /** The expiry in epoch ms. */
  readonly expires_at: number;
  /** The license key as returned by `lookupKey`. */
  readonly key: string;
}

/** A text that sorts after every position of the index. */
const END = '~';

/**
 * The licenses of a product that expire within a range, sorted by expiry and then by id, in pages.
 *
 * @param past the entry after which to begin; undefined: at the beginning of the range
 */
export async function* licensesByExpiry(
  table: Table,
  productId: number,
  { expires_after = 0, expires_before }: ExpiryRange,
  {
    order,
    past,
    limit,
  }: { readonly order: 'asc' | 'desc'; readonly past?: Pick<ExpiryEntry, 'id' | 'expires_at'> | undefined; readonly limit?: number } = {
    order: 'asc',
  },
): AsyncGenerator<ExpiryEntry[]> {
  // The lowest id is 1, so the position with id 0 sorts before every license that expires at the same time.
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

/**
 * Numbers of active licenses of one license type: `lapsed` counts licenses whose expiry has passed, and `expiring` counts licenses that
 * expire soon.
 */
export interface ExpiryCounts {
  readonly lapsed: number;
  readonly expiring: number;
  /** True if not all licenses were counted, so that the real numbers may be higher. */
  readonly capped: boolean;
}

/** The active licenses of a product whose expiry has passed or is near. */
export interface Expiring {
  readonly ofType: (typeId: number) => ExpiryCounts;
  /**
   * The number of expiries on each of the next days (UTC), beginning with today. `capped` is true if not all expiries were counted, so that
   * the real number may be higher.
   */
  readonly days: { readonly date: string; readonly expiring: number; readonly capped: boolean }[];
}

const ACTIVE: LicenseStatus = 'active';

/**
 * Counts a product's active licenses whose expiry has passed or is near. Licenses whose expiry has passed are counted by license type,
 * beginning with the latest expiry. Licenses that expire within {@link EXPIRING_DAYS} are counted by license type. Licenses that expire on
 * one of the next `days` days are counted by day.
 */
export async function countExpiring(table: Table, productId: number, now: number, days: number): Promise<Expiring> {
  const soon = now + EXPIRING_DAYS * DAY_MS;
  const dates = Array.from({ length: days }, (_, index) => dateOf(now + index * DAY_MS));
  const afterLastDay = Date.parse(dates.at(-1) ?? dateOf(now)) + DAY_MS;
  const [lapsed, ahead] = await Promise.all([
    readActive(table, productId, { expires_before: now }, 'desc'),
    readActive(table, productId, { expires_after: now, expires_before: Math.max(soon, afterLastDay) }, 'asc'),
  ]);
  const lapsedByType = countBy(lapsed.active, ({ typeId }) => typeId);
  const expiringByType = countBy(
    ahead.active.filter(({ expires_at }) => expires_at < soon),
    ({ typeId }) => typeId,
  );
  const byDate = countBy(ahead.active, ({ expires_at }) => dateOf(expires_at));
  const { cutAt = Infinity } = ahead;
  return {
    ofType: (typeId) => {
      const counts = { lapsed: lapsedByType.get(typeId) ?? 0, expiring: expiringByType.get(typeId) ?? 0 };
      return {
        lapsed: Math.min(counts.lapsed, MAX_COUNTED),
        expiring: Math.min(counts.expiring, MAX_COUNTED),
        capped: lapsed.cutAt !== undefined || cutAt < soon || counts.lapsed > MAX_COUNTED || counts.expiring > MAX_COUNTED,
      };
    },
    days: dates.map((date) => ({ date, expiring: byDate.get(date) ?? 0, capped: cutAt < Date.parse(date) + DAY_MS })),
  };
}

/**
 * The number of a product's licenses that expire soon. If `capped` is true, not all of them were counted, so that the real number may be
 * higher. `lapsed` counts active licenses whose expiry has passed, among those with the latest expiry.
 */
export interface ExpiringSoon {
  readonly licenses: number;
  readonly capped: boolean;
  readonly unreadable: number;
  readonly lapsed: number;
  /** True if not all lapsed licenses were counted. */
  readonly lapsed_capped: boolean;
}

/** Number of products whose licenses are read at the same time. */
const COUNTED_TOGETHER = 10;

/**
 * Counts the active licenses of each product, without trials, that expire within the next {@link SOON_DAYS} days (UTC), and those whose
 * expiry has passed, with trials.
 */
export async function countExpiringSoon(table: Table, productIds: readonly number[], now: number): Promise<Map<number, ExpiringSoon>> {
  const range = { expires_after: now, expires_before: Date.parse(dateOf(now)) + SOON_DAYS * DAY_MS };
  const counts = new Map<number, ExpiringSoon>();
  for (const some of chunks(productIds, COUNTED_TOGETHER))
    await Promise.all(
      some.map(async (id) => {
        const [{ active, unreadable, cutAt }, lapsed] = await Promise.all([
          readActive(table, id, range, 'asc', MAX_SOON_READ),
          readActive(table, id, { expires_before: now }, 'desc', MAX_SOON_READ),
        ]);
        const licenses = active.filter(({ kind }) => kind !== 'trial').length;
        counts.set(id, {
          licenses,
          capped: cutAt !== undefined,
          unreadable,
          lapsed: lapsed.active.length,
          lapsed_capped: lapsed.cutAt !== undefined,
        });
      }),
    );
  return counts;
}

function countBy<Item, Group>(items: readonly Item[], groupOf: (item: Item) => Group): ReadonlyMap<Group, number> {
  const counts = new Map<Group, number>();
  for (const item of items) counts.set(groupOf(item), (counts.get(groupOf(item)) ?? 0) + 1);
  return counts;
}

interface ActiveLicense {
  readonly typeId: number;
  readonly kind: LicenseKind;
  readonly expires_at: number;
}

interface ActiveLicenses {
  readonly active: readonly ActiveLicense[];
  /** Number of rows that are left out because this version cannot read them. */
  readonly unreadable: number;
  /** If reading stopped before the end of the range: the expiry of the last license that was read. */
  readonly cutAt?: number;
}

/**
 * Reads the rows of the licenses, because the index does not contain the status. If the index contained it, every change of status would
 * cost an additional write.
 */
async function readActive(
  table: Table,
  productId: number,
  range: ExpiryRange,
  order: 'asc' | 'desc',
  maxRead = MAX_EXPIRIES_READ,
): Promise<ActiveLicenses> {
  const active: ActiveLicense[] = [];
  let read = 0;
  let unreadable = 0;
  for await (const page of licensesByExpiry(table, productId, range, { order, limit: BATCH_SIZE })) {
    const { entities, unreadable: failed } = await readLicenses(
      table,
      page.map(({ key }) => licenseKey(productId, key)),
    );
    unreadable += failed;
    for (const { license } of entities) {
      const { status, license_type, expires_at } = license;
      if (status === ACTIVE && expires_at !== null) active.push({ typeId: license_type.id, kind: license_type.kind, expires_at });
    }
    read += page.length;
    const last = page.at(-1);
    if (read >= maxRead && last) return { active, unreadable, cutAt: last.expires_at };
  }
  return { active, unreadable };
}
