import * as z from 'zod';
import { endpoint } from './endpoint';
import { artifactExample, releaseExample } from './examples';
import { architectures, artifact, channel, filename, pathId, platforms, STABLE, version } from './resources';
import { refusalErrors } from './statuses';
import { timestamp } from './text';

/** The endpoints for updaters: the newest release that a license covers, and its files (docs/spec/releases.md, Downloads). */

/** Number of seconds for which a download link is valid. */
export const DOWNLOAD_SECONDS = 300;

/** The rate limit of downloads. It equals that of validations, because every start of an app may send such a request. */
const throttle = { rate: 2000, burst: 2000 };

const who =
  'The license is named by its key in `X-License-Key`, or by an offline token in `X-License-Token`; a product whose downloads are public needs neither. A license that is revoked, suspended or expired gets 403 with the code of its status.';

/** A token contains the id of its license, but the license's row is found by the key. */
const reads = { BatchGetItem: ['product', 'license', 'licenseId', 'release'] } as const;
/** The path of a feed contains the product's slug, from which the product's id is found. */
const feedReads = { ...reads, GetItem: ['unique'] } as const;

const offeredArtifact = artifact
  .pick({ filename: true, platform: true, arch: true, size: true, sha256: true, sha512: true, signature: true })
  .extend({ url: z.string().meta({ description: 'Needs the same headers as this request.' }) })
  .meta({ id: 'OfferedArtifact' });

const offer = z
  .object({
    update: z
      .object({
        version: z.string(),
        channel: z.string(),
        released_at: timestamp,
        notes: z.string().nullable(),
        artifacts: z.array(offeredArtifact),
      })
      .nullable()
      .meta({ description: 'The newest release that the license covers and has the features for; null if it is not above `version`.' }),
    newest: z.object({ version: z.string(), released_at: timestamp, covered: z.boolean() }).nullable().meta({
      description: 'The newest release that the license has the features for: if it is not covered, the app can offer a renewal.',
    }),
  })
  .meta({ id: 'Offer' });

const { version: newestVersion, channel: newestChannel, notes, released_at } = releaseExample;
const fileUrl = 'https://licenses.example.com/v1/products/1/releases/2.4.0/artifacts/photo-studio-2.4.0-arm64.dmg';
const { filename: fileName, platform, arch, size, sha256, sha512, signature } = artifactExample;

export const getLatestRelease = endpoint({
  name: 'getLatestRelease',
  method: 'GET',
  path: '/v1/products/{id}/releases/latest',
  tag: 'Downloads',
  summary: 'The newest release that a license covers',
  description: `${who} A license key also needs \`X-API-Key\`. Candidates are the releases of the channel and of those above it in stability: \`alpha\` includes beta and stable, \`beta\` includes stable, another channel includes stable. A file for \`any\` platform, or for the architecture \`any\` or \`universal\`, fits every device.`,
  credential: 'license',
  params: z.object({ id: pathId }),
  query: z.object({
    platform: z.enum(platforms).optional().meta({ description: 'Only releases with a file for this platform, and only these files.' }),
    arch: z.enum(architectures).optional().meta({ description: 'The same for the architecture.' }),
    channel: channel.optional().meta({ description: `Default \`${STABLE}\`.` }),
    version: version.optional().meta({ description: 'The version that the app has: only a newer one is an update.' }),
  }),
  status: 200,
  response: offer,
  errors: refusalErrors,
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
});

/** A download is counted in the statistics of its day. */
const download = {
  method: 'GET',
  tag: 'Downloads',
  summary: 'Download a file',
  description: `Redirects to a link that can be opened for ${DOWNLOAD_SECONDS / 60} minutes; the store that it leads to supports ranges. ${who} 404 for every file that the license may not have.`,
  credential: 'license',
  status: 302,
  response: z.null(),
  errors: ['not_found', ...refusalErrors],
  files: ['download'],
  throttle,
  examples: { response: null },
} as const;

export const downloadArtifact = endpoint({
  ...download,
  name: 'downloadArtifact',
  path: '/v1/products/{id}/releases/{version}/artifacts/{filename}',
  params: z.object({ id: pathId, version, filename }),
  store: { ...reads, UpdateItem: ['stats'] },
});

/** The slug of a product in the path of a feed. An unknown slug results in 401. */
const slug = z.string();

