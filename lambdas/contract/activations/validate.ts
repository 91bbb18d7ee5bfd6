import * as z from 'zod/mini';
import { endpoint } from '../endpoint';
import { clientLicenseExample, deviceExample, deviceTokenExample } from '../examples';
import { clientLicense, device, featureNames, fingerprint, licenseKey, licenseStatus, pathId, seats, updates } from '../resources';
import { documented } from '../schema';
import { refusedStatuses } from '../statuses';
import { offlineToken, records, releasedAt, releaseVersion, signs } from './shared';

export const validate = endpoint({
  name: 'validate',
  method: 'GET',
  path: '/v1/products/{id}/validate',
  tag: 'Activation',
  summary: 'Check a license',
  description:
    'Returns whether the license is valid now. `device` and a new `offline_token` are present if the device with this fingerprint is bound to the license. The response to an unknown key is `{"valid": false, "status": "invalid"}`.',
  credential: 'product',
  params: z.object({ id: pathId }),
  query: z.object({ key: licenseKey, fingerprint, version: z.optional(releaseVersion), released_at: z.optional(releasedAt) }),
  status: 200,
  response: documented(
    z.union([
      z.object({
        valid: z.literal(true),
        status: licenseStatus,
        license: clientLicense,
        device: z.optional(device),
        seats,
        features: featureNames,
        updates,
        covered: documented(z.optional(z.boolean()), {
          description: 'Whether the license covers the release in the query; absent if the query contains no release.',
        }),
        offline_token: z.optional(offlineToken),
      }),
      z.object({ valid: z.literal(false), status: z.enum(['invalid', ...refusedStatuses]) }),
    ]),
    { id: 'Validation' },
  ),
  errors: [],
  store: { GetItem: ['product'], BatchGetItem: signs.reads, Query: [records], UpdateItem: ['license'], PutItem: ['event', records] },
  secrets: signs.secrets,
  emits: ['license.expired', 'license.expiring', 'license.updates_expiring'],
  settings: ['deviceTokenDays', 'expiringDays'],
  // Apps may send this request at every start, so its rate limit is high.
  throttle: { rate: 2000, burst: 2000 },
  examples: {
    response: {
      valid: true,
      status: 'active',
      license: clientLicenseExample,
      device: deviceExample,
      seats: { used: 1, max: 3 },
      features: ['export', 'sync'],
      updates: { until: null, max_major: null },
      offline_token: deviceTokenExample,
    },
  },
});
