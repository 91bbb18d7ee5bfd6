import * as z from 'zod/mini';
import { activation, activationExample, keyCheck, releaseOfApp } from './activations';
import { checked, documented } from './schema';
import { endpoint } from './endpoint';
import { activationEvents } from './events';
import { deviceExample } from './examples';
import { ACTIVATION_REQUEST_MINUTES } from './limits';
import { ofPortal } from './portal';
import { fingerprint, licenseKind, licenseStatus, newDevice, pathId, seats } from './resources';
import { refusalErrors } from './statuses';
import { date, text, timestamp } from './text';

/** The endpoints with which a buyer activates an app by signing in (docs/spec/sign-in.md). */

const requestToken = documented(text(1, 100), {
  description: 'The `request` that *Request an activation by sign-in* has returned. Only the app that created the request has it.',
  examples: ['q3Zl0ZmY7cJw0d0n6b3nSg2yTtJ8e1kqkq7kq1w9v4E'],
});

const userCode = documented(text(0, 200), {
  description:
    'The code that the app shows: 8 symbols. Case, hyphens and spaces are ignored. `O` is read as `0`, and `I` and `L` are read as `1`.',
  examples: ['7KX2-D9QM'],
});

const interval = documented(z.int(), { description: 'The number of seconds that the app must wait before its next poll.' });
const expiresAt = documented(timestamp, {
  description: `The end of the request, ${ACTIVATION_REQUEST_MINUTES} minutes after its creation.`,
});

export const createActivationRequest = /* @__PURE__ */ endpoint(() => ({
  name: 'createActivationRequest',
  method: 'POST',
  path: '/v1/products/{id}/activation-requests',
  tag: 'Activation',
  summary: 'Request an activation by sign-in',
  description: `Creates a request that a buyer approves in the portal. The app shows \`user_code\`, opens \`url\` in the browser, and polls for the result. A request is valid for ${ACTIVATION_REQUEST_MINUTES} minutes. A device has at most one request for each product: a new request ends the previous request. The response is 404 unless the portal of the product is enabled and allows \`sign_in\`.`,
  credential: 'product',
  storesCountry: true,
  params: z.object({ id: pathId }),
  body: z.object({
    ...newDevice,
    release: releaseOfApp,
  }),
  // A new request of a device replaces its previous one.
  idempotent: false,
  status: 201,
  response: documented(
    z.object({
      request: documented(z.string(), {
        description: 'A secret of the app, with which it polls for the result. The app must not show it or pass it to another program.',
      }),
      user_code: documented(z.string(), { description: 'The code that the app shows to its user.' }),
      url: documented(z.string(), { description: 'The page on which the buyer signs in. The fragment of the URL contains the code.' }),
      interval,
      expires_at: expiresAt,
    }),
    { id: 'ActivationRequest' },
  ),
  errors: ['not_found'],
  store: { GetItem: ['portal'], PutItem: ['activationRequest'] },
  secrets: ['portalKey'],
  settings: ['publicUrl'],
  throttle: { rate: 200, burst: 400 },
  examples: {
    request: { fingerprint: deviceExample.fingerprint, name: "Ada's MacBook", platform: 'macos' },
    response: {
      request: 'q3Zl0ZmY7cJw0d0n6b3nSg2yTtJ8e1kqkq7kq1w9v4E',
      user_code: '7KX2-D9QM',
      url: 'https://licenses.example.com/portal/acme-editor#activate=7KX2-D9QM',
      interval: 5,
      expires_at: '2026-11-20T14:02:00.123Z',
    },
  },
}));

