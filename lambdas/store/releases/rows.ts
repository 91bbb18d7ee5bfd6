import { releaseSchema, type Release } from '../../domain/releases/release';
import { versionPosition } from '../../domain/releases/version';
import { releaseKey } from '../keys';
import { numberIn, readRow } from '../row';
import type { Item } from '../codec';

/** The rows of releases. Each release has one row of at most 300 KB, which includes the release's files. */

/** A release with its revision, a number that increases with each change. A change is stored only if the revision is still the same. */
export interface StoredRelease {
  readonly release: Release;
  readonly revision: number;
}

/** The field `version` in a row is the version of the row format, so the release's version is stored as `semver`. */
export const toItem = ({ release: { version, artifacts, ...release }, revision }: StoredRelease): Item => ({
  ...releaseKey(release.product_id, versionPosition(version)),
  version: 1,
  semver: version,
  ...release,
  artifacts: artifacts.map((artifact) => ({ ...artifact })),
  revision,
});

/** @throws UnreadableRow */
export const toRelease = (item: Item): StoredRelease => ({
  revision: numberIn(item, 'revision'),
  release: readRow(releaseSchema, { ...item, version: item['semver'] as unknown }),
});
