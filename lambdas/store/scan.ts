import type { Item } from './codec';
import { getItems, keyOf, readPages, type Query } from './items';
import type { Table } from './table';

/** Lists of which a call shows one page: a query that ends when the page is full, or when it has read enough rows. */

/**
 * The query of the rows of a partition that are older than the position `before`, newest first.
 *
 * @param index the index; undefined: the table itself
 */
export const newestFirst = (partition: string, before: string | undefined, index?: 'list' | 'lookup'): Query => {
  const [pk, sk] = index ? [`${index}_pk`, `${index}_sk`] : ['pk', 'sk'];
  return {
    ...(index ? { IndexName: index } : { ConsistentRead: true }),
    ScanIndexForward: false,
    KeyConditionExpression: `${pk} = :partition${before === undefined ? '' : ` AND ${sk} < :before`}`,
    ExpressionAttributeValues: { ':partition': partition, ...(before !== undefined && { ':before': before }) },
  };
};

/** The result of {@link Scan.keep} for a row at which the list ends, although the query has further rows. */
export const END = Symbol('end');

export interface Scan<Entry> {
  /**
   * If set, each row for which the result is true is read from the table, because the index does not contain all of its fields. The other
   * rows, and rows that no longer exist, are left out.
   */
  readonly load?: (row: Item) => boolean;
  /** The entry of a row; undefined if the row does not match the filter. The rows are passed in the order of the list. */
  readonly keep: (item: Item) => Entry | undefined | typeof END;
  /** Maximum number of entries on the page. */
  readonly limit: number;
  /** Whether a further entry fits on a page that has `place` entries and fewer than `limit`. Without this function every entry fits. */
  readonly fits?: (entry: Entry, place: number) => boolean;
  /** Number of rows after which the scan ends, so that the call returns in time even if few rows match the filter. */
  readonly budget?: number;
  /** Maximum number of rows that are read first; see {@link readPages}. */
  readonly first?: number;
}

export interface ScannedPage<Entry> {
  readonly entries: readonly Entry[];
  /**
   * The last row that belongs to this page, with at least the fields of its keys. The next page begins after it. Undefined: the list ended.
   */
  readonly last?: Item | undefined;
}

/** Reads a query until the page is full, the budget is spent or the list ends. */
export async function scanPage<Entry>(
  table: Table,
  query: Query,
  { load, keep, limit, fits = () => true, budget = Number.POSITIVE_INFINITY, first }: Scan<Entry>,
): Promise<ScannedPage<Entry>> {
  const entries: Entry[] = [];
  let rowsRead = 0;
  let last: Item | undefined;
  for await (const page of readPages(table, query, first)) {
    const rows = load ? page.items.filter(load) : page.items;
    const items = load ? await getItems(table, rows.map(keyOf)) : rows;
    for (const [place, row] of rows.entries()) {
      const item = items[place];
      const entry = item && keep(item);
      if (entry === END) return { entries };
      if (entry !== undefined) {
        if (entries.length === limit || !fits(entry, entries.length)) return { entries, last };
        entries.push(entry);
      }
      last = row;
    }
    rowsRead += page.rowsRead;
    last = page.last;
    if (last && rowsRead >= budget) return { entries, last };
  }
  return { entries };
}
