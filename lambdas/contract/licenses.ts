import * as z from 'zod';
import { endpoint } from './endpoint';
import { activationEvents } from './events';
import { licenseExample, offlineTokenExample } from './examples';
import { languages } from './languages';
import { licenseColumns } from './license-columns';
import { idempotentLicenseChange, licenseChange } from './license-operations';
import { pageBy } from './paging';
import {
  email,
  existingKey,
  features,
  fingerprint,
  license,
  licenseKey,
  licenseStatus,
  maxMajor,
  metadata,
  orderId,
  pathId,
} from './resources';
import { refusalErrors } from './statuses';
import { dateInput, text, timestampInput } from './text';

export const createLicense = endpoint({
  name: 'createLicense',
  method: 'POST',
  path: '/v1/products/{id}/licenses',
  tag: 'Licenses',
  summary: 'Issue a license',
  description:
    "Issues a license with a fresh key. It expires after its type's `duration_days`, or at `expires_at` if that is given, or never.",
  credential: 'admin',
  scope: 'licenses',
  subject: 'product',
  params: z.object({ id: pathId }),
  body: z.object({
    license_type_id: z.int().meta({ minimum: 1, description: 'A license type of this product.', examples: [1] }),
    mail: z
      .boolean()
      .optional()
      .meta({ description: 'False: the key is not mailed, even if the product mails keys automatically. For imports.' }),
    customer_email: email.nullish().meta({ description: "The buyer's address, for the operator only." }),
    language: z.enum(languages).nullish().meta({ description: "The language of its mails; null: the product's." }),
    metadata: metadata.optional(),
    expires_at: timestampInput.nullish().meta({ description: "Overrides the expiry that follows from the license type's duration." }),
    key: existingKey.nullish().meta({
      description:
        'A key that another system issued: 8 to 64 letters, digits and hyphens. Shown as given; a search ignores case, hyphens and spaces.',
    }),
    created_at: timestampInput
      .nullish()
      .meta({ description: 'When it was sold, for imports: a computed expiry counts from it. Not in the future.' }),
    updates_until: timestampInput
      .nullable()
      .optional()
      .meta({ description: "Overrides the end of updates that follows from the license type's `updates_days`; null: no such limit." }),
    max_major: maxMajor.optional().meta({ description: "Overrides the license type's `max_major`; null: no such limit." }),
    max_seats: z.int().min(0).nullish().meta({ description: "The license's own number of seats; null: its type's." }),
    features: features.nullish().meta({ description: "The license's own features; null: its type's." }),
  }),
  idempotent: true,
  status: 201,
  response: license,
  errors: ['duplicate'],
  store: {
    GetItem: ['idempotency'],
    BatchGetItem: ['product'],
    UpdateItem: ['counter'],
    PutItem: ['license', 'licenseId', 'metadata', 'event', 'idempotency'],
  },
  secrets: ['encryptionKey'],
  emits: ['license.created'],
  examples: {
    request: { license_type_id: 1, customer_email: 'ada@example.com', metadata: { order: 'A-1001' } },
    response: { ...licenseExample, seats: { used: 0, max: 3 }, activations: [] },
  },
});

/** The body of a request that creates a license. */
export type CreateLicenseBody = z.input<typeof createLicense.body>;

/** A position in the list of licenses. It is an id, or with `sort=expires_at` the expiry (epoch ms, or `never`) and the id. */
const LICENSE_POSITION = /^(?:(?:\d{1,16}|never)-)?\d{1,16}$/;

