import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { addressInBrackets } from '../../../lambdas/domain/email';
import { ApiError, callList, type License, type Page } from '../api';
import { isSearchable, PAGE_ROWS } from './license-list';

/** The search for licenses in all products. */

/** The e-mail address in a text such as `Ada Lovelace <ada@example.com>` or `ada@example.com`; undefined if the text contains none. */
export function addressOf(search: string): string | undefined {
  const text = addressInBrackets(search) ?? search.trim();
  return /^[^\s@]+@[^\s@]/.test(text) && !/\s/.test(text) ? text : undefined;
}

/** A search that finds the licenses of a whole e-mail address, or the licenses that the service finds by a beginning. */
interface Search {
  readonly by: { readonly customer_email: string } | { readonly q: string };
  readonly cursor?: string | undefined;
}

/** One page of a search. A text that the API refuses (422) finds nothing. */
async function findPage({ by, cursor }: Search, signal: AbortSignal): Promise<Page<License>> {
  try {
    return await callList(
      'searchLicenses',
      { query: { limit: String(PAGE_ROWS), ...by, ...(cursor !== undefined && { cursor }) } },
      { signal },
    );
  } catch (error) {
    if (error instanceof ApiError && error.status === 422) return { rows: [], unreadable: 0 };
    throw error;
  }
}

/**
 * Finds licenses of all products. For a whole e-mail address, only the licenses of this buyer are found, because the page then offers
 * actions for the buyer. If there are none, or for any other text, the licenses are found as in the list of a product.
 */
export function useFind(search: string) {
  const address = addressOf(search);
  const first: Search = { by: address === undefined ? { q: search } : { customer_email: address } };
  const query = useInfiniteQuery({
    queryKey: ['find', search],
    queryFn: async ({ pageParam, signal }) => {
      const page = await findPage(pageParam, signal);
      if (page.rows.length > 0 || !('customer_email' in pageParam.by)) return { ...page, by: pageParam.by };
      const by = { q: address ?? search };
      return { ...(await findPage({ by }, signal)), by };
    },
    initialPageParam: first,
    getNextPageParam: ({ next, by }): Search | undefined => (next === undefined ? undefined : { by, cursor: next }),
  });
  const { data } = query;
  const licenses = useMemo(() => data?.pages.flatMap(({ rows }) => rows), [data]);
  return { ...query, data: licenses };
}

/** Number of licenses that are found while the operator types. */
const LIVE_ROWS = 20;

/** Finds the first licenses while the operator types. The last result stays until the next one has arrived. */
export const useLiveFind = (search: string, isPermitted: boolean) =>
  useQuery({
    queryKey: ['live', search],
    queryFn: async ({ signal }) => {
      const { rows, next } = await callList('searchLicenses', { query: { q: search, limit: String(LIVE_ROWS) } }, { signal });
      return { search, rows, hasMore: next !== undefined };
    },
    enabled: isPermitted && isSearchable(search),
    placeholderData: keepPreviousData,
    staleTime: 10_000,
    retry: false,
  });
