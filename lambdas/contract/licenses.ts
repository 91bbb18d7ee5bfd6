import * as z from 'zod';
import { endpoint } from './endpoint';
import { licenseExample, offlineTokenExample } from './examples';
import { pageById } from './paging';
import { email, license, licenseKey, licenseStatus, metadata, pathId } from './resources';
import { text, timestampInput } from './text';

export const createLicense = endpoint({
  name: 'createLicense',
  method: 'POST',
  path: '/v1/products/{id}/licenses',
  tag: 'Licenses',
  summary: 'Issue a license',
  description: "Issues a license with a fresh key. It expires after its type's `duration_days`, or at `expires_at` where that is given, or never.",
  credential: 'admin',
  scope: 'licenses',
  subject: 'product',
  params: z.object({ id: pathId }),
  body: z.object({
    license_type_id: z.int().meta({ minimum: 1, description: 'A license type of this product.', examples: [1] }),
    customer_email: email.nullish().meta({ description: "The buyer's address, for the operator only." }),
    metadata: metadata.optional(),
    expires_at: timestampInput.nullish().meta({ description: "Overrides the expiry that follows from the license type's duration." }),
  }),
  idempotent: true,
  status: 201,
  response: license,
  errors: [],
  store: {
    GetItem: ['idempotency'],
    BatchGetItem: ['product'],
    UpdateItem: ['counter'],
    PutItem: ['license', 'licenseId', 'event', 'idempotency'],
  },
  secrets: ['encryptionKey'],
  emits: ['license.created'],
  examples: {
    request: { license_type_id: 1, customer_email: 'ada@example.com', metadata: { order: 'A-1001' } },
    response: { ...licenseExample, seats: { used: 0, max: 3 }, activations: [] },
  },
});

export const listLicenses = endpoint({
  name: 'listLicenses',
  method: 'GET',
  path: '/v1/products/{id}/licenses',
  tag: 'Licenses',
  summary: 'List licenses',
  description:
    'The licenses of the product, each with its current activations, in ascending id order unless `order` asks for the newest first. Filters combine. A filtered page may be short, or empty, and still carry a `Link` to the next: follow it until there is none. The status is the stored one: expiry is noticed only when an activation or a validation checks the license.',
  credential: 'admin',
  scope: 'read',
  subject: 'product',
  params: z.object({ id: pathId }),
  query: z.object({
    ...pageById,
    order: z.enum(['asc', 'desc']).optional().meta({ description: 'By id: `asc`, the default, or `desc` for the newest first. A cursor belongs to its order.' }),
    status: licenseStatus.optional().meta({ description: 'Only licenses with this status.' }),
    key: licenseKey.optional().meta({ description: 'Only the license with this key.' }),
    customer_email: text(1, 254).optional().meta({ description: "Only licenses with exactly this buyer's address." }),
    license_type_id: pathId.optional().meta({ description: 'Only licenses of this type.' }),
  }),
  status: 200,
  response: z.array(license),
  errors: [],
  store: { GetItem: ['product'], BatchGetItem: ['license'], Query: ['license'], indexes: ['list', 'email'] },
  examples: { response: [licenseExample] },
});

export const getLicense = endpoint({
  name: 'getLicense',
  method: 'GET',
  path: '/v1/licenses/{id}',
  tag: 'Licenses',
  summary: 'Get a license',
  description: 'One license with its current activations.',
  credential: 'admin',
  scope: 'read',
  subject: 'license',
  params: z.object({ id: pathId }),
  status: 200,
  response: license,
  errors: [],
  store: { GetItem: ['licenseId'], Query: ['license'] },
  examples: { response: licenseExample },
});

/** What a change of one license, found by its id, needs of the table. */
const licenseChange = {
  GetItem: ['licenseId', 'license'],
  Query: ['license'],
  UpdateItem: ['license'],
  PutItem: ['event'],
} as const;

