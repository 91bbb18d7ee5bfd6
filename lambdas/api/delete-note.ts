import { fail } from '../contract/errors';
import { deleteNote } from '../contract/notes';
import { operator, serve } from '../runtime/http';
import { findLicense } from '../store/licenses/read';
import * as notes from '../store/notes';

export const handler = serve(deleteNote, operator, async ({ params, app }) => {
  const license = await findLicense(app.table, params.id);
  if (!license) return fail('not_found', 'There is no such license');
  app.table.audit?.describe({ product_id: license.productId });
  return (await notes.deleteNote(app.table, params.id, params.note))
    ? { deleted: true as const }
    : fail('not_found', 'There is no such note');
});