export const downloadFeedFile = endpoint({
  ...download,
  name: 'downloadFeedFile',
  path: '/feeds/{slug}/files/{version}/{filename}',
  summary: 'Download a file of a feed',
  params: z.object({ slug, version, filename }),
  store: { ...feedReads, UpdateItem: ['stats'] },
});

/**
 * Matches `latest.yml`, `beta-mac.yml` or `latest-linux-arm64.yml`: the channel's name or `latest`, followed by the system and the
 * architecture.
 */
const ELECTRON_FILE = /^[a-z0-9-]{1,32}\.yml$/;

export const getElectronFeed = endpoint({
  name: 'getElectronFeed',
  method: 'GET',
  path: '/feeds/{slug}/electron/{channel}/{file}',
  tag: 'Downloads',
  summary: 'Feed for electron-updater',
  description: `For its provider \`generic\`: \`latest.yml\` (Windows), \`latest-mac.yml\`, \`latest-linux.yml\`, \`latest-linux-arm64.yml\`, and the same with the channel's name for \`latest\`. ${who} 404 if there is nothing to offer.`,
  credential: 'license',
  params: z.object({ slug, channel, file: z.string().max(64).regex(ELECTRON_FILE) }),
  status: 200,
  mediaType: 'text/yaml',
  revalidated: true,
  response: z.string(),
  errors: ['not_found', ...refusalErrors],
  store: feedReads,
  throttle,
  examples: {
    response:
      'version: "2.4.0"\nfiles:\n  - url: "../../files/2.4.0/photo-studio-2.4.0-arm64.zip"\n    sha512: "7iaw3Ur350mqGo7jwQrpkj9hiYB3Lkc/iBml1JQODbJ6wYX4oOHV+E+IvIh/1nsUNzLDBMxfqa2Ob1f1ACio/w=="\n    size: 104857600\npath: "../../files/2.4.0/photo-studio-2.4.0-arm64.zip"\nsha512: "7iaw3Ur350mqGo7jwQrpkj9hiYB3Lkc/iBml1JQODbJ6wYX4oOHV+E+IvIh/1nsUNzLDBMxfqa2Ob1f1ACio/w=="\nreleaseDate: "2026-11-20T14:20:00.000Z"\n',
  },
});

/**
 * The names of systems and architectures in Tauri. For an architecture without a name here, only files for every architecture are offered.
 */
export const tauriTargets = { darwin: 'macos', linux: 'linux', windows: 'windows' } as const;
export const tauriArchitectures: Readonly<Record<string, (typeof architectures)[number]>> = {
  x86_64: 'x64',
  aarch64: 'arm64',
  i686: 'ia32',
};

export const getTauriFeed = endpoint({
  name: 'getTauriFeed',
  method: 'GET',
  path: '/feeds/{slug}/tauri/{channel}/{target}/{arch}/{current_version}',
  tag: 'Downloads',
  summary: "Feed for Tauri's updater",
  description: `The response of a dynamic update server: 204 if nothing newer than \`current_version\` is offered. Only files with a signature are. ${who}`,
  credential: 'license',
  params: z.object({
    slug,
    channel,
    target: z.enum(['darwin', 'linux', 'windows']),
    arch: z.string().regex(/^[a-z0-9_]{1,16}$/),
    current_version: version,
  }),
  status: 200,
  emptyStatus: 204,
  revalidated: true,
  response: z
    .object({
      version: z.string(),
      pub_date: timestamp,
      url: z.string(),
      signature: z.string().meta({ description: 'The text of the `.sig` file.' }),
      notes: z.string(),
    })
    .meta({ id: 'TauriUpdate' }),
  errors: ['not_found', ...refusalErrors],
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
});

export const getSparkleFeed = endpoint({
  name: 'getSparkleFeed',
  method: 'GET',
  path: '/feeds/{slug}/sparkle/{file}',
  tag: 'Downloads',
  summary: 'Appcast for Sparkle',
  description: `\`stable.xml\`, \`beta.xml\` and the like: one item for each platform that has an offer. ${who}`,
  credential: 'license',
  params: z.object({ slug, file: z.string().regex(/^[a-z0-9-]{1,32}\.xml$/) }),
  status: 200,
  mediaType: 'application/xml',
  revalidated: true,
  response: z.string(),
  errors: ['not_found', ...refusalErrors],
  store: feedReads,
  settings: ['publicUrl'],
  throttle,
  examples: {
    response:
      '<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0" xmlns:sparkle="http://www.andymatuschak.org/xml-namespaces/sparkle"><channel><title>Photo Studio</title></channel></rss>\n',
  },
});
