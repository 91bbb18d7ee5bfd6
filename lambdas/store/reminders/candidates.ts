import type { ReminderEvent } from '../../contract/events';
import type { License } from '../../domain/license';
import { expiryList, expiryPosition, licenseIdKeyBeside, licenseKey, updatesList, type Key } from '../keys';
import { isDeadKey, toLicense } from '../licenses/rows';
import { readRows } from '../row';
import { BATCH_SIZE, getItems, keyOf, queryPages } from '../items';
import type { Item } from '../codec';
import type { Table } from '../table';
import { toAddress } from '../licenses/read';

/** Uses the index `lookup` to find licenses by the date to which a reminder refers. */

/** A range of dates in epoch ms. Both ends are included. */
export interface DateRange {
  readonly from: number;
  readonly to: number;
}

/** A license that was found, with its position in the index. */
export interface Found {
  readonly position: string;
  readonly license: License;
}

export interface FoundPage {
  readonly licenses: readonly Found[];
  /** The position of the last row of the page; undefined if there are no more pages. */
  readonly last: string | undefined;
}

/**
 * Converts rows of the index of updates into the keys of the licenses' rows, in the same order. A key is undefined if the license does not
 * exist.
 */
async function keysOfLicenses(table: Table, rows: readonly Item[]): Promise<(Key | undefined)[]> {
  const pointers = await getItems(
    table,
    rows.map((row) => licenseIdKeyBeside(keyOf(row))),
  );
  return pointers.map((pointer) => {
    const address = pointer && toAddress(pointer);
    return address && licenseKey(address.productId, address.key);
  });
}

/**
 * Reads one page of a product's licenses, sorted by the date to which the reminder refers: the expiry or the end of updates. Only licenses
 * with dates in the given range are read. A license is left out if another request moves it to another key during the read.
 *
 * @param past the position after which to begin; undefined: at the beginning of the range
 */
export async function findByDate(
  table: Table,
  productId: number,
  event: ReminderEvent,
  { from, to }: DateRange,
  past: string | undefined,
): Promise<FoundPage> {
  const isOfUpdates = event === 'updates_expiring';
  const first = past ?? expiryPosition(from, 0);
  const end = expiryPosition(to + 1, 0);
  if (first >= end) return { licenses: [], last: undefined };
  for await (const page of queryPages(table, {
    IndexName: 'lookup',
    KeyConditionExpression: 'lookup_pk = :list AND lookup_sk BETWEEN :first AND :end',
    ExpressionAttributeValues: { ':list': isOfUpdates ? updatesList(productId) : expiryList(productId), ':first': first, ':end': end },
    Limit: BATCH_SIZE,
  })) {
    const rows = page.filter(({ lookup_sk }) => lookup_sk !== past);
    const keys = isOfUpdates ? await keysOfLicenses(table, rows) : rows.map(keyOf);
    const known = rows.flatMap((row, index) => {
      const key = keys[index];
      return key ? [{ position: row['lookup_sk'] as string, key }] : [];
    });
    const items = await getItems(
      table,
      known.map(({ key }) => key),
    );
    const present = known.flatMap(({ position }, index) => {
      const item = items[index];
      return item && !isDeadKey(item) ? [{ position, item }] : [];
    });
    const { entities } = readRows(present, ({ position, item }): Found => ({ position, license: toLicense(item) }));
    const isFull = page.length >= BATCH_SIZE;
    return { licenses: entities, last: isFull ? (page.at(-1)?.['lookup_sk'] as string) : undefined };
  }
  return { licenses: [], last: undefined };
}
