import { fileFolders } from '../../contract/access';
import type { Artifact } from './release';

/**
 * The storage key of a file. It contains the file's hash. Therefore an upload URL that is still valid after the file was replaced or
 * published can only upload the same bytes again.
 */
export const fileKey = (releaseId: number, { sha256, filename }: Pick<Artifact, 'sha256' | 'filename'>): string =>
  `${fileFolders.releases}/${releaseId}/${sha256}/${filename}`;
