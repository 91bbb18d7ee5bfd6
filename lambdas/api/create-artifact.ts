import { isFailure } from '../contract/errors';
import { createArtifact } from '../contract/releases';
import { addArtifact, artifactView } from '../domain/releases/release';
import { operator, serve } from '../runtime/http';
import { changeRelease } from '../store/releases/change';
import { storedFile } from '../use-cases/releases/files';
import { signedUpload } from '../use-cases/uploads';

export const handler = serve(createArtifact, operator, async ({ params, body, app, now }) => {
  const changed = await changeRelease(app.table, params.id, (release) => addArtifact(release, body));
  if (isFailure(changed)) return changed;
  const artifact = changed.release.artifacts.find(({ filename }) => filename === body.filename);
  if (!artifact) throw new Error('The new file is missing in the changed release');
  return {
    ...artifactView(artifact, false),
    upload: await signedUpload(app, storedFile(changed.release, artifact), now),
  };
});
