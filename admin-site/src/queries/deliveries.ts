import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient, type InfiniteData } from '@tanstack/react-query';
import { call, callEvery, callList, type Delivery, type Page } from '../api';
import { LIVE, WATCHED } from './client';
import { instantsOf } from './days';

/** Queries about events and their deliveries. */

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
export function useLog(queryKey: readonly unknown[], read: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Delivery>>) {
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
