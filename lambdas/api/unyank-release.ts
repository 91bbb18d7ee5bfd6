import { isFailure } from '../contract/errors';
import { unyankRelease } from '../contract/releases';
import { releaseView, unyank } from '../domain/releases/release';
import { operator, serve } from '../runtime/http';
import { changeRelease } from '../store/releases/change';

export const handler = serve(unyankRelease, operator, async ({ params, app }) => {
  const changed = await changeRelease(app.table, params.id, (release) => unyank(release));
  return isFailure(changed) ? changed : releaseView(changed.release);
});
