import * as z from 'zod/mini';
import { keyCheck } from './activations';
import { endpoint } from './endpoint';
import { adminMeterExample, deviceExample, licenseExample, meterExample } from './examples';
import { adminMeter, fingerprint, licenseKey, meter, pathId } from './resources';
import { itemName } from './resources/license-limits';
import { checked, documented } from './schema';
import { refusalErrors, SIGN_IN_REQUIRED } from './statuses';
import { hasControlCharacters, text } from './text';

/** The endpoints that count what is consumed (docs/spec/meters.md, Meters). */

/** The largest amount of one request. */
const MAX_AMOUNT = 1_000_000_000;

const consumption = {
  meter: documented(text(1, 64), { description: 'The name of a meter of the license.', examples: ['exports'] }),
  amount: documented(
    checked(
      z.int(),
      z.minimum(-MAX_AMOUNT),
      z.maximum(MAX_AMOUNT),
      z.refine((amount) => amount !== 0, { error: 'must not be 0' }),
    ),
    {
      description: 'What is consumed. A negative amount gives back, if the meter is `returnable`.',
      examples: [1],
    },
  ),
  id: documented(
    checked(
      z.string(),
      z.refine(
        (id) => {
          const { length } = Array.from(id);
          return length >= 8 && length <= 64 && id.trim() === id && id.isWellFormed() && !hasControlCharacters(id);
        },
        { error: 'must be 8 to 64 characters without white space at its ends' },
      ),
    ),
    {
      type: 'string',
      minLength: 8,
      maxLength: 64,
      description:
        'An id that the caller chooses for this consumption. A repeated request with the same id consumes nothing more, for 30 days.',
      examples: ['0b7f3c52-6d1e-4a7b-9f53-2f6f0d7c8a11'],
    },
  ),
};

/** The table access to check a license, to count, and to record a refusal or an expiry. */
const counting = { UpdateItem: ['license', 'meter'], GetItem: ['meterId'], PutItem: ['meterId'] } as const;
const meterErrors = ['not_activated', 'unknown_meter', 'idempotency_mismatch', 'meter_exhausted'] as const;
const throttle = { rate: 2000, burst: 2000 } as const;

const consumptionExample = { meter: 'exports', amount: 1, id: '0b7f3c52-6d1e-4a7b-9f53-2f6f0d7c8a11' };
const deviceOfExample = { key: licenseExample.key, fingerprint: deviceExample.fingerprint };

export const consume = /* @__PURE__ */ endpoint(() => ({
  name: 'consume',
  method: 'POST',
  path: '/v1/products/{id}/consume',
  tag: 'Activation',
  summary: 'Consume from a meter',
  description:
    'Counts an amount that the app consumed, and returns the meter. The device must have a seat of the license. A repeated request with the same `id` consumes nothing more; it gets the first response, with the header `Idempotent-Replayed: true`. A refused request consumes nothing and does not use up its `id`.',
  credential: 'product',
  params: z.object({ id: pathId }),
  body: z.object({ key: licenseKey, fingerprint, ...consumption }),
  repeatable: true,
  response: meter,
  errors: ['not_found', ...refusalErrors, SIGN_IN_REQUIRED, ...meterErrors],
  store: {
    ...keyCheck,
    BatchGetItem: [...keyCheck.BatchGetItem, 'meter'],
    Query: ['refusal'],
    ...counting,
    GetItem: [...keyCheck.GetItem, ...counting.GetItem],
    PutItem: [...counting.PutItem, 'refusal'],
  },
  emits: ['license.meter_reached', 'license.expired'],
  throttle,
  examples: { request: { ...deviceOfExample, ...consumptionExample }, response: meterExample },
}));

