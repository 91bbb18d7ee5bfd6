import { isFailure } from '../contract/errors';
import { unyankRelease } from '../contract/releases';
import { releaseView, unyank } from '../domain/releases/release';
import { serve } from '../runtime/http/serve';
import { changeRelease } from '../store/releases/change';

export const handler = serve(unyankRelease, async ({ params, app }) => {
  const changed = await changeRelease(app.table, params.id, (release) => unyank(release));
  return isFailure(changed) ? changed : releaseView(changed.release);
});
