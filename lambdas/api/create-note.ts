import { fail } from '../contract/errors';
import { createNote } from '../contract/notes';
import { NOTE_RANDOM_BYTES, noteView, writeNote } from '../domain/note';
import { operator, serve } from '../runtime/http';
import { findLicense } from '../store/licenses/read';
import { recordNote } from '../store/notes';

export const handler = serve(createNote, operator, async ({ params, body, app, actor, now, storeResponse }) => {
  const license = await findLicense(app.table, params.id);
  if (!license) return fail('not_found', 'There is no such license');
  app.table.audit?.describe({ product_id: license.productId });
  const note = writeNote(params.id, body.text, actor, now, app.random(NOTE_RANDOM_BYTES));
  const view = noteView(note);
  return (await recordNote(app.table, note, storeResponse(view))) ?? view;
});
