import * as z from 'zod/mini';
import { checked, documented } from '../schema';
import { SEMVER } from '../semver';
import { hasNulOrLoneSurrogate, text, timestamp } from '../text';
import { fileHash } from '../upload';
import { createdAt, id, productId } from './common';
import { featureNames } from './feature-names';

/** A version of a product with its files (docs/spec/releases.md, Releases). */

export const releaseStatuses = ['draft', 'published', 'yanked'] as const;
export type ReleaseStatus = (typeof releaseStatuses)[number];

export const platforms = ['windows', 'macos', 'linux', 'any'] as const;
export type Platform = (typeof platforms)[number];
export const architectures = ['x64', 'arm64', 'ia32', 'universal', 'any'] as const;
export type Architecture = (typeof architectures)[number];

/** The default channel of a release. */
export const STABLE = 'stable';

export const MAX_RELEASES = 2000;
export const MAX_ARTIFACTS = 50;
/** Maximum size of a file, in bytes. It is the maximum that S3 accepts in one upload. */
const MAX_FILE_BYTES = 5 * 1024 ** 3;
const MAX_NOTES_BYTES = 20 * 1024;
const MAX_SIGNATURE_BYTES = 4 * 1024;
export const MAX_VERSION = 100;

/** Whether all numbers in a version are safe integers. Most updaters would compare larger numbers inexactly. */
const hasSafeNumbers = (version: string): boolean =>
  [...version.matchAll(/\d+/g)].every(([digits]) => Number(digits) <= Number.MAX_SAFE_INTEGER);

export const version = documented(
  checked(
    z.string(),
    z.maxLength(MAX_VERSION),
    z.regex(SEMVER, { error: 'must be a version by Semantic Versioning 2.0, such as 2.4.0 or 3.0.0-beta.1' }),
    z.refine((value) => hasSafeNumbers(value.split('+')[0] ?? ''), { error: `must not contain numbers above ${Number.MAX_SAFE_INTEGER}` }),
  ),
  { type: 'string', pattern: SEMVER.source, maxLength: MAX_VERSION, examples: ['2.4.0'] },
);

export const channel = documented(checked(z.string(), z.regex(/^[a-z0-9-]{1,32}$/, { error: 'must be 1 to 32 of a-z, 0-9 and "-"' })), {
  examples: [STABLE],
});

const bytesOf = (value: string): number => new TextEncoder().encode(value).length;

