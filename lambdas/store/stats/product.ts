import { versionPosition } from '../../domain/releases/version';
import { tallyOf } from '../../domain/tally';
import { toRecord } from '../events/rows';
import { ALL_PRODUCTS, DAY_PREFIX, dayStatsKey, DOWNLOADS_SUFFIX, eventList, typesOfProduct } from '../keys';
import { countExpiring, type Expiring, type ExpiryCounts } from '../licenses/expiry';
import { keyOf, readItems } from '../items';
import type { Item } from '../codec';
import type { Table } from '../table';
import { additionsOfProduct } from './count';
import { consumedOn, type ConsumedFromMeter } from './meters';
import { after, dayTotals, DOWNLOADED, grouped, lastDates, licenseTotals, readShards, type DayCounts, type LicenseCounts } from './rows';
import { newestFirst, scanPage } from '../scan';

/** Reads the statistics of a product. */

/** The statistics of a product: licenses by type, events by day, and downloads by version. */
export interface ProductNumbers {
  readonly licenses: (LicenseCounts & { readonly license_type_id: number })[];
  /** The numbers of each of the last days, from the oldest day to today. */
  readonly days: (DayCounts & { readonly date: string; readonly downloads: number })[];
  /** The versions that were downloaded on these days, newest version first. */
  readonly downloads: DownloadsOfVersion[];
  /** What was consumed on these days, by the name of the meter. */
  readonly meters: ConsumedFromMeter[];
}

export interface Overview extends ProductNumbers {
  readonly licenses: (ProductNumbers['licenses'][number] & ExpiryCounts)[];
  /** The number of expiries on each of the next days, beginning with today. The list covers the same number of days as `days`. */
  readonly expiring_days: Expiring['days'];
}

/** The days on which files of a version were downloaded, oldest day first. */
export interface DownloadsOfVersion {
  readonly version: string;
  readonly total: number;
  readonly days: { readonly date: string; readonly downloads: number }[];
}

/** The number of downloads of each version, from the rows of one day. */
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

/** Number of a product's latest events that are read to find the events that were not counted yet. */
const LATEST_EVENTS = 200;

/**
 * The numbers by which the latest uncounted events will increase the statistics when they are counted, in the format of the rows of a
 * shard. An event that no webhook receives is counted only after a minute or two, but an operator should see the effect of the event at
 * once.
 */
async function readUncounted(table: Table, productId: number): Promise<Item[]> {
  const query = { ...newestFirst(eventList(productId), undefined, 'list'), Limit: LATEST_EVENTS };
  const { entries: latest } = await scanPage(table, query, { keep: (item) => item, limit: LATEST_EVENTS, budget: LATEST_EVENTS });
  const uncounted = latest.filter((item) => item['counted'] !== true);
  const { entities } = await readItems(table, uncounted.map(keyOf), toRecord);
  return entities
    .filter(({ counted }) => !counted)
    .flatMap((delivery) => additionsOfProduct(delivery, tallyOf(delivery), 0))
    .map(({ key, counts }) => ({ ...key, ...counts }));
}

/**
 * Reads the statistics of a product, including its latest events. This takes two small queries for each shard and one query for the latest
 * events, regardless of the number of licenses.
 */
export async function readProductNumbers(table: Table, productId: number, now: number, days: number): Promise<ProductNumbers> {
  const dates = lastDates(now, days);
  const types = typesOfProduct(productId);
  const [ofProduct, ofTypes] = await Promise.all([
    readShards(table, productId, dayStatsKey(productId, 0, dates[0] ?? '').sk, after(DAY_PREFIX)),
    readShards(table, ALL_PRODUCTS, types, after(types)),
  ]);
  // Uncounted events are read after the statistics. An event that is counted between the two reads is missing for a moment, but is never
  // counted twice.
  const items = [...ofProduct, ...ofTypes, ...(await readUncounted(table, productId))];
  const byDay = grouped(items, DAY_PREFIX);
  const downloads = dates.map((date) => ({ date, counts: downloadsIn(byDay.get(`${date}${DOWNLOADS_SUFFIX}`) ?? []) }));
  return {
    licenses: [...grouped(items, `${types}#`)]
      .map(([id, rows]) => ({ license_type_id: Number(id), ...licenseTotals(rows) }))
      .sort((a, b) => a.license_type_id - b.license_type_id),
    days: downloads.map(({ date, counts }) => ({
      date,
      ...dayTotals(byDay.get(date) ?? []),
      downloads: [...counts.values()].reduce((sum, count) => sum + count, 0),
    })),
    downloads: byVersion(downloads),
    meters: consumedOn(dates, byDay),
  };
}

/**
 * Reads the statistics of a product for the last days, and the expiries of its licenses on the next days. In addition to the queries of
 * {@link readProductNumbers}, the function makes two queries for expiring licenses.
 */
export async function readOverview(table: Table, productId: number, now: number, days: number): Promise<Overview> {
  const [numbers, expiring] = await Promise.all([
    readProductNumbers(table, productId, now, days),
    countExpiring(table, productId, now, days),
  ]);
  return {
    ...numbers,
    licenses: numbers.licenses.map((row) => ({ ...row, ...expiring.ofType(row.license_type_id) })),
    expiring_days: expiring.days,
  };
}
