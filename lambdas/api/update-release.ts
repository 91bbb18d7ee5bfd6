import { isFailure } from '../contract/errors';
import { updateRelease } from '../contract/releases';
import { editRelease } from '../domain/releases/release';
import { serve } from '../runtime/http/serve';
import { changeRelease } from '../store/releases/change';
import { showRelease } from '../use-cases/releases/files';

export const handler = serve(updateRelease, async ({ params, body, app }) => {
  const changed = await changeRelease(app.table, params.id, (release) => {
    const edited = editRelease(release, body);
    return isFailure(edited) ? edited : { release: edited };
  });
  return isFailure(changed) ? changed : showRelease(app, changed.release);
});
