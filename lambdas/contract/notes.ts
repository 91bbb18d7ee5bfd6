import * as z from 'zod/mini';
import { checked, documented } from './schema';
import { endpoint } from './endpoint';
import { pageBy } from './paging';
import { pathId } from './resources';
import { multilineText, timestamp } from './text';

/** Notes of operators about a license (docs/spec/operator.md, Notes). */

/** Matches the id of a note. The id consists of the time of the note and random bytes, as 24 hex digits, so that ids sort by time. */
const NOTE_ID = /^[0-9a-f]{24}$/;

export const note = documented(
  z.object({
    id: documented(z.string(), { description: 'The id of the note, 24 hex digits.' }),
    text: z.string(),
    at: timestamp,
    actor: documented(z.string(), {
      description: "`deployment` for the deployment's own token, or the id of the admin token that wrote the note.",
    }),
    actor_name: z.string(),
  }),
  { id: 'Note' },
);

export type NoteView = z.infer<typeof note>;

export const noteExample: NoteView = {
  id: '019fb8a1c2d03e5f7a9b1c2d',
  text: 'Called on Friday. Wants two more seats in January.',
  at: '2026-11-20T14:10:00.000Z',
  actor: '1',
  actor_name: 'Support desk',
};

export const createNote = /* @__PURE__ */ endpoint(() => ({
  name: 'createNote',
  method: 'POST',
  path: '/v1/licenses/{id}/notes',
  tag: 'Licenses',
  summary: 'Write a note on a license',
  description:
    'Writes a note that only operators see. A note does not change the license, does not raise its `sequence`, and sends no event. Apps and buyers never see the note, but the export of a buyer’s data includes it.',
  credential: 'admin',
  scope: ['licenses', 'support'],
  subject: 'license',
  params: z.object({ id: pathId }),
  body: z.object({ text: documented(multilineText(1, 2000), { description: 'The text of the note, which may have several lines.' }) }),
  idempotent: true,
  status: 201,
  response: note,
  store: { PutItem: ['note'] },
  examples: { request: { text: noteExample.text }, response: noteExample },
}));

export const listNotes = /* @__PURE__ */ endpoint(() => ({
  name: 'listNotes',
  method: 'GET',
  path: '/v1/licenses/{id}/notes',
  tag: 'Licenses',
  summary: 'List the notes of a license',
  description: 'Returns the notes of the license, newest first.',
  credential: 'admin',
  scope: 'read',
  subject: 'license',
  params: z.object({ id: pathId }),
  query: z.object(pageBy(NOTE_ID)),
  response: z.array(note),
  store: { Query: ['note'] },
  examples: { response: [noteExample] },
}));

export const deleteNote = /* @__PURE__ */ endpoint(() => ({
  name: 'deleteNote',
  method: 'DELETE',
  path: '/v1/licenses/{id}/notes/{note}',
  tag: 'Licenses',
  summary: 'Delete a note',
  description: 'Removes the note permanently. The response is 404 if the note does not exist.',
  credential: 'admin',
  scope: ['licenses', 'support'],
  subject: 'license',
  params: z.object({
    id: pathId,
    note: documented(checked(z.string(), z.regex(NOTE_ID)), { examples: [noteExample.id] }),
  }),
  response: documented(z.object({ deleted: z.literal(true) }), { id: 'NoteDeletion' }),
  store: { DeleteItem: ['note'] },
  examples: { response: { deleted: true } },
}));
