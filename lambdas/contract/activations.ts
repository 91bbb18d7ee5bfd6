import * as z from 'zod/mini';
import { endpoint } from './endpoint';
import { activationEvents } from './events';
import { clientLicenseExample, deviceExample, deviceTokenExample, licenseExample } from './examples';
import { TRIAL_KEPT_DAYS, TRIALS_PER_DAY } from './limits';
import { pageBy } from './paging';
import {
  clientLicense,
  deactivation,
  device,
  email,
  featureNames,
  fingerprint,
  licenseKey,
  licenseStatus,
  listedDevice,
  newDevice,
  pathId,
  seats,
  shownLimits,
  updates,
} from './resources';
import { checked, documented } from './schema';
import { checkStatuses, refusalErrors, SIGN_IN_REQUIRED } from './statuses';
import { text, timestampInput } from './text';

const offlineToken = documented(z.string(), {
  description:
    "An offline token that is bound to the device: a compact JWS (EdDSA). Apps verify the token with the product's public key, without a network.",
});

/** The table access that is needed to check a license key, and to record a refused request (docs/spec/operator.md, Why was it refused?). */
export const keyCheck = {
  BatchGetItem: ['product', 'license', 'deviceKey'],
  Query: ['refusal'],
  // If the license of a device key has received another key, the license is found by its id.
  GetItem: ['licenseId', 'license'],
  UpdateItem: ['license'],
  PutItem: ['refusal'],
} as const;
/** The table access of an endpoint that also signs tokens with the product's signing key. */
const signedKeyCheck = { ...keyCheck, BatchGetItem: [...keyCheck.BatchGetItem, 'signingKey'] } as const;
/** The table access that is needed to take or to free a seat. The query reads the devices of the license. */
const seatChange = { Query: ['license', ...keyCheck.Query], DeleteItem: ['license'] } as const;

const releaseVersion = documented(text(0, 200), {
  description:
    'The version of the release: a semantic version, or numbers separated by dots. A leading `v` is allowed. If the version has another format, only the date of the release decides whether the release is covered.',
});
const releasedAt = documented(timestampInput, { description: 'When the release was published.' });

/** The release of the app in a request to activate it. */
export const releaseOfApp = documented(z.nullish(z.object({ version: z.nullish(releaseVersion), released_at: z.nullish(releasedAt) })), {
  description: 'The release of the app. If the license does not cover this release, the response is 403 `release_not_covered`.',
});

/** What an app learns about a license that its device uses. */
const granted = { status: licenseStatus, license: clientLicense, device, seats, features: featureNames, limits: shownLimits, updates };

/** The response to an activation. */
export const activation = documented(z.object({ ...granted, offline_token: offlineToken }), { id: 'Activation' });

export const activationExample = {
  status: 'active',
  license: clientLicenseExample,
  device: deviceExample,
  seats: { used: 1, max: 3 },
  features: ['export', 'sync'],
  limits: { projects: 50 },
  updates: { until: null, max_major: null },
  offline_token: deviceTokenExample,
};

/** A reference to a device in the requests of apps. `deviceRef` in `domain/activation.ts` computes the references. */
const deviceRef = documented(text(1, 100), { description: 'The `ref` of a device in the list of devices.' });

