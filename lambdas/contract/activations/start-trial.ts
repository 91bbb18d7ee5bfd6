import * as z from 'zod/mini';
import { endpoint } from '../endpoint';
import { activationEvents } from '../events';
import { deviceExample } from '../examples';
import { TRIALS_PER_DAY } from '../limits';
import { email, fingerprint, pathId } from '../resources';
import { documented } from '../schema';
import { refusalErrors } from '../statuses';
import { nameText } from '../text';
import { activation, activationExample } from './activate';
import { records, signs } from './shared';

export const startTrial = endpoint({
  name: 'startTrial',
  method: 'POST',
  path: '/v1/products/{id}/trial',
  tag: 'Activation',
  summary: 'Start a trial without a key',
  description: `Issues a license of the product's self-service type and activates it on the device (201). A device can start only one trial of each product. A repeated request returns the same license (200) while the license may be used, and takes a seat again if the seat was freed. The response is 404 if the product offers no trial. The response is 429 if ${TRIALS_PER_DAY} trials of the product were already started with the same \`customer_email\` within 24 hours.`,
  credential: 'product',
  params: z.object({ id: pathId }),
  body: z.object({
    fingerprint,
    name: documented(z.nullish(nameText(0, 200)), { description: 'The name of the device, for people; default empty.' }),
    platform: documented(z.nullish(nameText(0, 200)), {
      description: 'The platform of the device, for example its operating system; default empty.',
    }),
    customer_email: documented(z.nullish(email), {
      description:
        "The buyer's address, if the app asks for it. The service does not verify the address. The operator sees the address with the license. Searches and exports by address do not find the license until the operator sets `customer_email`. The key of a trial is never mailed automatically.",
    }),
  }),
  status: 201,
  repeatedStatus: 200,
  response: activation,
  errors: ['not_found', ...refusalErrors, 'no_seats', 'too_many_devices', 'rate_limited'],
  store: {
    GetItem: ['product', 'licenseId', 'license', 'unique'],
    BatchGetItem: [...signs.reads, 'unique'],
    Query: ['license', records],
    UpdateItem: ['license', 'counter', 'limit'],
    DeleteItem: ['license'],
    PutItem: ['license', 'licenseId', 'unique', 'event', records],
  },
  secrets: signs.secrets,
  emits: ['license.created', ...activationEvents],
  settings: ['deviceTokenDays', 'expiringDays'],
  throttle: { rate: 200, burst: 400 },
  examples: {
    request: { fingerprint: deviceExample.fingerprint, name: "Ada's laptop", platform: 'linux' },
    response: activationExample,
  },
});
