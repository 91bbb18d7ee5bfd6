import { useInfiniteQuery, useQuery, useQueryClient, type InfiniteData, type QueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call, callEvery, callList, type Page, type Product } from '../api';
import { t } from '../texts';
import { useEveryPage, WATCHED } from './client';

/** Queries about products, their license types and their keys. */

/** Rows on a page of products. */
const PRODUCT_ROWS = '100';

/** @param include additional data for each product: its numbers, or its licenses that expire soon */
export const useProducts = (include?: 'numbers' | 'expiring', enabled = true) =>
  useInfiniteQuery({
    queryKey: ['products', ...(include ? [include] : [])],
    enabled,
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

/** @param isEnabled whether to load the types */
export const useTypes = (productId: number, isEnabled = true) =>
  useQuery({
    queryKey: ['types', productId],
    enabled: isEnabled,
    queryFn: ({ signal }) => callEvery('listLicenseTypes', { params: { id: productId } }, { signal }),
  });

export const useProductRefusals = (productId: number) =>
  useQuery({
    queryKey: ['product-refusals', productId],
    queryFn: ({ signal }) => call('listProductRefusals', { params: { id: productId } }, { signal }),
  });

export const useSigningKeys = (productId: number) =>
  useQuery({
    queryKey: ['signing-keys', productId],
    queryFn: ({ signal }) => call('listSigningKeys', { params: { id: productId } }, { signal }),
  });

export const usePreviousApiKey = (productId: number) =>
  useQuery({
    queryKey: ['previous-api-key', productId],
    queryFn: ({ signal }) => call('getPreviousApiKey', { params: { id: productId } }, { signal }),
  });
