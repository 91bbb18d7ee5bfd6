import { isFailure } from '../contract/errors';
import { deleteArtifact } from '../contract/releases';
import { removeArtifact, type Artifact } from '../domain/releases/release';
import { serve } from '../runtime/http/serve';
import { changeRelease } from '../store/releases/change';
import { deleteFiles } from '../use-cases/releases/files';

export const handler = serve(deleteArtifact, async ({ params, app }) => {
  let removed: readonly Artifact[] = [];
  const changed = await changeRelease(app.table, params.id, (release) => {
    const reduced = removeArtifact(release, params.filename);
    if (isFailure(reduced)) return reduced;
    removed = release.artifacts.filter(({ filename }) => filename === params.filename);
    return { release: reduced };
  });
  if (isFailure(changed)) return changed;
  await deleteFiles(app, changed.release, removed);
  return { deleted: true as const };
});
