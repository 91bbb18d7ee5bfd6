import * as z from 'zod';
import { endpoint } from './endpoint';
import { pageBy } from './paging';
import { pathId } from './resources';
import { refusalReasons } from './statuses';
import { timestamp } from './text';

/** The endpoints that show why requests of client apps were refused (docs/spec/operator.md, Why was it refused?). */

export const refusal = z
  .object({
    at: timestamp.meta({ description: 'When it was refused first.' }),
    last_at: timestamp.meta({ description: 'When it was counted last.' }),
    count: z.int().min(1).meta({ description: 'How often it was refused; counted at most once a minute.' }),
    license_id: z.int().nullable().meta({ description: 'Null: no license has the key.' }),
    reason: z.enum(refusalReasons).meta({ description: 'The error code, or `invalid` for an unknown key at validate.' }),
    key_hint: z.string().meta({ description: 'The first group of the key, at most 5 characters.' }),
    fingerprint_hint: z.string().nullable().meta({ description: 'The first 8 characters of the fingerprint.' }),
    name: z.string().nullable().meta({ description: 'The name of the device, if the app sent it or the device is known.' }),
    platform: z.string().nullable(),
    version: z.string().nullable().meta({ description: 'The version of the app, if the request had it.' }),
  })
  .meta({ id: 'Refusal' });

export type RefusalView = z.infer<typeof refusal>;

export const refusalExample: RefusalView = {
  at: '2026-11-20T14:05:00.000Z',
  last_at: '2026-11-20T14:25:00.000Z',
  count: 3,
  license_id: 1,
  reason: 'no_seats',
  key_hint: '9M0RP',
  fingerprint_hint: 'b445ee19',
  name: "Ada's laptop",
  platform: 'linux',
  version: '2.4.0',
};

const listed = {
  method: 'GET',
  credential: 'admin',
  scope: 'read',
  params: z.object({ id: pathId }),
  query: z.object(pageBy(/^\d{1,16}-\d{1,3}$/)),
  status: 200,
  response: z.array(refusal),
  errors: [],
} as const;

export const listLicenseRefusals = endpoint({
  ...listed,
  name: 'listLicenseRefusals',
  path: '/v1/licenses/{id}/refusals',
  tag: 'Licenses',
  summary: 'List why a license was refused',
  description:
    'The last requests of apps that were refused for this license, newest first: at most 20, kept 30 days. Repeated requests of one device for the same reason within an hour are one row.',
  subject: 'license',
  store: { GetItem: ['licenseId'], Query: ['refusal'] },
  examples: { response: [refusalExample] },
});

export const listProductRefusals = endpoint({
  ...listed,
  name: 'listProductRefusals',
  path: '/v1/products/{id}/refusals',
  tag: 'Products',
  summary: 'List requests with unknown keys',
  description:
    'The last requests of apps whose key no license of the product has, newest first: at most 200, kept 30 days. Refusals of a license are in the list of the license.',
  subject: 'product',
  store: { GetItem: ['product'], Query: ['refusal'] },
  examples: { response: [{ ...refusalExample, license_id: null, reason: 'not_found', key_hint: '7KX2D' }] },
});
