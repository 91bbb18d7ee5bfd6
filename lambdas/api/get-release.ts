import { fail } from '../contract/errors';
import { getRelease } from '../contract/releases';
import { operator, serve } from '../runtime/http';
import { findRelease } from '../store/releases/read';
import { showRelease } from '../use-cases/releases/files';

export const handler = serve(getRelease, operator, async ({ params, app }) => {
  const found = await findRelease(app.table, params.id);
  return found ? showRelease(app, found.release) : fail('not_found', 'There is no such release');
});
