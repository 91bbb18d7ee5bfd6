import * as z from 'zod/mini';
import { checked, documented } from './schema';
import { endpoint } from './endpoint';
import { artifactExample, draftExample, releaseExample, uploadExample } from './examples';
import { pageBy } from './paging';
import {
  artifact,
  build,
  channel,
  declaredArtifact,
  features,
  filename,
  MAX_ARTIFACTS,
  MAX_RELEASES,
  minimumSystemVersion,
  notes,
  pathId,
  reason,
  release,
  releaseStatuses,
  STABLE,
  stagingPercentage,
  version,
} from './resources';
import { downloadAccess } from './download-access';
import { timestampInput } from './text';
import { HOW_TO_UPLOAD, upload } from './upload';

/** The endpoints for versions of a product and their files (docs/spec/releases.md, Releases). */

const requiredFeatures = documented(z.nullish(features), {
  description: 'The features that a license must have to get the release; default none.',
});

export const createRelease = /* @__PURE__ */ endpoint(() => ({
  name: 'createRelease',
  method: 'POST',
  path: '/v1/products/{id}/releases',
  tag: 'Releases',
  summary: 'Create a release',
  description: `Creates a draft of a release. A draft is offered to nobody until it is published. The version must be unique within the product. Versions that differ only in their build metadata count as the same version. A product has at most ${MAX_RELEASES.toLocaleString('en-US')} releases.`,
  credential: 'admin',
  scope: 'releases',
  subject: 'product',
  params: z.object({ id: pathId }),
  body: z.object({
    version,
    channel: documented(z.nullish(channel), { description: `The channel of the release; default \`${STABLE}\`.` }),
    notes: z.nullish(notes),
    released_at: documented(z.nullish(timestampInput), {
      description: 'The date that decides which licenses cover the release; the default is the time of publishing.',
    }),
    features: requiredFeatures,
    build: z.nullish(build),
    minimum_system_version: z.nullish(minimumSystemVersion),
    staging_percentage: z.nullish(stagingPercentage),
  }),
  idempotent: true,
  status: 201,
  response: release,
  errors: ['version_taken'],
  store: {
    GetItem: ['product'],
    UpdateItem: ['counter', 'release'],
    PutItem: ['release', 'releaseId'],
  },
  examples: {
    request: { version: draftExample.version, channel: draftExample.channel, notes: draftExample.notes },
    response: draftExample,
  },
}));

export const listReleases = /* @__PURE__ */ endpoint(() => ({
  name: 'listReleases',
  method: 'GET',
  path: '/v1/products/{id}/releases',
  tag: 'Releases',
  summary: "List a product's releases",
  description:
    'Returns the releases of the product, the newest version first, in the order of Semantic Versioning. A page of a filtered list may have few rows or none although there are more pages. Request the next page until a response has no `Link` header.',
  credential: 'admin',
  scope: ['read', 'releases'],
  subject: 'product',
  params: z.object({ id: pathId }),
  query: z.object({
    ...pageBy(/^[a-z]\d{1,26}[a-z]\d{1,26}[a-z]\d{1,26}[\w!-]{1,150}$/),
    channel: documented(z.optional(channel), { description: 'Only releases of this channel.' }),
    status: z.optional(z.enum(releaseStatuses)),
  }),
  response: z.array(release),
  store: { GetItem: ['product'], Query: ['release'] },
  files: ['check'],
  examples: { response: [releaseExample] },
}));

export const getRelease = /* @__PURE__ */ endpoint(() => ({
  name: 'getRelease',
  method: 'GET',
  path: '/v1/releases/{id}',
  tag: 'Releases',
  summary: 'Get a release',
  description: 'Returns the release with its files.',
  credential: 'admin',
  scope: ['read', 'releases'],
  subject: 'release',
  params: z.object({ id: pathId }),
  response: release,
  store: { GetItem: ['release'] },
  files: ['check'],
  examples: { response: releaseExample },
}));

