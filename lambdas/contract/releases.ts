import * as z from 'zod';
import { endpoint } from './endpoint';
import { artifactExample, draftExample, releaseExample, uploadExample } from './examples';
import { pageBy } from './paging';
import {
  artifact,
  build,
  channel,
  declaredArtifact,
  downloadAccess,
  features,
  filename,
  MAX_ARTIFACTS,
  MAX_RELEASES,
  notes,
  pathId,
  reason,
  release,
  releaseStatuses,
  STABLE,
  version,
} from './resources';
import { timestamp, timestampInput } from './text';

/** The endpoints for versions of a product and their files (docs/spec/releases.md, Releases). */

/** Number of seconds within which an upload must begin. */
export const UPLOAD_SECONDS = 3600;

const requiredFeatures = features.nullish().meta({ description: 'Features that a license must have to get the release; default none.' });

export const createRelease = endpoint({
  name: 'createRelease',
  method: 'POST',
  path: '/v1/products/{id}/releases',
  tag: 'Releases',
  summary: 'Create a release',
  description: `Creates a draft. It is offered to nobody until it is published. The version is unique within the product; build metadata is ignored in the comparison. A product has at most ${MAX_RELEASES.toLocaleString('en-US')} releases.`,
  credential: 'admin',
  scope: 'releases',
  subject: 'product',
  params: z.object({ id: pathId }),
  body: z.object({
    version,
    channel: channel.nullish().meta({ description: `Default \`${STABLE}\`.` }),
    notes: notes.nullish(),
    released_at: timestampInput.nullish().meta({ description: 'The date by which licenses cover it; default the time of publishing.' }),
    features: requiredFeatures,
    build: build.nullish(),
  }),
  idempotent: true,
  status: 201,
  response: release,
  errors: ['duplicate'],
  store: {
    GetItem: ['product', 'idempotency'],
    UpdateItem: ['counter', 'release'],
    PutItem: ['release', 'releaseId', 'unique', 'idempotency'],
  },
  secrets: ['encryptionKey'],
  examples: {
    request: { version: draftExample.version, channel: draftExample.channel, notes: draftExample.notes },
    response: draftExample,
  },
});

export const listReleases = endpoint({
  name: 'listReleases',
  method: 'GET',
  path: '/v1/products/{id}/releases',
  tag: 'Releases',
  summary: "List a product's releases",
  description:
    'The newest version first, by the order of Semantic Versioning. A filtered page may be short, or empty, and still carry a `Link` to the next.',
  credential: 'admin',
  scope: 'releases',
  subject: 'product',
  params: z.object({ id: pathId }),
  query: z.object({
    ...pageBy(/^[a-z]\d{1,26}[a-z]\d{1,26}[a-z]\d{1,26}[\w!-]{1,150}$/),
    channel: channel.optional().meta({ description: 'Only releases of this channel.' }),
    status: z.enum(releaseStatuses).optional(),
  }),
  status: 200,
  response: z.array(release),
  errors: [],
  store: { GetItem: ['product'], Query: ['release'] },
  files: ['check'],
  examples: { response: [releaseExample] },
});

export const getRelease = endpoint({
  name: 'getRelease',
  method: 'GET',
  path: '/v1/releases/{id}',
  tag: 'Releases',
  summary: 'Get a release',
  description: 'One release with its files.',
  credential: 'admin',
  scope: 'releases',
  subject: 'release',
  params: z.object({ id: pathId }),
  status: 200,
  response: release,
  errors: [],
  store: { GetItem: ['releaseId', 'release'] },
  files: ['check'],
  examples: { response: releaseExample },
});

