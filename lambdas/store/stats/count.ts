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
import { dayCountsByProduct, DOWNLOADED, productField, type DayCounts } from './rows';

/**
 * Counts events and licenses for the overviews: events by day, for each product and for the deployment, and licenses by type and status.
 * The transaction that records the result of a delivery attempt also adds the event to the statistics (see `settleEvents`), so that each
 * event is counted once. Requests that change licenses never write the statistics. (docs/decisions.md 108)
 */

/** Number of days for which the statistics of a day are kept. This is longer than the longest period that an overview shows. */
const KEPT_DAYS = MAX_OVERVIEW_DAYS + 10;

/** The time after which the statistics of a day may be removed, in seconds since 1970. */
export const ttlOf = (at: number): number => Math.ceil(at / 1000) + KEPT_DAYS * 86_400;

type Day = Partial<DayCounts>;

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

/**
 * The daily numbers that an event changes, with the time that selects the day. A change that happened before the days that are kept is not
 * counted, for example an old license that was imported.
 */
function changesByDay({ created_at }: Counted, { day, happened }: Tally): readonly { readonly at: number; readonly counts: Day }[] {
  const isKept = happened && ttlOf(happened.at) * 1000 > created_at;
  return [{ at: created_at, counts: day }, ...(isKept ? [{ at: happened.at, counts: { [happened.what]: 1 } }] : [])];
}

/** The numbers that an event adds to its product's statistics in one shard: to the rows of days and to the rows of the license types. */
export function additionsOfProduct(delivery: Counted, tally: Tally, shard: number): readonly Addition[] {
  const { product_id } = delivery;
  const ofDays = changesByDay(delivery, tally).map(({ at, counts }) => ({
    key: dayStatsKey(product_id, shard, dateOf(at)),
    counts,
    ttl: ttlOf(at),
  }));
  const { license } = tally;
  if (!license) return ofDays;
  const { typeId, fromTypeId = typeId, from, to } = license;
  return [
    ...ofDays,
    ...(from ? [{ key: typeStatsKey(product_id, shard, fromTypeId), counts: { [from]: -1 } }] : []),
    { key: typeStatsKey(product_id, shard, typeId), counts: { [to]: 1 } },
  ];
}

/** The numbers that an event adds to the deployment's statistics in one shard. */
function additionsOfDeployment(delivery: Counted, tally: Tally, shard: number): readonly Addition[] {
  const { product_id } = delivery;
  const ofDays = changesByDay(delivery, tally).flatMap(({ at, counts }): readonly Addition[] => {
    const [date, ttl] = [dateOf(at), ttlOf(at)];
    const byProduct = Object.fromEntries(dayCountsByProduct.map((name) => [productField(name, product_id), counts[name] ?? 0]));
    return [
      { key: dayStatsKey(ALL_PRODUCTS, shard, date), counts, ttl },
      { key: dayByProductKey(shard, date, product_id), counts: byProduct, ttl },
    ];
  });
  const { license } = tally;
  return [
    ...ofDays,
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
