import { fileKey } from '../../domain/releases/file-key';
import { releaseView, type Artifact, type Release } from '../../domain/releases/release';
import type { ReleaseView } from '../../contract/resources';
import type { App } from '../../runtime/app';
import type { StoredFile } from '../../runtime/files';
import { log } from '../../runtime/observability/log';

/** The files of releases in their store. */

/** Files that are looked at, or deleted, at the same time. */
const PARALLEL = 25;

export const storedFile = (release: Pick<Release, 'id'>, artifact: Artifact): StoredFile => ({
  key: fileKey(release.id, artifact),
  size: artifact.size,
  sha256: artifact.sha256,
  contentType: artifact.content_type,
});

async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const worker = async (): Promise<void> => {
    for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
}

/** Which files of drafts are there as they were declared. Those of other releases are not looked at: they were when it was published. */
export async function findUploads({ files }: Pick<App, 'files'>, releases: readonly Release[]): Promise<(artifact: Artifact) => boolean> {
  const uploaded = new Set<Artifact>();
  const drafts = releases.filter(({ status }) => status === 'draft');
  await inParallel(
    drafts.flatMap((release) => release.artifacts.map((artifact) => ({ release, artifact }))),
    async ({ release, artifact }) => {
      if (await files.isUploaded(storedFile(release, artifact))) uploaded.add(artifact);
    },
  );
  return (artifact) => uploaded.has(artifact);
}

/** A release as the operator sees it. */
export const showRelease = async (app: Pick<App, 'files'>, release: Release): Promise<ReleaseView> =>
  releaseView(release, await findUploads(app, [release]));

/**
 * Deletes files that no release names any more. Never fails: what stays costs a little and can be reached by nobody.
 */
export async function deleteFiles({ files }: Pick<App, 'files'>, release: Release, artifacts: readonly Artifact[]): Promise<void> {
  await inParallel(artifacts, async (artifact) => {
    try {
      await files.remove(fileKey(release.id, artifact));
    } catch (error) {
      log.warn('FILE_NOT_DELETED', { release_id: release.id }, error);
    }
  });
}
