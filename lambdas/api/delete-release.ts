import { isFailure } from '../contract/errors';
import { deleteRelease } from '../contract/releases';
import { refuseDeletion } from '../domain/releases/release';
import { serve } from '../runtime/http/serve';
import * as releases from '../store/releases/change';
import { deleteFiles } from '../use-cases/releases/files';

export const handler = serve(deleteRelease, async ({ params, app }) => {
  const deleted = await releases.deleteRelease(app.table, params.id, refuseDeletion);
  if (isFailure(deleted)) return deleted;
  await deleteFiles(app, deleted, deleted.artifacts);
  return { deleted: true as const };
});
