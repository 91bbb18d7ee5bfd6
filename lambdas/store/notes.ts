import { noteSchema, type Note } from '../domain/note';
import { licenseNotes, noteKey } from './keys';
import { readRow, readRows } from './row';
import { queryPages } from './items';
import type { Item } from './codec';
import { newestFirst, scanPage } from './scan';
import type { Table } from './table';
import { create, RESPONSE_EXISTS, transact, transactOnce, type Action, type ResponseExists } from './transaction';
import { chunks } from './chunks';

/** Notes on licenses. Each note is a row in the partition of its license's notes. */

const toItem = (note: Note): Item => ({ ...noteKey(note.license_id, note.id), version: 1, ...note });
const toNote = (item: Item): Note => readRow(noteSchema, item);

/**
 * Records a note.
 *
 * @param storeResponse stores the response of an idempotent request together with the note
 */
export async function recordNote(table: Table, note: Note, storeResponse: Action | undefined): Promise<void | ResponseExists> {
  const recorded = await transactOnce(table, [create(toItem(note))], storeResponse);
  if (recorded === RESPONSE_EXISTS) return recorded;
}

/** Deletes a note. Returns false if the note does not exist. */
export async function deleteNote(table: Table, licenseId: number, id: string): Promise<boolean> {
  const { committed } = await transact(table, [{ Delete: { Key: noteKey(licenseId, id), ConditionExpression: 'attribute_exists(pk)' } }]);
  return committed;
}

export interface NotePage {
  readonly notes: readonly Note[];
  readonly unreadable: number;
  /** The id of the last note of the page, if there are more notes. */
  readonly next?: string;
}

/** Lists up to `limit` notes of a license that are older than the note `before`, newest first. */
export async function listNotes(table: Table, licenseId: number, before: string | undefined, limit: number): Promise<NotePage> {
  const query = { ...newestFirst(licenseNotes(licenseId), before), Limit: limit + 1 };
  const { entries, last } = await scanPage(table, query, { keep: (item) => item, limit });
  const { entities, unreadable } = readRows(entries, toNote);
  return { notes: entities, unreadable, ...(last && { next: String(last['sk']) }) };
}

/** Maximum number of notes that are deleted in one transaction. */
const TOGETHER = 25;

/** Deletes the notes of a license that were written at or before `until` (epoch ms). */
export async function deleteNotesUntil(table: Table, licenseId: number, until: number): Promise<void> {
  for await (const page of queryPages(table, {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk',
    FilterExpression: '#at <= :until',
    ExpressionAttributeNames: { '#at': 'at' },
    ExpressionAttributeValues: { ':pk': licenseNotes(licenseId), ':until': until },
  })) {
    for (const some of chunks(page, TOGETHER)) {
      await transact(
        table,
        some.map(({ sk }): Action => ({ Delete: { Key: noteKey(licenseId, String(sk)) } })),
      );
    }
  }
}
