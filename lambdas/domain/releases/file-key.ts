import type { Artifact } from './release';

/**
 * Where a file is stored. The key contains its hash: a URL for an upload that is still valid when the file was replaced, or published,
 * can put the same bytes there again and no others.
 */
export const fileKey = (releaseId: number, { sha256, filename }: Pick<Artifact, 'sha256' | 'filename'>): string =>
  `releases/${releaseId}/${sha256}/${filename}`;
