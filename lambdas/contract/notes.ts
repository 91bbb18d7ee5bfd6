import * as z from 'zod';
import { endpoint } from './endpoint';
import { pageBy } from './paging';
import { pathId } from './resources';
import { multilineText, timestamp } from './text';

/** Notes of operators about a license (docs/spec/operator.md, Notes). */

/** The id of a note: its time and random bytes as 24 hex digits. Therefore ids sort by time. */
const NOTE_ID = /^[0-9a-f]{24}$/;

export const note = z
  .object({
    id: z.string().meta({ description: '24 hex digits.' }),
    text: z.string(),
    at: timestamp,
    actor: z.string().meta({ description: '`deployment`, or the id of the admin token that wrote it.' }),
    actor_name: z.string(),
  })
  .meta({ id: 'Note' });

export type NoteView = z.infer<typeof note>;

export const noteExample: NoteView = {
  id: '019fb8a1c2d03e5f7a9b1c2d',
  text: 'Called on Friday. Wants two more seats in January.',
  at: '2026-11-20T14:10:00.000Z',
  actor: '1',
  actor_name: 'Support desk',
};

export const createNote = endpoint({
  name: 'createNote',
  method: 'POST',
  path: '/v1/licenses/{id}/notes',
  tag: 'Licenses',
  summary: 'Write a note on a license',
  description:
    'A note is for operators only. It does not change the license, does not raise its `sequence`, and sends no event. Apps and buyers never see it, but the export of a buyer’s data includes it.',
  credential: 'admin',
  scope: 'licenses',
  subject: 'license',
  params: z.object({ id: pathId }),
  body: z.object({ text: multilineText(1, 2000).meta({ description: 'The note; it may have several lines.' }) }),
  idempotent: true,
  status: 201,
  response: note,
  errors: [],
  store: { GetItem: ['licenseId', 'idempotency'], PutItem: ['note', 'idempotency'] },
  secrets: ['encryptionKey'],
  examples: { request: { text: noteExample.text }, response: noteExample },
});

export const listNotes = endpoint({
  name: 'listNotes',
  method: 'GET',
  path: '/v1/licenses/{id}/notes',
  tag: 'Licenses',
  summary: 'List the notes of a license',
  description: 'The notes of the license, newest first.',
  credential: 'admin',
  scope: 'read',
  subject: 'license',
  params: z.object({ id: pathId }),
  query: z.object(pageBy(NOTE_ID)),
  status: 200,
  response: z.array(note),
  errors: [],
  store: { GetItem: ['licenseId'], Query: ['note'] },
  examples: { response: [noteExample] },
});

export const deleteNote = endpoint({
  name: 'deleteNote',
  method: 'DELETE',
  path: '/v1/licenses/{id}/notes/{note}',
  tag: 'Licenses',
  summary: 'Delete a note',
  description: 'Removes the note for good. A note that does not exist is 404.',
  credential: 'admin',
  scope: 'licenses',
  subject: 'license',
  params: z.object({
    id: pathId,
    note: z
      .string()
      .regex(NOTE_ID)
      .meta({ examples: [noteExample.id] }),
  }),
  status: 200,
  response: z.object({ deleted: z.literal(true) }).meta({ id: 'NoteDeletion' }),
  errors: [],
  store: { GetItem: ['licenseId'], DeleteItem: ['note'] },
  examples: { response: { deleted: true } },
});
