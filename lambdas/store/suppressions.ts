import { addressHash } from '../domain/audit';
import type { Bounce } from '../domain/mail-feedback';
import { suppressedKey, type Key } from './keys';
import { getItem, updateItem } from './items';
import type { Table } from './table';
import { transact } from './transaction';

/**
 * E-mail addresses to which a product sends no mails, because a mail bounced permanently or was reported as spam. A row contains only the
 * hash of the address. It stays until an operator or an erasure removes it.
 */

const keyOf = (productId: number, address: string): Key => suppressedKey(productId, addressHash(address));

export const isSuppressed = async (table: Table, productId: number, address: string): Promise<boolean> =>
  (await getItem(table, keyOf(productId, address))) !== undefined;

/** Stops the mails of a product to an address. */
export async function suppress(table: Table, productId: number, address: string, { at, type }: Bounce): Promise<void> {
  await updateItem(table, {
    Key: keyOf(productId, address),
    UpdateExpression: 'SET #at = :at, #type = :type, version = :version',
    ExpressionAttributeNames: { '#at': 'at', '#type': 'type' },
    ExpressionAttributeValues: { ':at': at, ':type': type, ':version': 1 },
  });
}

/** Allows the mails of a product to an address again, for an operator. Returns false if they were not stopped. */
export async function resumeMails(table: Table, productId: number, address: string): Promise<boolean> {
  table.audit?.describe({ product_id: productId, target: addressHash(address), details: [] });
  const remove = { Key: keyOf(productId, address), ConditionExpression: 'attribute_exists(pk)' };
  return (await transact(table, [{ Delete: remove }])).committed;
}

/** Removes the row of an erased address, if there is one. */
export async function eraseSuppression(table: Table, productId: number, address: string): Promise<void> {
  if (await isSuppressed(table, productId, address)) await transact(table, [{ Delete: { Key: keyOf(productId, address) } }]);
}
