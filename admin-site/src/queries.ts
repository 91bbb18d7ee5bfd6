import { keepPreviousData, MutationCache, QueryCache, QueryClient, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError, call, callList, type Delivery, type License, type Name, type RequestOf, type ResponseOf } from './api';
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

export const useProducts = () =>
  useInfiniteQuery({
    queryKey: ['products'],
    queryFn: ({ pageParam, signal }) => callList('listProducts', { query: { limit: '100', ...(pageParam !== undefined && { cursor: pageParam }) } }, { signal }),
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

/** Calls an endpoint that changes something; says that it was done, and reads again what it changed. */
export function useChange<N extends Name>(name: N, { stale = [], done, onSuccess, apiKey }: Change<N> = {}) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ idempotencyKey, ...request }: RequestOf<N> & { idempotencyKey?: string }) =>
      call(name, request as unknown as RequestOf<N>, { ...(idempotencyKey !== undefined && { idempotencyKey }), ...(apiKey !== undefined && { apiKey }) }),
    onSuccess: async (answer) => {
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
