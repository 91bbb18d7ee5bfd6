import * as z from 'zod/mini';
import { fail, type Failure } from '../../contract/errors';
import {
  architectures,
  MAX_ARTIFACTS,
  platforms,
  releaseStatuses,
  STABLE,
  systemPlatforms,
  type ArtifactView,
  type ReleaseView,
} from '../../contract/resources/release';
import { timestampOf, timestampOrNull } from '../time';
import { list, number, orNull, string, type Stored } from '../stored';

/** A file of a release, with the facts that its vendor declared. */
const artifactSchema = z.object({
  filename: string,
  platform: z.enum(platforms),
  arch: z.enum(architectures),
  /** The size of the file in bytes. */
  size: number,
  /** The SHA-256 hash of the file in lower-case hex. `sha512` has the same format. */
  sha256: string,
  sha512: string,
  signature: orNull(string),
  content_type: string,
  block_map_size: orNull(number),
});
export interface Artifact extends Stored<typeof artifactSchema> {}

/** A version of the operating system for each platform that has a minimum. */
const systemVersionsSchema = z.partialRecord(z.enum(systemPlatforms), string);
export type SystemVersions = Stored<typeof systemVersionsSchema>;

/** A version of a product. Times are epoch ms. */
export const releaseSchema = z.object({
  id: number,
  product_id: number,
  /** The version as its vendor wrote it, including build metadata. */
  version: string,
  channel: string,
  status: z.enum(releaseStatuses),
  notes: orNull(string),
  /** The date that decides which licenses cover the release. In a draft it may be null: publishing then sets it to the current time. */
  released_at: orNull(number),
  /** The features that a license must have to get the release, sorted. */
  features: list(string),
  build: orNull(string),
  minimum_system_version: orNull(systemVersionsSchema),
  /** The percentage of the installations to which electron-updater offers the release; null: all. */
  staging_percentage: orNull(number),
  created_at: number,
  published_at: orNull(number),
  yanked_at: orNull(number),
  yanked_reason: orNull(string),
  /** The files of the release, sorted by name. */
  artifacts: list(artifactSchema),
});
export interface Release extends Stored<typeof releaseSchema> {}

/** The fields that a vendor sets. A missing field gets its default in a new release, and stays unchanged in an edit. */
export type ReleaseFields = {
  readonly [Field in 'notes' | 'released_at' | 'features' | 'build' | 'staging_percentage']?: Release[Field] | null | undefined;
} & {
  readonly channel?: string | null | undefined;
  /** A text is the minimum of every platform. */
  readonly minimum_system_version?: string | SystemVersions | null | undefined;
};

const systemVersions = (minimum: string | SystemVersions | null | undefined): SystemVersions | null =>
  typeof minimum === 'string' ? { windows: minimum, macos: minimum, linux: minimum } : (minimum ?? null);

/** The minimum of all platforms as a text if it is the same. */
function shownVersions(minimum: SystemVersions | null): string | SystemVersions | null {
  const { windows, macos, linux } = minimum ?? {};
  return windows !== undefined && windows === macos && windows === linux ? windows : minimum;
}

type Optional = 'signature' | 'content_type' | 'block_map_size';
/** A file as the vendor declares it in a request. */
export type DeclaredArtifact = Omit<Artifact, Optional> & { readonly [Field in Optional]?: Artifact[Field] | null | undefined };

export function newRelease(
  { id, product_id, created_at }: Pick<Release, 'id' | 'product_id' | 'created_at'>,
  {
    version,
    channel,
    notes,
    released_at,
    features,
    build,
    minimum_system_version,
    staging_percentage,
  }: ReleaseFields & { readonly version: string },
): Release {
  return {
    id,
    product_id,
    version,
    channel: channel ?? STABLE,
    status: 'draft',
    notes: notes ?? null,
    released_at: released_at ?? null,
    features: features ?? [],
    build: build ?? null,
    minimum_system_version: systemVersions(minimum_system_version),
    staging_percentage: staging_percentage ?? null,
    created_at,
    published_at: null,
    yanked_at: null,
    yanked_reason: null,
    artifacts: [],
  };
}

/** The fields of a published release that can still be edited. */
const EDITABLE = ['notes', 'features', 'minimum_system_version', 'staging_percentage'];

