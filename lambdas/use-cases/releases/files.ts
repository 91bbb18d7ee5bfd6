import { isOffered } from '../../domain/releases/catalogue';
import { fileKey } from '../../domain/releases/file-key';
import { releaseView, type Artifact, type Release } from '../../domain/releases/release';
import { DOWNLOAD_SECONDS } from '../../contract/downloads';
import type { ReleaseView } from '../../contract/resources';
import type { StoredFile } from '../../runtime/file-store';
import { filesOf } from '../../runtime/files';
import { log } from '../../runtime/observability/log';

/** Checks, signs and deletes the files of releases in the file store. */

/** Number of files that are checked or deleted at the same time. */
const PARALLEL = 25;

type Files = Parameters<typeof filesOf>[0];

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

/**
 * Finds the files of draft releases that were uploaded as declared. Files of other releases are not checked again, because they were
 * checked when the release was published.
 */
export async function findUploads(app: Files, releases: readonly Release[]): Promise<(artifact: Artifact) => boolean> {
  const uploaded = new Set<Artifact>();
  const drafts = releases.filter(({ status }) => status === 'draft');
  await inParallel(
    drafts.flatMap((release) => release.artifacts.map((artifact) => ({ release, artifact }))),
    async ({ release, artifact }) => {
      if (await filesOf(app).isUploaded(storedFile(release, artifact))) uploaded.add(artifact);
    },
  );
  return (artifact) => uploaded.has(artifact);
}

/** The view of a release for the operator. */
export const showRelease = async (app: Files, release: Release): Promise<ReleaseView> =>
  releaseView(release, await findUploads(app, [release]));

/**
 * Deletes files that no longer belong to a release. The function never fails, because a file that was not deleted costs little, and nobody
 * can download it.
 */
export async function deleteFiles(app: Files, release: Release, artifacts: readonly Artifact[]): Promise<void> {
  await inParallel(artifacts, async (artifact) => {
    try {
      await filesOf(app).remove(fileKey(release.id, artifact));
    } catch (error) {
      log.warn('FILE_NOT_DELETED', { release_id: release.id }, error);
    }
  });
}

/**
 * The files of a release that people download, each with a signed URL that needs no header.
 *
 * @param now epoch ms
 */
export const signFiles = (
  app: Files,
  release: Release,
  now: number,
): Promise<(Pick<Artifact, 'filename' | 'platform' | 'arch' | 'size'> & { readonly url: string })[]> =>
  Promise.all(
    release.artifacts.filter(isOffered).map(async (artifact) => ({
      filename: artifact.filename,
      platform: artifact.platform,
      arch: artifact.arch,
      size: artifact.size,
      url: await filesOf(app).signDownload({ key: fileKey(release.id, artifact) }, DOWNLOAD_SECONDS, now),
    })),
  );
