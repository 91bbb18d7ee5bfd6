import * as z from 'zod/mini';
import type { NoteView } from '../contract/notes';
import type { Actor } from './actor';
import { number, string, type Stored } from './stored';
import { timestampOf } from './time';

/** A note that an operator wrote on a license (docs/spec/operator.md, Notes). */
export const noteSchema = z.object({
  /** The id of the note: 24 hex digits that sort by time. */
  id: string,
  license_id: number,
  text: string,
  /** When the note was written, in epoch ms. */
  at: number,
  actor: string,
  actor_name: string,
});
export interface Note extends Stored<typeof noteSchema> {}

/** Number of random bytes that the id of a note needs. */
export const NOTE_RANDOM_BYTES = 6;

/** The id of a note: the time as 12 hex digits, followed by random digits. */
const noteId = (at: number, random: Uint8Array): string => at.toString(16).padStart(12, '0') + Buffer.from(random).toString('hex');

/** @param now epoch ms */
export const writeNote = (licenseId: number, text: string, { id, name }: Actor, now: number, random: Uint8Array): Note => ({
  id: noteId(now, random),
  license_id: licenseId,
  text,
  at: now,
  actor: id,
  actor_name: name,
});

export const noteView = ({ license_id: _, at, ...note }: Note): NoteView => ({ ...note, at: timestampOf(at) });
