import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { MAX_OVERVIEW_DAYS } from '../contract/overview';
import { licenseStatuses } from '../contract/statuses';
import type { DeliveryRecord } from '../domain/delivery';
import { versionPosition } from '../domain/releases/version';
import { tallyOf, type Tally } from '../domain/tally';
import { dateOf, DAY_MS } from '../domain/time';
import { toRecord } from './events/rows';
import {
  DAY_PREFIX,
  dayStatsKey,
  DOWNLOADS_SUFFIX,
  downloadStatsKey,
  eventList,
  STATS_SHARDS,
  TYPE_STATS_PREFIX,
  typeStatsKey,
  type Key,
} from './keys';
import { countExpiring, type Expiring, type ExpiryCounts } from './licenses/expiry';
import { readRows } from './row';
import { getItems, queryPages, retryTransient, type Item, type Table } from './table';
import type { Action } from './transaction';
import { chunks } from './chunks';

/**
 * A product's numbers: a row for each day and one for each license type, in several shards. The transaction that
 * settles an event adds to them, so that each event counts once (see `settleEvents`). Requests that change licenses
 * never write them.
 */

/** Number of days that a day's numbers are kept: longer than they are shown. */
const KEPT_DAYS = MAX_OVERVIEW_DAYS + 10;

const dayCounts = ['issued', 'renewed', 'activations', 'delivered', 'failed', 'skipped'] as const;
const typeCounts = licenseStatuses;
type Counts<Name extends string> = Readonly<Record<Name, number>>;

export interface Overview {
  readonly licenses: (Counts<(typeof typeCounts)[number]> & ExpiryCounts & { readonly license_type_id: number })[];
  /** The last days, oldest first. */
  readonly days: (Counts<(typeof dayCounts)[number] | 'downloads'> & { readonly date: string })[];
  /** The versions that were downloaded on these days, newest version first. */
  readonly downloads: DownloadsOfVersion[];
  /** The same number of days ahead, today first. */
  readonly expiring_days: Expiring['days'];
}

/** The days on which files of a version were downloaded, oldest first. */
export interface DownloadsOfVersion {
  readonly version: string;
  readonly total: number;
  readonly days: { readonly date: string; readonly downloads: number }[];
}

/** The numbers to add to one row. */
interface Addition {
  readonly key: Key;
  readonly counts: Map<string, number>;
  readonly ttl?: number;
}

/** Adds numbers to a row; creates the row if it does not exist. */
function add({ key, counts, ttl }: Addition): Action[] {
  const changes = [...counts].filter(([, change]) => change !== 0);
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

/** When the numbers of a day may be removed, in seconds since 1970. */
const ttlOf = (at: number): number => Math.ceil(at / 1000) + KEPT_DAYS * 86_400;

/** The numbers that an event adds to the rows of one shard: for its day, and for the license's type. */
function changesOf(
  { product_id, created_at }: DeliveryRecord,
  { day, license }: Tally,
  shard: number,
): readonly { readonly key: Key; readonly counts: Readonly<Record<string, number>>; readonly ttl?: number }[] {
  const ofDay = {
    key: dayStatsKey(product_id, shard, dateOf(created_at)),
    counts: day,
    ttl: ttlOf(created_at),
  };
  if (!license) return [ofDay];
  const { typeId, fromTypeId = typeId, from, to } = license;
  return [
    ofDay,
    ...(from ? [{ key: typeStatsKey(product_id, shard, fromTypeId), counts: { [from]: -1 } }] : []),
    { key: typeStatsKey(product_id, shard, typeId), counts: { [to]: 1 } },
  ];
}

/**
 * The actions that count events together: one for each row that changes, for any number of events. All use one shard,
 * which is selected by the id of the first event.
 */
export function countEvents(events: readonly { readonly delivery: DeliveryRecord; readonly tally: Tally }[]): Action[] {
  const shard = Number.parseInt(events[0]?.delivery.id.slice(-2) ?? '', 16) % STATS_SHARDS;
  const additions = new Map<string, Addition>();
  const count = (key: Key, changes: Readonly<Record<string, number>>, ttl?: number): void => {
    const row = `${key.pk}\n${key.sk}`;
    const addition = additions.get(row) ?? { key, counts: new Map<string, number>(), ...(ttl !== undefined && { ttl }) };
    additions.set(row, addition);
    for (const [name, change] of Object.entries(changes)) addition.counts.set(name, (addition.counts.get(name) ?? 0) + change);
  };
  for (const { delivery, tally } of events) for (const { key, counts, ttl } of changesOf(delivery, tally, shard)) count(key, counts, ttl);
  return [...additions.values()].flatMap(add);
}

/**
 * Counts a download of a file of a version: one write unit, in a row for each day and shard.
 *
 * @param now epoch ms
 */
export async function countDownload(table: Table, productId: number, version: string, now: number): Promise<void> {
  const [chance = 0] = table.random(1);
  const command = new UpdateCommand({
    TableName: table.name,
    Key: downloadStatsKey(productId, chance % STATS_SHARDS, dateOf(now)),
    UpdateExpression: 'SET #ttl = :ttl ADD #version :one',
    ExpressionAttributeNames: { '#ttl': 'ttl', '#version': DOWNLOADED + version },
    ExpressionAttributeValues: { ':ttl': ttlOf(now), ':one': 1 },
  });
  await retryTransient(table, (options) => table.client.send(command, options));
}

/** The name of a version's field in a row of downloads. */
const DOWNLOADED = 'v';

/** The downloads of each version, from the rows of one day. */
function downloadsIn(items: readonly Item[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [name, count] of items.flatMap((item) => Object.entries(item)))
    if (/^v\d/.test(name)) counts.set(name.slice(DOWNLOADED.length), (counts.get(name.slice(DOWNLOADED.length)) ?? 0) + Number(count));
  return counts;
}

function byVersion(days: readonly { readonly date: string; readonly counts: ReadonlyMap<string, number> }[]): DownloadsOfVersion[] {
  const versions = [...new Set(days.flatMap(({ counts }) => [...counts.keys()]))];
  return versions
    .map((version) => ({ version, position: versionPosition(version) }))
    .sort((a, b) => (a.position < b.position ? 1 : -1))
    .map(({ version }) => {
      const downloaded = days.flatMap(({ date, counts }) => (counts.has(version) ? [{ date, downloads: counts.get(version) ?? 0 }] : []));
      return { version, total: downloaded.reduce((sum, { downloads }) => sum + downloads, 0), days: downloaded };
    });
}

const numberIn = (item: Item, name: string): number => (item[name] as number | undefined) ?? 0;
/** A decrement may be visible before its increment, which is in another shard. */
const total = (items: readonly Item[], name: string): number =>
  Math.max(
    0,
    items.reduce((sum, item) => sum + numberIn(item, name), 0),
  );
const totals = <Name extends string>(items: readonly Item[], names: readonly Name[]): Counts<Name> =>
  Object.fromEntries(names.map((name) => [name, total(items, name)])) as Counts<Name>;

function grouped(items: readonly Item[], prefix: string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const sk = item['sk'] as string;
    if (sk.startsWith(prefix)) groups.set(sk.slice(prefix.length), [...(groups.get(sk.slice(prefix.length)) ?? []), item]);
  }
  return groups;
}

