import { AdminApiError, dataOf, type AdminClient } from '@license-key-service/admin';
import { setTimeout as sleep } from 'node:timers/promises';
import { STABLE, type ArtifactView, type ReleaseView } from '../../lambdas/contract/resources/release';
import { versionPosition } from '../../lambdas/domain/releases/version';
import { count, plural, Progress } from '../licenses/progress';
import { refusalOf, ServiceError } from '../service';
import type { ReleaseFile } from './files';
import type { PublishOptions, ReleaseOptions } from './options';
import { send, UploadRefused, type Upload } from './upload';

/** Uploads the files of a release and publishes it. A repeated run skips the steps that an earlier run completed. */

/** Maximum number of attempts to upload a file before the command fails. */
const ATTEMPTS = 5;
const KB = 1024;

/**
 * Publishes a release, or leaves it as a draft.
 *
 * @param tell shows a line about the progress
 */
export async function publish(
  client: AdminClient,
  options: PublishOptions,
  files: readonly ReleaseFile[],
  tell: (line: string) => void,
): Promise<ReleaseView> {
  for (const { filename, platform, arch, size } of files) tell(`${filename}  ${platform}/${arch}  ${count(Math.ceil(size / KB))} KB`);
  const draft = await findOrCreate(client, options);
  const differing = files.filter((file) => !draft.artifacts.some((artifact) => artifact.uploaded && isSame(artifact, file)));
  if (draft.status !== 'draft') {
    if (draft.status === 'yanked')
      throw new ServiceError(`Version ${draft.version} is yanked, so it cannot be published again. Publish the files as a new version.`);
    if (differing.length > 0)
      throw new ServiceError(
        `Version ${draft.version} is already published, and these files differ from the published ones: ${differing.map(({ filename }) => filename).join(', ')}. Publish them as a new version.`,
      );
    tell(`Version ${draft.version} is already published with these files.`);
    return draft;
  }
  const unwanted = draft.artifacts.filter(({ filename }) => !files.some((file) => file.filename === filename));
  for (const { filename } of unwanted) await remove(client, draft.id, filename);
  const kept = files.length - differing.length;
  if (kept > 0) tell(`${plural(kept, 'file')} already uploaded.`);

  const progress = new Progress('KB uploaded', Math.ceil(differing.reduce((sum, { size }) => sum + size, 0) / KB));
  let bytes = 0;
  const waiting = [...differing];
  const worker = async (): Promise<void> => {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      await uploadFile(client, draft, file, (sent) => progress.update(Math.ceil((bytes += sent) / KB)));
      tell(`Uploaded ${file.filename}`);
    }
  };
  await Promise.all(Array.from({ length: options.parallel }, worker));
  if (differing.length > 0) progress.end();

  const params = { path: { id: draft.id } };
  if (options.isDraft) {
    tell(`Release ${draft.id} is a draft with ${plural(files.length, 'file')}.`);
    return dataOf(await client.GET('/v1/releases/{id}', { params }));
  }
  const published = dataOf(await client.POST('/v1/releases/{id}/publish', { params }));
  tell(`Published version ${published.version} in the channel ${published.channel}.`);
  return published;
}

const isSame = (artifact: ArtifactView, file: ReleaseFile): boolean =>
  (['filename', 'platform', 'arch', 'size', 'sha256', 'signature', 'block_map_size'] as const).every(
    (name) => artifact[name] === file[name],
  );

/** Changes the release of the version, and returns it. */
export async function edit(client: AdminClient, options: ReleaseOptions): Promise<ReleaseView> {
  const { product, version } = options;
  const found = await find(client, product, version);
  if (!found) throw new ServiceError(`The product has no version ${version}.`);
  return dataOf(await client.PATCH('/v1/releases/{id}', { params: { path: { id: found.id } }, body: givenIn(options) }));
}

/** The fields that options of the command line set. */
const givenIn = ({ channel, notes, releasedAt, features, build, minimumSystemVersion, stagingPercentage }: ReleaseOptions) => ({
  ...(channel !== undefined && { channel }),
  ...(notes !== undefined && { notes }),
  ...(releasedAt !== undefined && { released_at: releasedAt }),
  ...(features.length > 0 && { features: [...features] }),
  ...(build !== undefined && { build }),
  ...(minimumSystemVersion !== undefined && { minimum_system_version: minimumSystemVersion }),
  ...(stagingPercentage !== undefined && { staging_percentage: stagingPercentage }),
});

/** Finds or creates the release of the version, and sets the given fields. */
async function findOrCreate(client: AdminClient, options: ReleaseOptions): Promise<ReleaseView> {
  const { product, version } = options;
  const given = { channel: STABLE, ...givenIn(options) };
  const created = await client.POST('/v1/products/{id}/releases', { params: { path: { id: product } }, body: { version, ...given } });
  const refusal = refusalOf(created);
  if (refusal?.status !== 409) return dataOf(created);
  const found = await find(client, product, version);
  if (!found) throw refusal;
  if (found.status !== 'draft') return found;
  const params = { path: { id: found.id } };
  dataOf(await client.PATCH('/v1/releases/{id}', { params, body: given }));
  return dataOf(await client.GET('/v1/releases/{id}', { params }));
}

async function find(client: AdminClient, product: number, version: string): Promise<ReleaseView | undefined> {
  const position = versionPosition(version);
  for await (const release of client.rows('/v1/products/{id}/releases', { params: { path: { id: product }, query: { limit: 100 } } }))
    if (versionPosition(release.version) === position) return release;
  return undefined;
}

async function remove(client: AdminClient, id: number, filename: string): Promise<void> {
  const result = await client.DELETE('/v1/releases/{id}/artifacts/{filename}', { params: { path: { id, filename } } });
  if (result.response.status !== 404) dataOf(result);
}

/** Uploads a file. Before each attempt, the file is declared again to get a fresh upload URL. */
async function uploadFile(client: AdminClient, { id }: ReleaseView, file: ReleaseFile, onProgress: (bytes: number) => void): Promise<void> {
  const { path, ...declared } = file;
  for (let attempt = 1; ; attempt += 1) {
    let sent = 0;
    try {
      const upload = await declare(client, id, declared);
      return await send(path, file.size, upload, (bytes) => {
        sent += bytes;
        onProgress(bytes);
      });
    } catch (error) {
      onProgress(-sent);
      if (error instanceof AdminApiError || attempt === ATTEMPTS) throw asServiceError(error, file);
      // The store refuses an upload if the bytes differ from the declared ones, or if the upload URL has expired. Each attempt has a fresh
      // URL. The refusal of a repeated attempt therefore means that the bytes differ, and further attempts would fail too.
      if (error instanceof UploadRefused && attempt > 1) throw asServiceError(error, file);
      await sleep(500 * 2 ** attempt);
    }
  }
}

const asServiceError = (error: unknown, { filename }: ReleaseFile): Error =>
  error instanceof Error && !(error instanceof AdminApiError) ? new ServiceError(`${filename}: ${error.message}`) : (error as Error);

async function declare(client: AdminClient, id: number, declared: Omit<ReleaseFile, 'path'>): Promise<Upload> {
  const add = () => client.POST('/v1/releases/{id}/artifacts', { params: { path: { id } }, body: declared });
  let result = await add();
  if (result.response.status === 409) {
    // The file was declared by an earlier run, or by this run in a request whose response was lost.
    await remove(client, id, declared.filename);
    result = await add();
  }
  return dataOf(result).upload;
}
