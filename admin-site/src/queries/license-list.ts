import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { licenseColumns } from '../../../lambdas/contract/license-columns';
import { csvLine } from '../../../lambdas/domain/csv';
import { MIN_TERM } from '../../../lambdas/domain/search-term';
import { dateOf, DAY_MS } from '../../../lambdas/domain/time';
import { callList, type License, type Page } from '../api';
import { shownStatus } from '../format';
import type { CsvPage } from './csv';
import { instantsOf, type DayRange } from './days';

/** The filters of the list of licenses, and the queries for its pages, its exports and its selections. */

/**
 * Selects licenses by the status that the page shows. `expiring` selects licenses that expire within 30 days. `pending` selects licenses
 * whose term starts with the first activation and has not started yet.
 */
export type StatusFilter = License['status'] | 'expiring' | 'pending';

export type SeatsFilter = 'full' | 'unused';

/** The sort orders that an index supports: by expiry in both directions, and oldest first. The default order is newest first. */
export const licenseSorts = ['expires_at', '-expires_at', 'created_at'] as const;

export type LicenseSort = (typeof licenseSorts)[number];

export interface LicenseFilter {
  readonly search: string;
  readonly status: StatusFilter | undefined;
  readonly type: string | undefined;
  readonly seats?: SeatsFilter | undefined;
  /** The e-mail address of a member. */
  readonly member?: string | undefined;
  /** Selects only licenses that have devices, none of which was seen in the last `unseen` days. */
  readonly unseen?: number | undefined;
  /** The first and the last day, both included. `2026-11-20` is a day in the operator's time zone, and `2026-11-20Z` is a day in UTC. */
  readonly issued?: DayRange | undefined;
  readonly expires?: DayRange | undefined;
  /** The sort order; undefined means newest first. */
  readonly sort?: LicenseSort | undefined;
}

const MINUTE = 60_000;

/** The filter `expiring` selects licenses that expire within this number of days. */
const EXPIRING_DAYS = 30;

/** Converts a filter by days to query parameters of the API. */
function dayQuery({ issued, expires }: LicenseFilter): {
  created_after?: string;
  created_before?: string;
  expires_after?: string;
  expires_before?: string;
} {
  const [made, ends] = [instantsOf(issued), instantsOf(expires)];
  return {
    ...(made.after !== undefined && { created_after: made.after }),
    ...(made.before !== undefined && { created_before: made.before }),
    ...(ends.after !== undefined && { expires_after: ends.after }),
    ...(ends.before !== undefined && { expires_before: ends.before }),
  };
}

interface StatusQuery {
  readonly status?: License['status'];
  readonly starts?: 'pending';
  readonly expires_after?: string;
  readonly expires_before?: string;
  readonly sort?: 'expires_at';
  readonly direction: 'asc' | 'desc';
}

/**
 * Converts a filter by status to queries of the API. The results of the first query come first. The API stores the status `expired` only
 * when a license is checked after its expiry, so some licenses past their expiry still have the stored status `active`.
 */
function statusQueries(status: StatusFilter | undefined, sort: LicenseFilter['sort']): readonly StatusQuery[] {
  // The time is rounded down to the minute, so that all pages of a list use the same time.
  const now = Math.floor(Date.now() / MINUTE) * MINUTE;
  const at = (ms: number): string => new Date(ms).toISOString();
  const byExpiry = (direction: 'asc' | 'desc') => ({ sort: 'expires_at', direction }) as const;
  const order =
    sort === 'created_at'
      ? ({ direction: 'asc' } as const)
      : sort === undefined
        ? ({ direction: 'desc' } as const)
        : byExpiry(sort === 'expires_at' ? 'asc' : 'desc');
  if (status === 'expired') {
    const latest = byExpiry(sort === 'expires_at' ? 'asc' : 'desc');
    return [
      { status: 'active', expires_before: at(now + MINUTE), ...latest },
      { status, ...latest },
    ];
  }
  if (status === 'expiring')
    return [
      {
        status: 'active',
        expires_after: at(now),
        expires_before: at(now + EXPIRING_DAYS * 24 * 60 * MINUTE),
        ...byExpiry(sort === '-expires_at' ? 'desc' : 'asc'),
      },
    ];
  if (status === 'pending') return [{ starts: 'pending', ...order }];
  return [{ ...(status && { status }), ...order }];
}

/**
 * True if a license matches the filter at the current time. The API selects by the stored status, which may be outdated. If a filter has
 * days of expiry but no status, it does not select revoked licenses, because their expiry has no effect.
 */
function isShown({ status, expires }: LicenseFilter, license: License): boolean {
  if (status === 'active' || status === 'expired') return shownStatus(license) === status;
  const byExpiry = expires?.from !== undefined || expires?.to !== undefined;
  return status !== undefined || !byExpiry || license.status !== 'revoked';
}

/** The UTC day that is `days` days before today. A device that was last seen before this day was not seen in the last `days` days. */
export const unseenSince = (days: number): string => dateOf(Date.now() - days * DAY_MS);

