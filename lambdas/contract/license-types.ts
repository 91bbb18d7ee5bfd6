import * as z from 'zod/mini';
import { checked, documented } from './schema';
import { endpoint } from './endpoint';
import { licenseTypeExample } from './examples';
import { pageById } from './paging';
import {
  binding,
  devicesPerUser,
  downloadsWhenExpired,
  features,
  leaseMinutes,
  licenseKind,
  licenseType,
  limits,
  maxMajor,
  meters,
  name,
  newDevicesPerWeek,
  pathId,
  termStart,
  updatesDays,
} from './resources';
import { DEVICES_PER_USER, isTimed } from './license-kinds';

export const createLicenseType = /* @__PURE__ */ endpoint(() => ({
  name: 'createLicenseType',
  method: 'POST',
  path: '/v1/products/{id}/license-types',
  tag: 'License types',
  summary: 'Create a license type',
  description:
    'Creates a license type. `duration_days` is required for the kinds `subscription` and `trial`, and refused for other kinds. The name must be unique within the product.',
  credential: 'admin',
  scope: 'licenses',
  subject: 'product',
  params: z.object({ id: pathId }),
  body: checked(
    z.object({
      name,
      kind: licenseKind,
      binding: documented(z.nullish(binding), {
        description:
          'What takes the seats of a license; default `device`. `device`: each device takes a seat. `user`: each member takes a seat, and may use several devices. The binding of a type cannot be changed.',
      }),
      devices_per_user: documented(z.nullish(devicesPerUser), {
        description: `Only for the binding \`user\`: the maximum number of devices that each member may use at the same time; default ${DEVICES_PER_USER}.`,
      }),
      max_seats: documented(z._default(checked(z.int(), z.minimum(0)), 0), {
        description: 'Maximum number of seats that can be taken at the same time; 0 means unlimited.',
      }),
      duration_days: documented(z.nullish(checked(z.int(), z.minimum(1), z.maximum(36_500))), {
        description:
          'The number of days from the start of the term to the expiry. The field is required for the kinds `subscription` and `trial`, and refused for other kinds.',
      }),
      features: documented(z.nullish(features), { description: 'The names of the features that the buyer may use; default none.' }),
      limits: z.nullish(limits),
      meters: z.nullish(meters),
      lease_minutes: z.optional(leaseMinutes),
      new_devices_per_week: z.nullish(newDevicesPerWeek),
      updates_days: z.optional(updatesDays),
      max_major: z.optional(maxMajor),
      starts: z.nullish(termStart),
      downloads_when_expired: z.nullish(downloadsWhenExpired),
      self_service: documented(z.nullish(z.boolean()), {
        description:
          'Whether client apps may start a trial of this type without a key. The value can be true only for a type of the kind `trial`, and for at most one type of each product.',
      }),
    }),
    z.superRefine((type, context) => {
      const refuse = (field: string, message: string): void => context.addIssue({ code: 'custom', path: [field], message });
      const given = type.duration_days != null;
      if (isTimed(type.kind) !== given)
        refuse('duration_days', given ? `does not apply to the kind ${type.kind}` : `is required for the kind ${type.kind}`);
      if (type.lease_minutes != null && type.kind !== 'floating') refuse('lease_minutes', `does not apply to the kind ${type.kind}`);
      if (type.binding !== 'user' && type.devices_per_user != null) refuse('devices_per_user', 'does not apply to the binding device');
      if (type.binding === 'user' && type.lease_minutes != null) refuse('lease_minutes', 'does not apply to the binding user');
      if (type.binding === 'user' && type.self_service === true) refuse('self_service', 'does not apply to the binding user');
      if (type.starts === 'activation' && !isTimed(type.kind)) refuse('starts', `does not apply to the kind ${type.kind}`);
      if (type.self_service === true && type.kind !== 'trial') refuse('self_service', `does not apply to the kind ${type.kind}`);
    }),
  ),
  idempotent: true,
  status: 201,
  response: licenseType,
  errors: ['duplicate'],
  store: {
    GetItem: ['product'],
    UpdateItem: ['counter'],
    PutItem: ['product', 'unique'],
  },
  examples: {
    request: { name: 'Team, yearly', kind: 'subscription', max_seats: 3, duration_days: 365 },
    response: licenseTypeExample,
  },
}));

