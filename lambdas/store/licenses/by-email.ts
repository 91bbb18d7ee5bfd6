import type { Item } from '../codec';
import { queryAll } from '../items';
import { emailLists } from '../keys';
import type { Table } from '../table';
import { keyIn, keysPast, type Start } from './page';

/** The id and the key of a license, as an index has them. */
export interface FoundLicense {
  readonly id: number;
  readonly key: string;
}

/**
 * A product's licenses with a buyer's e-mail address, beginning at `start`.
 *
 * @param listsOf returns the partitions of the index for an address
 */
export async function findLicensesByEmail(
  table: Table,
  productId: number,
  email: string,
  start: Start,
  listsOf = emailLists,
): Promise<FoundLicense[]> {
  const lists = await Promise.all(listsOf(productId, email).map((list) => itemsIn(table, list, start)));
  const found = lists.flat().map((item) => ({ id: Number(item['email_sk']), key: keyIn(productId, item['pk'] as string) }));
  // Only an address with an internationalized domain has more than one list. The lists are merged in the order of the licenses' ids.
  return lists.length === 1 ? found : found.sort(byId(start));
}

/** Compares licenses in the order of a list. */
export const byId =
  ({ order }: Start) =>
  (a: { readonly id: number }, b: { readonly id: number }): number =>
    order === 'asc' ? a.id - b.id : b.id - a.id;

/** The rows in a partition of the index `email`, beginning at `start`. */
const itemsIn = (table: Table, list: string, start: Start): Promise<Item[]> =>
  queryAll(table, { IndexName: 'email', ...keysPast('email', list, start) });
