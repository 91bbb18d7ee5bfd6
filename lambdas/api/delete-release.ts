import { isFailure } from '../contract/errors';
import { deleteRelease } from '../contract/releases';
import { refuseDeletion } from '../domain/releases/release';
import { operator, serve } from '../runtime/http';
import * as releases from '../store/releases/change';
import { deleteFiles } from '../use-cases/releases/files';

export const handler = serve(deleteRelease, operator, async ({ params, app }) => {
  const deleted = await releases.deleteRelease(app.table, params.id, refuseDeletion);
  if (isFailure(deleted)) return deleted;
  await deleteFiles(app, deleted, deleted.artifacts);
  return { deleted: true as const };
});