export const listLicenses = endpoint({
  name: 'listLicenses',
  method: 'GET',
  path: '/v1/products/{id}/licenses',
  tag: 'Licenses',
  summary: 'List licenses',
  description:
    'The licenses of the product, each with its current activations, in ascending id order unless `direction` asks for the newest first. Filters combine. A filtered page may be short, or empty, and still carry a `Link` to the next: follow it until there is none. A key, an order, a buyer and a range of expiry are looked up. A status and a type are found by walking through the index of the product’s licenses, `seats` and the time of issue by reading one license after another, up to 10,000 for a page. The status is the stored one: expiry is noticed only when an activation or a validation checks the license.',
  credential: 'admin',
  scope: 'read',
  subject: 'product',
  params: z.object({ id: pathId }),
  query: z.object({
    ...pageBy(LICENSE_POSITION),
    sort: z
      .enum(['id', 'expires_at'])
      .optional()
      .meta({ description: 'By id, the default, or by expiry: then licenses that never expire come last. A cursor belongs to its sort.' }),
    direction: z.enum(['asc', 'desc']).optional().meta({
      description: '`asc`, the default, or `desc` for the newest, or the last to expire, first. A cursor belongs to its direction.',
    }),
    expires_after: timestampInput
      .optional()
      .meta({ description: 'Only licenses that expire at this instant or later. Licenses that never expire are in no range.' }),
    expires_before: timestampInput.optional().meta({
      description:
        'Only licenses that expire before this instant; with `status=active` and the present time, those that have lapsed unnoticed.',
    }),
    status: licenseStatus.optional().meta({ description: 'Only licenses with this status.' }),
    key: licenseKey.optional().meta({ description: 'Only the license with this key.' }),
    customer_email: text(1, 254)
      .optional()
      .meta({ description: "Only licenses with exactly this buyer's address; no trials whose address nobody has verified." }),
    license_type_id: pathId.optional().meta({ description: 'Only licenses of this type.' }),
    created_after: timestampInput.optional().meta({ description: 'Only licenses issued at this instant or later.' }),
    created_before: timestampInput.optional().meta({ description: 'Only licenses issued before this instant.' }),
    seats: z
      .enum(['full', 'unused'])
      .optional()
      .meta({ description: '`full`: only licenses on which no further device fits. `unused`: only those without a device.' }),
    starts: z.literal('pending').optional().meta({ description: 'Only licenses whose term waits for the first activation.' }),
    unseen_since: dateInput.optional().meta({
      description:
        'Only licenses that have devices, all of them last seen before this UTC day. A device that was never seen counts from its activation.',
    }),
    order: orderId.optional().meta({ description: 'Only licenses of this order: any id that its payment processor uses for it.' }),
  }),
  status: 200,
  response: z.array(license),
  columns: licenseColumns,
  errors: [],
  store: {
    GetItem: ['product'],
    BatchGetItem: ['license', 'licenseId', 'product', 'metadata', 'payment'],
    Query: ['license', 'payment'],
    indexes: ['list', 'email', 'lookup'],
  },
  examples: { response: [licenseExample] },
});

export const searchLicenses = endpoint({
  name: 'searchLicenses',
  method: 'GET',
  path: '/v1/licenses',
  tag: 'Licenses',
  summary: 'Search for licenses in all products',
  description:
    "The licenses of every product that match, each with its current activations, the oldest first. Exactly one of the parameters says what to search for: the buyer's address, a key, an order, the fingerprint of a device that is bound now, or with `q` the beginning of any of the first three or of the buyer's name. `q` returns at most 50 licenses, the newest first.",
  credential: 'admin',
  scope: 'read',
  subject: 'products',
  query: z.object({
    ...pageBy(/^\d{1,16}-\d{1,16}$/),
    q: text(3, 200).optional().meta({
      description:
        'The beginning of a key, of an address, of `name` in the metadata, or of an order id; in any case. `Name <address>` is read as the address. Without `cursor`.',
    }),
    customer_email: text(1, 254).optional().meta({
      description: "Licenses with exactly this buyer's address, in any case. Trials whose address nobody has verified are not found.",
    }),
    key: licenseKey.optional().meta({ description: 'Licenses with this key.' }),
    order: orderId.optional().meta({ description: "Licenses of this order: an id of the processor, as the buyer's receipt shows it." }),
    fingerprint: fingerprint.optional().meta({ description: 'Licenses to which this device is bound.' }),
  }),
  status: 200,
  response: z.array(license),
  errors: [],
  store: {
    GetItem: ['payment'],
    BatchGetItem: ['license', 'licenseId', 'product', 'metadata', 'payment'],
    Query: ['license', 'payment'],
    indexes: ['list', 'email', 'lookup', 'pending'],
  },
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
  store: { GetItem: ['licenseId'], BatchGetItem: ['product', 'metadata'], Query: ['license'] },
  examples: { response: licenseExample },
});

export const revokeLicense = endpoint({
  name: 'revokeLicense',
  method: 'POST',
  path: '/v1/licenses/{id}/revoke',
  tag: 'Licenses',
  summary: 'Revoke a license',
  description:
    'Revokes the license for good, for example after a refund. Later activations and validations fail; offline tokens issued before work until the client revalidates. Repeating it changes nothing.',
  credential: 'admin',
  scope: 'licenses',
  subject: 'license',
  params: z.object({ id: pathId }),
  body: z.object({ reason: text(0, 200).nullish().meta({ description: 'Why, for the operator.' }) }),
  bodyOptional: true,
  repeatable: true,
  status: 200,
  response: license,
  errors: [],
  store: licenseChange,
  emits: ['license.revoked'],
  examples: {
    request: { reason: 'refunded' },
    response: { ...licenseExample, status: 'revoked', revoked_at: '2026-12-01T09:00:00.000Z', revoked_reason: 'refunded' },
  },
});

