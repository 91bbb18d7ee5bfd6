import * as z from 'zod/mini';
import { checked, documented } from './schema';
import { endpoint } from './endpoint';
import { activationEvents } from './events';
import { licenseExample, offlineTokenExample } from './examples';
import { languages } from './languages';
import { licenseColumns, metersColumn } from './license-columns';
import { licenseChange } from './license-operations';
import { pageBy } from './paging';
import {
  email,
  existingKey,
  features,
  fingerprint,
  license,
  licenseKey,
  licenseStatus,
  limits,
  maxMajor,
  metadata,
  meters,
  orderId,
  pathId,
} from './resources';
import { refusalErrors } from './statuses';
import { dateInput, text, timestampInput } from './text';

export const createLicense = /* @__PURE__ */ endpoint(() => ({
  name: 'createLicense',
  method: 'POST',
  path: '/v1/products/{id}/licenses',
  tag: 'Licenses',
  summary: 'Issue a license',
  description:
    'Issues a license with a new key, or with the `key` in the body. The license expires at `expires_at` if the body has this field, otherwise after the `duration_days` of its type. If the body has no `expires_at` and the type has no `duration_days`, the license never expires.',
  credential: 'admin',
  scope: 'licenses',
  subject: 'product',
  params: z.object({ id: pathId }),
  body: z.object({
    license_type_id: documented(z.int(), { minimum: 1, description: 'The id of a license type of the product.', examples: [1] }),
    mail: documented(z.optional(z.boolean()), {
      description:
        'If false, the key is not mailed, even if the product mails keys automatically. Imports send false, so that buyers get no mails.',
    }),
    customer_email: documented(z.nullish(email), { description: "The buyer's e-mail address. Client apps never see it." }),
    language: documented(z.nullish(z.enum(languages)), {
      description: 'The language of mails about the license; null: the language of the product.',
    }),
    metadata: z.optional(metadata),
    expires_at: documented(z.nullish(timestampInput), {
      description: 'The expiry, which replaces the expiry that results from the duration of the license type.',
    }),
    key: documented(z.nullish(existingKey), {
      description:
        'A key that another system issued: 8 to 64 letters, digits and hyphens, with at least 8 letters or digits. Responses show the key exactly as it was given. When the service looks up a key, it ignores case, hyphens and spaces.',
    }),
    created_at: documented(z.nullish(timestampInput), {
      description:
        'The time of the sale, for imports. The time must not be in the future. The `duration_days` and `updates_days` of the license type are counted from this time, unless the term starts with the first activation.',
    }),
    updates_until: documented(z.optional(z.nullable(timestampInput)), {
      description:
        'The end of updates, which replaces the end that results from the `updates_days` of the license type; null: no limit by date.',
    }),
    max_major: documented(z.optional(maxMajor), {
      description:
        'The newest major version that the license covers, which replaces the `max_major` of the license type; null: no limit by version.',
    }),
    max_seats: documented(z.nullish(checked(z.int(), z.minimum(0))), {
      description: "The license's own number of seats; null: the number of seats of the license type.",
    }),
    features: documented(z.nullish(features), { description: "The license's own features; null: the features of the license type." }),
    limits: documented(z.nullish(limits), { description: "The license's own limits; null: the limits of the license type." }),
    meters: documented(z.nullish(meters), { description: "The license's own meters; null: the meters of the license type." }),
  }),
  idempotent: true,
  status: 201,
  response: license,
  errors: ['key_taken'],
  store: {
    GetItem: ['deviceKey'],
    BatchGetItem: ['product'],
    UpdateItem: ['counter'],
    PutItem: ['license', 'licenseId', 'metadata'],
  },
  emits: ['license.created'],
  examples: {
    request: { license_type_id: 1, customer_email: 'ada@example.com', metadata: { order: 'A-1001' } },
    response: { ...licenseExample, seats: { used: 0, max: 3 }, activations: [] },
  },
}));

/** The body of a request that creates a license. */
export type CreateLicenseBody = z.input<typeof createLicense.body>;

/**
 * Matches a position in the list of licenses. The position is the id of a license. With `sort=expires_at`, the position is the expiry of
 * the license (epoch ms, or `never`), a hyphen, and the id.
 */
const LICENSE_POSITION = /^(?:(?:\d{1,16}|never)-)?\d{1,16}$/;