export const pollActivationRequest = /* @__PURE__ */ endpoint(() => ({
  name: 'pollActivationRequest',
  method: 'POST',
  path: '/v1/products/{id}/activation-requests/poll',
  tag: 'Activation',
  summary: 'Poll for the result of an activation request',
  description:
    "Returns whether the buyer has decided. After an approval, `activation` contains what an activation returns, with a key of this device as `license.key`. The app uses this key in all further requests. The result can be read until the end of the request, so a lost response can be read again. If the license can't be used any more, the response is the refusal of an activation. The status `expired` also means that the request is unknown, that it belongs to another device, or that the device has lost its seat since. Polling changes nothing.",
  credential: 'product',
  params: z.object({ id: pathId }),
  body: z.object({ request: requestToken, fingerprint }),
  changesNothing: true,
  response: documented(
    z.object({
      status: z.enum(['pending', 'approved', 'denied', 'expired']),
      interval: documented(z.optional(interval), {
        description: 'Present while the status is `pending`: the number of seconds that the app must wait before its next poll.',
      }),
      activation: documented(z.optional(activation), { description: 'Present if the status is `approved`.' }),
    }),
    { id: 'ActivationRequestState' },
  ),
  errors: ['not_found', ...refusalErrors, 'release_not_covered'],
  store: { GetItem: ['portal', 'activationRequest'], BatchGetItem: ['license', 'product', 'signingKey'] },
  secrets: ['portalKey', 'signingKey'],
  settings: ['deviceTokenDays'],
  throttle: { rate: 2000, burst: 2000 },
  examples: {
    request: { request: 'q3Zl0ZmY7cJw0d0n6b3nSg2yTtJ8e1kqkq7kq1w9v4E', fingerprint: deviceExample.fingerprint },
    response: {
      status: 'approved',
      activation: {
        ...activationExample,
        license: { ...activationExample.license, key: 'H4T9W-0M3XK-Q7ZCE-8VB2N-RD56J-YA1GS' },
      },
    },
  },
}));

const offeredLicense = documented(
  z.object({
    id: checked(z.int(), z.minimum(1)),
    license_type: z.object({ name: z.string(), kind: licenseKind }),
    status: licenseStatus,
    seats,
    bound: documented(z.boolean(), { description: 'Whether the device of the request already has a seat of the license.' }),
    full: documented(z.boolean(), {
      description: 'Whether the device can use the license only if it replaces another device (`replace` of the decision).',
    }),
    devices: z.array(
      z.object({
        ref: documented(z.string(), { description: 'An opaque identifier of the device within its license.' }),
        name: z.string(),
        platform: z.string(),
        last_seen_on: z.nullable(date),
      }),
    ),
  }),
  { id: 'OfferedLicense' },
);
export type OfferedLicenseView = z.infer<typeof offeredLicense>;

/** Maximum number of licenses that are offered for a request, and maximum number of devices that are shown of each license. */
export const MAX_OFFERED = 100;

export const lookupActivationRequest = /* @__PURE__ */ endpoint(() => ({
  name: 'lookupActivationRequest',
  method: 'POST',
  path: '/v1/portal/{slug}/activation-requests/lookup',
  tag: 'Portal',
  summary: 'Show an activation request',
  description: `Returns the device that asks for an activation, and the buyer's licenses, at most ${MAX_OFFERED}: first those that can be used, and among these first those on which the device has a seat. Each license has at most ${MAX_OFFERED} devices, least recently seen first. An unknown, expired or decided code is 404. After 20 unknown codes within an hour, further requests of the buyer are 429 for an hour. The response is 404 unless the portal allows \`sign_in\`.`,
  credential: 'portal',
  allow: 'sign_in',
  params: ofPortal,
  body: z.object({ user_code: userCode }),
  changesNothing: true,
  response: documented(
    z.object({
      user_code: z.string(),
      device: z.object({
        name: documented(z.string(), { description: 'The name of the device, as the app reported it.' }),
        platform: documented(z.string(), { description: 'The platform of the device, as the app reported it.' }),
        country: documented(z.nullable(z.string()), {
          description: 'The country from which the request was sent (ISO 3166-1 alpha-2); null: not known.',
        }),
      }),
      requested_at: timestamp,
      expires_at: expiresAt,
      licenses: z.array(offeredLicense),
    }),
    { id: 'ActivationRequestDetails' },
  ),
  errors: ['rate_limited'],
  store: {
    GetItem: ['activationRequest'],
    BatchGetItem: ['activationRequest', 'limit', 'license', 'licenseId', 'member', 'metadata', 'product'],
    Query: ['license'],
    PutItem: ['limit'],
    indexes: ['email'],
  },
  secrets: ['portalKey'],
  examples: {
    request: { user_code: '7KX2-D9QM' },
    response: {
      user_code: '7KX2-D9QM',
      device: { name: "Ada's MacBook", platform: 'macos', country: 'DE' },
      requested_at: '2026-11-20T13:52:00.123Z',
      expires_at: '2026-11-20T14:02:00.123Z',
      licenses: [
        {
          id: 1,
          license_type: { name: 'Personal', kind: 'lifetime' },
          status: 'active',
          seats: { used: 1, max: 3 },
          bound: false,
          full: false,
          devices: [{ ref: 'pU1Q6f0b9cEr5dGq3Lw1aQ', name: "Ada's laptop", platform: 'linux', last_seen_on: '2026-11-20' }],
        },
      ],
    },
  },
}));