export const activate = /* @__PURE__ */ endpoint(() => ({
  name: 'activate',
  method: 'POST',
  path: '/v1/products/{id}/activate',
  tag: 'Activation',
  summary: 'Activate a license on a device',
  description:
    'Binds the device with this fingerprint to the license and returns an offline token for the device. A new device takes a seat. A device that is already bound takes no further seat. If the name, the platform or the version of the app in the body differs from the stored value, the new value is stored.',
  credential: 'product',
  storesCountry: true,
  params: z.object({ id: pathId }),
  body: z.object({
    key: licenseKey,
    ...newDevice,
    release: releaseOfApp,
    replace: documented(z.nullish(deviceRef), {
      description: 'The `ref` of a device that the new device replaces if the license has no free seat. An unknown `ref` frees no device.',
    }),
  }),
  response: activation,
  errors: ['not_found', ...refusalErrors, 'release_not_covered', SIGN_IN_REQUIRED, 'no_seats', 'too_many_devices'],
  store: { ...signedKeyCheck, ...seatChange, PutItem: ['license', 'refusal'] },
  // `portalKey` is read only if the request contains `replace`.
  secrets: ['signingKey', 'portalKey'],
  emits: activationEvents,
  usuallyRecords: 'license.activated',
  settings: ['deviceTokenDays', 'expiringDays'],
  // The limit is low, because a device is usually activated only once. A script that tries keys would exceed the limit. If a vendor's real
  // devices reach the limit, the limit must be raised.
  throttle: { rate: 200, burst: 400 },
  examples: {
    request: {
      key: licenseExample.key,
      fingerprint: deviceExample.fingerprint,
      name: "Ada's laptop",
      platform: 'linux',
      release: { version: '2.4.0' },
    },
    response: activationExample,
  },
}));

export const startTrial = /* @__PURE__ */ endpoint(() => ({
  name: 'startTrial',
  method: 'POST',
  path: '/v1/products/{id}/trial',
  tag: 'Activation',
  summary: 'Start a trial without a key',
  description: `Issues a license of the product's license type with \`self_service\`, and activates the license on the device (201). A device can start only one trial of each product. While the license is active, a repeated request returns the same license (200). If the device's seat was freed in the meantime, the device takes a seat again. The response is 404 if the product offers no trial. The response is 429 if ${TRIALS_PER_DAY} trials of the product were already started with the same \`customer_email\` within 24 hours, or if \`trials_per_hour\` of the product is reached. A trial that was not bought is deleted ${TRIAL_KEPT_DAYS} days after its end; its device gets 403 afterwards.`,
  credential: 'product',
  storesCountry: true,
  params: z.object({ id: pathId }),
  body: z.object({
    ...newDevice,
    release: releaseOfApp,
    customer_email: documented(z.nullish(email), {
      description:
        "The buyer's e-mail address, if the app asks for it. The service does not verify the address. The operator sees the address with the license. Searches and exports by address do not find the license until the operator sets `customer_email`. The key of a trial is never mailed automatically.",
    }),
  }),
  status: 201,
  repeatedStatus: 200,
  response: activation,
  errors: ['not_found', ...refusalErrors, 'release_not_covered', 'no_seats', 'too_many_devices', 'rate_limited'],
  store: {
    ...signedKeyCheck,
    ...seatChange,
    GetItem: ['licenseId', 'license', 'unique'],
    BatchGetItem: [...signedKeyCheck.BatchGetItem, 'unique'],
    UpdateItem: ['license', 'counter', 'limit'],
    PutItem: ['license', 'licenseId', 'unique', 'refusal'],
  },
  secrets: ['signingKey'],
  emits: ['license.created', ...activationEvents],
  settings: ['deviceTokenDays', 'expiringDays'],
  throttle: { rate: 200, burst: 400 },
  examples: {
    request: { fingerprint: deviceExample.fingerprint, name: "Ada's laptop", platform: 'linux' },
    response: activationExample,
  },
}));

export const deactivate = /* @__PURE__ */ endpoint(() => ({
  name: 'deactivate',
  method: 'POST',
  path: '/v1/products/{id}/deactivate',
  tag: 'Activation',
  summary: "Free a device's seat",
  description:
    'Frees the seat of a device. The body identifies the device by `fingerprint`, or by `device`: its `ref` in the list of devices. `freed` says whether this request freed a seat. A repeated request changes nothing. The request works in every status of the license.',
  credential: 'product',
  params: z.object({ id: pathId }),
  body: checked(
    z.object({ key: licenseKey, fingerprint: z.nullish(fingerprint), device: z.nullish(deviceRef) }),
    z.refine((body) => (body.fingerprint == null) !== (body.device == null), {
      path: ['fingerprint'],
      error: 'must be given if device is missing, and cannot be combined with device',
    }),
  ),
  response: deactivation,
  errors: ['not_found'],
  store: { ...keyCheck, ...seatChange, BatchGetItem: [...keyCheck.BatchGetItem, 'member'], PutItem: ['member'] },
  // `portalKey` is read only if the request contains `device`.
  secrets: ['portalKey'],
  emits: ['license.deactivated'],
  usuallyRecords: 'license.deactivated',
  throttle: { rate: 200, burst: 400 },
  examples: {
    request: { key: licenseExample.key, fingerprint: deviceExample.fingerprint },
    response: { freed: true },
  },
}));

