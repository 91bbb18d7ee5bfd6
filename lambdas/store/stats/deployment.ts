import { MAX_DAY_PRODUCTS, OVERVIEW_DAYS } from '../../contract/overview';
import { ALL_PRODUCTS, DAY_PREFIX, dayStatsKey, licenseStatsKey, TYPE_STATS_PREFIX, typesOfProduct } from '../keys';
import type { Item, Table } from '../table';
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

/** The numbers of the whole deployment, and those of many products at once. They contain the events that are settled. */

/** The rows of the last days: for each day its sums, and its numbers by product. */
const readDays = (table: Table, dates: readonly string[], last: string): Promise<Item[]> =>
  readShards(table, ALL_PRODUCTS, dayStatsKey(ALL_PRODUCTS, 0, dates[0] ?? '').sk, last);

/** The rows with the numbers of a day by product. */
function partsOfDays(items: readonly Item[]): ReadonlyMap<string, readonly Item[]> {
  const parts = new Map<string, Item[]>();
  for (const [position, rows] of grouped(items, DAY_PREFIX)) {
    const [date = '', part] = position.split('#');
    if (part !== undefined) parts.set(date, [...(parts.get(date) ?? []), ...rows]);
  }
  return parts;
}

/** The numbers of a day by product. */
type DayOfProduct = ProductDayCounts & { readonly product_id: number };

export interface DeploymentNumbers {
  readonly licenses: LicenseCounts;
  /** The last days, oldest first. */
  readonly days: (DayCounts & { readonly date: string; readonly products: DayOfProduct[] })[];
}

const highestFirst = (rows: readonly DayOfProduct[]): DayOfProduct[] => {
  const sum = ({ issued, renewed, failed }: DayOfProduct): number => issued + renewed + failed;
  return rows
    .filter((row) => sum(row) > 0)
    .sort((a, b) => sum(b) - sum(a) || a.product_id - b.product_id)
    .slice(0, MAX_DAY_PRODUCTS);
};

/** The numbers of all products together, by one query for each shard. The number of rows does not depend on the number of products. */
export async function readDeploymentNumbers(table: Table, now: number, days: number): Promise<DeploymentNumbers> {
  const dates = lastDates(now, days);
  const { sk: licenses } = licenseStatsKey(0);
  const items = await readDays(table, dates, licenses);
  const byDay = grouped(items, DAY_PREFIX);
  const parts = partsOfDays(items);
  return {
    licenses: licenseTotals(items.filter(({ sk }) => sk === licenses)),
    days: dates.map((date) => ({
      date,
      ...dayTotals(byDay.get(date) ?? []),
      products: highestFirst([...byProduct(parts.get(date) ?? [])].map(([product_id, counts]) => ({ product_id, ...counts }))),
    })),
  };
}

/** The numbers of one product in the same format, for a caller who may see no other. */
export function numbersOfOnly(product_id: number, { licenses, days }: ProductNumbers): DeploymentNumbers {
  return {
    licenses: licenseTotals(licenses),
    days: days.map((day) => {
      const { issued, renewed, failed } = day;
      return { ...day, products: highestFirst([{ product_id, issued, renewed, failed }]) };
    }),
  };
}

/** What a list of products shows of each. */
export interface NumbersInList {
  readonly licenses: LicenseCounts;
  /** Of the last {@link OVERVIEW_DAYS} days. */
  readonly failed_deliveries: number;
}

/** The numbers of products with neighbouring ids, by two queries for each shard. */
export async function readNumbersInList(
  table: Table,
  productIds: readonly number[],
  now: number,
): Promise<(productId: number) => NumbersInList> {
  const [types, days] = await Promise.all([
    productIds.length === 0
      ? []
      : readShards(table, ALL_PRODUCTS, typesOfProduct(Math.min(...productIds)), after(typesOfProduct(Math.max(...productIds)))),
    readDays(table, lastDates(now, OVERVIEW_DAYS), after(DAY_PREFIX)),
  ]);
  const failed = new Map<number, number>();
  for (const rows of partsOfDays(days).values())
    for (const [id, counts] of byProduct(rows)) failed.set(id, (failed.get(id) ?? 0) + counts.failed);
  const typesOf = new Map<number, Item[]>();
  for (const [position, rows] of grouped(types, TYPE_STATS_PREFIX)) {
    const id = Number(position.split('#')[0]);
    typesOf.set(id, [...(typesOf.get(id) ?? []), ...rows]);
  }
  return (id) => ({ licenses: licenseTotals(typesOf.get(id) ?? []), failed_deliveries: failed.get(id) ?? 0 });
}
