import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { call, callList, type Release } from '../api';
import { WATCHED } from './client';

/** Queries about releases and downloads. */

export interface ReleaseFilter {
  readonly channel?: string | undefined;
  readonly status?: Release['status'] | undefined;
}

/** The releases of a product, the newest version first. @param isEnabled whether to load them */
export const useReleases = (productId: number, { channel, status }: ReleaseFilter, isEnabled = true) =>
  useInfiniteQuery({
    queryKey: ['releases', productId, channel, status],
    enabled: isEnabled,
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