export const validate = /* @__PURE__ */ endpoint(() => ({
  name: 'validate',
  method: 'GET',
  path: '/v1/products/{id}/validate',
  tag: 'Activation',
  summary: 'Check a license',
  description:
    'Returns whether the license is valid now. The response contains `device` and a new `offline_token` only if the device with this fingerprint is bound to the license. The response to an unknown key is `{"valid": false, "status": "invalid"}`. The first validation of a bound device on each day (UTC) stores the version of the app.',
  credential: 'product',
  storesCountry: true,
  params: z.object({ id: pathId }),
  takesDeviceToken: true,
  query: z.object({ key: licenseKey, fingerprint, version: z.optional(releaseVersion), released_at: z.optional(releasedAt) }),
  response: documented(
    z.union([
      z.object({
        valid: z.literal(true),
        ...granted,
        device: z.optional(device),
        covered: documented(z.optional(z.boolean()), {
          description:
            'Whether the license covers the release in the query; absent if the query contains neither `version` nor `released_at`.',
        }),
        offline_token: z.optional(offlineToken),
      }),
      z.object({ valid: z.literal(false), status: z.enum(['invalid', ...checkStatuses]) }),
    ]),
    { id: 'Validation' },
  ),
  // The row of the license's id is also read if no license has the key and the request contains a token.
  store: signedKeyCheck,
  secrets: ['signingKey'],
  emits: ['license.expired', 'license.expiring', 'license.updates_expiring'],
  settings: ['deviceTokenDays', 'expiringDays'],
  // Apps may send this request at every start, so its rate limit is high.
  throttle: { rate: 2000, burst: 2000 },
  examples: {
    response: { valid: true, ...activationExample },
  },
}));

export const listDevices = /* @__PURE__ */ endpoint(() => ({
  name: 'listDevices',
  method: 'POST',
  path: '/v1/products/{id}/devices',
  tag: 'Activation',
  summary: 'List the devices of a license',
  description:
    'Returns the devices that are bound to the license, newest first. With this list, an app can let its user replace an old device with a new device. If `list_devices` of the product is false, the response is 404. The default is false, because device names are personal data.',
  credential: 'product',
  params: z.object({ id: pathId }),
  // The position of a device is the time at which it was bound, and its `ref`.
  query: z.object(pageBy(/^\d{1,16}-[\w-]{22}$/)),
  body: z.object({ key: licenseKey, fingerprint: z.nullish(fingerprint) }),
  response: z.array(
    documented(
      z.object({
        ...listedDevice,
        this: documented(z.boolean(), { description: 'True if the request contains the fingerprint of this device.' }),
      }),
      { id: 'LicenseDevice' },
    ),
  ),
  errors: ['not_found', ...refusalErrors, SIGN_IN_REQUIRED],
  store: { ...keyCheck, Query: seatChange.Query },
  secrets: ['portalKey'],
  emits: ['license.expired'],
  size: 'fast',
  throttle: { rate: 200, burst: 400 },
  examples: {
    request: { key: licenseExample.key, fingerprint: deviceExample.fingerprint },
    response: [
      {
        ref: 'gH3kQ0x7b1mZ2vT9sYwL5c',
        name: deviceExample.name,
        platform: deviceExample.platform,
        activated_at: deviceExample.activated_at,
        last_seen_on: deviceExample.last_seen_on,
        this: true,
      },
    ],
  },
}));
