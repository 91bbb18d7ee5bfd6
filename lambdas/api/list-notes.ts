import { fail } from '../contract/errors';
import { listNotes } from '../contract/notes';
import { noteView } from '../domain/note';
import { pageLimit, pageOf } from '../runtime/http/paging';
import { operator, serve } from '../runtime/http';
import { findLicense } from '../store/licenses/read';
import * as store from '../store/notes';

export const handler = serve(listNotes, operator, async ({ params, query, app }) => {
  if (!(await findLicense(app.table, params.id))) return fail('not_found', 'There is no such license');
  const { notes, unreadable, next } = await store.listNotes(app.table, params.id, query.cursor, pageLimit(query.limit));
  return pageOf(notes, next, ({ id }) => id, noteView, unreadable);
});