export const resetLicense = endpoint({
  name: 'resetLicense',
  method: 'POST',
  path: '/v1/licenses/{id}/reset',
  tag: 'Licenses',
  summary: 'Free every seat of a license',
  description:
    'Unbinds every device. The status stays as it is, and new devices can bind at once. `new_devices: true` also clears the count of new devices.',
  credential: 'admin',
  scope: 'licenses',
  subject: 'license',
  params: z.object({ id: pathId }),
  body: z.object({ new_devices: z.boolean().optional().meta({ description: 'Also clears the count of new devices.' }) }),
  bodyOptional: true,
  repeatable: true,
  status: 200,
  response: z
    .object({ status: z.literal('reset'), freed: z.int().min(0).meta({ description: 'How many seats were freed.' }) })
    .meta({ id: 'ResetResult' }),
  errors: [],
  store: { GetItem: ['licenseId', 'license'], BatchGetItem: ['license'], UpdateItem: ['license'], PutItem: ['event', 'freedDevices'] },
  emits: ['license.reset'],
  examples: { request: { new_devices: true }, response: { status: 'reset', freed: 1 } },
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
  additive: true,
  status: 200,
  response: license,
  errors: ['license_revoked'],
  store: idempotentLicenseChange,
  secrets: ['encryptionKey'],
  emits: ['license.renewed'],
  examples: { request: { days: 30 }, response: { ...licenseExample, expires_at: '2027-12-20T13:54:00.000Z' } },
});

export const renewUpdates = endpoint({
  name: 'renewUpdates',
  method: 'POST',
  path: '/v1/licenses/{id}/renew-updates',
  tag: 'Licenses',
  summary: 'Push the end of updates forward',
  description:
    "Without a body, adds the license type's `updates_days` to the later of now and `updates_until`; `days` or `until` override that. Neither the status nor the expiry changes. The end of updates never moves back.",
  credential: 'admin',
  scope: 'licenses',
  subject: 'license',
  params: z.object({ id: pathId }),
  body: z
    .object({
      days: z.int().min(1).max(36_500).nullish().meta({ description: 'Days to add to the later of now and the present end of updates.' }),
      until: timestampInput
        .nullish()
        .meta({ description: 'The new end of updates; not together with `days`, not before the present one.' }),
    })
    .refine((body) => body.days == null || body.until == null, { path: ['days'], error: 'cannot be combined with until' }),
  bodyOptional: true,
  idempotent: true,
  status: 200,
  response: license,
  errors: ['license_revoked'],
  store: idempotentLicenseChange,
  secrets: ['encryptionKey'],
  emits: ['license.updates_renewed'],
  examples: {
    request: { days: 365 },
    response: { ...licenseExample, updates: { until: '2027-11-20T13:54:00.000Z', max_major: null } },
  },
});

export const mintOfflineToken = endpoint({
  name: 'mintOfflineToken',
  method: 'POST',
  path: '/v1/licenses/{id}/offline',
  tag: 'Licenses',
  summary: 'Mint an offline token',
  description:
    "For devices without a network. Lives `ttl_days` (default 30), and never past the license's own expiry. With a `fingerprint` the device is activated (it takes a seat, and `license.activated` is sent) and the token is bound to it; without, it is bound to no device.",
  credential: 'admin',
  scope: 'licenses',
  subject: 'license',
  params: z.object({ id: pathId }),
  body: z.object({
    fingerprint: fingerprint.nullish().meta({ description: 'The device that the token is bound to.' }),
    name: text(0, 200).nullish().meta({ description: 'A label of the device for people.' }),
    platform: text(0, 200).nullish().meta({ description: 'For example the operating system of the device.' }),
    ttl_days: z.int().min(1).max(3650).nullish().meta({ description: 'Days that the token lives, unless the license expires before.' }),
  }),
  bodyOptional: true,
  additive: true,
  repeatable: true,
  status: 200,
  response: z.object({ token: z.string().meta({ description: 'A compact JWS (EdDSA).' }) }).meta({ id: 'OfflineToken' }),
  errors: [...refusalErrors, 'no_seats', 'too_many_devices'],
  store: {
    GetItem: ['licenseId', 'license', 'product'],
    BatchGetItem: ['license', 'product', 'signingKey'],
    Query: ['license'],
    UpdateItem: ['license'],
    DeleteItem: ['license'],
    PutItem: ['license', 'event'],
  },
  secrets: ['signingKey'],
  settings: ['offlineTokenDays', 'expiringDays'],
  emits: activationEvents,
  examples: { request: { ttl_days: 30 }, response: { token: offlineTokenExample } },
});