/** A schema for a text of several lines. */
const longText = (maxBytes: number) =>
  checked(
    z.string(),
    z.maxLength(maxBytes, { error: `must be at most ${maxBytes / 1024} KB`, abort: true }),
    z.refine((value) => bytesOf(value) <= maxBytes, { error: `must be at most ${maxBytes / 1024} KB` }),
    // oxlint-disable-next-line no-control-regex -- the pattern must match control characters, except tabs and line breaks
    z.refine((value) => !hasNulOrLoneSurrogate(value) && !/[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(value), {
      error: 'must not contain control characters',
    }),
  );

export const notes = documented(longText(MAX_NOTES_BYTES), { description: 'The release notes, in Markdown; at most 20 KB.' });

const BUILD = { error: 'must be 1 to 32 digits and dots, such as 2.4.0 or 512' };
export const build = documented(checked(z.string(), z.maxLength(32, BUILD), z.regex(/^\d+(\.\d+)*$/, BUILD)), {
  description: 'The build number that Sparkle compares; the default is the version.',
  examples: ['512'],
});

const SYSTEM_VERSION = { error: 'must begin with a digit and have at most 32 letters, digits, ".", "_", "+" and "-", such as 10.0.17763' };
const systemVersion = checked(z.string(), z.regex(/^\d[\w.+-]{0,31}$/, SYSTEM_VERSION));
/** The platforms for which a minimum version of the system can be given. */
export const systemPlatforms = ['windows', 'macos', 'linux'] as const;
export type SystemPlatform = (typeof systemPlatforms)[number];

/** The minimum version of the operating system: one for all platforms, or one for each platform. */
export const minimumSystemVersion = documented(
  z.union(
    [
      systemVersion,
      checked(
        z.strictObject({ windows: z.optional(systemVersion), macos: z.optional(systemVersion), linux: z.optional(systemVersion) }),
        z.refine((versions) => Object.keys(versions).length > 0),
      ),
    ],
    { error: `${SYSTEM_VERSION.error}, or be an object with such a version for windows, macos or linux` },
  ),
  {
    description:
      'The minimum version of the operating system, as the updater compares it. Electron compares the version of the kernel: on macOS the Darwin version, such as 22.0.0, and on Windows such as 10.0.17763. Sparkle compares the version of macOS, such as 13.0. Either one version for all platforms, or an object with a version for `windows`, `macos` or `linux`. The response is a text if all three platforms have the same version.',
  },
);

export const stagingPercentage = documented(checked(z.int(), z.minimum(1), z.maximum(100)), {
  description:
    'The percentage of the installations to which electron-updater offers the release. Each installation draws a random number once, so a higher percentage adds installations and removes none.',
});

export const reason = text(1, 500);

const FILENAME = { error: 'must be a file name of 1 to 200 letters, digits, ".", "_", "+" and "-", without a folder' };
/** The name of a file, which must not contain a path. */
export const filename = documented(
  checked(
    z.string(),
    z.regex(/^[A-Za-z0-9._+-]{1,200}$/, FILENAME),
    z.refine((name) => name !== '.' && name !== '..', FILENAME),
  ),
  { examples: ['photo-studio-2.4.0-arm64.dmg'] },
);

const MEDIA_TYPE = { error: 'must be a media type such as application/zip' };

/** The vendor's description of a file, which is sent before the file is uploaded. */
export const declaredArtifact = z.object({
  filename,
  platform: z.enum(platforms),
  arch: z.enum(architectures),
  size: documented(checked(z.int(), z.minimum(1), z.maximum(MAX_FILE_BYTES)), {
    description: 'The size of the file in bytes; at most 5 GB.',
  }),
  sha256: fileHash,
  sha512: documented(checked(z.string(), z.regex(/^[0-9a-f]{128}$/, { error: 'must be 128 hex digits in lower case' })), {
    description: 'SHA-512 of the file, in hex.',
  }),
  signature: documented(z.nullish(checked(longText(MAX_SIGNATURE_BYTES), z.minLength(1))), {
    description:
      "The vendor's own signature of the file, such as the text of Tauri's `.sig` file. Feeds and responses contain the signature unchanged.",
  }),
  content_type: documented(
    z.nullish(checked(z.string(), z.maxLength(100, MEDIA_TYPE), z.regex(/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/, MEDIA_TYPE))),
    { description: 'The media type of the file; default `application/octet-stream`.' },
  ),
  block_map_size: documented(z.nullish(checked(z.int(), z.minimum(1), z.maximum(MAX_FILE_BYTES))), {
    description: 'The size of the block map at the end of the file, for differential updates by electron-updater.',
  }),
});

export const artifact = documented(
  z.object({
    filename: z.string(),
    platform: z.enum(platforms),
    arch: z.enum(architectures),
    size: checked(z.int(), z.minimum(1)),
    sha256: z.string(),
    sha512: z.string(),
    signature: z.nullable(z.string()),
    content_type: z.string(),
    block_map_size: z.nullable(checked(z.int(), z.minimum(1))),
    uploaded: documented(z.boolean(), { description: 'True if the file was uploaded with the declared size and SHA-256.' }),
  }),
  { id: 'Artifact' },
);
export type ArtifactView = z.infer<typeof artifact>;

const releaseFields = {
  id,
  product_id: productId,
  version: z.string(),
  channel: z.string(),
  status: z.enum(releaseStatuses),
  notes: z.nullable(z.string()),
  released_at: documented(z.nullable(timestamp), {
    description: 'The date that decides which licenses cover the release. In a draft, null means the time of publishing.',
  }),
  features: documented(featureNames, { description: 'The features that a license must have to get the release, sorted.' }),
  build: z.nullable(z.string()),
  minimum_system_version: z.nullable(minimumSystemVersion),
  staging_percentage: documented(z.nullable(stagingPercentage), {
    description: 'The percentage of the installations to which electron-updater offers the release; null: all.',
  }),
  created_at: createdAt,
  published_at: z.nullable(timestamp),
  yanked_at: documented(z.nullable(timestamp), {
    description: 'The time at which the release was yanked (withdrawn from all users); null if it is not yanked.',
  }),
  yanked_reason: z.nullable(z.string()),
};

export const release = documented(
  z.object({ ...releaseFields, artifacts: documented(z.array(artifact), { description: 'The files of the release, sorted by name.' }) }),
  { id: 'Release' },
);
export type ReleaseView = z.infer<typeof release>;

/** The release in an event. The signatures of its files are left out, because they are long. */
export const eventRelease = documented(
  z.object({ ...releaseFields, artifacts: z.array(documented(z.omit(artifact, { signature: true }), { id: 'EventArtifact' })) }),
  { id: 'EventRelease' },
);
