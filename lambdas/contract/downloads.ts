import * as z from 'zod/mini';
import { checked, documented } from './schema';
import { endpoint } from './endpoint';
import { artifactExample, releaseExample } from './examples';
import { architectures, artifact, channel, filename, MAX_VERSION, pathId, platforms, STABLE, version } from './resources';
import { refusalErrors, SIGN_IN_REQUIRED } from './statuses';
import { SEMVER } from './semver';
import { timestamp } from './text';

/** The endpoints for updaters: the newest release that a license covers, and its files (docs/spec/releases.md, Downloads). */

/** Number of seconds for which a download link is valid. */
export const DOWNLOAD_SECONDS = 300;

/** The rate limit of downloads. It equals the rate limit of validations, because an app may look for updates at every start. */
const throttle = { rate: 2000, burst: 2000 };

const who =
  "The request needs a license key in `X-License-Key` or an offline token in `X-License-Token`, unless the product's downloads are public. If the license is revoked, suspended or expired, the response is 403 with the error code for the status of the license, such as `license_revoked`. With `downloads_when_expired`, an expired license may still download the releases whose `released_at` is before its expiry.";

/**
 * The table access for a request with a license key or an offline token. A token contains its license's id, and the function finds the
 * license key by this id.
 */
const reads = { GetItem: ['licenseId', 'license'], BatchGetItem: ['product', 'license', 'licenseId', 'deviceKey', 'release'] } as const;
/** The table access for a feed. The path of a feed contains the product's slug, and the function finds the product's id by this slug. */
const feedReads = { ...reads, GetItem: ['unique'] } as const;

/** The version of an app. As in an activation, a leading `v` is allowed. */
const appVersion = z.pipe(
  z.pipe(
    checked(z.string(), z.maxLength(MAX_VERSION)),
    z.transform((text) => text.replace(/^v/, '')),
  ),
  version,
);

const offeredArtifact = documented(
  z.extend(z.pick(artifact, { filename: true, platform: true, arch: true, size: true, sha256: true, sha512: true, signature: true }), {
    url: documented(z.string(), { description: 'The URL of the file. A download needs the same license headers as this request.' }),
  }),
  { id: 'OfferedArtifact' },
);

const offer = documented(
  z.object({
    update: documented(
      z.nullable(
        z.object({
          version: z.string(),
          channel: z.string(),
          released_at: timestamp,
          notes: z.nullable(z.string()),
          artifacts: z.array(offeredArtifact),
        }),
      ),
      {
        description:
          'The newest release that the license covers and whose required features the license has; null if that release is not newer than `version`, or if there is no such release.',
      },
    ),
    newest: documented(z.nullable(z.object({ version: z.string(), released_at: timestamp, covered: z.boolean() })), {
      description:
        'The newest release whose required features the license has. If `covered` is false, the license does not cover this release, and the app can offer a renewal.',
    }),
  }),
  { id: 'Offer' },
);

const { version: newestVersion, channel: newestChannel, notes, released_at } = releaseExample;
const fileUrl = 'https://licenses.example.com/v1/products/1/releases/2.4.0/artifacts/photo-studio-2.4.0-arm64.dmg';
const { filename: fileName, platform, arch, size, sha256, sha512, signature } = artifactExample;

