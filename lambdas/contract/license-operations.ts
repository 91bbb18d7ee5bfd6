import * as z from 'zod';
import { endpoint } from './endpoint';
import { deviceExample, licenseExample } from './examples';
import { languages } from './languages';
import { deactivation, email, features, fingerprint, license, maxMajor, metadata, pathId } from './resources';
import { text, timestampInput } from './text';

/** The endpoints with which an operator changes a license after the sale (docs/spec/licenses.md). */

/** The table access that is needed to change a license that is found by its id. */
export const licenseChange = {
  GetItem: ['licenseId', 'license'],
  BatchGetItem: ['license', 'product', 'metadata'],
  Query: ['license'],
  UpdateItem: ['license'],
  PutItem: ['event'],
} as const;

/** The table access that is needed to change a license with an `Idempotency-Key`. */
export const idempotentLicenseChange = {
  ...licenseChange,
  GetItem: ['licenseId', 'license', 'idempotency'],
  PutItem: ['event', 'idempotency'],
} as const;

const suspendedExample = {
  ...licenseExample,
  status: 'suspended',
  suspended_at: '2026-12-01T09:00:00.000Z',
  suspended_reason: 'chargeback',
  suspended_by: 'operator',
  suspended_cause: 'operator',
};

export const suspendLicense = endpoint({
  name: 'suspendLicense',
  method: 'POST',
  path: '/v1/licenses/{id}/suspend',
  tag: 'Licenses',
  summary: 'Suspend a license',
  description:
    'Pauses an active or expired license: activations and validations are refused until it is reinstated. Freeing seats, renewing, revoking and reissuing still work. Repeating it changes nothing.',
  credential: 'admin',
  scope: 'licenses',
  subject: 'license',
  params: z.object({ id: pathId }),
  body: z.object({ reason: text(0, 200).nullish().meta({ description: 'Why, for the operator.' }) }),
  bodyOptional: true,
  repeatable: true,
  status: 200,
  response: license,
  errors: ['license_revoked'],
  store: licenseChange,
  emits: ['license.suspended'],
  examples: { request: { reason: 'chargeback' }, response: suspendedExample },
});

export const reinstateLicense = endpoint({
  name: 'reinstateLicense',
  method: 'POST',
  path: '/v1/licenses/{id}/reinstate',
  tag: 'Licenses',
  summary: 'End the suspension of a license',
  description:
    'A suspended license becomes active again; an expiry that has passed meanwhile is noticed by the next check. For any other license nothing changes.',
  credential: 'admin',
  scope: 'licenses',
  subject: 'license',
  params: z.object({ id: pathId }),
  additive: true,
  repeatable: true,
  status: 200,
  response: license,
  errors: ['license_revoked'],
  store: licenseChange,
  emits: ['license.reinstated'],
  examples: { response: licenseExample },
});

export const updateLicense = endpoint({
  name: 'updateLicense',
  method: 'PATCH',
  path: '/v1/licenses/{id}',
  tag: 'Licenses',
  summary: 'Change a license',
  description:
    'Changes what is named, and only that. A later expiry, or null, makes an expired license active again. Naming `license_type_id` moves the license to another type of its product, whose terms apply from now on; the expiry and the end of updates stay unless they are named. A revoked license takes only `customer_email`, `language` and `metadata`. An empty body or an unknown field is refused, because a typing error must not look like a change.',
  credential: 'admin',
  scope: 'licenses',
  subject: 'license',
  params: z.object({ id: pathId }),
  body: z
    .strictObject({
      customer_email: email.nullable().optional().meta({ description: "The buyer's address; null removes it." }),
      language: z.enum(languages).nullable().optional().meta({ description: "The language of its mails; null: the product's." }),
      metadata: metadata.optional(),
      expires_at: timestampInput.nullable().optional().meta({ description: 'In any direction; null: never.' }),
      updates_until: timestampInput.nullable().optional().meta({ description: 'In any direction; null: no such limit.' }),
      max_major: maxMajor.optional(),
      max_seats: z
        .int()
        .min(0)
        .nullable()
        .optional()
        .meta({ description: "The license's own number of seats; 0 means unlimited, null: its type's." }),
      features: features.nullable().optional().meta({ description: "The license's own features; null: its type's." }),
      license_type_id: z.int().min(1).optional().meta({ description: 'A license type of the same product that is not archived.' }),
    })
    .refine((body) => Object.values(body).some((value) => value !== undefined), { error: 'must name at least one field to change' }),
  idempotent: true,
  status: 200,
  response: license,
  errors: ['license_revoked'],
  store: {
    ...idempotentLicenseChange,
    UpdateItem: ['license', 'licenseId', 'metadata'],
    PutItem: ['event', 'metadata', 'idempotency'],
  },
  secrets: ['encryptionKey'],
  emits: ['license.updated'],
  examples: { request: { max_seats: 10, features: ['export', 'sync'] }, response: { ...licenseExample, seats: { used: 1, max: 10 } } },
});

export const deleteActivation = endpoint({
  name: 'deleteActivation',
  method: 'DELETE',
  path: '/v1/licenses/{id}/activations/{fingerprint}',
  tag: 'Licenses',
  summary: 'Free the seat of one device',
  description: 'Works in every status. The fingerprint is percent-encoded; one that no device can have is 422.',
  credential: 'admin',
  scope: 'licenses',
  subject: 'license',
  params: z.object({ id: pathId, fingerprint: z.string().meta({ examples: [deviceExample.fingerprint] }) }),
  status: 200,
  response: deactivation,
  errors: ['invalid_request'],
  store: {
    GetItem: ['licenseId', 'license'],
    BatchGetItem: ['license'],
    UpdateItem: ['license'],
    DeleteItem: ['license'],
    PutItem: ['event'],
  },
  emits: ['license.deactivated'],
  examples: { response: { freed: true } },
});

/** The format of the path parameter of {@link deleteActivation}, after decoding. */
export const deviceFingerprint = fingerprint;

export const reissueLicense = endpoint({
  name: 'reissueLicense',
  method: 'POST',
  path: '/v1/licenses/{id}/reissue',
  tag: 'Licenses',
  summary: 'Give a license a new key',
  description:
    'For a key that has leaked. The license keeps its id, history and terms; every seat is freed, and the old key is refused from now on like that of a revoked license.',
  credential: 'admin',
  scope: 'licenses',
  subject: 'license',
  params: z.object({ id: pathId }),
  idempotent: true,
  status: 200,
  response: license,
  errors: ['license_revoked'],
  store: {
    ...idempotentLicenseChange,
    // The product is read because it says whether keys are mailed.
    GetItem: ['licenseId', 'license', 'idempotency', 'product'],
    UpdateItem: ['license', 'licenseId'],
    PutItem: ['license', 'event', 'freedDevices', 'idempotency'],
  },
  secrets: ['encryptionKey'],
  emits: ['license.reissued'],
  examples: { response: { ...licenseExample, key: 'VKTFZ-3K6VP-JNM4E-B07SN-5QY2C', seats: { used: 0, max: 3 }, activations: [] } },
});