export const listAppMeters = /* @__PURE__ */ endpoint(() => ({
  name: 'listAppMeters',
  method: 'POST',
  path: '/v1/products/{id}/meters',
  tag: 'Activation',
  summary: 'List the meters of a license for an app',
  description: 'Returns the meters of the license by name, with what was consumed in the current period. The device must have a seat.',
  credential: 'product',
  params: z.object({ id: pathId }),
  body: z.object({ key: licenseKey, fingerprint }),
  repeatable: true,
  response: z.array(meter),
  errors: ['not_found', ...refusalErrors, SIGN_IN_REQUIRED, 'not_activated'],
  store: {
    ...keyCheck,
    BatchGetItem: [...keyCheck.BatchGetItem, 'meter'],
    Query: ['refusal'],
    UpdateItem: ['license'],
    PutItem: ['refusal'],
  },
  emits: ['license.expired'],
  size: 'fast',
  throttle,
  examples: { request: deviceOfExample, response: [meterExample] },
}));

export const listLicenseMeters = /* @__PURE__ */ endpoint(() => ({
  name: 'listLicenseMeters',
  method: 'GET',
  path: '/v1/licenses/{id}/meters',
  tag: 'Licenses',
  summary: 'List the meters of a license',
  description: 'Returns the meters of the license by name, with what was consumed in the current period.',
  credential: 'admin',
  scope: 'read',
  subject: 'license',
  params: z.object({ id: pathId }),
  response: z.array(adminMeter),
  store: { GetItem: ['license'], BatchGetItem: ['meter'] },
  size: 'standard',
  examples: { response: [adminMeterExample] },
}));

export const consumeForLicense = /* @__PURE__ */ endpoint(() => ({
  name: 'consumeForLicense',
  method: 'POST',
  path: '/v1/licenses/{id}/consume',
  tag: 'Licenses',
  summary: "Consume from a meter for the vendor's own backend",
  description:
    'Counts an amount as the route for apps does, with the same refusals and repeats, but without a device. The audit log has no entry about it.',
  credential: 'admin',
  scope: 'licenses',
  subject: 'license',
  params: z.object({ id: pathId }),
  body: z.object(consumption),
  unaudited: true,
  additive: true,
  repeatable: true,
  response: meter,
  errors: [...refusalErrors, ...meterErrors.slice(1)],
  store: { ...counting, GetItem: ['license', ...counting.GetItem], BatchGetItem: ['license', 'meter'] },
  emits: ['license.meter_reached', 'license.expired'],
  examples: { request: consumptionExample, response: meterExample },
}));

const safeInteger = z.int();

export const correctMeter = /* @__PURE__ */ endpoint(() => ({
  name: 'correctMeter',
  method: 'POST',
  path: '/v1/licenses/{id}/meters/{name}',
  tag: 'Licenses',
  summary: 'Correct a meter of a license',
  description:
    'Sets what was consumed in the current period to `used`, or changes it by `add`. Works in every status of the license. The result may exceed `included`.',
  credential: 'admin',
  scope: 'licenses',
  subject: 'license',
  params: z.object({
    id: pathId,
    name: documented(checked(z.string(), z.regex(itemName)), { description: 'The name of the meter.', examples: ['exports'] }),
  }),
  body: checked(
    z.object({
      used: documented(z.nullish(checked(z.int(), z.minimum(0))), { description: 'The new amount.' }),
      add: documented(z.nullish(safeInteger), {
        description: `The amount to add; may be negative. The result is at least 0 and at most ${Number.MAX_SAFE_INTEGER}.`,
      }),
    }),
    z.refine((body) => (body.used == null) !== (body.add == null), {
      path: ['used'],
      error: 'must be given if add is missing, and cannot be combined with add',
    }),
  ),
  idempotent: true,
  response: adminMeter,
  errors: ['unknown_meter'],
  store: { GetItem: ['license'], BatchGetItem: ['license', 'meter'], UpdateItem: ['license', 'meter'] },
  emits: ['license.meter_reached'],
  examples: { request: { add: -5 }, response: { ...adminMeterExample, used: 33, remaining: 967 } },
}));
