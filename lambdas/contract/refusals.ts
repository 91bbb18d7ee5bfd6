import * as z from 'zod/mini';
import { checked, documented } from './schema';
import { endpoint } from './endpoint';
import { pageBy } from './paging';
import { pathId } from './resources';
import { refusalReasons } from './statuses';
import { timestamp } from './text';

/** The endpoints that show why requests of client apps were refused (docs/spec/operator.md, Why was it refused?). */

export const refusal = documented(
  z.object({
    at: documented(timestamp, { description: 'The time of the first refused request of this row.' }),
    last_at: documented(timestamp, { description: 'The time at which `count` was last raised.' }),
    count: documented(checked(z.int(), z.minimum(1)), {
      description: 'The number of refused requests of this row. At most one request per minute is counted.',
    }),
    license_id: documented(z.nullable(z.int()), { description: 'The id of the license; null if no license has the key.' }),
    reason: documented(z.enum(refusalReasons), {
      description: 'The error code of the refusal, or `invalid` for a validation with an unknown key.',
    }),
    key_hint: documented(z.string(), { description: 'The first group of the key, at most 5 characters.' }),
    fingerprint_hint: documented(z.nullable(z.string()), { description: 'The first 8 characters of the fingerprint.' }),
    name: documented(z.nullable(z.string()), {
      description: 'The name of the device: the name that the app sent, otherwise the stored name; null if there is no name.',
    }),
    platform: z.nullable(z.string()),
    version: documented(z.nullable(z.string()), { description: 'The version of the app, if the request contained a version.' }),
  }),
  { id: 'Refusal' },
);

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
  response: z.array(refusal),
} as const;

export const listLicenseRefusals = /* @__PURE__ */ endpoint(() => ({
  ...listed,
  name: 'listLicenseRefusals',
  path: '/v1/licenses/{id}/refusals',
  tag: 'Licenses',
  summary: 'List the refused requests for a license',
  description:
    'Returns the latest requests of apps that were refused for the license, newest first. There are at most 20 rows, which are kept for 30 days. One row counts the requests of one device that are refused for the same reason within an hour.',
  subject: 'license',
  store: { Query: ['refusal'] },
  examples: { response: [refusalExample] },
}));

export const listProductRefusals = /* @__PURE__ */ endpoint(() => ({
  ...listed,
  name: 'listProductRefusals',
  path: '/v1/products/{id}/refusals',
  tag: 'Products',
  summary: 'List requests refused because of an unknown license key',
  description:
    'Returns the latest requests in which an app sent a key that no license of the product has, newest first. There are at most 200 rows, which are kept for 30 days. Refused requests with a known key are in the list of the license.',
  subject: 'product',
  store: { GetItem: ['product'], Query: ['refusal'] },
  examples: { response: [{ ...refusalExample, license_id: null, reason: 'not_found', key_hint: '7KX2D' }] },
}));