export const getLatestRelease = /* @__PURE__ */ endpoint(() => ({
  name: 'getLatestRelease',
  method: 'GET',
  path: '/v1/products/{id}/releases/latest',
  tag: 'Downloads',
  summary: 'Get the newest release that a license covers',
  description: `Returns the newest release that the license covers. ${who} A request with a license key also needs \`X-API-Key\`. Releases of more stable channels are included: \`alpha\` includes \`beta\` and \`stable\`, and every other channel includes \`stable\`. A file for the platform \`any\`, or for the architecture \`any\` or \`universal\`, fits every device.`,
  credential: 'license',
  params: z.object({ id: pathId }),
  query: z.object({
    platform: documented(z.optional(z.enum(platforms)), {
      description: 'Only releases with a file for this platform. The response contains only files for this platform.',
    }),
    arch: documented(z.optional(z.enum(architectures)), {
      description: 'Only releases with a file for this architecture. The response contains only files for this architecture.',
    }),
    channel: documented(z.optional(channel), { description: `The channel of the releases; default \`${STABLE}\`.` }),
    version: documented(z.optional(appVersion), {
      type: 'string',
      pattern: SEMVER.source.replace('^', '^v?'),
      maxLength: MAX_VERSION,
      examples: ['2.4.0'],
      description: 'The current version of the app, with or without a leading `v`. If no newer version is offered, `update` is null.',
    }),
  }),
  response: offer,
  errors: [...refusalErrors, SIGN_IN_REQUIRED],
  store: reads,
  settings: ['publicUrl'],
  throttle,
  examples: {
    response: {
      update: {
        version: newestVersion,
        channel: newestChannel,
        released_at,
        notes,
        artifacts: [{ filename: fileName, platform, arch, size, sha256, sha512, signature, url: fileUrl }],
      },
      newest: { version: '3.0.0', released_at: '2027-01-15T09:00:00.000Z', covered: false },
    },
  },
}));

/** The fields that both endpoints for downloads have in common. Both endpoints count downloads in the statistics of the day. */
const download = {
  method: 'GET',
  tag: 'Downloads',
  summary: 'Download a file',
  description: `Redirects to the URL of the file. This URL is valid for ${DOWNLOAD_SECONDS / 60} minutes and supports range requests. ${who} The response is 404 for every file that the license may not download.`,
  credential: 'license',
  status: 302,
  response: z.null(),
  errors: ['not_found', ...refusalErrors, SIGN_IN_REQUIRED],
  files: ['download'],
  throttle,
  examples: { response: null },
} as const;

export const downloadArtifact = /* @__PURE__ */ endpoint(() => ({
  ...download,
  name: 'downloadArtifact',
  path: '/v1/products/{id}/releases/{version}/artifacts/{filename}',
  params: z.object({ id: pathId, version, filename }),
  store: { ...reads, UpdateItem: ['stats'] },
}));

/** The slug of a product in the path of a feed. The response to an unknown slug is 401. */
const slug = z.string();

export const downloadFeedFile = /* @__PURE__ */ endpoint(() => ({
  ...download,
  name: 'downloadFeedFile',
  path: '/feeds/{slug}/files/{version}/{filename}',
  summary: 'Download a file of a feed',
  params: z.object({ slug, version, filename }),
  store: { ...feedReads, UpdateItem: ['stats'] },
}));

/**
 * Matches the name of a feed file, such as `latest.yml`, `beta-mac.yml` or `latest-linux-arm64.yml`. The name begins with the channel's
 * name, of at most 32 characters, or with `latest`. The system and the architecture may follow.
 */
const ELECTRON_FILE = /^[a-z0-9-]{1,60}\.yml$/;

export const getElectronFeed = /* @__PURE__ */ endpoint(() => ({
  name: 'getElectronFeed',
  method: 'GET',
  path: '/feeds/{slug}/electron/{channel}/{file}',
  tag: 'Downloads',
  summary: 'Get a feed for electron-updater',
  description: `Returns a feed for the provider \`generic\` of electron-updater. The files are \`latest.yml\` (Windows), \`latest-mac.yml\`, \`latest-linux.yml\` and \`latest-linux-arm64.yml\`. The channel's name can replace \`latest\` in the name of the file. ${who} The response is 404 if no release is offered.`,
  credential: 'license',
  params: z.object({ slug, channel, file: checked(z.string(), z.maxLength(64), z.regex(ELECTRON_FILE)) }),
  mediaType: 'text/yaml',
  revalidated: true,
  response: z.string(),
  errors: ['not_found', ...refusalErrors, SIGN_IN_REQUIRED],
  store: feedReads,
  throttle,
  examples: {
    response:
      'version: "2.4.0"\nfiles:\n  - url: "../../files/2.4.0/photo-studio-2.4.0-arm64.zip"\n    sha512: "7iaw3Ur350mqGo7jwQrpkj9hiYB3Lkc/iBml1JQODbJ6wYX4oOHV+E+IvIh/1nsUNzLDBMxfqa2Ob1f1ACio/w=="\n    size: 104857600\npath: "../../files/2.4.0/photo-studio-2.4.0-arm64.zip"\nsha512: "7iaw3Ur350mqGo7jwQrpkj9hiYB3Lkc/iBml1JQODbJ6wYX4oOHV+E+IvIh/1nsUNzLDBMxfqa2Ob1f1ACio/w=="\nreleaseDate: "2026-11-20T14:20:00.000Z"\n',
  },
}));

