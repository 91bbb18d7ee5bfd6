import { licenseStatuses } from '../../contract/statuses';
import { dateOf, DAY_MS } from '../../domain/time';
import { STATS_SHARDS, statsOf } from '../keys';
import { queryAll } from '../items';
import type { Item } from '../codec';
import type { Table } from '../table';

/** The fields in the rows of statistics, and functions to read them. */

export const dayCounts = ['issued', 'renewed', 'activations', 'delivered', 'failed', 'skipped', 'mails_failed'] as const;
/** The names of the daily numbers that the deployment's statistics contain for each product, in addition to the sums of all products. */
export const dayCountsByProduct = ['issued', 'renewed', 'failed', 'mails_failed'] as const;
export type DayCounts = Counts<(typeof dayCounts)[number]>;
export type LicenseCounts = Counts<(typeof licenseStatuses)[number]>;
export type ProductDayCounts = Counts<(typeof dayCountsByProduct)[number]>;
type Counts<Name extends string> = Readonly<Record<Name, number>>;

/**
 * The name of the field that contains one of the {@link dayCountsByProduct} of a product, such as `i12` for the issued licenses of product
 * 12. The name is short, because a row has many fields.
 */
export const productField = (name: keyof ProductDayCounts, productId: number): string => `${name.charAt(0)}${productId}`;
const nameOfField = new Map<string, keyof ProductDayCounts>(dayCountsByProduct.map((name) => [name.charAt(0), name]));

/** The {@link dayCountsByProduct} of each product, as sums over the given rows. */
export function byProduct(items: readonly Item[]): ReadonlyMap<number, ProductDayCounts> {
  const sums = new Map<number, Record<keyof ProductDayCounts, number>>();
  for (const item of items)
    for (const field of Object.keys(item)) {
      const name = nameOfField.get(field.charAt(0));
      if (!name) continue;
      const id = Number(field.slice(1));
      let sum = sums.get(id);
      if (!sum) sums.set(id, (sum = { issued: 0, renewed: 0, failed: 0, mails_failed: 0 }));
      sum[name] += numberIn(item, field);
    }
  for (const sum of sums.values()) for (const name of dayCountsByProduct) sum[name] = atLeastZero(sum[name]);
  return sums;
}

/** The prefix of a version's field in a row of downloads. */
export const DOWNLOADED = 'v';

/** Reads the rows of all shards with sort keys from `first` to `last`. */
export async function readShards(table: Table, of: Parameters<typeof statsOf>[0], first: string, last: string): Promise<Item[]> {
  const shards = Array.from({ length: STATS_SHARDS }, (_, shard) =>
    queryAll(table, {
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: { ':pk': statsOf(of, shard), ':first': first, ':last': last },
    }),
  );
  return (await Promise.all(shards)).flat();
}

/** A position after all positions that begin with `text`. */
export const after = (text: string): string => `${text}~`;

/** The dates of the last days, oldest date first and today last. */
export const lastDates = (now: number, days: number): string[] =>
  Array.from({ length: days }, (_, index) => dateOf(now - (days - 1 - index) * DAY_MS));

const numberIn = (item: Item, name: string): number => (item[name] as number | undefined) ?? 0;
/**
 * The changes of one license can be counted in different shards. The decrement in one shard may be visible before the earlier increment in
 * another shard, so a sum can temporarily be negative.
 */
const atLeastZero = (sum: number): number => Math.max(0, sum);
const totals = <Name extends string>(items: readonly Item[], names: readonly Name[]): Counts<Name> =>
  Object.fromEntries(names.map((name) => [name, atLeastZero(items.reduce((sum, item) => sum + numberIn(item, name), 0))])) as Counts<Name>;

export const dayTotals = (items: readonly Item[]): DayCounts => totals(items, dayCounts);
export const licenseTotals = (items: readonly Item[]): LicenseCounts => totals(items, licenseStatuses);

/** Groups the rows whose sort key begins with `prefix` by the text that follows the prefix. */
export function grouped(items: readonly Item[], prefix: string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const sk = item['sk'] as string;
    if (!sk.startsWith(prefix)) continue;
    const rest = sk.slice(prefix.length);
    const group = groups.get(rest);
    if (group) group.push(item);
    else groups.set(rest, [item]);
  }
  return groups;
}
