import * as z from 'zod/mini';
import { endpoint } from '../endpoint';
import { deviceExample, licenseExample } from '../examples';
import { deactivation, fingerprint, licenseKey, pathId } from '../resources';
import { checked } from '../schema';
import { deviceRef } from './activate';
import { clientReads, records } from './shared';

export const deactivate = endpoint({
  name: 'deactivate',
  method: 'POST',
  path: '/v1/products/{id}/deactivate',
  tag: 'Activation',
  summary: "Free a device's seat",
  description:
    'Frees the seat of a device, which the body identifies by its fingerprint or by its `ref` from the list of devices. `freed` says whether this request freed a seat. A repeated request changes nothing. The request also works for revoked and expired licenses.',
  credential: 'product',
  params: z.object({ id: pathId }),
  body: checked(
    z.object({ key: licenseKey, fingerprint: z.nullish(fingerprint), device: z.nullish(deviceRef) }),
    z.refine((body) => (body.fingerprint == null) !== (body.device == null), {
      path: ['fingerprint'],
      error: 'must be given if device is missing, and cannot be combined with device',
    }),
  ),
  status: 200,
  response: deactivation,
  errors: ['not_found'],
  store: {
    GetItem: ['product'],
    BatchGetItem: clientReads,
    // The query reads the devices of the license, to find a device by its ref.
    Query: ['license', records],
    UpdateItem: ['license'],
    DeleteItem: ['license'],
    PutItem: ['event', records],
  },
  emits: ['license.deactivated'],
  throttle: { rate: 200, burst: 400 },
  examples: {
    request: { key: licenseExample.key, fingerprint: deviceExample.fingerprint },
    response: { freed: true },
  },
});
