import { OVERVIEW_DAYS } from '../../contract/overview';
import { dateOf } from '../../domain/time';
import { ALL_PRODUCTS, DAY_PREFIX, dayStatsKey, licenseStatsKey, PRODUCTS_PREFIX, TYPE_STATS_PREFIX, typesOfProduct } from '../keys';
import type { Item } from '../codec';
import type { Table } from '../table';
import type { ProductNumbers } from './product';
import {
  after,
  byProduct,
  dayTotals,
  grouped,
  lastDates,
  licenseTotals,
  readShards,
  type DayCounts,
  type LicenseCounts,
  type ProductDayCounts,
} from './rows';

/**
 * Reads the statistics of the whole deployment, and the statistics of many products at once. These statistics contain only events that were
 * already counted (see `settleEvents`).
 */

/** The statistics of a product for one day. */
type DayOfProduct = ProductDayCounts & { readonly product_id: number };

export interface DeploymentNumbers {
  readonly licenses: LicenseCounts;
  /** The statistics of the last days, oldest day first. */
  readonly days: (DayCounts & { readonly date: string })[];
  /** The statistics of one day by product; undefined if the caller did not request them. */
  readonly products?: DayOfProduct[];
}

const sumOf = ({ issued, renewed, failed }: ProductDayCounts): number => issued + renewed + failed;

/** Reads the sums of all products, with one query for each shard. The number of rows does not depend on the number of products. */
export async function readDeploymentNumbers(table: Table, now: number, days: number): Promise<DeploymentNumbers> {
  const dates = lastDates(now, days);
  const { sk: licenses } = licenseStatsKey(0);
  const items = await readShards(table, ALL_PRODUCTS, dayStatsKey(ALL_PRODUCTS, 0, dates[0] ?? '').sk, licenses);
  const byDay = grouped(items, DAY_PREFIX);
  return {
    licenses: licenseTotals(items.filter(({ sk }) => sk === licenses)),
    days: dates.map((date) => ({ date, ...dayTotals(byDay.get(date) ?? []) })),
  };
}

/** The statistics of one product in the format of the deployment's statistics, for a caller who may see only that product. */
export function numbersOfOnly(
  product_id: number,
  { licenses, days: known }: ProductNumbers,
  days: number,
  date: string | undefined,
): DeploymentNumbers {
  const products = known
    .filter((day) => day.date === date && sumOf(day) > 0)
    .map(({ issued, renewed, failed, mails_failed }) => ({ product_id, issued, renewed, failed, mails_failed }));
  return {
    licenses: licenseTotals(licenses),
    days: known.slice(-days).map(({ downloads: _, ...day }) => day),
    ...(date !== undefined && { products }),
  };
}

/** Reads the rows of statistics by product, for the days from `from` to `to`. */
export const readProductsOfDays = (table: Table, from: string, to: string): Promise<Item[]> =>
  readShards(table, ALL_PRODUCTS, `${PRODUCTS_PREFIX}${from}`, after(`${PRODUCTS_PREFIX}${to}`));

/** The statistics of each product for one day. The products with the highest sums come first. */
export async function numbersByProduct(table: Table, date: string): Promise<DayOfProduct[]> {
  return [...byProduct(await readProductsOfDays(table, date, date))]
    .map(([product_id, counts]) => ({ product_id, ...counts }))
    .filter((row) => sumOf(row) > 0)
    .sort((a, b) => sumOf(b) - sumOf(a) || a.product_id - b.product_id);
}

/** The numbers of a product that a list of products shows. */
export interface NumbersInList {
  readonly licenses: LicenseCounts;
  /** Number of failed deliveries in the last {@link OVERVIEW_DAYS} days. */
  readonly failed_deliveries: number;
}

/**
 * Reads the statistics that a list of products shows, with two queries for each shard. The queries cover all ids from the lowest to the
 * highest of the given ids.
 */
export async function readNumbersInList(
  table: Table,
  productIds: readonly number[],
  now: number,
): Promise<(productId: number) => NumbersInList> {
  const [types, days] = await Promise.all([
    productIds.length === 0
      ? []
      : readShards(table, ALL_PRODUCTS, typesOfProduct(Math.min(...productIds)), after(typesOfProduct(Math.max(...productIds)))),
    readProductsOfDays(table, lastDates(now, OVERVIEW_DAYS)[0] ?? '', dateOf(now)),
  ]);
  const ofDays = byProduct(days);
  const typesOf = new Map<number, Item[]>();
  for (const [position, rows] of grouped(types, TYPE_STATS_PREFIX)) {
    const id = Number(position.split('#')[0]);
    typesOf.set(id, [...(typesOf.get(id) ?? []), ...rows]);
  }
  return (id) => ({ licenses: licenseTotals(typesOf.get(id) ?? []), failed_deliveries: ofDays.get(id)?.failed ?? 0 });
}
