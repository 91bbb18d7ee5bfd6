import { keepPreviousData, MutationCache, QueryCache, QueryClient, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ApiError, call, callList, isIdempotent, newIdempotencyKey, type Delivery, type License, type Name, type Product, type RequestOf, type ResponseOf } from './api';
import { currentToken, signOut } from './session';
import { toast } from './ui/toast';

/** What the pages read and change, each named once; a change names what it makes stale. */

/** While a delivery is on its way, in ms. */
const LIVE = 1500;

/** A token that was right and is not any more leads back to the sign-in. */
const onError = (error: Error): void => {
  if (error instanceof ApiError && error.status === 401 && currentToken() !== null) signOut('rejected');
};

export const newQueryClient = (): QueryClient =>
  new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 2000,
        // A refusal stays one; a service that is down is asked once more, then the operator decides.
        retry: (failures, error) => failures < 1 && !(error instanceof ApiError && error.status < 500),
        retryDelay: 400,
        // The page may be on the same machine as the service, without any other network.
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });

const productPage = (cursor: string | undefined, signal: AbortSignal) => callList('listProducts', { query: { limit: '100', ...(cursor !== undefined && { cursor }) } }, { signal });

export const useProducts = () =>
  useInfiniteQuery({
    queryKey: ['products'],
    queryFn: ({ pageParam, signal }) => productPage(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  });

export const useProduct = (id: number) => useQuery({ queryKey: ['product', id], queryFn: ({ signal }) => call('getProduct', { params: { id } }, { signal }), staleTime: Infinity });

export const useOverview = (id: number) => useQuery({ queryKey: ['overview', id], queryFn: ({ signal }) => call('getOverview', { params: { id } }, { signal }), refetchInterval: 15_000 });

export const useTypes = (productId: number) =>
  useQuery({ queryKey: ['types', productId], queryFn: ({ signal }) => call('listLicenseTypes', { params: { id: productId } }, { signal }) });

export interface LicenseFilter {
  readonly search: string;
  readonly status: License['status'] | undefined;
  readonly type: string | undefined;
}

/** What was typed into a search is an e-mail address where it has an `@`, else a key. */
export const searchQuery = (search: string): { customer_email?: string; key?: string } => {
  const text = search.trim();
  if (text === '') return {};
  return text.includes('@') ? { customer_email: text } : { key: text };
};

/** Rows on a page of licenses. */
export const PAGE_ROWS = 50;
/** Short pages that are followed before the operator is asked to go on. */
const MAX_FOLLOWED = 5;

/** One page of licenses. A filtered page of the API may be short: the next ones are taken until it is full. */
async function licensePage(productId: number, { search, status, type }: LicenseFilter, start: string | undefined, signal: AbortSignal) {
  const rows: License[] = [];
  let cursor = start;
  for (let followed = 0; followed < MAX_FOLLOWED; followed += 1) {
    const page = await callList(
      'listLicenses',
      {
        params: { id: productId },
        query: {
          order: 'desc',
          limit: String(PAGE_ROWS - rows.length),
          ...searchQuery(search),
          ...(status && { status }),
          ...(type && { license_type_id: type }),
          ...(cursor !== undefined && { cursor }),
        },
      },
      { signal },
    );
    rows.push(...page.rows);
    cursor = page.next;
    if (cursor === undefined || rows.length >= PAGE_ROWS) break;
  }
  return { rows, next: cursor };
}

export const useLicenses = (productId: number, filter: LicenseFilter, cursor: string | undefined) =>
  useQuery({
    queryKey: ['licenses', productId, filter, cursor],
    queryFn: ({ signal }) => licensePage(productId, filter, cursor, signal),
    placeholderData: keepPreviousData,
  });

/** Products that are asked at a time. */
const ASKED_AT_ONCE = 6;

/** What a product has of what is searched for: the newest licenses, and whether there are more. */
export interface Found {
  readonly product: Product;
  readonly licenses: readonly License[];
  readonly more: boolean;
}

/** Asks every product of one page of them: a key or an address is looked up, not searched for, so each answer is cheap. */
async function findPage(search: string, cursor: string | undefined, signal: AbortSignal) {
  const products = await productPage(cursor, signal);
  const found: Found[] = [];
  for (let first = 0; first < products.rows.length; first += ASKED_AT_ONCE) {
    const asked = products.rows.slice(first, first + ASKED_AT_ONCE).map(async (product) => {
      const { rows, next: rest } = await licensePage(product.id, { search, status: undefined, type: undefined }, undefined, signal);
      return { product, licenses: rows, more: rest !== undefined };
    });
    found.push(...(await Promise.all(asked)).filter(({ licenses, more }) => licenses.length > 0 || more));
  }
  return { found, searched: products.rows.length, next: products.next };
}

/** Searches product by product and goes on by itself until all are searched; what was found before shows meanwhile. */
export function useFind(search: string) {
  const query = useInfiniteQuery({
    queryKey: ['find', search],
    queryFn: ({ pageParam, signal }) => findPage(search, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    // As many requests as there are products are for who searches, not for who comes back to the window.
    refetchOnWindowFocus: false,
  });
  const { data, error, hasNextPage, isFetching, fetchNextPage } = query;
  useEffect(() => {
    if (hasNextPage && !isFetching && !error) void fetchNextPage();
  }, [data, error, hasNextPage, isFetching, fetchNextPage]);
  return query;
}

export const useLicense = (id: number) => useQuery({ queryKey: ['license', id], queryFn: ({ signal }) => call('getLicense', { params: { id } }, { signal }) });

const isPending = (deliveries: readonly Delivery[]): boolean => deliveries.some(({ status }) => status === 'pending');

export const useLicenseEvents = (id: number) =>
  useInfiniteQuery({
    queryKey: ['license-events', id],
    queryFn: ({ pageParam, signal }) => callList('listLicenseEvents', { params: { id }, query: { limit: '20', ...(pageParam !== undefined && { cursor: pageParam }) } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state }) => (isPending(state.data?.pages.flatMap(({ rows }) => rows) ?? []) ? LIVE : false),
  });

export const useWebhook = (productId: number) => useQuery({ queryKey: ['webhook', productId], queryFn: ({ signal }) => call('getWebhook', { params: { id: productId } }, { signal }) });

export const useDeliveries = (productId: number, status: Delivery['status'] | undefined, rows = 50) =>
  useInfiniteQuery({
    queryKey: ['deliveries', productId, status, rows],
    queryFn: ({ pageParam, signal }) =>
      callList('listDeliveries', { params: { id: productId }, query: { limit: String(rows), ...(status && { status }), ...(pageParam !== undefined && { cursor: pageParam }) } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    // Live while something is on its way; now and then otherwise.
    refetchInterval: ({ state }) => (isPending(state.data?.pages.flatMap(({ rows: found }) => found) ?? []) ? LIVE : 10_000),
  });

export const useDelivery = (id: string) =>
  useQuery({
    queryKey: ['delivery', id],
    queryFn: ({ signal }) => call('getDelivery', { params: { event_id: id } }, { signal }),
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? LIVE : false),
  });

export const useMailStatus = () => useQuery({ queryKey: ['mail'], queryFn: ({ signal }) => call('getMailStatus', {}, { signal }) });

interface Change<N extends Name> {
  /** The queries that it makes stale, by the beginning of their keys. */
  readonly stale?: readonly (readonly unknown[])[];
  readonly done?: (answer: ResponseOf<N>) => string;
  readonly onSuccess?: (answer: ResponseOf<N>) => void;
  readonly apiKey?: string | undefined;
}

/**
 * Calls an endpoint that changes something; says that it was done, and reads again what it changed. The
 * service may have done what no answer was heard of: the same request has the same `Idempotency-Key` until
 * one succeeds, so that asking again does nothing twice.
 */
export function useChange<N extends Name>(name: N, { stale = [], done, onSuccess, apiKey }: Change<N> = {}) {
  const client = useQueryClient();
  const [idempotencyKeys] = useState(() => new Map<string, string>());
  const keyOf = (request: RequestOf<N>): string => {
    const content = JSON.stringify(request);
    const key = idempotencyKeys.get(content) ?? newIdempotencyKey();
    idempotencyKeys.set(content, key);
    return key;
  };
  return useMutation({
    mutationFn: (request: RequestOf<N>) => call(name, request, { ...(isIdempotent(name) && { idempotencyKey: keyOf(request) }), ...(apiKey !== undefined && { apiKey }) }),
    onSuccess: async (answer) => {
      idempotencyKeys.clear();
      // First what is shown, then the word that it is done: who looks up sees the result.
      await Promise.all(stale.map((queryKey) => client.invalidateQueries({ queryKey })));
      if (done) toast(done(answer));
      onSuccess?.(answer);
    },
  });
}

/** What every change of a license makes stale. */
export const licenseKeys = ({ id, product_id }: Pick<License, 'id' | 'product_id'>): readonly (readonly unknown[])[] => [
  ['license', id],
  ['license-events', id],
  ['licenses', product_id],
  ['overview', product_id],
  ['deliveries', product_id],
];
