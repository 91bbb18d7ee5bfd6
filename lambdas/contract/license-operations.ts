import * as z from 'zod/mini';
import { checked, documented } from './schema';
import { endpoint } from './endpoint';
import { deviceExample, licenseExample } from './examples';
import { languages } from './languages';
import { deactivation, device, email, features, fingerprint, license, limits, maxMajor, metadata, meters, pathId } from './resources';
import { refusalErrors } from './statuses';
import { text, timestampInput } from './text';

/** Endpoints with which an operator changes an existing license (docs/spec/licenses.md). */

/** The table access that is needed to find a license by its id and to change it. */
export const licenseChange = {
  GetItem: ['license'],
  BatchGetItem: ['license', 'product', 'metadata'],
  Query: ['license'],
  UpdateItem: ['license'],
} as const;

const suspendedExample = {
  ...licenseExample,
  status: 'suspended',
  suspended_at: '2026-12-01T09:00:00.000Z',
  suspended_reason: 'chargeback',
  suspended_by: 'operator',
  suspended_cause: 'operator',
};

export const suspendLicense = /* @__PURE__ */ endpoint(() => ({
  name: 'suspendLicense',
  method: 'POST',
  path: '/v1/licenses/{id}/suspend',
  tag: 'Licenses',
  summary: 'Suspend a license',
  description:
    'Suspends an active or expired license: activations and validations are refused until the license is reinstated. The seats of a suspended license can still be freed. A suspended license can still be renewed, revoked and reissued. A repeated request changes nothing.',
  credential: 'admin',
  scope: 'licenses',
  subject: 'license',
  params: z.object({ id: pathId }),
  body: z.object({
    reason: documented(z.nullish(text(0, 200)), { description: 'The reason for the suspension, which is shown to operators.' }),
  }),
  bodyOptional: true,
  repeatable: true,
  response: license,
  errors: ['license_revoked'],
  store: licenseChange,
  emits: ['license.suspended'],
  examples: { request: { reason: 'chargeback' }, response: suspendedExample },
}));

export const reinstateLicense = /* @__PURE__ */ endpoint(() => ({
  name: 'reinstateLicense',
  method: 'POST',
  path: '/v1/licenses/{id}/reinstate',
  tag: 'Licenses',
  summary: 'End the suspension of a license',
  description:
    'A suspended license becomes active again. If its expiry has passed in the meantime, the next activation, validation or request for the device list changes the status to `expired`. If the license is not suspended, the request changes nothing.',
  credential: 'admin',
  scope: 'licenses',
  subject: 'license',
  params: z.object({ id: pathId }),
  additive: true,
  repeatable: true,
  response: license,
  errors: ['license_revoked'],
  store: licenseChange,
  emits: ['license.reinstated'],
  examples: { response: licenseExample },
}));

export const updateLicense = /* @__PURE__ */ endpoint(() => ({
  name: 'updateLicense',
  method: 'PATCH',
  path: '/v1/licenses/{id}',
  tag: 'Licenses',
  summary: 'Change a license',
  description:
    'Changes only the fields in the body. A later expiry, or null as the expiry, makes an expired license active again. With `license_type_id`, the license moves to another type of its product, and the terms of that type apply from now on. The expiry and the end of updates stay the same unless the body contains them. For a revoked license, only `customer_email`, `language` and `metadata` can be changed. An empty body or an unknown field is refused, because otherwise a typing error would look like a successful change.',
  credential: 'admin',
  scope: 'licenses',
  subject: 'license',
  params: z.object({ id: pathId }),
  body: checked(
    z.strictObject({
      customer_email: documented(z.optional(z.nullable(email)), { description: "The buyer's e-mail address; null removes the address." }),
      language: documented(z.optional(z.nullable(z.enum(languages))), {
        description: 'The language of mails about the license; null: the language of the product.',
      }),
      metadata: z.optional(metadata),
      expires_at: documented(z.optional(z.nullable(timestampInput)), {
        description: 'The new expiry, which may be earlier or later than the current expiry; null: the license never expires.',
      }),
      updates_until: documented(z.optional(z.nullable(timestampInput)), {
        description: 'The new end of updates, which may be earlier or later than the current end; null: no limit by date.',
      }),
      max_major: z.optional(maxMajor),
      max_seats: documented(z.optional(z.nullable(checked(z.int(), z.minimum(0)))), {
        description: "The license's own number of seats; 0: unlimited; null: the number of seats of the license type.",
      }),
      features: documented(z.optional(z.nullable(features)), {
        description: "The license's own features; null: the features of the license type.",
      }),
      limits: documented(z.optional(z.nullable(limits)), {
        description:
          "The license's own limits, which replace the limits of the license type as a whole; null: the limits of the license type.",
      }),
      meters: documented(z.optional(z.nullable(meters)), {
        description:
          "The license's own meters, which replace the meters of the license type as a whole; null: the meters of the license type.",
      }),
      license_type_id: documented(z.optional(checked(z.int(), z.minimum(1))), {
        description: 'The id of a license type of the same product. The type must have the same `binding`, and must not be archived.',
      }),
    }),
    z.refine((body) => Object.values(body).some((value) => value !== undefined), { error: 'must name at least one field to change' }),
  ),
  idempotent: true,
  response: license,
  errors: ['license_revoked'],
  store: {
    ...licenseChange,
    UpdateItem: ['license', 'licenseId', 'metadata', 'meter'],
    PutItem: ['metadata', 'previousAddress'],
    DeleteItem: ['licenseId'],
  },
  emits: ['license.updated'],
  examples: { request: { max_seats: 10, features: ['export', 'sync'] }, response: { ...licenseExample, seats: { used: 1, max: 10 } } },
}));

