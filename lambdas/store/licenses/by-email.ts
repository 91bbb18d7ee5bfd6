import type { License } from '../../domain/license';
import { chunks } from '../chunks';
import type { Item } from '../codec';
import { BATCH_SIZE, queryPages } from '../items';
import { emailLists } from '../keys';
import type { Table } from '../table';
import { readLicenses } from './by-keys';
import { matches } from './filter';
import { keyIn, keysPast, type Start } from './page';

/** Lists up to `limit` licenses of a buyer, beginning at `start`, without their devices. */
export async function listWithoutDevices(
  table: Table,
  productId: number,
  email: string,
  start: Start,
  limit: number,
): Promise<{ readonly licenses: readonly License[]; readonly unreadable: number; readonly next?: number }> {
  const keys = await findLicensesByEmail(table, productId, email, start);
  const licenses: License[] = [];
  let unreadable = 0;
  for (const batch of chunks(keys, Math.min(limit + 1, BATCH_SIZE))) {
    const page = await readLicenses(table, productId, batch);
    unreadable += page.unreadable;
    for (const { license } of page.entities) {
      if (!matches(license, { customer_email: email })) continue;
      if (licenses.length === limit) return { licenses, unreadable, next: licenses.at(-1)?.id ?? start.past };
      licenses.push(license);
    }
  }
  return { licenses, unreadable };
}

/**
 * The keys of a product's licenses with a buyer's e-mail address, beginning at `start`.
 *
 * @param listsOf returns the partitions of the index for an address
 */
export async function findLicensesByEmail(
  table: Table,
  productId: number,
  email: string,
  start: Start,
  listsOf = emailLists,
): Promise<string[]> {
  const lists = await Promise.all(listsOf(productId, email).map((list) => itemsIn(table, list, start)));
  const sign = start.order === 'asc' ? 1 : -1;
  // Only an address with an internationalized domain has more than one list. The lists are merged in the order of the licenses' ids.
  const items = lists.length === 1 ? lists.flat() : lists.flat().sort((a, b) => (positionOf(a) < positionOf(b) ? -sign : sign));
  return items.map((item) => keyIn(productId, item['pk'] as string));
}

const positionOf = (item: Item): string => item['email_sk'] as string;

async function itemsIn(table: Table, list: string, start: Start): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of queryPages(table, { IndexName: 'email', ...keysPast('email', list, start) })) items.push(...page);
  return items;
}