export const updateRelease = /* @__PURE__ */ endpoint(() => ({
  name: 'updateRelease',
  method: 'PATCH',
  path: '/v1/releases/{id}',
  tag: 'Releases',
  summary: 'Change a release',
  description:
    'Changes only the fields in the body. `notes`, `features`, `minimum_system_version` and `staging_percentage` can be changed at any time. `channel`, `released_at` and `build` can be changed only in a draft. For a release that was published, the response to such a change is 409 `published`. An empty body or an unknown field is refused.',
  credential: 'admin',
  scope: 'releases',
  subject: 'release',
  params: z.object({ id: pathId }),
  body: checked(
    z.strictObject({
      notes: z.optional(z.nullable(notes)),
      features: documented(z.optional(z.nullable(features)), {
        description: 'The features that a license must have to get the release; null: none.',
      }),
      channel: z.optional(channel),
      released_at: documented(z.optional(z.nullable(timestampInput)), {
        description: 'The date that decides which licenses cover the release; null: the time of publishing.',
      }),
      build: z.optional(z.nullable(build)),
      minimum_system_version: z.nullish(minimumSystemVersion),
      staging_percentage: z.nullish(stagingPercentage),
    }),
    z.refine((body) => Object.values(body).some((value) => value !== undefined), { error: 'must name at least one field to change' }),
  ),
  response: release,
  errors: ['published'],
  store: { GetItem: ['release'], PutItem: ['release'] },
  files: ['check'],
  examples: { request: { notes: releaseExample.notes, features: ['sync'] }, response: { ...releaseExample, features: ['sync'] } },
}));

export const deleteRelease = /* @__PURE__ */ endpoint(() => ({
  name: 'deleteRelease',
  method: 'DELETE',
  path: '/v1/releases/{id}',
  tag: 'Releases',
  summary: 'Delete a draft',
  description: 'Deletes a draft with its files. A published release cannot be deleted, but it can be yanked.',
  credential: 'admin',
  scope: 'releases',
  subject: 'release',
  params: z.object({ id: pathId }),
  response: documented(z.object({ deleted: z.literal(true) }), { id: 'Deletion' }),
  errors: ['published'],
  store: { GetItem: ['release'], UpdateItem: ['release'], DeleteItem: ['release', 'releaseId'] },
  files: ['delete'],
  examples: { response: { deleted: true } },
}));

export const createArtifact = /* @__PURE__ */ endpoint(() => ({
  name: 'createArtifact',
  method: 'POST',
  path: '/v1/releases/{id}/artifacts',
  tag: 'Releases',
  summary: 'Add a file to a draft',
  description: `Declares a file and returns the URL for its upload. ${HOW_TO_UPLOAD} The name of the file must be unique within the release. A release has at most ${MAX_ARTIFACTS} files. Hashes are written in lowercase hex.`,
  credential: 'admin',
  scope: 'releases',
  subject: 'release',
  params: z.object({ id: pathId }),
  body: declaredArtifact,
  // A release has only one file with the same name, so a repeated request is refused.
  idempotent: false,
  status: 201,
  response: documented(z.extend(artifact, { upload }), { id: 'NewArtifact' }),
  errors: ['filename_taken', 'published'],
  store: { GetItem: ['release'], PutItem: ['release'] },
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
}));

export const deleteArtifact = /* @__PURE__ */ endpoint(() => ({
  name: 'deleteArtifact',
  method: 'DELETE',
  path: '/v1/releases/{id}/artifacts/{filename}',
  tag: 'Releases',
  summary: 'Remove a file from a draft',
  description: 'Deletes the file from the draft. The name of the file can then be used again.',
  credential: 'admin',
  scope: 'releases',
  subject: 'release',
  params: z.object({ id: pathId, filename }),
  response: deleteRelease.response,
  errors: ['published'],
  store: { GetItem: ['release'], PutItem: ['release'] },
  files: ['delete'],
  examples: { response: { deleted: true } },
}));

