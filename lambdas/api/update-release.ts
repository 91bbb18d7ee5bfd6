import { isFailure } from '../contract/errors';
import { updateRelease } from '../contract/releases';
import { editRelease } from '../domain/releases/release';
import { operator, serve } from '../runtime/http';
import { changeRelease } from '../store/releases/change';
import { showRelease } from '../use-cases/releases/files';

export const handler = serve(updateRelease, operator, async ({ params, body, app }) => {
  const changed = await changeRelease(app.table, params.id, (release) => editRelease(release, body));
  return isFailure(changed) ? changed : showRelease(app, changed.release);
});