export const listLicenses = /* @__PURE__ */ endpoint(() => ({
  name: 'listLicenses',
  method: 'GET',
  path: '/v1/products/{id}/licenses',
  tag: 'Licenses',
  summary: 'List licenses',
  description:
    'Returns the licenses of the product, each with its current activations, in ascending id order unless `direction` is `desc`. Several filters can be combined. A page of a filtered list may have few rows or none although there are more pages. Request the next page until a response has no `Link` header. A search and filters by key, order, buyer, member or expiry use an index. Filters by status or type read the index of all licenses of the product. For other filters, the service reads the licenses one after another, at most 10,000 for one page. The status in the response is the stored status: after its expiry, an active license keeps the status `active` until an activation, a validation or a request for the device list checks the license.',
  credential: 'admin',
  scope: 'read',
  subject: 'product',
  params: z.object({ id: pathId }),
  query: z.object({
    ...pageBy(LICENSE_POSITION),
    sort: documented(z.optional(z.enum(['id', 'expires_at'])), {
      description:
        '`id` (the default) sorts by id. `expires_at` sorts by expiry. Licenses that never expire come last, in both directions. A cursor is valid only with the same `sort`.',
    }),
    direction: documented(z.optional(z.enum(['asc', 'desc'])), {
      description:
        '`asc` (the default) or `desc`. With `desc`, the license with the highest id or the latest expiry comes first, depending on `sort`. A cursor is valid only with the same `direction`.',
    }),
    expires_after: documented(z.optional(timestampInput), {
      description: 'Only licenses that expire at this instant or later. Licenses that never expire are left out.',
    }),
    expires_before: documented(z.optional(timestampInput), {
      description:
        'Only licenses that expire before this instant. With `status=active` and the current time, these are the licenses whose expiry has passed but whose stored status is still `active`.',
    }),
    status: documented(z.optional(licenseStatus), { description: 'Only licenses with this status.' }),
    key: documented(z.optional(licenseKey), { description: 'Only the license with this key.' }),
    customer_email: documented(z.optional(text(1, 254)), {
      description:
        'Only licenses whose buyer has exactly this e-mail address. Case does not matter. Trials with an unverified address are left out.',
    }),
    member: documented(z.optional(text(1, 254)), {
      description: 'Only licenses of which the person with exactly this e-mail address is a member. Case does not matter.',
    }),
    license_type_id: documented(z.optional(pathId), { description: 'Only licenses of this type.' }),
    created_after: documented(z.optional(timestampInput), { description: 'Only licenses issued at this instant or later.' }),
    created_before: documented(z.optional(timestampInput), { description: 'Only licenses issued before this instant.' }),
    seats: documented(z.optional(z.enum(['full', 'unused'])), {
      description: '`full`: only licenses without a free seat. `unused`: only licenses without a device.',
    }),
    starts: documented(z.optional(z.literal('pending')), {
      description: 'Only licenses whose term starts with the first activation and has not started yet.',
    }),
    unseen_since: documented(z.optional(dateInput), {
      description:
        'Only licenses that have at least one device, and whose devices were all last seen before this UTC day. For a device that was never seen, the day of its activation counts.',
    }),
    include: documented(z.optional(z.enum(['meters', 'members'])), {
      description:
        '`meters`: a list in CSV has the column `meters`. `members`: a list in CSV or newline-delimited JSON has the column `member_list`. Such a list has at most 100 rows a page. Without effect on other formats.',
    }),
    order: documented(z.optional(orderId), {
      description: 'Only licenses of this order. Any id that the payment processor uses for the order is accepted.',
    }),
    q: documented(z.optional(text(3, 200)), {
      description:
        'Only licenses that the same search in all products finds (`GET /v1/licenses`, parameter `q`). `q` can be combined with all other filters, but not with `sort=expires_at`.',
    }),
  }),
  response: z.array(license),
  columns: [...licenseColumns, metersColumn],
  store: {
    GetItem: ['product', 'deviceKey'],
    BatchGetItem: ['license', 'licenseId', 'member', 'meter', 'product', 'metadata', 'payment'],
    Query: ['license', 'member', 'payment'],
    indexes: ['list', 'email', 'lookup', 'pending'],
  },
  examples: { response: [licenseExample] },
}));