export const listLicenseTypes = /* @__PURE__ */ endpoint(() => ({
  name: 'listLicenseTypes',
  method: 'GET',
  path: '/v1/products/{id}/license-types',
  tag: 'License types',
  summary: 'List license types',
  description: 'Returns the license types of the product in ascending id order, in pages.',
  credential: 'admin',
  scope: 'read',
  subject: 'product',
  params: z.object({ id: pathId }),
  query: z.object(pageById),
  response: z.array(licenseType),
  store: { GetItem: ['product'], Query: ['product'] },
  examples: { response: [licenseTypeExample] },
}));

/**
 * The table access that is needed to find a license type by its id. One row contains the id of the type's product, and another row contains
 * the type itself.
 */
const typeById = { GetItem: ['unique', 'product'] } as const;

export const getLicenseType = /* @__PURE__ */ endpoint(() => ({
  name: 'getLicenseType',
  method: 'GET',
  path: '/v1/license-types/{id}',
  tag: 'License types',
  summary: 'Get a license type',
  description: 'Returns the license type with this id.',
  credential: 'admin',
  scope: 'read',
  subject: 'license_type',
  params: z.object({ id: pathId }),
  response: licenseType,
  store: typeById,
  examples: { response: licenseTypeExample },
}));

export const updateLicenseType = /* @__PURE__ */ endpoint(() => ({
  name: 'updateLicenseType',
  method: 'PATCH',
  path: '/v1/license-types/{id}',
  tag: 'License types',
  summary: 'Change a license type',
  description:
    'Changes only the fields in the body. The changed terms apply to licenses that are issued from now on. Existing licenses keep the terms under which they were sold. The kind and the binding cannot be changed. An archived type issues no new licenses. An empty body or an unknown field is refused, because otherwise a typing error would look like a successful change.',
  credential: 'admin',
  scope: 'licenses',
  subject: 'license_type',
  params: z.object({ id: pathId }),
  body: checked(
    z.strictObject({
      name: z.optional(name),
      max_seats: documented(z.optional(checked(z.int(), z.minimum(0))), {
        description: 'Maximum number of seats that can be taken at the same time; 0 means unlimited.',
      }),
      devices_per_user: z.optional(devicesPerUser),
      duration_days: documented(z.optional(checked(z.int(), z.minimum(1), z.maximum(36_500))), {
        description: 'The number of days from the start of the term to the expiry. Only for the kinds `subscription` and `trial`.',
      }),
      features: z.optional(features),
      limits: z.optional(limits),
      meters: z.optional(meters),
      lease_minutes: z.optional(leaseMinutes),
      new_devices_per_week: z.optional(newDevicesPerWeek),
      updates_days: z.optional(updatesDays),
      max_major: z.optional(maxMajor),
      starts: z.optional(termStart),
      downloads_when_expired: z.optional(downloadsWhenExpired),
      self_service: documented(z.optional(z.boolean()), {
        description:
          'Whether client apps may start a trial of this type without a key. The value can be true only for a type of the kind `trial`, and for at most one type of each product.',
      }),
      archived: documented(z.optional(z.boolean()), { description: 'If true, no new licenses of this type are issued.' }),
    }),
    z.refine((body) => Object.values(body).some((value) => value !== undefined), { error: 'must name at least one field to change' }),
  ),
  response: licenseType,
  errors: ['duplicate'],
  store: { ...typeById, PutItem: ['product', 'unique'], DeleteItem: ['unique'] },
  examples: { request: { max_seats: 5, features: ['export', 'sync'] }, response: { ...licenseTypeExample, max_seats: 5 } },
}));
