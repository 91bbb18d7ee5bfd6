import type { Item } from '../codec';
import { getItems, keyOf, queryPages } from '../items';
import type { Table } from '../table';

const PAGE = 100;

/**
 * Counts the rows that still add something to statistics. They are in one partition of the index `pending` until they are counted.
 *
 * @param partition the partition of these rows in the index
 * @param isOver whether the time for this work has ended; the next run continues
 * @param onFault called for each row that could not be counted; the next run counts it
 * @param count counts a row, which was read from the table
 */
export async function countUncounted(
  table: Table,
  partition: string,
  isOver: () => boolean,
  onFault: (fault: unknown) => void,
  count: (table: Table, item: Item) => Promise<void>,
): Promise<void> {
  for await (const page of queryPages(table, {
    IndexName: 'pending',
    KeyConditionExpression: 'pending_pk = :partition',
    ExpressionAttributeValues: { ':partition': partition },
    Limit: PAGE,
  })) {
    for (const item of await getItems(table, page.map(keyOf))) {
      if (isOver()) return;
      try {
        if (item) await count(table, item);
      } catch (fault) {
        onFault(fault);
      }
    }
  }
}
