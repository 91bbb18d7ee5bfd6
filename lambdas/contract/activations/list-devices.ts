import * as z from 'zod/mini';
import { endpoint } from '../endpoint';
import { deviceExample, licenseExample } from '../examples';
import { pageBy } from '../paging';
import { fingerprint, licenseKey, pathId } from '../resources';
import { documented } from '../schema';
import { refusalErrors } from '../statuses';
import { date, timestamp } from '../text';
import { clientReads, records } from './shared';

export const listDevices = endpoint({
  name: 'listDevices',
  method: 'POST',
  path: '/v1/products/{id}/devices',
  tag: 'Activation',
  summary: 'List the devices of a license',
  description:
    'Returns the devices that are bound to the license, newest first. With this list, an app can let its user replace an old device with a new device. The response is 404 unless the product has `list_devices` set, because device names are personal data.',
  credential: 'product',
  params: z.object({ id: pathId }),
  query: z.object(pageBy(/^\d{1,16}$/)),
  body: z.object({ key: licenseKey, fingerprint: z.nullish(fingerprint) }),
  status: 200,
  response: z.array(
    documented(
      z.object({
        ref: documented(z.string(), { description: 'An opaque identifier of the device within its license. It is not the fingerprint.' }),
        name: z.string(),
        platform: z.string(),
        activated_at: timestamp,
        last_seen_on: z.nullable(date),
        this: documented(z.boolean(), { description: 'Whether the device has the fingerprint of the request.' }),
      }),
      { id: 'LicenseDevice' },
    ),
  ),
  errors: ['not_found', ...refusalErrors],
  store: {
    GetItem: ['product'],
    BatchGetItem: clientReads,
    Query: ['license', records],
    UpdateItem: ['license'],
    PutItem: ['event', records],
  },
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
});
