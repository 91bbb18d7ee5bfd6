import { OVERVIEW_DAYS } from '../../contract/overview';
import { dateOf } from '../../domain/time';
import { countRejecting } from '../payments/connections';
import { countHeld } from '../payments/log';
import { getProducts } from '../products';
import type { Table } from '../table';
import { readProductsOfDays } from './deployment';
import type { ProductNumbers } from './product';
import { byProduct, lastDates, type ProductDayCounts } from './rows';

/**
 * Finds the products that need an operator's attention, because they have failures, held sales, or notifications of a processor with a
 * wrong signature.
 */

export interface Attention {
  readonly product_id: number;
  /** The product's name; null if the product cannot be read. */
  readonly name: string | null;
  /** Number of failed deliveries in the last {@link OVERVIEW_DAYS} days. */
  readonly failed_deliveries: number;
  readonly failed_mails: number;
  readonly held_sales: number;
  /** Number of payment connections at which notifications with a wrong signature arrive. */
  readonly rejecting_connections: number;
}

type Failures = Pick<ProductDayCounts, 'failed' | 'mails_failed'>;
type FailuresByProduct = ReadonlyMap<number, Failures>;

/** The failures of all products in the last {@link OVERVIEW_DAYS} days. */
export const readFailures = async (table: Table, now: number): Promise<FailuresByProduct> =>
  byProduct(await readProductsOfDays(table, lastDates(now, OVERVIEW_DAYS)[0] ?? '', dateOf(now)));

/** The failures of one product in the last {@link OVERVIEW_DAYS} days, computed from statistics that were already read. */
export function failuresOfOnly(productId: number, { days }: Pick<ProductNumbers, 'days'>): FailuresByProduct {
  const sum = (name: keyof Failures): number => days.slice(-OVERVIEW_DAYS).reduce((total, day) => total + day[name], 0);
  return new Map([[productId, { failed: sum('failed'), mails_failed: sum('mails_failed') }]]);
}

/**
 * Lists the products that need attention. Products with the most held sales come first, then products with wrong
 * signatures, then products with the most failures. The number of
 * queries does not depend on the number of products.
 *
 * @param only the id of a product, if only this product is checked; null: all products
 * @param limit maximum number of products
 */
export async function readAttention(
  table: Table,
  only: number | null,
  given: FailuresByProduct | Promise<FailuresByProduct>,
  limit: number,
): Promise<Attention[]> {
  const [failures, held, rejecting] = await Promise.all([given, countHeld(table, only), countRejecting(table, only)]);
  const rows = [...new Set([...failures.keys(), ...held.keys(), ...rejecting.keys()])]
    .map((product_id) => ({
      product_id,
      failed_deliveries: failures.get(product_id)?.failed ?? 0,
      failed_mails: failures.get(product_id)?.mails_failed ?? 0,
      held_sales: held.get(product_id) ?? 0,
      rejecting_connections: rejecting.get(product_id) ?? 0,
    }))
    .map((row) => ({ ...row, failed: row.failed_deliveries + row.failed_mails }))
    .filter(({ failed, held_sales, rejecting_connections }) => failed + held_sales + rejecting_connections > 0)
    .sort(
      (a, b) =>
        b.held_sales - a.held_sales ||
        b.rejecting_connections - a.rejecting_connections ||
        b.failed - a.failed ||
        a.product_id - b.product_id,
    )
    .slice(0, limit);
  const products = await getProducts(table, new Set(rows.map(({ product_id }) => product_id)));
  return rows.map(({ failed: _, ...row }) => ({ ...row, name: products.get(row.product_id)?.name ?? null }));
}