/** Converts a filter to queries of the API. The licenses that a search text finds are always sorted by their time of issue. */
const licenseQueries = (filter: LicenseFilter) => {
  const { status, type, seats, member, unseen, sort } = filter;
  const q = filter.search.trim();
  // A filter by status may set a range of expiries as well. The days that the operator chose take precedence over that range.
  return statusQueries(status, sort).map((byStatus) => ({
    ...byStatus,
    ...(q !== '' && { q, sort: 'id' as const, direction: sort === 'created_at' ? ('asc' as const) : ('desc' as const) }),
    ...dayQuery(filter),
    ...(type && { license_type_id: type }),
    ...(seats && { seats }),
    ...(member !== undefined && member !== '' && { member }),
    ...(unseen !== undefined && { unseen_since: unseenSince(unseen) }),
  }));
};

type LicenseQueries = ReturnType<typeof licenseQueries>;

/** A position in the joined results of several queries: the number of the query, and the cursor of its next page. */
const placeOf = (text: string | undefined): readonly [at: number, cursor: string | undefined] => {
  const [, at = '0', cursor = ''] = /^(?:(\d)~)?(.*)$/.exec(text ?? '') ?? [];
  return [Number(at), cursor === '' ? undefined : cursor];
};

const placeText = (at: number, cursor: string | undefined): string => (at === 0 ? (cursor ?? '') : `${at}~${cursor ?? ''}`);

/** Reads one page of the results of several queries. @param limit the maximum number of rows to read */
async function readPlace(
  productId: number,
  filter: LicenseFilter,
  queries: LicenseQueries,
  place: string | undefined,
  limit: number | undefined,
  signal?: AbortSignal,
): Promise<Page<License>> {
  const [at, cursor] = placeOf(place);
  const page = await callList(
    'listLicenses',
    {
      params: { id: productId },
      query: { ...(limit !== undefined && { limit: String(limit) }), ...queries[at], ...(cursor !== undefined && { cursor }) },
    },
    signal ? { signal } : {},
  );
  const next = page.next !== undefined ? placeText(at, page.next) : at + 1 < queries.length ? placeText(at + 1, undefined) : undefined;
  return {
    rows: page.rows.filter((license) => isShown(filter, license)),
    unreadable: page.unreadable,
    ...(next !== undefined && { next }),
  };
}

/** All licenses that match a filter, as pages of a CSV file. The first page contains the column names. */
export async function* exportLicenses(productId: number, filter: LicenseFilter, signal: AbortSignal): AsyncGenerator<CsvPage> {
  // The queries are computed once, so that a filter by expiry uses the same time for all pages.
  const queries = licenseQueries(filter);
  let head: readonly string[] = [csvLine(licenseColumns.map(({ name }) => name))];
  let place: string | undefined;
  do {
    const page: Page<License> = await readPlace(productId, filter, queries, place, undefined, signal);
    yield { text: [...head, ...csvLines(page.rows)].join(''), unreadable: page.unreadable };
    head = [];
    place = page.next;
  } while (place !== undefined);
}

/** Licenses as lines of a CSV file, without column names. */
export const csvLines = (licenses: readonly License[]): string[] =>
  licenses.map((license) => csvLine(licenseColumns.map(({ value }) => value(license))));

/** Maximum number of licenses that can be selected together. */
export const MAX_CHOSEN = 50_000;

/** The number of licenses that one request reads for a selection. */
const CHOSEN_TOGETHER = 1000;

/**
 * The licenses that match a filter, up to the maximum for a selection.
 *
 * @param onProgress called with the number of licenses found so far
 */
export async function licensesToChoose(
  productId: number,
  filter: LicenseFilter,
  onProgress: (count: number) => void,
  signal: AbortSignal,
): Promise<License[]> {
  const queries = licenseQueries(filter);
  const rows: License[] = [];
  let place: string | undefined;
  do {
    const page: Page<License> = await readPlace(productId, filter, queries, place, CHOSEN_TOGETHER, signal);
    rows.push(...page.rows);
    onProgress(rows.length);
    place = page.next;
  } while (place !== undefined && rows.length < MAX_CHOSEN);
  return rows.slice(0, MAX_CHOSEN);
}

/** Whether a text is long enough for a search. */
export const isSearchable = (text: string): boolean => Array.from(text.trim()).length >= MIN_TERM;

/** Rows on a page of licenses. */
export const PAGE_ROWS = 50;

/** Maximum number of short pages to read before the operator must ask for more. */
const MAX_FOLLOWED = 5;

/** One page of licenses. A filtered page of the API may be short, so further pages are read until the returned page is full. */
async function licensePage(productId: number, filter: LicenseFilter, start: string | undefined, signal: AbortSignal) {
  if (filter.search !== '' && !isSearchable(filter.search)) return { rows: [], unreadable: 0, next: undefined };
  const queries = licenseQueries(filter);
  const rows: License[] = [];
  let unreadable = 0;
  let place = start;
  for (let followed = 0; followed < MAX_FOLLOWED; followed += 1) {
    const page = await readPlace(productId, filter, queries, place, PAGE_ROWS - rows.length, signal);
    rows.push(...page.rows);
    unreadable += page.unreadable;
    place = page.next;
    if (place === undefined || rows.length >= PAGE_ROWS) break;
  }
  return { rows, unreadable, next: place };
}

export const useLicenses = (productId: number, filter: LicenseFilter, cursor: string | undefined) =>
  useQuery({
    queryKey: ['licenses', productId, filter, cursor],
    queryFn: ({ signal }) => licensePage(productId, filter, cursor, signal),
    placeholderData: keepPreviousData,
  });
