import * as z from 'zod/mini';
import { addressHash } from '../domain/audit';
import { hasAddress, shownEmail } from '../domain/license';
import type { Transition } from '../domain/transition';
import { notePreviousEvents } from './erasure';
import { EVENT_DAYS } from './events/rows';
import { queryAll, wholePartition } from './items';
import { previousAddresses, previousAddressKey } from './keys';
import { readRow } from './row';
import type { Table } from './table';
import { transact, type Action } from './transaction';
import { flag, number, type Stored } from '../domain/stored';

/**
 * E-mail addresses that licenses had before. The events of a license still contain its previous address, but the license can no longer be
 * found by that address. Therefore each change of an address leaves a row that leads from the hash of the previous address to the license.
 * The row is kept as long as the events that contain the address.
 */

/** A license that had an e-mail address before. */
const previousAddressSchema = z.object({
  product_id: number,
  license_id: number,
  /** The sequence of the license's event that reports the change. Only earlier events contain the previous address. */
  sequence: number,
  /** False if the previous address was the unverified address of a trial. Such an address may belong to a stranger. */
  is_verified: flag,
});
export interface PreviousAddress extends Stored<typeof previousAddressSchema> {}

/**
 * The actions that record the addresses that a license no longer has after a transition: the previous address of its buyer, and the addresses
 * of removed members. The erasure of the buyer needs no such row, because it writes its own note (see `ErasureNote`).
 */
export function recordPreviousAddress({ before, after, members, at }: Transition): Action[] {
  const record = (address: string, fields: Pick<PreviousAddress, 'sequence' | 'is_verified'>): Action => {
    const row: PreviousAddress = { product_id: after.product_id, license_id: after.id, ...fields };
    const ttl = Math.ceil(at / 1000) + EVENT_DAYS * 86_400;
    return { Put: { Item: { ...previousAddressKey(addressHash(address), after.id), version: 1, ...row, ttl } } };
  };
  const address = shownEmail(before);
  const isKept = address === null || hasAddress(after, address) || before.erased_at !== after.erased_at;
  const removed = members.flatMap((change) => (change.before && !change.after ? [change.before.email] : []));
  return [
    ...(isKept ? [] : [record(address, { sequence: after.sequence, is_verified: before.customer_email !== null })]),
    // The event of the removal contains the address, too.
    ...removed.map((email) => record(email, { sequence: after.sequence + 1, is_verified: true })),
  ];
}

/**
 * The licenses that had the e-mail address with this hash before.
 *
 * @param productId the only product whose licenses are returned; null: all products
 */
export async function licensesWithPreviousAddress(table: Table, hash: string, productId: number | null): Promise<PreviousAddress[]> {
  const rows = await queryAll(table, wholePartition(previousAddresses(hash)));
  const found = rows.map((row) => readRow(previousAddressSchema, row));
  return found.filter(({ product_id }) => productId === null || product_id === productId);
}

/** Replaces the row of a previous address by the note of an erasure, so that the worker finishes the erasure if it is interrupted. */
export const beginErasure = async (table: Table, hash: string, { license_id, sequence }: PreviousAddress): Promise<void> =>
  void (await transact(table, [notePreviousEvents(hash, license_id, sequence), { Delete: { Key: previousAddressKey(hash, license_id) } }]));