export const updateRelease = endpoint({
  name: 'updateRelease',
  method: 'PATCH',
  path: '/v1/releases/{id}',
  tag: 'Releases',
  summary: 'Change a release',
  description:
    'Changes the given fields only: `notes` and `features` at any time; `channel`, `released_at` and `build` only of a draft (409 `published` later). An empty body or an unknown field is refused.',
  credential: 'admin',
  scope: 'releases',
  subject: 'release',
  params: z.object({ id: pathId }),
  body: z
    .strictObject({
      notes: notes.nullable().optional(),
      features: features.nullable().optional().meta({ description: 'Null: none.' }),
      channel: channel.optional(),
      released_at: timestampInput.nullable().optional().meta({ description: 'Null: the time of publishing.' }),
      build: build.nullable().optional(),
    })
    .refine((body) => Object.values(body).some((value) => value !== undefined), { error: 'must name at least one field to change' }),
  status: 200,
  response: release,
  errors: ['published'],
  store: { GetItem: ['releaseId', 'release'], PutItem: ['release'] },
  files: ['check'],
  examples: { request: { notes: releaseExample.notes, features: ['sync'] }, response: { ...releaseExample, features: ['sync'] } },
});

export const deleteRelease = endpoint({
  name: 'deleteRelease',
  method: 'DELETE',
  path: '/v1/releases/{id}',
  tag: 'Releases',
  summary: 'Delete a draft',
  description: 'Deletes a draft with its files. A published release cannot be deleted, only yanked.',
  credential: 'admin',
  scope: 'releases',
  subject: 'release',
  params: z.object({ id: pathId }),
  status: 200,
  response: z.object({ deleted: z.literal(true) }).meta({ id: 'Deletion' }),
  errors: ['published'],
  store: { GetItem: ['releaseId', 'release'], UpdateItem: ['release'], DeleteItem: ['release', 'releaseId'] },
  files: ['delete'],
  examples: { response: { deleted: true } },
});

export const createArtifact = endpoint({
  name: 'createArtifact',
  method: 'POST',
  path: '/v1/releases/{id}/artifacts',
  tag: 'Releases',
  summary: 'Add a file to a draft',
  description: `Declares a file and returns where to upload it: send the file with \`upload.method\` to \`upload.url\`, with \`upload.headers\` and its length in \`Content-Length\`, within ${UPLOAD_SECONDS / 60} minutes. A file that differs from the declaration is refused there. Names are unique within a release, which has at most ${MAX_ARTIFACTS} files. Hashes are hex in lower case.`,
  credential: 'admin',
  scope: 'releases',
  subject: 'release',
  params: z.object({ id: pathId }),
  body: declaredArtifact,
  status: 201,
  response: artifact
    .extend({
      upload: z.object({
        method: z.literal('PUT'),
        url: z.string().meta({ description: 'Anyone who has the URL can upload this file, and nothing else.' }),
        headers: z
          .object({ 'content-type': z.string(), 'x-amz-checksum-sha256': z.string() })
          .meta({ description: 'Send these headers unchanged.' }),
        expires_at: timestamp,
      }),
    })
    .meta({ id: 'NewArtifact' }),
  errors: ['duplicate', 'published'],
  store: { GetItem: ['releaseId', 'release'], PutItem: ['release'] },
  files: ['upload'],
  examples: {
    request: {
      filename: artifactExample.filename,
      platform: artifactExample.platform,
      arch: artifactExample.arch,
      size: artifactExample.size,
      sha256: artifactExample.sha256,
      sha512: artifactExample.sha512,
    },
    response: { ...artifactExample, uploaded: false, upload: uploadExample },
  },
});

export const deleteArtifact = endpoint({
  name: 'deleteArtifact',
  method: 'DELETE',
  path: '/v1/releases/{id}/artifacts/{filename}',
  tag: 'Releases',
  summary: 'Remove a file from a draft',
  description: 'Deletes the file. Its name can then be used again.',
  credential: 'admin',
  scope: 'releases',
  subject: 'release',
  params: z.object({ id: pathId, filename }),
  status: 200,
  response: deleteRelease.response,
  errors: ['published'],
  store: { GetItem: ['releaseId', 'release'], PutItem: ['release'] },
  files: ['delete'],
  examples: { response: { deleted: true } },
});

