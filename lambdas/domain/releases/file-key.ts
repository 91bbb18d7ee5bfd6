import type { Artifact } from './release';

/**
 * Where a file is stored. The key contains the file's hash: an upload URL that is still valid after the file was
 * replaced or published can only upload the same bytes again.
 */
export const fileKey = (releaseId: number, { sha256, filename }: Pick<Artifact, 'sha256' | 'filename'>): string =>
  `releases/${releaseId}/${sha256}/${filename}`;
