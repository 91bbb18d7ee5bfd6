import { architectures, platforms, releaseStatuses } from '../../contract/resources/release';
import type { Artifact, Release } from '../../domain/releases/release';
import { versionPosition } from '../../domain/releases/version';
import { releaseKey } from '../keys';
import { RowReader } from '../row';
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

const toArtifact = (row: RowReader): Artifact => ({
  filename: row.string('filename'),
  platform: row.oneOf('platform', platforms),
  arch: row.oneOf('arch', architectures),
  size: row.number('size'),
  sha256: row.string('sha256'),
  sha512: row.string('sha512'),
  signature: row.nullableString('signature'),
  content_type: row.string('content_type'),
  block_map_size: row.nullableNumber('block_map_size'),
});

/** @throws UnreadableRow */
export function toRelease(item: Item): StoredRelease {
  const row = new RowReader(item);
  return {
    revision: row.number('revision'),
    release: {
      id: row.number('id'),
      product_id: row.number('product_id'),
      version: row.string('semver'),
      channel: row.string('channel'),
      status: row.oneOf('status', releaseStatuses),
      notes: row.nullableString('notes'),
      released_at: row.nullableNumber('released_at'),
      features: row.nullableStrings('features') ?? [],
      build: row.nullableString('build'),
      minimum_system_version: row.nullableMap('minimum_system_version') && row.strings('minimum_system_version'),
      staging_percentage: row.nullableNumber('staging_percentage'),
      created_at: row.number('created_at'),
      published_at: row.nullableNumber('published_at'),
      yanked_at: row.nullableNumber('yanked_at'),
      yanked_reason: row.nullableString('yanked_reason'),
      artifacts: row.maps('artifacts').map(toArtifact),
    },
  };
}