/** Number of a product's latest events that are searched for uncounted ones. */
const LATEST_EVENTS = 200;

/**
 * The numbers that the latest events will add once they are settled, in the format of one more shard. An event that is
 * not posted is settled within a minute or two; an operator should not have to wait for that.
 */
async function readUncounted(table: Table, productId: number): Promise<Item[]> {
  const latest: Item[] = [];
  for await (const page of queryPages(table, {
    IndexName: 'list',
    ScanIndexForward: false,
    KeyConditionExpression: 'list_pk = :list',
    ExpressionAttributeValues: { ':list': eventList(productId) },
    Limit: LATEST_EVENTS,
  })) {
    latest.push(...page);
    if (latest.length >= LATEST_EVENTS) break;
  }
  const pending = latest.filter((item) => item['status'] === 'pending').map(({ pk, sk }) => ({ pk: pk as string, sk: sk as string }));
  const { entities } = readRows(
    (await getItems(table, pending)).filter((item) => item !== undefined),
    toRecord,
  );
  return entities
    .filter(({ counted }) => !counted)
    .flatMap((delivery) => changesOf(delivery, tallyOf(delivery), 0))
    .map(({ key, counts }) => ({ ...key, ...counts }));
}

/**
 * The numbers of a product and of its last and next days. It takes one small query for each shard, one for the latest
 * events, and two for expiring licenses, for any number of licenses.
 */
export async function readOverview(table: Table, productId: number, now: number, days: number): Promise<Overview> {
  const readShards = Promise.all(
    Array.from({ length: STATS_SHARDS }, async (_, shard) => {
      const { pk, sk } = dayStatsKey(productId, shard, dateOf(now - (days - 1) * DAY_MS));
      const items: Item[] = [];
      // The types sort after the days.
      for await (const page of queryPages(table, {
        KeyConditionExpression: 'pk = :pk AND sk >= :first',
        ExpressionAttributeValues: { ':pk': pk, ':first': sk },
      })) {
        items.push(...page);
      }
      return items;
    }),
  );
  const [shards, expiring] = await Promise.all([readShards, countExpiring(table, productId, now, days)]);
  // Read after the numbers: an event that is settled in between is missing for a moment, but never counted twice.
  const items = [...shards.flat(), ...(await readUncounted(table, productId))];
  const byType = grouped(items, TYPE_STATS_PREFIX);
  const byDay = grouped(items, DAY_PREFIX);
  const dates = Array.from({ length: days }, (_, index) => dateOf(now - (days - 1 - index) * DAY_MS));
  const downloads = dates.map((date) => ({ date, counts: downloadsIn(byDay.get(`${date}${DOWNLOADS_SUFFIX}`) ?? []) }));
  return {
    licenses: [...byType]
      .map(([id, rows]) => ({ license_type_id: Number(id), ...totals(rows, typeCounts), ...expiring.ofType(Number(id)) }))
      .sort((a, b) => a.license_type_id - b.license_type_id),
    days: downloads.map(({ date, counts }) => ({
      date,
      ...totals(byDay.get(date) ?? [], dayCounts),
      downloads: [...counts.values()].reduce((sum, count) => sum + count, 0),
    })),
    downloads: byVersion(downloads),
    expiring_days: expiring.days,
  };
}

/** Number of products whose numbers are read at the same time. */
const READ_TOGETHER = 8;

/** The numbers of several products. */
export async function readOverviews(
  table: Table,
  productIds: readonly number[],
  now: number,
  days: number,
): Promise<ReadonlyMap<number, Overview>> {
  const overviews = new Map<number, Overview>();
  for (const ids of chunks(productIds, READ_TOGETHER))
    await Promise.all(ids.map(async (id) => overviews.set(id, await readOverview(table, id, now, days))));
  return overviews;
}