export function editRelease(release: Release, edit: ReleaseFields): Failure | Release {
  const named = Object.entries(edit).filter(([, value]) => value !== undefined);
  const frozen = named.map(([name]) => name).filter((name) => !EDITABLE.includes(name));
  if (release.status !== 'draft' && frozen.length > 0) {
    return fail('published', `The release is published: ${frozen.join(', ')} can no longer change`);
  }
  return {
    ...release,
    ...Object.fromEntries(named),
    ...(edit.features !== undefined && { features: edit.features ?? [] }),
    ...(edit.minimum_system_version !== undefined && { minimum_system_version: systemVersions(edit.minimum_system_version) }),
  };
}

const onlyDrafts = (): Failure => fail('published', 'The release is published: its files can no longer change');

export function addArtifact(release: Release, declared: DeclaredArtifact): Failure | Release {
  if (release.status !== 'draft') return onlyDrafts();
  const { filename } = declared;
  if (release.artifacts.some((artifact) => artifact.filename === filename)) return fail('filename_taken');
  if (release.artifacts.length >= MAX_ARTIFACTS) return fail('invalid_request', `A release has at most ${MAX_ARTIFACTS} files`);
  const artifact: Artifact = {
    ...declared,
    signature: declared.signature ?? null,
    content_type: declared.content_type ?? 'application/octet-stream',
    block_map_size: declared.block_map_size ?? null,
  };
  const artifacts = [...release.artifacts, artifact].sort((a, b) => (a.filename < b.filename ? -1 : 1));
  return { ...release, artifacts };
}

export function removeArtifact(release: Release, filename: string): Failure | Release {
  if (!release.artifacts.some((artifact) => artifact.filename === filename)) return fail('not_found', 'There is no such file');
  if (release.status !== 'draft') return onlyDrafts();
  return { ...release, artifacts: release.artifacts.filter((artifact) => artifact.filename !== filename) };
}

/** The refusal to delete a release; undefined for a draft, which can be deleted. */
export const refuseDeletion = ({ status }: Release): Failure | undefined =>
  status === 'draft' ? undefined : fail('published', 'The release is published: it can be yanked, but not deleted');

/** Maximum number of file names in one message. */
const NAMED = 10;

/**
 * Publishes a draft. A published release stays unchanged.
 *
 * @param isUploaded whether a file was uploaded as it was declared; called for drafts only
 */
export function publish(release: Release, isUploaded: (artifact: Artifact) => boolean, now: number): Failure | Release {
  if (release.status !== 'draft') return release;
  if (release.artifacts.length === 0) return fail('invalid_request', 'The release has no file');
  const missing = release.artifacts.filter((artifact) => !isUploaded(artifact)).map(({ filename }) => filename);
  if (missing.length > 0) {
    const more = missing.length > NAMED ? ` and ${missing.length - NAMED} more` : '';
    return fail('invalid_request', `Files that are missing or differ from their declaration: ${missing.slice(0, NAMED).join(', ')}${more}`);
  }
  return { ...release, status: 'published', released_at: release.released_at ?? now, published_at: now };
}

const neverPublished = (): Failure => fail('not_published', 'The release is a draft: it can be deleted, but not yanked');

export function yank(release: Release, reason: string | null, now: number): Failure | Release {
  if (release.status === 'draft') return neverPublished();
  if (release.status === 'yanked') return release;
  return { ...release, status: 'yanked', yanked_at: now, yanked_reason: reason };
}

export function unyank(release: Release): Failure | Release {
  if (release.status === 'draft') return neverPublished();
  if (release.status === 'published') return release;
  return { ...release, status: 'published', yanked_at: null, yanked_reason: null };
}

export const artifactView = (artifact: Artifact, uploaded: boolean): ArtifactView => ({ ...artifact, uploaded });

/**
 * The release as responses show it.
 *
 * @param isUploaded whether a file was uploaded as it was declared; called for drafts only, because a published release has all its files
 */
export function releaseView(release: Release, isUploaded: (artifact: Artifact) => boolean = () => false): ReleaseView {
  return {
    ...release,
    released_at: timestampOrNull(release.released_at),
    features: [...release.features],
    minimum_system_version: shownVersions(release.minimum_system_version),
    created_at: timestampOf(release.created_at),
    published_at: timestampOrNull(release.published_at),
    yanked_at: timestampOrNull(release.yanked_at),
    artifacts: release.artifacts.map((artifact) => artifactView(artifact, release.status !== 'draft' || isUploaded(artifact))),
  };
}
