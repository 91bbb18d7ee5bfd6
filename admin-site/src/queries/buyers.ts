import { useQuery } from '@tanstack/react-query';
import { call, callEvery, callList, type License, type Order } from '../api';
import { readOrders } from './payments';

/** Queries about all licenses of a buyer. */

/** Maximum number of licenses for which a buyer's page shows changes, mails and refusals, because each license needs requests. */
export const MAX_DETAILED = 20;

/** Reads the rows of a buyer's licenses, up to `MAX_DETAILED` licenses, and adds the license to each row. */
function useOfLicenses<Row>(
  name: string,
  licenses: readonly License[],
  isEnabled: boolean,
  read: (id: number, signal: AbortSignal) => Promise<readonly Row[]>,
) {
  const first = licenses.slice(0, MAX_DETAILED);
  return useQuery({
    queryKey: ['find', name, first.map(({ id }) => id)],
    enabled: isEnabled,
    queryFn: async ({ signal }) =>
      (await Promise.all(first.map(async (license) => (await read(license.id, signal)).map((row) => ({ row, license }))))).flat(),
  });
}

/** The orders of a buyer in products, newest first. */
async function ordersOf(email: string, products: readonly number[], signal: AbortSignal): Promise<readonly Order[]> {
  const first = products.slice(0, MAX_DETAILED);
  const found = await Promise.all(first.map((id) => readOrders(id, { find: email }, 100, undefined, signal)));
  return found.flatMap(({ rows }) => rows).sort((a, b) => b.created_at.localeCompare(a.created_at));
}

/** The orders of a buyer in the products of the buyer's licenses, newest first. */
export function useBuyerOrders(email: string, licenses: readonly License[], isEnabled: boolean) {
  const products = [...new Set(licenses.map(({ product_id: id }) => id))];
  return useQuery({
    queryKey: ['find', 'orders', email, products],
    enabled: isEnabled,
    queryFn: ({ signal }) => ordersOf(email, products, signal),
  });
}

/** The held orders of a buyer who may have no license yet: their orders in the products that have held sales. */
export const useHeldOrders = (email: string, isEnabled: boolean) =>
  useQuery({
    queryKey: ['find', 'held', email],
    enabled: isEnabled,
    queryFn: async ({ signal }) => {
      const { attention = [] } = await call('getDeploymentOverview', { query: { days: '1', include: 'attention' } }, { signal });
      const products = attention.filter(({ held_sales: held }) => held > 0).map(({ product_id: id }) => id);
      return (await ordersOf(email, products, signal)).filter(({ status }) => status === 'held');
    },
  });

/** The latest 100 events of each of a buyer's licenses: changes, devices and mails. */
export const useBuyerEvents = (licenses: readonly License[], isEnabled: boolean) =>
  useOfLicenses(
    'events',
    licenses,
    isEnabled,
    async (id, signal) => (await callList('listLicenseEvents', { params: { id }, query: { limit: '100' } }, { signal })).rows,
  );

export const useBuyerRefusals = (licenses: readonly License[], isEnabled: boolean) =>
  useOfLicenses(
    'refusals',
    licenses,
    isEnabled,
    async (id, signal) => (await callList('listLicenseRefusals', { params: { id } }, { signal })).rows,
  );

/** The licenses of which a person is a member; at most 100. */
export const useMemberships = (email: string) =>
  useQuery({
    queryKey: ['find', 'memberships', email],
    queryFn: ({ signal }) => callEvery('searchLicenses', { query: { member: email, limit: '100' } }, { signal }, 100),
  });

/** All licenses of an e-mail address, including those that the page has not shown yet. */
export const useLicensesOfBuyer = (email: string) =>
  useQuery({
    queryKey: ['find', 'all', email],
    queryFn: ({ signal }) => callEvery('searchLicenses', { query: { customer_email: email, limit: '1000' } }, { signal }),
  });
