import * as z from 'zod';
import { endpoint } from './endpoint';
import { pageById } from './paging';
import { pathId } from './resources';

const count = (description: string) => z.int().min(0).meta({ description });

/** Days ahead that `expiring` looks. */
export const EXPIRING_DAYS = 30;
/** Licenses of a type that are counted for `lapsed`, and for `expiring`. */
export const MAX_COUNTED = 1000;

const expiryCounts = {
  lapsed: count(`Active licenses whose expiry has passed unnoticed: there has been no activation or validation since. At most ${MAX_COUNTED}.`),
  expiring: count(`Active licenses that expire within ${EXPIRING_DAYS} days. At most ${MAX_COUNTED}.`),
  capped: z.boolean().meta({ description: 'True when `lapsed` or `expiring` may be more than the number says.' }),
};

export const getOverview = endpoint({
  name: 'getOverview',
  method: 'GET',
  path: '/v1/products/{id}/overview',
  tag: 'Products',
  summary: "A product's numbers",
  description:
    'Licenses by type and status, and the activity of the last 30 days, UTC. The numbers are kept as events are settled, and those of the latest 200 events are added when asked; reading them costs the same however many licenses there are. `lapsed` and `expiring` are counted when asked.',
  credential: 'admin',
  scope: 'read',
  subject: 'product',
  params: z.object({ id: pathId }),
  status: 200,
  response: z
    .object({
      licenses: z
        .array(
          z.object({
            license_type_id: z.int().min(1),
            active: count('Licenses with the status `active`.'),
            suspended: count('Licenses with the status `suspended`.'),
            expired: count('Licenses with the status `expired`.'),
            revoked: count('Licenses with the status `revoked`.'),
            ...expiryCounts,
          }),
        )
        .meta({ description: 'By license type, in ascending id order; types without a license are absent.' }),
      days: z
        .array(
          z.object({
            date: z.iso.date(),
            activations: count('Machines that took a seat.'),
            delivered: count('Events that the webhook accepted.'),
            failed: count('Events given up after the last attempt.'),
            skipped: count('Events that found no webhook URL.'),
          }),
        )
        .meta({ description: 'The last 30 days, oldest first, today last.' }),
    })
    .meta({ id: 'Overview' }),
  errors: [],
  store: { GetItem: ['product'], BatchGetItem: ['license', 'event'], Query: ['stats'], indexes: ['list', 'lookup'] },
  examples: {
    response: {
      licenses: [{ license_type_id: 1, active: 41, suspended: 2, expired: 3, revoked: 1, lapsed: 4, expiring: 6, capped: false }],
      days: [{ date: '2026-11-20', activations: 7, delivered: 12, failed: 1, skipped: 0 }],
    },
  },
});

/** Maximum number of products in one page of {@link listOverviews}: each costs a small read for every shard of its numbers. */
export const MAX_OVERVIEWS = 100;

export const listOverviews = endpoint({
  name: 'listOverviews',
  method: 'GET',
  path: '/v1/overview',
  tag: 'Products',
  summary: 'The numbers of every product',
  description: `For every product its licenses by status and its failed deliveries of the last 30 days, in ascending id order, paged like every list, with at most ${MAX_OVERVIEWS} products a page. The numbers are those of each product's own overview.`,
  credential: 'admin',
  scope: 'read',
  subject: 'products',
  query: z.object(pageById),
  status: 200,
  response: z.array(
    z
      .object({
        product_id: z.int().min(1),
        licenses: z.object({
          active: count('Licenses with the status `active`.'),
          suspended: count('Licenses with the status `suspended`.'),
          expired: count('Licenses with the status `expired`.'),
          revoked: count('Licenses with the status `revoked`.'),
          ...expiryCounts,
        }),
        failed_deliveries: count('Events given up after the last attempt, in the last 30 days.'),
      })
      .meta({ id: 'ProductOverview' }),
  ),
  errors: [],
  store: { BatchGetItem: ['product', 'license', 'event'], Query: ['stats'], indexes: ['list', 'lookup'] },
  examples: {
    response: [{ product_id: 1, licenses: { active: 41, suspended: 2, expired: 3, revoked: 1, lapsed: 4, expiring: 6, capped: false }, failed_deliveries: 1 }],
  },
});
