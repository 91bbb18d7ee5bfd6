import { MAX_OVERVIEW_DAYS } from '../../contract/overview';
import type { DeliveryRecord } from '../../domain/delivery';
import type { Tally } from '../../domain/tally';
import { dateOf } from '../../domain/time';
import {
  ALL_PRODUCTS,
  dayByProductKey,
  dayStatsKey,
  downloadStatsKey,
  licenseStatsKey,
  STATS_SHARDS,
  typeStatsKey,
  type Key,
} from '../keys';
import { updateItem } from '../items';
import type { Table } from '../table';
import type { Action } from '../transaction';
import { dayCountsByProduct, DOWNLOADED, productField } from './rows';

/**
 * Counts events and licenses for the overviews: events by day, for each product and for the deployment, and licenses by type and status.
 * The transaction that records the result of a delivery attempt also adds the event to the statistics (see `settleEvents`), so that each
 * event is counted once. Requests that change licenses never write the statistics. (docs/decisions.md 108)
 */

/** Number of days for which the statistics of a day are kept. This is longer than the longest period that an overview shows. */
const KEPT_DAYS = MAX_OVERVIEW_DAYS + 10;

/** The time after which the statistics of a day may be removed, in seconds since 1970. */
export const ttlOf = (at: number): number => Math.ceil(at / 1000) + KEPT_DAYS * 86_400;

/** The fields of an event that counting needs. */
type Counted = Pick<DeliveryRecord, 'id' | 'product_id' | 'created_at'>;

/** The numbers to add to one row of the statistics. */
export interface Addition {
  readonly key: Key;
  readonly counts: Readonly<Record<string, number>>;
  readonly ttl?: number;
}

/** The action that adds numbers to a row, and creates the row if it does not exist. There is no action if nothing changes. */
export function add({ key, counts, ttl }: Addition): Action[] {
  const changes = Object.entries(counts).filter(([, change]) => change !== 0);
  if (changes.length === 0) return [];
  return [
    {
      Update: {
        Key: key,
        UpdateExpression: `${ttl === undefined ? '' : 'SET #ttl = :ttl '}ADD ${changes.map(([name]) => `#${name} :${name}`).join(', ')}`,
        ExpressionAttributeNames: {
          ...(ttl !== undefined && { '#ttl': 'ttl' }),
          ...Object.fromEntries(changes.map(([name]) => [`#${name}`, name])),
        },
        ExpressionAttributeValues: {
          ...(ttl !== undefined && { ':ttl': ttl }),
          ...Object.fromEntries(changes.map(([name, change]) => [`:${name}`, change])),
        },
      },
    },
  ];
}

/** The numbers that an event adds to its product's statistics in one shard: to the row of the day and to the rows of the license types. */
export function additionsOfProduct({ product_id, created_at }: Counted, { day, license }: Tally, shard: number): readonly Addition[] {
  const ofDay = { key: dayStatsKey(product_id, shard, dateOf(created_at)), counts: day, ttl: ttlOf(created_at) };
  if (!license) return [ofDay];
  const { typeId, fromTypeId = typeId, from, to } = license;
  return [
    ofDay,
    ...(from ? [{ key: typeStatsKey(product_id, shard, fromTypeId), counts: { [from]: -1 } }] : []),
    { key: typeStatsKey(product_id, shard, typeId), counts: { [to]: 1 } },
  ];
}

/** The numbers that an event adds to the deployment's statistics in one shard. */
function additionsOfDeployment({ product_id, created_at }: Counted, { day, license }: Tally, shard: number): readonly Addition[] {
  const date = dateOf(created_at);
  const ttl = ttlOf(created_at);
  const byProduct = Object.fromEntries(dayCountsByProduct.map((name) => [productField(name, product_id), day[name] ?? 0]));
  return [
    { key: dayStatsKey(ALL_PRODUCTS, shard, date), counts: day, ttl },
    { key: dayByProductKey(shard, date, product_id), counts: byProduct, ttl },
    ...(license?.from ? [{ key: licenseStatsKey(shard), counts: { [license.from]: -1 } }] : []),
    ...(license ? [{ key: licenseStatsKey(shard), counts: { [license.to]: 1 } }] : []),
  ];
}

/**
 * The actions that count several events together. There is one action for each row that changes, regardless of the number of events. All
 * actions use the same shard, which the id of the first event selects.
 */
export function countEvents(events: readonly { readonly delivery: Counted; readonly tally: Tally }[]): Action[] {
  const shard = Number.parseInt(events[0]?.delivery.id.slice(-2) ?? '', 16) % STATS_SHARDS;
  const rows = new Map<string, Addition>();
  for (const { delivery, tally } of events)
    for (const addition of [...additionsOfProduct(delivery, tally, shard), ...additionsOfDeployment(delivery, tally, shard)]) {
      const { key } = addition;
      const row = `${key.pk}\n${key.sk}`;
      const counts = { ...rows.get(row)?.counts };
      for (const [name, change] of Object.entries(addition.counts)) counts[name] = (counts[name] ?? 0) + change;
      rows.set(row, { ...addition, counts });
    }
  return [...rows.values()].flatMap(add);
}

/**
 * Counts a download of a version's file. A download costs one write unit. There is one row for each day and shard.
 *
 * @param now epoch ms
 */
export async function countDownload(table: Table, productId: number, version: string, now: number): Promise<void> {
  const [chance = 0] = table.random(1);
  await updateItem(table, {
    Key: downloadStatsKey(productId, chance % STATS_SHARDS, dateOf(now)),
    UpdateExpression: 'SET #ttl = :ttl ADD #version :one',
    ExpressionAttributeNames: { '#ttl': 'ttl', '#version': DOWNLOADED + version },
    ExpressionAttributeValues: { ':ttl': ttlOf(now), ':one': 1 },
  });
}
