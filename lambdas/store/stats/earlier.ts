import { licenseStatuses } from '../../contract/statuses';
import { HOUR_MS } from '../../domain/time';
import { counterKey, licenseStatsKey, STATS_SHARDS, statsOf, TYPE_STATS_PREFIX, typeStatsKey, type Key } from '../keys';
import { listProducts } from '../products';
import { getItem, queryPages, updateItem } from '../items';
import type { Item } from '../codec';
import type { Table } from '../table';
import { transact, type Action } from '../transaction';
import { add } from './count';

/**
 * Moves the numbers of licenses by type to the deployment's partitions. An earlier version stored these numbers in the products'
 * partitions. Until a row is moved, its numbers are included in the product's overview, but not in the deployment's statistics.
 * (docs/decisions.md 109)
 */

/**
 * The progress: the last processed product, the number of complete passes over all products, and the time at which the next pass may begin.
 */
const progressKey = counterKey('moved_type_numbers');

/**
 * Number of passes over all products. A second pass is needed, because functions of the earlier version may still be running during the
 * first pass.
 */
const PASSES = 2;
const BETWEEN_PASSES_MS = HOUR_MS;

/** The action that deletes a row whose numbers have not changed since it was read. */
function deleteUnchanged(row: Item): Action {
  const known = licenseStatuses.filter((status) => row[status] !== undefined);
  return {
    Delete: {
      Key: { pk: row['pk'] as string, sk: row['sk'] as string },
      ConditionExpression: licenseStatuses
        .map((status) => (known.includes(status) ? `#${status} = :${status}` : `attribute_not_exists(#${status})`))
        .join(' AND '),
      ExpressionAttributeNames: Object.fromEntries(licenseStatuses.map((status) => [`#${status}`, status])),
      ...(known.length > 0 && { ExpressionAttributeValues: Object.fromEntries(known.map((status) => [`:${status}`, row[status]])) }),
    },
  };
}

/** Moves one row of numbers. The move is repeated if the row has changed in the meantime. */
async function moveRow(table: Table, found: Item, keys: readonly Key[]): Promise<void> {
  for (let row: Item | null | undefined = found; row; ) {
    const current: Item = row;
    const counts = Object.fromEntries(licenseStatuses.map((status) => [status, (current[status] as number | undefined) ?? 0]));
    const moved = await transact(table, [deleteUnchanged(current), ...keys.flatMap((key) => add({ key, counts }))]);
    row = moved.committed ? undefined : moved.failed[0];
  }
}

/**
 * Moves the rows of a product.
 *
 * @returns the number of rows that were moved
 */
async function moveProduct(table: Table, productId: number): Promise<number> {
  const shards = Array.from({ length: STATS_SHARDS }, async (_, shard) => {
    let moved = 0;
    for await (const rows of queryPages(table, {
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :types)',
      ExpressionAttributeValues: { ':pk': statsOf(productId, shard), ':types': TYPE_STATS_PREFIX },
    }))
      for (const row of rows) {
        const typeId = Number((row['sk'] as string).slice(TYPE_STATS_PREFIX.length));
        await moveRow(table, row, [typeStatsKey(productId, shard, typeId), licenseStatsKey(shard)]);
        moved += 1;
      }
    return moved;
  });
  return (await Promise.all(shards)).reduce((sum, moved) => sum + moved, 0);
}

/**
 * Moves the numbers of licenses of up to `max` products. The next call continues with the next product.
 *
 * @param now epoch ms
 * @returns the number of rows that were moved
 */
export async function moveEarlierNumbers(table: Table, max: number, now: number): Promise<number> {
  const { last_id: past = 0, passes = 0, continues_at: from = 0 } = ((await getItem(table, progressKey)) ?? {}) as Record<string, number>;
  if (passes === PASSES || now < from) return 0;
  const { products, next } = await listProducts(table, past, max);
  let moved = 0;
  for (const { id } of products) moved += await moveProduct(table, id);
  await updateItem(table, {
    Key: progressKey,
    UpdateExpression: 'SET last_id = :last, passes = :passes, continues_at = :from',
    ExpressionAttributeValues:
      next === undefined
        ? { ':last': 0, ':passes': passes + 1, ':from': now + BETWEEN_PASSES_MS }
        : { ':last': next, ':passes': passes, ':from': from },
  });
  return moved;
}