export const decideActivationRequest = /* @__PURE__ */ endpoint(() => ({
  name: 'decideActivationRequest',
  method: 'POST',
  path: '/v1/portal/{slug}/activation-requests/decision',
  tag: 'Portal',
  summary: 'Approve or deny an activation request',
  description:
    "Approving activates the license on the device of the request, and gives the device a key of its own. A new device takes a seat as in an activation. If the license is full, `replace` names a device whose seat the new device takes; it needs `free_devices` in the portal's `allow`, and counts as a device that the buyer has freed. Of a license of named people, a member may use `devices_per_user` devices, and `replace` names one of them. A refused approval leaves the request pending. If the same session repeats its decision, the response is the same until the end of the request. The response is 404 unless the portal allows `sign_in`.",
  credential: 'portal',
  allow: 'sign_in',
  params: ofPortal,
  body: checked(
    z.object({
      user_code: userCode,
      decision: z.enum(['approve', 'deny']),
      license_id: documented(z.optional(checked(z.int(), z.minimum(1))), {
        description: 'The id of the license; required if the decision is `approve`.',
      }),
      replace: documented(z.nullish(text(1, 100)), {
        description:
          'The `ref` of a device that the new device replaces if the license has no free seat. An unknown `ref` frees no device.',
      }),
    }),
    z.refine(({ decision, license_id }) => decision === 'deny' || license_id !== undefined, {
      path: ['license_id'],
      error: 'is required if decision is approve',
    }),
  ),
  repeatable: true,
  response: documented(z.object({ status: z.enum(['approved', 'denied']) }), { id: 'ActivationRequestDecision' }),
  errors: [
    'forbidden',
    ...refusalErrors,
    'release_not_covered',
    'no_seats',
    'too_many_devices',
    'too_many_user_devices',
    'too_many_frees',
    'rate_limited',
  ],
  store: {
    GetItem: ['activationRequest', 'licenseId', 'license', 'product', 'limit'],
    BatchGetItem: ['activationRequest', ...keyCheck.BatchGetItem, 'limit', 'member'],
    Query: ['license', ...keyCheck.Query],
    UpdateItem: ['activationRequest', 'license', 'limit'],
    DeleteItem: ['license'],
    PutItem: ['license', 'limit', 'refusal', 'member'],
    ConditionCheckItem: ['member'],
  },
  secrets: ['portalKey'],
  emits: [...activationEvents, 'license.member_added'],
  settings: ['expiringDays'],
  mail: 'status',
  examples: { request: { user_code: '7KX2-D9QM', decision: 'approve', license_id: 1 }, response: { status: 'approved' } },
}));