export const publishRelease = endpoint({
  name: 'publishRelease',
  method: 'POST',
  path: '/v1/releases/{id}/publish',
  tag: 'Releases',
  summary: 'Publish a release',
  description:
    'From now on the release is offered to the licenses that cover it. 422 if it has no file, or if a file was not uploaded with the declared size and hash; then nothing is published. Publishing again does nothing.',
  credential: 'admin',
  scope: 'releases',
  subject: 'release',
  params: z.object({ id: pathId }),
  additive: true,
  repeatable: true,
  status: 200,
  response: release,
  errors: [],
  store: { GetItem: ['releaseId', 'release', 'product'], PutItem: ['release', 'event'] },
  files: ['check'],
  emits: ['release.published'],
  examples: { response: releaseExample },
});

const yankedExample = {
  ...releaseExample,
  status: 'yanked',
  yanked_at: '2026-11-22T08:00:00.000Z',
  yanked_reason: 'Crashes on start with an empty library',
};

export const yankRelease = endpoint({
  name: 'yankRelease',
  method: 'POST',
  path: '/v1/releases/{id}/yank',
  tag: 'Releases',
  summary: 'Yank a release',
  description:
    'From now on the release is neither offered nor downloadable; existing download links stop working within 5 minutes. Yanking again does nothing; a draft is 409 `not_published`.',
  credential: 'admin',
  scope: 'releases',
  subject: 'release',
  params: z.object({ id: pathId }),
  body: z.object({ reason: reason.nullish().meta({ description: 'Why, for the operators; at most 500 characters.' }) }),
  bodyOptional: true,
  repeatable: true,
  status: 200,
  response: release,
  errors: ['not_published'],
  store: { GetItem: ['releaseId', 'release', 'product'], PutItem: ['release', 'event'] },
  emits: ['release.yanked'],
  examples: { request: { reason: yankedExample.yanked_reason }, response: yankedExample },
});

export const unyankRelease = endpoint({
  name: 'unyankRelease',
  method: 'POST',
  path: '/v1/releases/{id}/unyank',
  tag: 'Releases',
  summary: 'Offer a yanked release again',
  description: 'Reverses a yank. Has no effect on a release that is not yanked; a draft is 409 `not_published`.',
  credential: 'admin',
  scope: 'releases',
  subject: 'release',
  params: z.object({ id: pathId }),
  additive: true,
  repeatable: true,
  status: 200,
  response: release,
  errors: ['not_published'],
  store: { GetItem: ['releaseId', 'release'], PutItem: ['release'] },
  examples: { response: releaseExample },
});

const downloads = z.object({
  access: z
    .enum(downloadAccess)
    .meta({ description: '`licensed`: with a license that covers the release. `public`: everybody, without a credential.' }),
});
const shownDownloads = downloads.meta({ id: 'Downloads' });

export const getDownloads = endpoint({
  name: 'getDownloads',
  method: 'GET',
  path: '/v1/products/{id}/downloads',
  tag: 'Releases',
  summary: 'Who may download',
  description: "Who may download the files of the product's releases.",
  credential: 'admin',
  scope: 'manage',
  subject: 'product',
  params: z.object({ id: pathId }),
  status: 200,
  response: shownDownloads,
  errors: [],
  store: { GetItem: ['product'] },
  examples: { response: { access: 'licensed' } },
});

export const setDownloads = endpoint({
  name: 'setDownloads',
  method: 'POST',
  path: '/v1/products/{id}/downloads',
  tag: 'Releases',
  summary: 'Set who may download',
  description: 'With `public`, releases that require features are offered to nobody. Takes effect everywhere within 60 s.',
  credential: 'admin',
  scope: 'manage',
  subject: 'product',
  params: z.object({ id: pathId }),
  body: downloads,
  repeatable: true,
  status: 200,
  response: shownDownloads,
  errors: [],
  store: { GetItem: ['product'], UpdateItem: ['product'] },
  examples: { request: { access: 'public' }, response: { access: 'public' } },
});