/**
 * Tauri's names of operating systems and architectures, and this service's name for each. If an app sends an architecture that is not
 * listed here, the response offers only files that run on every architecture.
 */
export const tauriTargets = { darwin: 'macos', linux: 'linux', windows: 'windows' } as const;
export const tauriArchitectures: Readonly<Record<string, (typeof architectures)[number]>> = {
  x86_64: 'x64',
  aarch64: 'arm64',
  i686: 'ia32',
};

export const getTauriFeed = /* @__PURE__ */ endpoint(() => ({
  name: 'getTauriFeed',
  method: 'GET',
  path: '/feeds/{slug}/tauri/{channel}/{target}/{arch}/{current_version}',
  tag: 'Downloads',
  summary: "Get a feed for Tauri's updater",
  description: `Responds like a dynamic update server of Tauri. The response is 204 if no release newer than \`current_version\` is offered. Only files with a signature are offered. ${who}`,
  credential: 'license',
  params: z.object({
    slug,
    channel,
    target: z.enum(['darwin', 'linux', 'windows']),
    arch: checked(z.string(), z.regex(/^[a-z0-9_]{1,16}$/)),
    current_version: version,
  }),
  query: z.object({
    bundle_type: documented(z.optional(checked(z.string(), z.maxLength(32))), {
      description:
        "How the app was installed, as Tauri's variable `{{bundle_type}}` says: `nsis`, `msi`, `app`, `appimage`, `deb` or `rpm`. Only a file of this kind is offered. Other values are ignored.",
    }),
  }),
  emptyStatus: 204,
  revalidated: true,
  response: documented(
    z.object({
      version: z.string(),
      pub_date: timestamp,
      url: z.string(),
      signature: documented(z.string(), { description: 'The signature of the file: the text of the `.sig` file that Tauri created.' }),
      notes: z.string(),
    }),
    { id: 'TauriUpdate' },
  ),
  errors: ['not_found', ...refusalErrors, SIGN_IN_REQUIRED],
  store: feedReads,
  settings: ['publicUrl'],
  throttle,
  examples: {
    response: {
      version: newestVersion,
      pub_date: released_at,
      url: 'https://licenses.example.com/feeds/photo-studio/files/2.4.0/photo-studio_2.4.0_aarch64.app.tar.gz',
      signature: 'dW50cnVzdGVkIGNvbW1lbnQ6IHNpZ25hdHVyZSBmcm9tIHRhdXJpIHNlY3JldCBrZXkK',
      notes,
    },
  },
}));

export const getSparkleFeed = /* @__PURE__ */ endpoint(() => ({
  name: 'getSparkleFeed',
  method: 'GET',
  path: '/feeds/{slug}/sparkle/{file}',
  tag: 'Downloads',
  summary: 'Get an appcast for Sparkle',
  description: `Returns the appcast of a channel, such as \`stable.xml\` or \`beta.xml\`. The appcast has one item for each platform for which a release is offered. It has two items for macOS if Macs with Intel and with Apple processors get different files. ${who}`,
  credential: 'license',
  params: z.object({ slug, file: checked(z.string(), z.regex(/^[a-z0-9-]{1,32}\.xml$/)) }),
  mediaType: 'application/xml',
  revalidated: true,
  response: z.string(),
  errors: ['not_found', ...refusalErrors, SIGN_IN_REQUIRED],
  store: feedReads,
  settings: ['publicUrl'],
  throttle,
  examples: {
    response:
      '<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0" xmlns:sparkle="http://www.andymatuschak.org/xml-namespaces/sparkle"><channel><title>Photo Studio</title></channel></rss>\n',
  },
}));
