import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../api';
import { useMay } from '../permission';

/** Queries for the numbers of one product or of all products. */

/**
 * The numbers of a product.
 *
 * @param days the number of past days, and of coming days, for which there are numbers by day
 */
export const useOverview = (id: number, days = 30) =>
  useQuery({
    queryKey: ['overview', id, days],
    enabled: useMay()('getOverview'),
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
