import { MutationCache, notifyManager, QueryCache, QueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ApiError } from '../api';
import { currentToken, signOut } from '../session';

/** The cache of the pages' data, and the intervals at which it is read again. */

/** Milliseconds between two reads of data about work in progress. */
export const LIVE = 1500;

/** Milliseconds between two reads of data that other operators or apps may change. */
export const WATCHED = 10_000;

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

interface Pages {
  readonly error: Error | null;
  readonly hasNextPage: boolean;
  readonly isFetching: boolean;
  readonly fetchNextPage: () => Promise<unknown>;
}

/** Reads all pages of a list. */
export function useEveryPage({ error, hasNextPage, isFetching, fetchNextPage }: Pages): void {
  useEffect(() => {
    if (hasNextPage && !isFetching && !error) void fetchNextPage();
  }, [hasNextPage, isFetching, error, fetchNextPage]);
}
