import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { paymentColumns } from '../../../lambdas/contract/payment-columns';
import { csvLine } from '../../../lambdas/domain/csv';
import { call, callList, type Order, type Page, type Payment, type PaymentConnection } from '../api';
import { t } from '../texts';
import { toast } from '../ui/toast';
import { useChange, type Change } from './change';
import { LIVE, WATCHED } from './client';
import type { CsvPage } from './csv';

/** Queries about payment connections, notifications and orders. */

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

export const readOrders = (productId: number, { find }: OrderFilter, limit: number, cursor: string | undefined, signal: AbortSignal) =>
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
