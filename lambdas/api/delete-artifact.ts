import { isFailure } from '../contract/errors';
import { deleteArtifact } from '../contract/releases';
import { removeArtifact } from '../domain/releases/release';
import { operator, serve } from '../runtime/http';
import { changeRelease } from '../store/releases/change';
import { deleteFiles } from '../use-cases/releases/files';

export const handler = serve(deleteArtifact, operator, async ({ params, app }) => {
  const changed = await changeRelease(app.table, params.id, (release) => removeArtifact(release, params.filename));
  if (isFailure(changed)) return changed;
  const { before, release } = changed;
  await deleteFiles(
    app,
    release,
    before.artifacts.filter(({ filename }) => filename === params.filename),
  );
  return { deleted: true as const };
});
