import * as z from 'zod/mini';
import type { Transition } from '../domain/transition';
import type { Device, License } from '../domain/license';
import { devicePosition, ERASURES, erasureKey, erasuresOf, licenseList, metadataKey, type Key } from './keys';
import { readDevices } from './licenses/read';
import { deviceRowKey, licenseRowKey, toDevice } from './licenses/rows';
import { readRow } from './row';
import { keyOf, queryAll, queryPages, updateItem, wholePartition } from './items';
import type { Item } from './codec';
import type { Table } from './table';
import { transact, type Action } from './transaction';
import { chunks } from './chunks';
import { flag, list, number, orNull, string, type Stored } from '../domain/stored';

/**
 * A note that the data of a buyer is not yet completely erased from a license. The transaction that removes the e-mail address and the
 * metadata from the license also writes the note. Afterwards the license can no longer be found by the address, so the note is needed to
 * continue after an interruption.
 *
 * If the license had already got another address before the erasure, only its events contain data of the buyer (`is_previous`).
 */
const noteSchema = z.object({
  /** The hash of the buyer's e-mail address. */
  address_hash: string,
  license_id: number,
  /** The sequence number of the license's event that reports the erasure. */
  sequence: number,
  /** References to the separate rows in which long metadata of the license was stored. */
  metadata_refs: list(string),
  /** The time when the labels of the license's devices were removed, epoch ms; null if they were not removed yet. */
  devices_erased_at: orNull(number),
  /** True if the license had another address when the erasure began. Then only the events that contain this address are erased. */
  is_previous: flag,
});
export interface ErasureNote extends Stored<typeof noteSchema> {}

const toNote = (item: Item): ErasureNote => readRow(noteSchema, item);

const noteKey = ({ address_hash, license_id, is_previous }: ErasureNote): Key => erasureKey(address_hash, license_id, is_previous);

const putNote = (note: ErasureNote): Action => ({ Put: { Item: { ...noteKey(note), version: 1, ...note } } });

/** Lists the references to the separate rows in which long metadata of a license is currently stored. */
export async function metadataRefs(table: Table, licenseId: number): Promise<string[]> {
  const rows = await queryAll(table, { ...wholePartition(metadataKey(licenseId, '').pk), ProjectionExpression: 'sk' });
  return rows.map(({ sk }) => String(sk));
}

/** The action that writes the note of a license. It belongs to the transaction that removes the license's e-mail address. */
export const noteErasure = (addressHash: string, refs: readonly string[], { before, after }: Transition): Action =>
  putNote({
    address_hash: addressHash,
    license_id: after.id,
    sequence: after.sequence,
    metadata_refs: [...new Set([...refs, ...(before.metadata.ref === undefined ? [] : [before.metadata.ref])])],
    devices_erased_at: null,
    is_previous: false,
  });

/** The action that writes a note about the events of a license whose sequence is lower than `sequence`. */
export const notePreviousEvents = (address_hash: string, license_id: number, sequence: number): Action =>
  putNote({ address_hash, license_id, sequence, metadata_refs: [], devices_erased_at: null, is_previous: true });

/** Reads the notes of an e-mail address, or all notes if no address is given. */
export async function* erasureNotes(table: Table, addressHash?: string): AsyncGenerator<ErasureNote> {
  for await (const page of queryPages(table, {
    ConsistentRead: true,
    KeyConditionExpression: addressHash === undefined ? 'pk = :pk' : 'pk = :pk AND begins_with(sk, :address)',
    ExpressionAttributeValues: { ':pk': ERASURES, ...(addressHash !== undefined && { ':address': erasuresOf(addressHash) }) },
    Limit: 100,
  })) {
    yield* page.map(toNote);
  }
}

/** Number of devices that are updated at the same time. */
const PARALLEL = 20;

/**
 * Removes the labels of a license's devices, including devices that a reset has freed.
 *
 * @param until the time at which the function stops, epoch ms of the real clock
 * @returns the note with the time of the removal; undefined if `until` was reached before the last device was updated
 */
export async function eraseDevices(table: Table, note: ErasureNote, license: License, until: number): Promise<ErasureNote | undefined> {
  const labelled = await labelledDevices(table, license);
  for (const devices of chunks(labelled, PARALLEL)) {
    if (table.realClock() >= until) return undefined;
    await Promise.all(devices.map((device) => eraseLabels(table, device)));
  }
  const erased = { ...note, devices_erased_at: table.clock() };
  await transact(table, [putNote(erased)]);
  return erased;
}

/** The row of a device that has labels, or that may have some. */
interface LabelledDevice {
  readonly key: Key;
  readonly epoch: number;
}

const isLabelled = ({ name, platform, app_version, country }: Device): boolean =>
  name !== '' || platform !== '' || app_version !== null || country !== null;

/** The devices of a license that have labels, including devices under previous keys of the license. */
async function labelledDevices(table: Table, license: License): Promise<LabelledDevice[]> {
  const bound = (await readDevices(table, license))
    .filter(isLabelled)
    .map(({ fingerprint, epoch }) => ({ key: deviceRowKey(license, fingerprint), epoch }));
  const listed = await queryAll(table, {
    IndexName: 'list',
    KeyConditionExpression: 'list_pk = :list AND begins_with(list_sk, :license)',
    ExpressionAttributeValues: { ':list': licenseList(license.product_id), ':license': devicePosition(license.id, '') },
  });
  // The index does not contain all labels, so every device that a previous key has left is updated.
  const before = listed.filter(({ pk }) => pk !== licenseRowKey(license).pk);
  return [...bound, ...before.map((item) => ({ key: keyOf(item), epoch: toDevice(item).epoch }))];
}

async function eraseLabels(table: Table, { key, epoch }: LabelledDevice): Promise<void> {
  await updateItem(table, {
    Key: key,
    // The search entry contains the name, too.
    UpdateExpression: 'SET #name = :none, platform = :none REMOVE app_version, country, email_pk, email_sk',
    // If the device was freed in the meantime, its row no longer exists. If it was then activated again, its row has new labels, which must
    // stay.
    ConditionExpression: 'epoch = :epoch',
    ExpressionAttributeNames: { '#name': 'name' },
    ExpressionAttributeValues: { ':none': '', ':epoch': epoch },
  });
}

/** Maximum number of metadata rows that are deleted in one transaction. */
const TOGETHER = 25;

/**
 * Finishes the erasure of a license. The function deletes the note and the license's long metadata, which pending events needed until now.
 */
export async function finishErasure(table: Table, note: ErasureNote, license: License | undefined): Promise<void> {
  // The license may have received the same metadata again after the erasure. The row with that metadata must stay.
  const refs = note.metadata_refs.filter((ref) => ref !== license?.metadata.ref);
  for (const some of chunks(refs, TOGETHER)) {
    await transact(
      table,
      some.map((ref): Action => ({ Delete: { Key: metadataKey(note.license_id, ref) } })),
    );
  }
  await transact(table, [{ Delete: { Key: noteKey(note) } }]);
}