export const deleteActivation = /* @__PURE__ */ endpoint(() => ({
  name: 'deleteActivation',
  method: 'DELETE',
  path: '/v1/licenses/{id}/activations/{fingerprint}',
  tag: 'Licenses',
  summary: 'Free the seat of one device',
  description:
    'Frees the seat of the device with this fingerprint, in every status of the license. The fingerprint in the path is percent-encoded. The response is 422 if the fingerprint has a wrong format.',
  credential: 'admin',
  scope: ['licenses', 'support'],
  subject: 'license',
  params: z.object({ id: pathId, fingerprint: documented(z.string(), { examples: [deviceExample.fingerprint] }) }),
  response: deactivation,
  errors: ['invalid_request'],
  store: {
    GetItem: ['license'],
    BatchGetItem: ['license', 'member'],
    PutItem: ['member'],
    UpdateItem: ['license'],
    DeleteItem: ['license'],
  },
  emits: ['license.deactivated'],
  examples: { response: { freed: true } },
}));

export const createActivation = /* @__PURE__ */ endpoint(() => ({
  name: 'createActivation',
  method: 'POST',
  path: '/v1/licenses/{id}/activations',
  tag: 'Licenses',
  summary: 'Add a device to a license',
  description:
    'Gives a seat to a device that was activated at another system, so that its user does not have to activate it again. The device does not count for the limit `new_devices_per_week`. If the expiry of the license has passed but its status is still `active`, the device is added, too. If the device has a seat already, the request changes nothing. Devices of a license of named people are bound only by a sign-in (403 `sign_in_required`).',
  credential: 'admin',
  scope: 'licenses',
  subject: 'license',
  params: z.object({ id: pathId }),
  body: z.object({
    fingerprint,
    name: documented(z.nullish(text(0, 200)), { description: 'A name by which people recognize the device.' }),
    platform: documented(z.nullish(text(0, 200)), { description: 'The platform of the device, for example its operating system.' }),
    activated_at: documented(z.nullish(timestampInput), {
      description:
        'When the device was activated; null: now. The time must not be in the future. If the term of the license starts with the first activation and has not started yet, it starts at this time.',
    }),
  }),
  additive: true,
  repeatable: true,
  response: device,
  errors: [...refusalErrors, 'no_seats', 'sign_in_required'],
  store: {
    GetItem: ['license'],
    BatchGetItem: ['license'],
    UpdateItem: ['license'],
    PutItem: ['license'],
  },
  emits: ['license.activated'],
  examples: {
    request: { fingerprint: deviceExample.fingerprint, name: 'Studio Mac', activated_at: '2026-05-04T09:30:00Z' },
    response: { ...deviceExample, name: 'Studio Mac', activated_at: '2026-05-04T09:30:00.000Z', last_seen_on: '2026-05-04' },
  },
}));

/** The body of a request that adds a device. */
export type AddedDevice = z.input<typeof createActivation.body>;

/** The format of the parameter `fingerprint` in the path of {@link deleteActivation}, after percent-decoding. */
export const deviceFingerprint = fingerprint;

export const reissueLicense = /* @__PURE__ */ endpoint(() => ({
  name: 'reissueLicense',
  method: 'POST',
  path: '/v1/licenses/{id}/reissue',
  tag: 'Licenses',
  summary: 'Give a license a new key',
  description:
    'Replaces a key that has leaked. The license keeps its id, history and terms, and every seat is freed. From now on the previous key is refused like the key of a revoked license.',
  credential: 'admin',
  scope: ['licenses', 'support'],
  subject: 'license',
  params: z.object({ id: pathId }),
  idempotent: true,
  response: license,
  errors: ['license_revoked'],
  store: {
    ...licenseChange,
    // The product is read, because its mail settings say whether keys are mailed.
    GetItem: ['license', 'product'],
    Query: [...licenseChange.Query, 'meter'],
    UpdateItem: ['license', 'licenseId'],
    PutItem: ['license', 'freedDevices', 'meter'],
  },
  emits: ['license.reissued'],
  examples: { response: { ...licenseExample, key: 'VKTFZ-3K6VP-JNM4E-B07SN-5QY2C', seats: { used: 0, max: 3 }, activations: [] } },
}));
