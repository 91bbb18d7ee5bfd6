import { isFailure } from '../contract/errors';
import { createArtifact, UPLOAD_SECONDS } from '../contract/releases';
import { addArtifact, artifactView } from '../domain/releases/release';
import { timestampOf } from '../domain/time';
import { operator, serve } from '../runtime/http';
import { changeRelease } from '../store/releases/change';
import { storedFile } from '../use-cases/releases/files';
import { filesOf } from '../runtime/files';

export const handler = serve(createArtifact, operator, async ({ params, body, app, now }) => {
  const changed = await changeRelease(app.table, params.id, (release) => addArtifact(release, body));
  if (isFailure(changed)) return changed;
  const artifact = changed.release.artifacts.find(({ filename }) => filename === body.filename);
  if (!artifact) throw new Error('The new file is missing in the changed release');
  const upload = await filesOf(app).signUpload(storedFile(changed.release, artifact), UPLOAD_SECONDS, now);
  return {
    ...artifactView(artifact, false),
    upload: {
      method: 'PUT' as const,
      url: upload.url,
      headers: { ...upload.headers },
      expires_at: timestampOf(now + UPLOAD_SECONDS * 1000),
    },
  };
});
