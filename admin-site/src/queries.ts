import {
  keepPreviousData,
  MutationCache,
  notifyManager,
  QueryCache,
  QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type InfiniteData,
} from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import {
  ApiError,
  asCurl,
  call,
  callEvery,
  callList,
  newIdempotencyKey,
  type AuditEntry,
  type Delivery,
  type License,
  type Order,
  type Page,
  type Payment,
  type PaymentConnection,
  type Product,
  type Release,
} from './api';
import { auditColumns } from './audit-columns';
import { licenseColumns } from '../../lambdas/contract/license-columns';
import { paymentColumns } from '../../lambdas/contract/payment-columns';
import { csvLine } from '../../lambdas/domain/csv';
import { addressInBrackets } from '../../lambdas/domain/email';
import { dateOf, DAY_MS } from '../../lambdas/domain/time';
import { dayStart, shownStatus } from './format';
import { isIdempotent, type Name, type RequestOf, type ResponseOf } from './routes';
import { currentToken, signOut } from './session';
import { t } from './texts';
import { toast, toastFailure } from './ui/toast';

/** The queries that the pages run, and the changes that they request. Each change names the queries whose data it makes stale. */

/** Milliseconds between two reads of data about work in progress. */
const LIVE = 1500;
/** Milliseconds between two reads of data that other operators or apps may change. */
const WATCHED = 10_000;

/** If the token is no longer valid, the sign-in page opens. */
const onError = (error: Error): void => {
  if (error instanceof ApiError && error.status === 401 && currentToken() !== null) signOut('rejected');
};

// Without this line, the page learns of a change only when a timer fires, so a clicked checkbox would show its old value for one frame.
notifyManager.setScheduler(queueMicrotask);

export const newQueryClient = (): QueryClient =>
  new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 2000,
        // A refused query is not retried. If the service is down, one retry follows; then the page shows the problem and retries regularly.
        retry: (failures, error) => failures < 1 && !(error instanceof ApiError && error.status < 500),
        retryDelay: 400,
        // Queries also run without a network, because the service may be on the same computer as the page.
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });

/** Rows on a page of products. */
const PRODUCT_ROWS = '100';

