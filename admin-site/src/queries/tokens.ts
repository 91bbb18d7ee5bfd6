import { useInfiniteQuery } from '@tanstack/react-query';
import { callList } from '../api';
import { useEveryPage } from './client';

/** Queries about admin tokens. */

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