export const publishRelease = /* @__PURE__ */ endpoint(() => ({
  name: 'publishRelease',
  method: 'POST',
  path: '/v1/releases/{id}/publish',
  tag: 'Releases',
  summary: 'Publish a release',
  description:
    'Publishes the release, which is then offered to the licenses that cover it. The response is 422 if the release has no file, or if a file was not uploaded with the declared size and hash. Nothing is published in this case. A repeated request changes nothing.',
  credential: 'admin',
  scope: 'releases',
  subject: 'release',
  params: z.object({ id: pathId }),
  additive: true,
  repeatable: true,
  response: release,
  store: { GetItem: ['release', 'product'], PutItem: ['release'] },
  files: ['check'],
  emits: ['release.published'],
  examples: { response: releaseExample },
}));

const yankedExample = {
  ...releaseExample,
  status: 'yanked',
  yanked_at: '2026-11-22T08:00:00.000Z',
  yanked_reason: 'Crashes on start with an empty library',
};

export const yankRelease = /* @__PURE__ */ endpoint(() => ({
  name: 'yankRelease',
  method: 'POST',
  path: '/v1/releases/{id}/yank',
  tag: 'Releases',
  summary: 'Yank a release',
  description:
    'Withdraws the release: it is no longer offered and cannot be downloaded. Existing download links stop working within 5 minutes. A repeated request changes nothing. The response for a draft is 409 `not_published`.',
  credential: 'admin',
  scope: 'releases',
  subject: 'release',
  params: z.object({ id: pathId }),
  body: z.object({
    reason: documented(z.nullish(reason), { description: 'The reason for the yank, which is shown to operators; at most 500 characters.' }),
  }),
  bodyOptional: true,
  repeatable: true,
  response: release,
  errors: ['not_published'],
  store: { GetItem: ['release', 'product'], PutItem: ['release'] },
  emits: ['release.yanked'],
  examples: { request: { reason: yankedExample.yanked_reason }, response: yankedExample },
}));

export const unyankRelease = /* @__PURE__ */ endpoint(() => ({
  name: 'unyankRelease',
  method: 'POST',
  path: '/v1/releases/{id}/unyank',
  tag: 'Releases',
  summary: 'Offer a yanked release again',
  description:
    'Reverses a yank, so that the release is offered again. If the release is not yanked, the request changes nothing. The response for a draft is 409 `not_published`.',
  credential: 'admin',
  scope: 'releases',
  subject: 'release',
  params: z.object({ id: pathId }),
  additive: true,
  repeatable: true,
  response: release,
  errors: ['not_published'],
  store: { GetItem: ['release'], PutItem: ['release'] },
  examples: { response: releaseExample },
}));

const downloads = z.object({
  access: documented(z.enum(downloadAccess), {
    description: '`licensed`: downloads need a license that covers the release. `public`: everybody may download without a credential.',
  }),
});
const shownDownloads = documented(downloads, { id: 'Downloads' });

export const getDownloads = /* @__PURE__ */ endpoint(() => ({
  name: 'getDownloads',
  method: 'GET',
  path: '/v1/products/{id}/downloads',
  tag: 'Releases',
  summary: 'Get who may download',
  description: "Returns who may download the files of the product's releases.",
  credential: 'admin',
  scope: 'read',
  subject: 'product',
  params: z.object({ id: pathId }),
  response: shownDownloads,
  store: { GetItem: ['product'] },
  examples: { response: { access: 'licensed' } },
}));

export const setDownloads = /* @__PURE__ */ endpoint(() => ({
  name: 'setDownloads',
  method: 'POST',
  path: '/v1/products/{id}/downloads',
  tag: 'Releases',
  summary: 'Set who may download',
  description:
    "Sets who may download the files of the product's releases. With `public`, releases that require features are offered to nobody. The change takes effect within 60 s.",
  credential: 'admin',
  scope: 'manage',
  subject: 'product',
  params: z.object({ id: pathId }),
  body: downloads,
  repeatable: true,
  response: shownDownloads,
  store: { GetItem: ['product'], UpdateItem: ['product'] },
  examples: { request: { access: 'public' }, response: { access: 'public' } },
}));