export const searchLicenses = /* @__PURE__ */ endpoint(() => ({
  name: 'searchLicenses',
  method: 'GET',
  path: '/v1/licenses',
  tag: 'Licenses',
  summary: 'Search for licenses in all products',
  description:
    "Returns the matching licenses of all products, each with its current activations. The request must have exactly one of these parameters: `customer_email`, `member`, `key`, `order`, `fingerprint` or `q`. The parameter `q` finds licenses by the beginning of a key, of a buyer's or member's e-mail address or its domain, of a word of the buyer's name or company, of an order id, or of a device's name. With `q`, a page has at most 50 licenses, the newest first. With the other parameters, the oldest license comes first.",
  credential: 'admin',
  scope: 'read',
  subject: 'products',
  query: z.object({
    ...pageBy(/^\d{1,16}-\d{1,16}$/),
    q: documented(z.optional(text(3, 200)), {
      examples: ['@northwind.example'],
      description:
        'The first characters of a key, an e-mail address, an order id, a device name, or a word of the `name` or `company` in the metadata; `@` and the first characters of a domain; or a whole device key, fingerprint or id of an order. Case and accents do not matter. If the text has the form `Name <address>`, only the address is used. `q` can be combined only with `limit` and `cursor`.',
    }),
    customer_email: documented(z.optional(text(1, 254)), {
      description:
        'Only licenses whose buyer has exactly this e-mail address. Case does not matter. Trials with an unverified address are not found.',
    }),
    member: documented(z.optional(text(1, 254)), {
      description: 'Only licenses of which the person with exactly this e-mail address is a member. Case does not matter.',
    }),
    key: documented(z.optional(licenseKey), { description: 'Only licenses with this key.' }),
    order: documented(z.optional(orderId), {
      description:
        "Only licenses of this order. The value is an id that the processor uses for the order, such as the id on the buyer's receipt.",
    }),
    fingerprint: documented(z.optional(fingerprint), { description: 'Only licenses to which the device with this fingerprint is bound.' }),
  }),
  response: z.array(license),
  store: {
    GetItem: ['deviceKey', 'licenseId'],
    BatchGetItem: ['license', 'licenseId', 'member', 'product', 'metadata', 'payment'],
    Query: ['license', 'payment'],
    indexes: ['list', 'email', 'lookup', 'pending'],
  },
  examples: { response: [licenseExample] },
}));

export const getLicense = /* @__PURE__ */ endpoint(() => ({
  name: 'getLicense',
  method: 'GET',
  path: '/v1/licenses/{id}',
  tag: 'Licenses',
  summary: 'Get a license',
  description: 'Returns the license with its current activations.',
  credential: 'admin',
  scope: 'read',
  subject: 'license',
  params: z.object({ id: pathId }),
  response: license,
  store: { BatchGetItem: ['product', 'metadata'], Query: ['license', 'member'] },
  examples: { response: licenseExample },
}));

export const revokeLicense = /* @__PURE__ */ endpoint(() => ({
  name: 'revokeLicense',
  method: 'POST',
  path: '/v1/licenses/{id}/revoke',
  tag: 'Licenses',
  summary: 'Revoke a license',
  description:
    'Revokes the license permanently, for example after a refund. Later activations and validations are refused. An offline token that was issued earlier remains valid until it expires, or until the client app validates the license again. A repeated request changes nothing.',
  credential: 'admin',
  scope: 'licenses',
  subject: 'license',
  params: z.object({ id: pathId }),
  body: z.object({
    reason: documented(z.nullish(text(0, 200)), { description: 'The reason for the revocation, which is shown to operators.' }),
  }),
  bodyOptional: true,
  repeatable: true,
  response: license,
  store: licenseChange,
  emits: ['license.revoked'],
  examples: {
    request: { reason: 'refunded' },
    response: { ...licenseExample, status: 'revoked', revoked_at: '2026-12-01T09:00:00.000Z', revoked_reason: 'refunded' },
  },
}));

export const resetLicense = /* @__PURE__ */ endpoint(() => ({
  name: 'resetLicense',
  method: 'POST',
  path: '/v1/licenses/{id}/reset',
  tag: 'Licenses',
  summary: 'Free every seat of a license',
  description:
    'Frees the seats of all devices. The seats can be taken again immediately. The status does not change. The limit `new_devices_per_week` still counts the devices that were activated before the reset, unless the body has `new_devices: true`.',
  credential: 'admin',
  scope: 'licenses',
  subject: 'license',
  params: z.object({ id: pathId }),
  body: z.object({
    new_devices: documented(z.optional(z.boolean()), {
      description: 'If true, the count for the limit `new_devices_per_week` is set to 0.',
    }),
  }),
  bodyOptional: true,
  response: documented(
    z.object({
      status: z.literal('reset'),
      freed: documented(checked(z.int(), z.minimum(0)), { description: 'The number of seats that were freed.' }),
    }),
    { id: 'ResetResult' },
  ),
  store: { GetItem: ['license'], BatchGetItem: ['license'], UpdateItem: ['license'], PutItem: ['freedDevices'] },
  emits: ['license.reset'],
  examples: { request: { new_devices: true }, response: { status: 'reset', freed: 1 } },
}));

