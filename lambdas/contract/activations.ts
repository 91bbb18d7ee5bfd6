import * as z from 'zod';
import { endpoint } from './endpoint';
import { clientLicenseExample, deviceExample, deviceTokenExample, licenseExample } from './examples';
import { TRIALS_PER_DAY } from './limits';
import {
  clientLicense,
  deactivation,
  device,
  email,
  featureNames,
  fingerprint,
  licenseKey,
  licenseStatus,
  pathId,
  seats,
} from './resources';
import { refusalErrors, refusedStatuses } from './statuses';
import { nameText } from './text';

const offlineToken = z
  .string()
  .meta({ description: "A compact JWS (EdDSA) bound to the fingerprint; verify it with the product's public key to work offline." });

/** What a client route needs to know of a product, a license and a device. */
const clientReads = ['product', 'license'] as const;
/** Routes that sign tokens read the seeds as well. */
const signs = { reads: [...clientReads, 'signingKey'], secrets: ['signingKey'] } as const;

/** What an activation responds. */
const activation = z
  .object({
    status: licenseStatus,
    license: clientLicense,
    device,
    seats,
    features: featureNames,
    offline_token: offlineToken,
  })
  .meta({ id: 'Activation' });

const activationExample = {
  status: 'active',
  license: clientLicenseExample,
  device: deviceExample,
  seats: { used: 1, max: 3 },
  features: ['export', 'sync'],
  offline_token: deviceTokenExample,
};

export const activate = endpoint({
  name: 'activate',
  method: 'POST',
  path: '/v1/products/{id}/activate',
  tag: 'Activation',
  summary: 'Activate a license on a machine',
  description:
    'Binds the fingerprint to the license and takes a seat. A fingerprint that is bound already takes none and gets a fresh offline token; a changed name or platform is stored.',
  credential: 'product',
  params: z.object({ id: pathId }),
  body: z.object({
    key: licenseKey,
    fingerprint,
    name: nameText(0, 200).nullish().meta({ description: 'A label for people; default empty.' }),
    platform: nameText(0, 200).nullish().meta({ description: 'For example the operating system; default empty.' }),
  }),
  status: 200,
  response: activation,
  errors: ['not_found', ...refusalErrors, 'no_seats', 'too_many_devices'],
  store: {
    GetItem: ['product'],
    BatchGetItem: signs.reads,
    // Seats whose leases have ended.
    Query: ['license'],
    UpdateItem: ['license'],
    DeleteItem: ['license'],
    PutItem: ['license', 'event'],
  },
  secrets: signs.secrets,
  emits: ['license.activated', 'license.deactivated', 'license.expired', 'license.expiring', 'license.seats_exhausted'],
  settings: ['deviceTokenDays', 'expiringDays'],
  // Once in a device's life. Much more than this is a script that tries keys, or a reason to raise the limit.
  throttle: { rate: 200, burst: 400 },
  examples: {
    request: { key: licenseExample.key, fingerprint: deviceExample.fingerprint, name: "Ada's laptop", platform: 'linux' },
    response: activationExample,
  },
});

export const startTrial = endpoint({
  name: 'startTrial',
  method: 'POST',
  path: '/v1/products/{id}/trial',
  tag: 'Activation',
  summary: 'Start a trial without a key',
  description: `Issues a license of the self-service type of the product and activates it on the device: 201. Once for each product and device, for ever: asked again it returns the same license (200) while that is good, and takes a freed seat again. 404 if the product offers no trial. 429 if ${TRIALS_PER_DAY} trials of the product were started with the same \`customer_email\` within 24 hours.`,
  credential: 'product',
  params: z.object({ id: pathId }),
  body: z.object({
    fingerprint,
    name: nameText(0, 200).nullish().meta({ description: 'A label for people; default empty.' }),
    platform: nameText(0, 200).nullish().meta({ description: 'For example the operating system; default empty.' }),
    customer_email: email.nullish().meta({
      description:
        "The buyer's address, if the app asks for it. The service does not verify it: the operator sees it with the license, but no search and no export by address finds it, until the operator sets it as `customer_email`. Trials are never mailed.",
    }),
  }),
  status: 201,
  repeatedStatus: 200,
  response: activation,
  errors: ['not_found', ...refusalErrors, 'no_seats', 'too_many_devices', 'rate_limited'],
  store: {
    GetItem: ['product', 'licenseId', 'license', 'unique'],
    BatchGetItem: [...signs.reads, 'unique'],
    Query: ['license'],
    UpdateItem: ['license', 'counter', 'limit'],
    DeleteItem: ['license'],
    PutItem: ['license', 'licenseId', 'unique', 'event'],
  },
  secrets: signs.secrets,
  emits: ['license.created', 'license.activated', 'license.deactivated', 'license.expired', 'license.expiring', 'license.seats_exhausted'],
  settings: ['deviceTokenDays', 'expiringDays'],
  throttle: { rate: 200, burst: 400 },
  examples: {
    request: { fingerprint: deviceExample.fingerprint, name: "Ada's laptop", platform: 'linux' },
    response: activationExample,
  },
});

export const deactivate = endpoint({
  name: 'deactivate',
  method: 'POST',
  path: '/v1/products/{id}/deactivate',
  tag: 'Activation',
  summary: "Free a machine's seat",
  description: 'Idempotent: `freed` says whether a seat was freed now. Works on revoked and expired licenses too.',
  credential: 'product',
  params: z.object({ id: pathId }),
  body: z.object({ key: licenseKey, fingerprint }),
  status: 200,
  response: deactivation,
  errors: ['not_found'],
  store: {
    GetItem: ['product'],
    BatchGetItem: clientReads,
    UpdateItem: ['license'],
    DeleteItem: ['license'],
    PutItem: ['event'],
  },
  emits: ['license.deactivated'],
  throttle: { rate: 200, burst: 400 },
  examples: {
    request: { key: licenseExample.key, fingerprint: deviceExample.fingerprint },
    response: { freed: true },
  },
});

export const validate = endpoint({
  name: 'validate',
  method: 'GET',
  path: '/v1/products/{id}/validate',
  tag: 'Activation',
  summary: 'Check a license',
  description:
    'Says whether the license is valid now. `device` and a fresh `offline_token` are present if the fingerprint is bound to it. The response to an unknown key is `{"valid": false, "status": "invalid"}`.',
  credential: 'product',
  params: z.object({ id: pathId }),
  query: z.object({ key: licenseKey, fingerprint }),
  status: 200,
  response: z
    .union([
      z.object({
        valid: z.literal(true),
        status: licenseStatus,
        license: clientLicense,
        device: device.optional(),
        seats,
        features: featureNames,
        offline_token: offlineToken.optional(),
      }),
      z.object({ valid: z.literal(false), status: z.enum(['invalid', ...refusedStatuses]) }),
    ])
    .meta({ id: 'Validation' }),
  errors: [],
  store: { GetItem: ['product'], BatchGetItem: signs.reads, UpdateItem: ['license'], PutItem: ['event'] },
  secrets: signs.secrets,
  emits: ['license.expired', 'license.expiring'],
  settings: ['deviceTokenDays', 'expiringDays'],
  // The hot path: every start of an app may come here.
  throttle: { rate: 2000, burst: 2000 },
  examples: {
    response: {
      valid: true,
      status: 'active',
      license: clientLicenseExample,
      device: deviceExample,
      seats: { used: 1, max: 3 },
      features: ['export', 'sync'],
      offline_token: deviceTokenExample,
    },
  },
});