/** @param include additional data for each product: its numbers, or its licenses that expire soon */
export const useProducts = (include?: 'numbers' | 'expiring') =>
  useInfiniteQuery({
    queryKey: ['products', ...(include ? [include] : [])],
    queryFn: ({ pageParam, signal }) =>
      callList(
        'listProducts',
        { query: { limit: PRODUCT_ROWS, ...(include && { include }), ...(pageParam !== undefined && { cursor: pageParam }) } },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    ...(include === 'numbers' && { staleTime: 15_000 }),
    ...(include && { refetchInterval: 30_000 }),
  });

interface Pages {
  readonly error: Error | null;
  readonly hasNextPage: boolean;
  readonly isFetching: boolean;
  readonly fetchNextPage: () => Promise<unknown>;
}

/** Reads all pages of a list. */
function useEveryPage({ error, hasNextPage, isFetching, fetchNextPage }: Pages): void {
  useEffect(() => {
    if (hasNextPage && !isFetching && !error) void fetchNextPage();
  }, [hasNextPage, isFetching, error, fetchNextPage]);
}

/** All products. */
export function useAllProducts(): readonly Product[] {
  const query = useProducts();
  useEveryPage(query);
  const { data } = query;
  return useMemo(() => data?.pages.flatMap(({ rows }) => rows) ?? [], [data]);
}

/** A product from a list that was loaded earlier, if there is one. */
const knownProduct = (client: QueryClient, id: number): Product | undefined =>
  client
    .getQueriesData<InfiniteData<Page<Product>>>({ queryKey: ['products'] })
    .flatMap(([, data]) => data?.pages.flatMap(({ rows }) => rows) ?? [])
    .find((product) => product.id === id);

/** @param isWatched whether to reload the product regularly: for pages that show more than its name, such as its API key */
export function useProduct(id: number, isWatched = false) {
  const client = useQueryClient();
  return useQuery({
    queryKey: ['product', id],
    queryFn: ({ signal }) => call('getProduct', { params: { id } }, { signal }),
    initialData: () => knownProduct(client, id),
    ...(isWatched ? { refetchInterval: WATCHED } : { staleTime: Infinity }),
  });
}

/** The name of a product. If the name is not known yet, or the product can’t be read, it is a text with the id, such as `Product 7`. */
export function useProductName(id: number): string {
  return useProduct(id).data?.name ?? t('Product {id}', { id: String(id) });
}

/** The product's slug, for the names of exported files; the id until the product is loaded. */
export const useProductSlug = (id: number): string => useProduct(id).data?.slug ?? `product-${id}`;

/**
 * The numbers of a product.
 *
 * @param days the number of past days, and of coming days, for which there are numbers by day
 */
export const useOverview = (id: number, days = 30) =>
  useQuery({
    queryKey: ['overview', id, days],
    queryFn: ({ signal }) => call('getOverview', { params: { id }, query: { days: String(days) } }, { signal }),
    refetchInterval: 15_000,
    // While the data for another number of days loads, the previous data stays visible. The previous data always belongs to the same
    // product, because React mounts a new page for each product (its `key`).
    placeholderData: keepPreviousData,
  });

/** The queries for the numbers of several products. */
export const numbersOfProducts: readonly (readonly unknown[])[] = [
  ['products', 'numbers'],
  ['products', 'expiring'],
  ['overview', 'all'],
];

/** The numbers of all products together. */
export const useDeploymentOverview = (days: number, enabled: boolean) =>
  useQuery({
    queryKey: ['overview', 'all', days],
    queryFn: ({ signal }) => call('getDeploymentOverview', { query: { days: String(days) } }, { signal }),
    staleTime: 15_000,
    placeholderData: keepPreviousData,
    enabled,
  });

/** The products whose sales are held, or whose webhooks or mails fail. */
export const useAttention = () =>
  useQuery({
    queryKey: ['overview', 'all', 'attention'],
    queryFn: async ({ signal }) =>
      (await call('getDeploymentOverview', { query: { days: '1', include: 'attention' } }, { signal })).attention ?? [],
    refetchInterval: 30_000,
  });

/** The numbers of one day for each product, the products with the highest numbers first. */
export const useDayOfProducts = (date: string) =>
  useQuery({
    queryKey: ['overview', 'all', 'day', date],
    queryFn: async ({ signal }) => (await call('getDeploymentOverview', { query: { days: '1', date } }, { signal })).products ?? [],
    staleTime: 15_000,
  });

export const useTypes = (productId: number) =>
  useQuery({
    queryKey: ['types', productId],
    queryFn: ({ signal }) => callEvery('listLicenseTypes', { params: { id: productId } }, { signal }),
  });

/**
 * Selects licenses by the status that the page shows. `expiring` selects licenses that expire within 30 days. `pending` selects licenses
 * whose term starts with the first activation and has not started yet.
 */
export type StatusFilter = License['status'] | 'expiring' | 'pending';

export type SeatsFilter = 'full' | 'unused';

export interface DayRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The sort orders that an index supports: by expiry in both directions, and oldest first. The default order is newest first. */
export const licenseSorts = ['expires_at', '-expires_at', 'created_at'] as const;
export type LicenseSort = (typeof licenseSorts)[number];

export interface LicenseFilter {
  readonly search: string;
  readonly status: StatusFilter | undefined;
  readonly type: string | undefined;
  readonly seats?: SeatsFilter | undefined;
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

/** Converts days to instants: `after` is the start of the first day, and `before` is the end of the last day. */
export const instantsOf = ({ from, to }: DayRange = {}): { after?: string; before?: string } => ({
  ...(from !== undefined && { after: new Date(dayStart(from)).toISOString() }),
  ...(to !== undefined && { before: new Date(dayStart(to, 1)).toISOString() }),
});

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

/** Filters by e-mail address if the typed text contains an `@`, otherwise by key. */
export const searchQuery = (search: string): { customer_email?: string; key?: string } => {
  const text = search.trim();
  if (text === '') return {};
  return text.includes('@') ? { customer_email: text } : { key: text };
};

/** Converts a filter to queries of the API. The search text is used as an e-mail address or as a key. */
const licenseQueries = (filter: LicenseFilter) => {
  const { search, status, type, seats, unseen, sort } = filter;
  // A filter by status may set a range of expiries as well. The days that the operator chose take precedence over that range.
  return statusQueries(status, sort).map((byStatus) => ({
    ...searchQuery(search),
    ...byStatus,
    ...dayQuery(filter),
    ...(type && { license_type_id: type }),
    ...(seats && { seats }),
    ...(unseen !== undefined && { unseen_since: unseenSince(unseen) }),
  }));
};

/**
 * Converts a filter to queries of the API. If the search text is neither an e-mail address nor a key of the product, it is used as an
 * order's id. Imported keys have no fixed format, so only a request to the API shows whether the text is a key.
 */
async function resolvedQueries(productId: number, filter: LicenseFilter, signal?: AbortSignal) {
  const queries = licenseQueries(filter);
  const key = queries[0]?.key;
  if (key === undefined) return queries;
  const { rows } = await callList('listLicenses', { params: { id: productId }, query: { limit: '1', key } }, signal ? { signal } : {});
  return rows.length > 0 ? queries : queries.map(({ key: order, ...others }) => ({ ...others, ...(order !== undefined && { order }) }));
}

/** A position in the joined results of several queries: the number of the query, and the cursor of its next page. */
const placeOf = (text: string | undefined): readonly [at: number, cursor: string | undefined] => {
  const [, at = '0', cursor = ''] = /^(?:(\d)~)?(.*)$/.exec(text ?? '') ?? [];
  return [Number(at), cursor === '' ? undefined : cursor];
};
const placeText = (at: number, cursor: string | undefined): string => (at === 0 ? (cursor ?? '') : `${at}~${cursor ?? ''}`);

type LicenseQueries = Awaited<ReturnType<typeof resolvedQueries>>;

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

/** One page of licenses or log entries as a part of a CSV file. */
export interface CsvPage {
  readonly text: string;
  /** Number of rows that the service could not read and left out. */
  readonly unreadable: number;
}

/** All licenses that match a filter, as pages of a CSV file. The first page contains the column names. */
export async function* exportLicenses(productId: number, filter: LicenseFilter, signal: AbortSignal): AsyncGenerator<CsvPage> {
  // The queries are computed once, so that a filter by expiry uses the same time for all pages.
  const queries = await resolvedQueries(productId, filter, signal);
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
  const queries = await resolvedQueries(productId, filter, signal);
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

/** Rows on a page of licenses. */
export const PAGE_ROWS = 50;
/** Maximum number of short pages to read before the operator must ask for more. */
const MAX_FOLLOWED = 5;

/** One page of licenses. A filtered page of the API may be short, so further pages are read until the returned page is full. */
async function licensePage(productId: number, filter: LicenseFilter, start: string | undefined, signal: AbortSignal) {
  const queries = await resolvedQueries(productId, filter, signal);
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

/** A search of one kind, with the cursor of its next page. */
interface Search {
  readonly by: { readonly [by in 'q' | 'customer_email' | 'order' | 'fingerprint']?: string };
  /** The search that follows if this search finds nothing. */
  readonly otherwise?: Search['by'];
  readonly cursor?: string;
}

/**
 * The searches for typed text. `q` finds licenses whose key, e-mail address, name or order id begins with the text, but returns only one
 * page. Therefore text with an `@` is first looked up as a complete e-mail address, which finds all licenses of the buyer. Other text is
 * looked up with `q`, as one of the ids of an order, and as the fingerprint of a device.
 */
function searchesFor(search: string): readonly Search[] {
  const text = addressOf(search) ?? search.trim();
  return text.includes('@')
    ? [{ by: { customer_email: text }, otherwise: { q: text } }]
    : [{ by: { q: text } }, { by: { order: text } }, { by: { fingerprint: text } }];
}

/** The e-mail address in a text such as `Ada Lovelace <ada@example.com>` or `ada@example.com`; undefined if the text contains none. */
export function addressOf(search: string): string | undefined {
  const text = addressInBrackets(search) ?? search.trim();
  return text.includes('@') && !/\s/.test(text) ? text : undefined;
}

/**
 * Runs searches. Returns the licenses that were found, and in `next` the searches whose results have another page. A search whose text the
 * API refuses (422) finds nothing, and the other searches are not affected.
 */
async function findPage(searches: readonly Search[], signal: AbortSignal): Promise<{ rows: readonly License[]; next?: readonly Search[] }> {
  const found = await Promise.all(
    searches.map(async ({ by, otherwise, cursor }) => {
      const pageOf = (wanted: Search['by']): Promise<Page<License>> =>
        callList('searchLicenses', { query: { limit: String(PAGE_ROWS), ...wanted, ...(cursor !== undefined && { cursor }) } }, { signal });
      try {
        const first = await pageOf(by);
        const page = otherwise && first.rows.length === 0 ? await pageOf(otherwise) : first;
        return { rows: page.rows, next: page.next === undefined ? [] : [{ by, cursor: page.next }] };
      } catch (error) {
        if (error instanceof ApiError && error.status === 422) return { rows: [], next: [] };
        throw error;
      }
    }),
  );
  const next = found.flatMap((page) => page.next);
  return { rows: found.flatMap(({ rows }) => rows), ...(next.length > 0 && { next }) };
}

/** Finds licenses of all products by the buyer's e-mail address, a key, an order or a device. */
export function useFind(search: string) {
  const query = useInfiniteQuery({
    queryKey: ['find', search],
    queryFn: ({ pageParam, signal }) => findPage(pageParam, signal),
    initialPageParam: searchesFor(search),
    getNextPageParam: ({ next }) => next,
  });
  const { data } = query;
  // Several searches may find the same license.
  const licenses = useMemo(
    () => data && [...new Map(data.pages.flatMap(({ rows }) => rows).map((license) => [license.id, license])).values()],
    [data],
  );
  return { ...query, data: licenses };
}

/** The license that has this key in a product; null if there is none. */
export const useLicenseOfKey = (productId: number, key: string) =>
  useQuery({
    queryKey: ['find', 'key', productId, key],
    queryFn: async ({ signal }) =>
      (await callList('listLicenses', { params: { id: productId }, query: { limit: '1', key } }, { signal })).rows[0] ?? null,
  });

export const useLicense = (id: number) =>
  useQuery({
    queryKey: ['license', id],
    queryFn: ({ signal }) => call('getLicense', { params: { id } }, { signal }),
    refetchInterval: WATCHED,
  });

const isPending = (deliveries: readonly Delivery[]): boolean => deliveries.some(({ status }) => status === 'pending');

type Log = InfiniteData<Page<Delivery>, string | undefined>;

/**
 * Adds a newly read first page to a log. Returns undefined if the new page and the log have no entry in common, because entries between
 * them may then be missing.
 */
export function withNewest(log: Log, newest: Page<Delivery>): Log | undefined {
  const [, ...older] = log.pages;
  const oldest = newest.rows.at(-1);
  if (older.length === 0 || oldest === undefined) return { pages: [newest], pageParams: [undefined] };
  const ids = new Set(newest.rows.map(({ id }) => id));
  const known = log.pages.flatMap(({ rows }) => rows);
  if (!known.some(({ id }) => ids.has(id))) return undefined;
  // Entries that are no longer on the first page, because newer entries came, are kept with the older entries.
  const rest = known.filter(({ id, created_at: at }) => !ids.has(id) && at <= oldest.created_at);
  const next = log.pages.at(-1)?.next;
  return {
    pages: [newest, { rows: rest, unreadable: older.reduce((sum, page) => sum + page.unreadable, 0), ...(next !== undefined && { next }) }],
    pageParams: log.pageParams.slice(0, 2),
  };
}

/**
 * A log, newest first, whose older pages are read on demand. New entries are on the first page, so only that page is reloaded repeatedly,
 * more often while an entry is pending.
 */
function useLog(queryKey: readonly unknown[], read: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Delivery>>) {
  const client = useQueryClient();
  const log = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
  useQuery({
    queryKey: ['newest', ...queryKey],
    queryFn: async ({ signal }) => {
      const newest = await read(undefined, signal);
      const known = client.getQueryData<Log>(queryKey);
      const joined = known && withNewest(known, newest);
      client.setQueryData<Log>(queryKey, joined ?? { pages: [newest], pageParams: [undefined] });
      return newest;
    },
    enabled: log.isSuccess && !log.isPlaceholderData,
    initialData: () => client.getQueryData<Log>(queryKey)?.pages[0],
    refetchInterval: () => (isPending(client.getQueryData<Log>(queryKey)?.pages[0]?.rows ?? []) ? LIVE : WATCHED),
  });
  return log;
}

export const useLicenseEvents = (id: number) =>
  useLog(['license-events', id], (cursor, signal) =>
    callList('listLicenseEvents', { params: { id }, query: { limit: '20', ...(cursor !== undefined && { cursor }) } }, { signal }),
  );

export const useNotes = (id: number) =>
  useQuery({
    queryKey: ['notes', id],
    queryFn: ({ signal }) => call('listNotes', { params: { id } }, { signal }),
    refetchInterval: WATCHED,
  });

export const useLicenseRefusals = (id: number) =>
  useQuery({
    queryKey: ['license-refusals', id],
    queryFn: ({ signal }) => call('listLicenseRefusals', { params: { id } }, { signal }),
    refetchInterval: WATCHED,
  });

/** Maximum number of licenses for which a buyer's page shows changes, mails and refusals, because each license needs requests. */
export const MAX_DETAILED = 20;

/** Reads the rows of a buyer's licenses, up to `MAX_DETAILED` licenses, and adds the license to each row. */
function useOfLicenses<Row>(
  name: string,
  licenses: readonly License[],
  isEnabled: boolean,
  read: (id: number, signal: AbortSignal) => Promise<readonly Row[]>,
) {
  const first = licenses.slice(0, MAX_DETAILED);
  return useQuery({
    queryKey: ['find', name, first.map(({ id }) => id)],
    enabled: isEnabled,
    queryFn: async ({ signal }) =>
      (await Promise.all(first.map(async (license) => (await read(license.id, signal)).map((row) => ({ row, license }))))).flat(),
  });
}

/** The orders of a buyer in the products of the buyer's licenses, newest first. */
export function useBuyerOrders(email: string, licenses: readonly License[], isEnabled: boolean) {
  const products = [...new Set(licenses.map(({ product_id: id }) => id))].slice(0, MAX_DETAILED);
  return useQuery({
    queryKey: ['find', 'orders', email, products],
    enabled: isEnabled,
    queryFn: async ({ signal }) => {
      const found = await Promise.all(products.map((id) => readOrders(id, { find: email }, 100, undefined, signal)));
      return found.flatMap(({ rows }) => rows).sort((a, b) => b.created_at.localeCompare(a.created_at));
    },
  });
}

/** The latest 100 events of each of a buyer's licenses: changes, devices and mails. */
export const useBuyerEvents = (licenses: readonly License[], isEnabled: boolean) =>
  useOfLicenses(
    'events',
    licenses,
    isEnabled,
    async (id, signal) => (await callList('listLicenseEvents', { params: { id }, query: { limit: '100' } }, { signal })).rows,
  );

export const useBuyerRefusals = (licenses: readonly License[], isEnabled: boolean) =>
  useOfLicenses(
    'refusals',
    licenses,
    isEnabled,
    async (id, signal) => (await callList('listLicenseRefusals', { params: { id } }, { signal })).rows,
  );

/** All licenses of an e-mail address, including those that the page has not shown yet. */
export const useLicensesOfBuyer = (email: string) =>
  useQuery({
    queryKey: ['find', 'all', email],
    queryFn: ({ signal }) => callEvery('searchLicenses', { query: { customer_email: email, limit: '1000' } }, { signal }),
  });

export const useProductRefusals = (productId: number) =>
  useQuery({
    queryKey: ['product-refusals', productId],
    queryFn: ({ signal }) => call('listProductRefusals', { params: { id: productId } }, { signal }),
  });

/** A filter of the audit log; empty for all entries. */
export interface AuditFilter {
  readonly product?: string | undefined;
  readonly license?: string | undefined;
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  /** Days, both included. */
  readonly days?: DayRange | undefined;
}

function readAudit({ product, license, actor, action, days }: AuditFilter, limit: number, cursor: string | undefined, signal: AbortSignal) {
  const { after, before } = instantsOf(days);
  return callList(
    'listAudit',
    {
      query: {
        limit: String(limit),
        include: 'licenses',
        ...(product && { product_id: product }),
        ...(license && { license_id: license }),
        ...(actor && { actor }),
        ...(action && { action }),
        ...(after !== undefined && { created_after: after }),
        ...(before !== undefined && { created_before: before }),
        ...(cursor !== undefined && { cursor }),
      },
    },
    { signal },
  );
}

/** All entries that match a filter, as pages of a CSV file. The first page contains the column names. */
export async function* exportAudit(filter: AuditFilter, signal: AbortSignal): AsyncGenerator<CsvPage> {
  let head: readonly string[] = [csvLine(auditColumns.map(({ name }) => name))];
  let cursor: string | undefined;
  do {
    const page: Page<AuditEntry> = await readAudit(filter, 500, cursor, signal);
    const lines = page.rows.map((entry) => csvLine(auditColumns.map(({ value }) => value(entry))));
    yield { text: [...head, ...lines].join(''), unreadable: page.unreadable };
    head = [];
    cursor = page.next;
  } while (cursor !== undefined);
}

export const useAudit = (filter: AuditFilter) =>
  useInfiniteQuery({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam, signal }) => readAudit(filter, 50, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });

export const useSigningKeys = (productId: number) =>
  useQuery({
    queryKey: ['signing-keys', productId],
    queryFn: ({ signal }) => call('listSigningKeys', { params: { id: productId } }, { signal }),
  });

export interface ReleaseFilter {
  readonly channel?: string | undefined;
  readonly status?: Release['status'] | undefined;
}

/** The releases of a product, the newest version first. */
export const useReleases = (productId: number, { channel, status }: ReleaseFilter) =>
  useInfiniteQuery({
    queryKey: ['releases', productId, channel, status],
    queryFn: ({ pageParam, signal }) =>
      callList(
        'listReleases',
        {
          params: { id: productId },
          query: {
            limit: '50',
            ...(channel && { channel }),
            ...(status && { status }),
            ...(pageParam !== undefined && { cursor: pageParam }),
          },
        },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });

export const useRelease = (id: number) =>
  useQuery({
    queryKey: ['release', id],
    queryFn: ({ signal }) => call('getRelease', { params: { id } }, { signal }),
    refetchInterval: WATCHED,
  });

/** The queries that every change of a release makes stale. */
export const releaseKeys = ({ id, product_id }: Pick<Release, 'id' | 'product_id'>): readonly (readonly unknown[])[] => [
  ['release', id],
  ['releases', product_id],
  ['deliveries', product_id],
];

export const useDownloads = (productId: number) =>
  useQuery({
    queryKey: ['downloads', productId],
    queryFn: ({ signal }) => call('getDownloads', { params: { id: productId } }, { signal }),
  });

export const useWebhook = (productId: number) =>
  useQuery({ queryKey: ['webhook', productId], queryFn: ({ signal }) => call('getWebhook', { params: { id: productId } }, { signal }) });

export interface DeliveryFilter {
  readonly status?: Delivery['status'] | undefined;
  readonly event?: Delivery['event'] | undefined;
  readonly channel?: Delivery['channel'] | undefined;
  /** A day in UTC, such as `2026-11-20`. */
  readonly day?: string | undefined;
}

export function useDeliveries(productId: number, filter: DeliveryFilter, rows = 50) {
  const { status, event, channel, day } = filter;
  const utc = day && `${day}Z`;
  const { after, before } = instantsOf({ from: utc, to: utc });
  const query = {
    limit: String(rows),
    ...(status && { status }),
    ...(event && { event }),
    ...(channel && { channel }),
    ...(after !== undefined && { created_after: after }),
    ...(before !== undefined && { created_before: before }),
  };
  return useLog(['deliveries', productId, filter, rows], (cursor, signal) =>
    callList('listDeliveries', { params: { id: productId }, query: { ...query, ...(cursor !== undefined && { cursor }) } }, { signal }),
  );
}

/** Maximum number of failed events that are grouped by their cause. */
export const MAX_FAILURES = 2000;

/** Failed deliveries, newest first. */
export const useFailures = (productId: number, { channel, day }: Pick<DeliveryFilter, 'channel' | 'day'>) =>
  useQuery({
    queryKey: ['failures', productId, channel, day],
    queryFn: async ({ signal }) => {
      const utc = day && `${day}Z`;
      const { after, before } = instantsOf({ from: utc, to: utc });
      const query = {
        status: 'failed',
        limit: '500',
        ...(channel && { channel }),
        ...(after !== undefined && { created_after: after }),
        ...(before !== undefined && { created_before: before }),
      } as const;
      return (await callEvery('listDeliveries', { params: { id: productId }, query }, { signal }, MAX_FAILURES)).slice(0, MAX_FAILURES);
    },
    refetchInterval: WATCHED,
  });

export const useDelivery = (id: string) =>
  useQuery({
    queryKey: ['delivery', id],
    queryFn: ({ signal }) => call('getDelivery', { params: { event_id: id } }, { signal }),
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? LIVE : false),
  });

/** All admin tokens. All pages are read, because the page shows the newest token first and the API lists the oldest first. */
export function useTokens() {
  const query = useInfiniteQuery({
    queryKey: ['tokens'],
    queryFn: ({ pageParam, signal }) =>
      callList('listTokens', { query: { limit: '1000', ...(pageParam !== undefined && { cursor: pageParam }) } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  });
  useEveryPage(query);
  return query;
}

export const useConnections = (productId: number) =>
  useQuery({
    queryKey: ['connections', productId],
    queryFn: ({ signal }) => call('listPaymentConnections', { params: { id: productId } }, { signal }),
    refetchInterval: WATCHED,
  });

/** A connection is reloaded often until its first notification arrives, because the person who sets it up waits for this notification. */
export const useConnection = (id: number) =>
  useQuery({
    queryKey: ['connection', id],
    queryFn: ({ signal }) => call('getPaymentConnection', { params: { id } }, { signal }),
    refetchInterval: ({ state }) => (state.data?.last_received_at === null ? LIVE : WATCHED),
  });

export interface PaymentFilter {
  readonly status: Payment['status'] | undefined;
  /** Any id of the order whose notifications are selected; empty for all notifications. */
  readonly order: string;
}

const readPayments = (
  productId: number,
  { status, order }: PaymentFilter,
  limit: number,
  cursor: string | undefined,
  signal: AbortSignal,
) =>
  callList(
    'listPayments',
    {
      params: { id: productId },
      query: {
        limit: String(limit),
        ...(status && { status }),
        ...(order !== '' && { order }),
        ...(cursor !== undefined && { cursor }),
      },
    },
    { signal },
  );

/** All payment notifications that match a filter, as pages of a CSV file. The first page contains the column names. */
export async function* exportPayments(productId: number, filter: PaymentFilter, signal: AbortSignal): AsyncGenerator<CsvPage> {
  let head: readonly string[] = [csvLine(paymentColumns.map(({ name }) => name))];
  let cursor: string | undefined;
  do {
    const page: Page<Payment> = await readPayments(productId, filter, 500, cursor, signal);
    const lines = page.rows.map((payment) => csvLine(paymentColumns.map(({ value }) => value(payment))));
    yield { text: [...head, ...lines].join(''), unreadable: page.unreadable };
    head = [];
    cursor = page.next;
  } while (cursor !== undefined);
}

export const usePayments = (productId: number, filter: PaymentFilter, isEnabled = true) =>
  useInfiniteQuery({
    queryKey: ['payments', productId, filter.status, filter.order],
    queryFn: ({ pageParam, signal }) => readPayments(productId, filter, 50, pageParam, signal),
    enabled: isEnabled,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchInterval: WATCHED,
  });

export interface OrderFilter {
  /** The buyer's e-mail address, or any id of an order; empty for all orders. */
  readonly find: string;
}

const readOrders = (productId: number, { find }: OrderFilter, limit: number, cursor: string | undefined, signal: AbortSignal) =>
  callList(
    'listOrders',
    {
      params: { id: productId },
      query: {
        limit: String(limit),
        ...(find !== '' && (find.includes('@') ? { customer_email: find } : { order: find })),
        ...(cursor !== undefined && { cursor }),
      },
    },
    { signal },
  );

export const useOrders = (productId: number, filter: OrderFilter) =>
  useInfiniteQuery({
    queryKey: ['orders', productId, filter.find],
    queryFn: ({ pageParam, signal }) => readOrders(productId, filter, 50, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchInterval: WATCHED,
  });

/** The order with an id; null if there is none. */
export const useOrder = (productId: number, order: string) =>
  useQuery({
    queryKey: ['orders', productId, 'one', order],
    queryFn: async ({ signal }) =>
      (await callList('listOrders', { params: { id: productId }, query: { order, limit: '1' } }, { signal })).rows[0] ?? null,
    refetchInterval: WATCHED,
  });

/**
 * Adds a plan for each ref to the order's connection, and processes the held notifications of the order. The plans are replaced as a whole,
 * so they are read again immediately before.
 */
export function useSellAs({ product_id, connection_id }: Pick<Order, 'product_id' | 'connection_id'>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ types, held }: { types: ReadonlyMap<string, number>; held: readonly string[] }) => {
      const params = { id: connection_id };
      const { plans } = await call('getPaymentConnection', { params });
      const added = [...types].filter(([ref]) => !plans.some((plan) => plan.ref === ref));
      if (added.length > 0)
        await call('updatePaymentConnection', {
          params,
          body: { plans: [...plans, ...added.map(([ref, license_type_id]) => ({ ref, license_type_id }))] },
        });
      let status: Payment['status'] = 'held';
      for (const payment of held) ({ status } = await call('processPayment', { params: { payment } }));
      return status;
    },
    onSuccess: (status) =>
      toast(status === 'done' ? t('Added the plan, and processed the sale') : t('Added the plan. The sale is still held: see its reason')),
    onSettled: () =>
      Promise.all(
        ['orders', 'payments', 'licenses', 'overview', 'connections']
          .map((name) => [name, product_id])
          .concat([['connection', connection_id], ['payment']])
          .map((queryKey) => client.invalidateQueries({ queryKey })),
      ),
  });
}

export const usePayment = (payment: string) =>
  useQuery({ queryKey: ['payment', payment], queryFn: ({ signal }) => call('getPayment', { params: { payment } }, { signal }) });

export const useMailSettings = (productId: number) =>
  useQuery({
    queryKey: ['mail-settings', productId],
    queryFn: ({ signal }) => call('getMailSettings', { params: { id: productId } }, { signal }),
  });

/** The preview of a mail. The parameter is the request as JSON text, so that equal requests are made only once. */
export const useMailPreview = (productId: number, request: string) =>
  useQuery({
    queryKey: ['mail-preview', productId, request],
    queryFn: ({ signal }) =>
      call('previewMail', { params: { id: productId }, body: JSON.parse(request) as RequestOf<'previewMail'>['body'] }, { signal }),
    placeholderData: keepPreviousData,
  });

export const usePortal = (productId: number) =>
  useQuery({
    queryKey: ['portal', productId],
    queryFn: ({ signal }) => call('getPortal', { params: { id: productId } }, { signal }),
  });

export const usePreviousApiKey = (productId: number) =>
  useQuery({
    queryKey: ['previous-api-key', productId],
    queryFn: ({ signal }) => call('getPreviousApiKey', { params: { id: productId } }, { signal }),
  });

export const useMailStatus = () => useQuery({ queryKey: ['mail'], queryFn: ({ signal }) => call('getMailStatus', {}, { signal }) });

interface Change<N extends Name> {
  /** The queries that the change makes stale: all whose query key begins with one of these entries. */
  readonly stale?: readonly (readonly unknown[])[];
  readonly done?: (response: ResponseOf<N>) => string;
  /** Returns the message that is shown if the form was closed before it could show the result itself. */
  readonly unseen?: (response: ResponseOf<N>) => string;
  /** Takes the change back. The message about the change then has a button for it. */
  readonly undo?: (() => void) | undefined;
  readonly onSuccess?: (response: ResponseOf<N>) => void;
  readonly apiKey?: string | undefined;
  /** Runs before each request; if it throws, the request is not sent. */
  readonly before?: (request: RequestOf<N>) => Promise<void>;
}

/**
 * Makes sure that a value is still the one that a form was filled with, because the form's request replaces the whole value.
 *
 * @throws Error if somebody else has changed the value
 */
export function expectUnchanged(known: unknown, present: unknown): void {
  if (JSON.stringify(known) !== JSON.stringify(present))
    throw new Error(
      t('Not saved, because somebody else has changed the same data in the meantime. Reload the page, then repeat your change.'),
    );
}

/** The statuses of responses after which the page's data is reloaded, because the data may be outdated. */
const OUTDATED: readonly number[] = [403, 404, 409];

/**
 * Calls an endpoint that changes something, shows a message and reloads the changed data. The data is also reloaded if the change was
 * refused because of somebody else's change. A response may get lost after the service has made the change. Therefore a repeated request
 * has the same `Idempotency-Key` until it succeeds, so that the service does not make the change twice. Only one request is sent at a time.
 */
export function useChange<N extends Name>(name: N, { stale = [], done, unseen, undo, onSuccess, apiKey, before }: Change<N> = {}) {
  const client = useQueryClient();
  const [idempotencyKeys] = useState(() => new Map<string, string>());
  const running = useRef(false);
  const shown = useRef(true);
  useEffect(() => {
    shown.current = true;
    return () => {
      shown.current = false;
    };
  }, []);
  const refresh = (): Promise<unknown> => Promise.all(stale.map((queryKey) => client.invalidateQueries({ queryKey })));
  const keyOf = (request: RequestOf<N>): string => {
    const content = JSON.stringify(request);
    const key = idempotencyKeys.get(content) ?? newIdempotencyKey();
    idempotencyKeys.set(content, key);
    return key;
  };
  const mutation = useMutation({
    mutationFn: async (request: RequestOf<N>) => {
      await before?.(request);
      return call(name, request, {
        ...(isIdempotent(name) && { idempotencyKey: keyOf(request) }),
        ...(apiKey !== undefined && { apiKey }),
      });
    },
    onSuccess: async (response, request) => {
      idempotencyKeys.clear();
      // Reloads before the message appears, so that the operator then sees the result.
      await refresh();
      const curl = apiKey === undefined ? asCurl(name, request) : undefined;
      if (done) toast(done(response), curl, undo);
      else if (unseen && !shown.current) toast(unseen(response), curl);
      if (shown.current) onSuccess?.(response);
    },
    onError: (error) => {
      if (!shown.current) toastFailure(error.message);
      if (error instanceof ApiError && OUTDATED.includes(error.status)) void refresh();
    },
    onSettled: () => {
      running.current = false;
    },
  });
  // A second click may arrive before the button is drawn as busy.
  const mutate = (request: RequestOf<N>): void => {
    if (running.current) return;
    running.current = true;
    mutation.mutate(request);
  };
  return { ...mutation, mutate };
}

/** The queries that every change of a license makes stale. */
export const licenseKeys = ({ id, product_id }: Pick<License, 'id' | 'product_id'>): readonly (readonly unknown[])[] => [
  ['license', id],
  ['license-events', id],
  ['licenses', product_id],
  ['find'],
  ['overview', product_id],
  ['deliveries', product_id],
];

/** Changes a payment connection and reloads its data. */
export const useConnectionChange = (
  { id, product_id }: Pick<PaymentConnection, 'id' | 'product_id'>,
  done: string,
  { onSuccess, before }: Pick<Change<'updatePaymentConnection'>, 'onSuccess' | 'before'> = {},
) =>
  useChange('updatePaymentConnection', {
    stale: [
      ['connection', id],
      ['connections', product_id],
    ],
    done: () => done,
    ...(onSuccess && { onSuccess }),
    ...(before && { before }),
  });