export const revokeLicense = endpoint({
  name: 'revokeLicense',
  method: 'POST',
  path: '/v1/licenses/{id}/revoke',
  tag: 'Licenses',
  summary: 'Revoke a license',
  description: 'Revokes the license for good, for example after a refund. Later activations and validations fail; offline tokens issued before work until the client revalidates. Repeating it changes nothing.',
  credential: 'admin',
  scope: 'licenses',
  subject: 'license',
  params: z.object({ id: pathId }),
  status: 200,
  response: license,
  errors: [],
  store: licenseChange,
  emits: ['license.revoked'],
  examples: { response: { ...licenseExample, status: 'revoked', revoked_at: '2026-12-01T09:00:00.000Z' } },
});

export const resetLicense = endpoint({
  name: 'resetLicense',
  method: 'POST',
  path: '/v1/licenses/{id}/reset',
  tag: 'Licenses',
  summary: 'Free every seat of a license',
  description: 'Unbinds every device. The status stays as it is, and new machines can bind at once.',
  credential: 'admin',
  scope: 'licenses',
  subject: 'license',
  params: z.object({ id: pathId }),
  status: 200,
  response: z.object({ status: z.literal('reset'), freed: z.int().min(0).meta({ description: 'How many seats were freed.' }) }).meta({ id: 'ResetResult' }),
  errors: [],
  store: { GetItem: ['licenseId', 'license'], BatchGetItem: ['license'], UpdateItem: ['license'], PutItem: ['event'] },
  emits: ['license.reset'],
  examples: { response: { status: 'reset', freed: 1 } },
});

export const renewLicense = endpoint({
  name: 'renewLicense',
  method: 'POST',
  path: '/v1/licenses/{id}/renew',
  tag: 'Licenses',
  summary: 'Push the expiry of a license forward',
  description:
    "Without a body, adds the license type's `duration_days` to the later of now and the present expiry; `days` or `expires_at` override that. An expired license becomes active again. The expiry never moves back.",
  credential: 'admin',
  scope: 'licenses',
  subject: 'license',
  params: z.object({ id: pathId }),
  body: z
    .object({
      days: z.int().min(1).max(36_500).nullish().meta({ description: 'Days to add to the later of now and the present expiry.' }),
      expires_at: timestampInput.nullish().meta({ description: 'The new expiry; not together with `days`, not before the present one.' }),
    })
    .refine((body) => body.days == null || body.expires_at == null, {
      path: ['days'],
      error: 'cannot be combined with expires_at',
    }),
  bodyOptional: true,
  idempotent: true,
  status: 200,
  response: license,
  errors: ['license_revoked'],
  store: {
    ...licenseChange,
    GetItem: ['licenseId', 'license', 'idempotency'],
    PutItem: ['event', 'idempotency'],
  },
  secrets: ['encryptionKey'],
  emits: ['license.renewed'],
  examples: { request: { days: 30 }, response: { ...licenseExample, expires_at: '2027-12-20T13:54:00.000Z' } },
});

export const mintOfflineToken = endpoint({
  name: 'mintOfflineToken',
  method: 'POST',
  path: '/v1/licenses/{id}/offline',
  tag: 'Licenses',
  summary: 'Mint an offline token bound to no device',
  description: "For air-gapped machines. Lives `ttl_days` (default 30), and never past the license's own expiry.",
  credential: 'admin',
  scope: 'licenses',
  subject: 'license',
  params: z.object({ id: pathId }),
  body: z.object({
    ttl_days: z.int().min(1).max(3650).nullish().meta({ description: 'Days that the token lives, unless the license expires before.' }),
  }),
  bodyOptional: true,
  status: 200,
  response: z.object({ token: z.string().meta({ description: 'A compact JWS (EdDSA).' }) }).meta({ id: 'OfflineToken' }),
  errors: ['license_revoked', 'license_expired'],
  store: { GetItem: ['licenseId', 'license'], BatchGetItem: ['product', 'signingKey'] },
  // The seeds of products of the first release are sealed with the encryption key.
  secrets: ['signingKey', 'encryptionKey'],
  settings: ['offlineTokenDays'],
  examples: { request: { ttl_days: 30 }, response: { token: offlineTokenExample } },
});
