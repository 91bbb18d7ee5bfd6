import type { Item } from '../codec';
import { METERS_SUFFIX, meterStatsKey, STATS_SHARDS, UNCOUNTED_METERS } from '../keys';
import { UNCOUNTED } from '../meters';
import { numberIn, stringIn } from '../row';
import type { Table } from '../table';
import { transact } from '../transaction';
import { ttlOf } from './count';
import { countUncounted } from './uncounted';
import { keyOf } from '../items';

/**
 * What is consumed from the meters of a product, by day. A consumption only adds the amount to the meter's own row; the sweeper moves it to
 * the statistics in one transaction, so that it is counted exactly once.
 */

/** The prefix of a meter's field in a row of the statistics. */
const CONSUMED = 'm';

/**
 * Adds what was consumed to the statistics.
 *
 * @param isOver whether the time for this work has ended; the next run continues
 * @param onFault called for each meter that could not be counted; the next run counts it
 */
export const countMeters = (table: Table, isOver: () => boolean, onFault: (fault: unknown) => void): Promise<void> =>
  countUncounted(table, UNCOUNTED_METERS, isOver, onFault, countMeter);

/** Counts one meter. If another request changes it at the same time, the next run counts it. */
async function countMeter(table: Table, item: Item): Promise<void> {
  const fields = Object.keys(item).filter((field) => field.startsWith(UNCOUNTED));
  if (fields.length === 0) return;
  const [chance = 0] = table.random(1);
  const amounts = Object.fromEntries(fields.map((field, place) => [`:amount${place}`, numberIn(item, field)]));
  await transact(table, [
    ...fields.map((field) => {
      const date = field.slice(UNCOUNTED.length);
      return {
        Update: {
          Key: meterStatsKey(Number(stringIn(item, 'pending_sk')), chance % STATS_SHARDS, date),
          UpdateExpression: 'SET #ttl = :ttl ADD #meter :amount',
          ExpressionAttributeNames: { '#ttl': 'ttl', '#meter': CONSUMED + stringIn(item, 'sk') },
          ExpressionAttributeValues: { ':ttl': ttlOf(Date.parse(date)), ':amount': numberIn(item, field) },
        },
      };
    }),
    {
      Update: {
        Key: keyOf(item),
        UpdateExpression: `REMOVE pending_pk, pending_sk, ${fields.map((_, place) => `#day${place}`).join(', ')}`,
        ConditionExpression: fields.map((_, place) => `#day${place} = :amount${place}`).join(' AND '),
        ExpressionAttributeNames: Object.fromEntries(fields.map((field, place) => [`#day${place}`, field])),
        ExpressionAttributeValues: amounts,
      },
    },
  ]);
}

/** What was consumed from a meter on the days of an overview, oldest day first. */
export interface ConsumedFromMeter {
  readonly name: string;
  readonly total: number;
  readonly days: { readonly date: string; readonly amount: number }[];
}

/**
 * What was consumed, by the name of the meter.
 *
 * @param byDay the rows of the statistics, by the end of their sort key
 */
export function consumedOn(dates: readonly string[], byDay: ReadonlyMap<string, readonly Item[]>): ConsumedFromMeter[] {
  const meters = new Map<string, Map<string, number>>();
  for (const date of dates)
    for (const [field, amount] of (byDay.get(`${date}${METERS_SUFFIX}`) ?? []).flatMap((item) => Object.entries(item))) {
      if (!field.startsWith(CONSUMED)) continue;
      const name = field.slice(CONSUMED.length);
      const days = meters.get(name) ?? new Map<string, number>();
      meters.set(name, days.set(date, (days.get(date) ?? 0) + Number(amount)));
    }
  return [...meters]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, days]) => ({
      name,
      total: [...days.values()].reduce((sum, amount) => sum + amount, 0),
      days: [...days].map(([date, amount]) => ({ date, amount })),
    }));
}