export const renewLicense = /* @__PURE__ */ endpoint(() => ({
  name: 'renewLicense',
  method: 'POST',
  path: '/v1/licenses/{id}/renew',
  tag: 'Licenses',
  summary: 'Renew a license',
  description:
    'Moves the expiry to a later time. `expires_at` is the new expiry. `days` is a number of days that is added to the current expiry or to the current time, whichever is later. Without these fields, the `duration_days` of the license type are added in the same way. An expired license becomes active again. The expiry cannot be moved to an earlier time.',
  credential: 'admin',
  scope: ['licenses', 'support'],
  subject: 'license',
  params: z.object({ id: pathId }),
  body: checked(
    z.object({
      days: documented(z.nullish(checked(z.int(), z.minimum(1), z.maximum(36_500))), {
        description: 'The number of days to add to the current expiry or to the current time, whichever is later.',
      }),
      expires_at: documented(z.nullish(timestampInput), {
        description: 'The new expiry, which must not be before the current expiry. `expires_at` cannot be combined with `days`.',
      }),
    }),
    z.refine((body) => body.days == null || body.expires_at == null, {
      path: ['days'],
      error: 'cannot be combined with expires_at',
    }),
  ),
  bodyOptional: true,
  idempotent: true,
  additive: true,
  response: license,
  errors: ['license_revoked'],
  store: licenseChange,
  emits: ['license.renewed'],
  examples: { request: { days: 30 }, response: { ...licenseExample, expires_at: '2027-12-20T13:54:00.000Z' } },
}));

export const renewUpdates = /* @__PURE__ */ endpoint(() => ({
  name: 'renewUpdates',
  method: 'POST',
  path: '/v1/licenses/{id}/renew-updates',
  tag: 'Licenses',
  summary: 'Renew the updates of a license',
  description:
    'Moves the end of updates to a later time. `until` is the new end of updates. `days` is a number of days that is added to the current end of updates or to the current time, whichever is later. Without these fields, the `updates_days` of the license type are added in the same way. The status and the expiry do not change. The end of updates cannot be moved to an earlier time.',
  credential: 'admin',
  scope: 'licenses',
  subject: 'license',
  params: z.object({ id: pathId }),
  body: checked(
    z.object({
      days: documented(z.nullish(checked(z.int(), z.minimum(1), z.maximum(36_500))), {
        description: 'The number of days to add to the current end of updates or to the current time, whichever is later.',
      }),
      until: documented(z.nullish(timestampInput), {
        description: 'The new end of updates, which must not be before the current end. `until` cannot be combined with `days`.',
      }),
    }),
    z.refine((body) => body.days == null || body.until == null, { path: ['days'], error: 'cannot be combined with until' }),
  ),
  bodyOptional: true,
  idempotent: true,
  additive: true,
  response: license,
  errors: ['license_revoked'],
  store: licenseChange,
  emits: ['license.updates_renewed'],
  examples: {
    request: { days: 365 },
    response: { ...licenseExample, updates: { until: '2027-11-20T13:54:00.000Z', max_major: null } },
  },
}));

export const mintOfflineToken = /* @__PURE__ */ endpoint(() => ({
  name: 'mintOfflineToken',
  method: 'POST',
  path: '/v1/licenses/{id}/offline',
  tag: 'Licenses',
  summary: 'Create an offline token',
  description:
    'Creates an offline token for a device without a network. The token is valid for `ttl_days` (default 30), but never longer than the license. With `fingerprint`, the device with this fingerprint is activated: it takes a seat, `license.activated` is sent, and the token is bound to the device. Without `fingerprint`, the token is bound to no device.',
  credential: 'admin',
  scope: 'licenses',
  subject: 'license',
  params: z.object({ id: pathId }),
  body: z.object({
    fingerprint: documented(z.nullish(fingerprint), { description: 'The fingerprint of the device to which the token is bound.' }),
    name: documented(z.nullish(text(0, 200)), { description: 'A name by which people recognize the device.' }),
    platform: documented(z.nullish(text(0, 200)), { description: 'The platform of the device, for example its operating system.' }),
    ttl_days: documented(z.nullish(checked(z.int(), z.minimum(1), z.maximum(3650))), {
      description: 'The number of days for which the token is valid, unless the license expires earlier.',
    }),
  }),
  bodyOptional: true,
  additive: true,
  repeatable: true,
  response: documented(z.object({ token: documented(z.string(), { description: 'The offline token, a compact JWS (EdDSA).' }) }), {
    id: 'OfflineToken',
  }),
  errors: [...refusalErrors, 'no_seats', 'too_many_devices', 'sign_in_required'],
  store: {
    GetItem: ['license', 'product'],
    BatchGetItem: ['license', 'product', 'signingKey'],
    Query: ['license'],
    UpdateItem: ['license'],
    DeleteItem: ['license'],
    PutItem: ['license'],
  },
  secrets: ['signingKey'],
  settings: ['offlineTokenDays', 'expiringDays'],
  emits: activationEvents,
  examples: { request: { ttl_days: 30 }, response: { token: offlineTokenExample } },
}));
