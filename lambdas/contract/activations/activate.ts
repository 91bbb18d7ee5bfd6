import * as z from 'zod/mini';
import { endpoint } from '../endpoint';
import { activationEvents } from '../events';
import { clientLicenseExample, deviceExample, deviceTokenExample, licenseExample } from '../examples';
import { clientLicense, device, featureNames, fingerprint, licenseKey, licenseStatus, pathId, seats, updates } from '../resources';
import { documented } from '../schema';
import { refusalErrors } from '../statuses';
import { nameText, text } from '../text';
import { offlineToken, records, releasedAt, releaseVersion, signs } from './shared';

/** The response to an activation. */
export const activation = documented(
  z.object({
    status: licenseStatus,
    license: clientLicense,
    device,
    seats,
    features: featureNames,
    updates,
    offline_token: offlineToken,
  }),
  { id: 'Activation' },
);

export const activationExample = {
  status: 'active',
  license: clientLicenseExample,
  device: deviceExample,
  seats: { used: 1, max: 3 },
  features: ['export', 'sync'],
  updates: { until: null, max_major: null },
  offline_token: deviceTokenExample,
};

/** A reference to a device in the requests of apps. `deviceRef` in `domain/activation.ts` computes the references. */
export const deviceRef = documented(text(1, 100), { description: 'The `ref` of a device in the list of devices.' });

export const activate = endpoint({
  name: 'activate',
  method: 'POST',
  path: '/v1/products/{id}/activate',
  tag: 'Activation',
  summary: 'Activate a license on a device',
  description:
    'Binds the device with this fingerprint to the license. A new device takes a seat. A device that is already bound takes no further seat and gets a new offline token. A changed name or platform is stored.',
  credential: 'product',
  params: z.object({ id: pathId }),
  body: z.object({
    key: licenseKey,
    fingerprint,
    name: documented(z.nullish(nameText(0, 200)), { description: 'The name of the device, for people; default empty.' }),
    platform: documented(z.nullish(nameText(0, 200)), {
      description: 'The platform of the device, for example its operating system; default empty.',
    }),
    release: documented(z.nullish(z.object({ version: z.nullish(releaseVersion), released_at: z.nullish(releasedAt) })), {
      description: 'The release of the app. If the license does not cover this release, the response is 403 `release_not_covered`.',
    }),
    replace: documented(z.nullish(deviceRef), {
      description: 'The `ref` of a device that the new device replaces if the license has no free seat. An unknown `ref` frees no device.',
    }),
  }),
  status: 200,
  response: activation,
  errors: ['not_found', ...refusalErrors, 'release_not_covered', 'no_seats', 'too_many_devices'],
  store: {
    GetItem: ['product'],
    BatchGetItem: signs.reads,
    // The query finds the seats whose leases have ended.
    Query: ['license', records],
    UpdateItem: ['license'],
    DeleteItem: ['license'],
    PutItem: ['license', 'event', records],
  },
  secrets: signs.secrets,
  emits: activationEvents,
  settings: ['deviceTokenDays', 'expiringDays'],
  // The limit is low, because a device is usually activated only once. A higher rate comes from a script that tries keys, or is a reason to
  // raise the limit.
  throttle: { rate: 200, burst: 400 },
  examples: {
    request: { key: licenseExample.key, fingerprint: deviceExample.fingerprint, name: "Ada's laptop", platform: 'linux' },
    response: activationExample,
  },
});
