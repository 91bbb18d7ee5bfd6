import * as z from 'zod';
import { endpoint } from './endpoint';
import { pageById } from './paging';
import { pathId } from './resources';
import { countUpTo } from './text';

const count = (description: string) => z.int().min(0).meta({ description });

/** Default and maximum number of days that an overview shows. */
export const OVERVIEW_DAYS = 30;
export const MAX_OVERVIEW_DAYS = 90;
/** Number of days ahead that `expiring` covers. */
export const EXPIRING_DAYS = 30;
/** Maximum number of licenses of a type that `lapsed` and `expiring` count. */
export const MAX_COUNTED = 1000;

const expiryCounts = {
  lapsed: count(
    `Active licenses whose expiry has passed but was not noticed yet, because no activation or validation has checked them since. At most ${MAX_COUNTED}.`,
  ),
  expiring: count(`Active licenses that expire within ${EXPIRING_DAYS} days. At most ${MAX_COUNTED}.`),
  capped: z.boolean().meta({ description: 'True if the real number for `lapsed` or `expiring` may be higher.' }),
};

/** Maximum number of licenses whose expiry one count reads, the earliest first. */
export const MAX_EXPIRIES_READ = 4000;

const days = countUpTo(MAX_OVERVIEW_DAYS).optional();

const dayCounts = z.object({
  date: z.iso.date(),
  issued: count('Licenses that were issued, imported ones included.'),
  renewed: count('Renewals: the expiry was pushed forward.'),
  activations: count('Devices that took a seat.'),
  delivered: count('Events that the webhook accepted.'),
  failed: count('Events whose last attempt failed.'),
  skipped: count('Events for which no webhook URL was set.'),
  downloads: count('Downloads of files of releases; a download that is continued counts once.'),
});

const expiringDay = z.object({
  date: z.iso.date(),
  expiring: count('Active licenses that expire on this day; for today: from now on.'),
  capped: z
    .boolean()
    .meta({ description: `True if there may be more: the expiry of at most ${MAX_EXPIRIES_READ} licenses is read, the earliest first.` }),
});

const dayExample = { date: '2026-11-20', issued: 5, renewed: 2, activations: 7, delivered: 12, failed: 1, skipped: 0, downloads: 31 };

export const getOverview = endpoint({
  name: 'getOverview',
  method: 'GET',
  path: '/v1/products/{id}/overview',
  tag: 'Products',
  summary: "A product's numbers",
  description:
    'Licenses by type and status, the activity of the last `days` days, and what expires in the same number of days ahead. Days are UTC. Most numbers are counters, to which the latest 200 events are added on request; reading them takes the same time for any number of licenses. Lapsed and expiring licenses are counted on request. `issued` and `renewed` are 0 on days before the service counted them.',
  credential: 'admin',
  scope: 'read',
  subject: 'product',
  params: z.object({ id: pathId }),
  query: z.object({ days: days.meta({ description: `How many days to show; default ${OVERVIEW_DAYS}.` }) }),
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
      days: z.array(dayCounts).meta({ description: 'The last days, the oldest first and today last.' }),
      expiring_days: z.array(expiringDay).meta({ description: 'The same number of days ahead, today first.' }),
      downloads: z
        .array(
          z.object({
            version: z.string(),
            total: count('Downloads on all these days.'),
            days: z.array(z.object({ date: z.iso.date(), downloads: count('Downloads on this day.') })),
          }),
        )
        .meta({ description: 'The versions that were downloaded on the last days, the newest version first.' }),
    })
    .meta({ id: 'Overview' }),
  errors: [],
  store: { GetItem: ['product'], BatchGetItem: ['license', 'event'], Query: ['stats'], indexes: ['list', 'lookup'] },
  examples: {
    response: {
      licenses: [{ license_type_id: 1, active: 41, suspended: 2, expired: 3, revoked: 1, lapsed: 4, expiring: 6, capped: false }],
      days: [dayExample],
      expiring_days: [{ date: '2026-11-20', expiring: 2, capped: false }],
      downloads: [{ version: '2.4.0', total: 31, days: [{ date: '2026-11-20', downloads: 31 }] }],
    },
  },
});

/** Maximum number of products in one page of {@link listOverviews}: each product takes one small read for every shard of its numbers. */
export const MAX_OVERVIEWS = 100;

export const listOverviews = endpoint({
  name: 'listOverviews',
  method: 'GET',
  path: '/v1/overview',
  tag: 'Products',
  summary: 'The numbers of all products',
  description: `The licenses by status of every product and its failed deliveries of the last ${OVERVIEW_DAYS} days, in ascending id order, paged like every list, with at most ${MAX_OVERVIEWS} products a page. The numbers are the same as in each product's own overview; numbers by day are included only if \`days\` is given.`,
  credential: 'admin',
  scope: 'read',
  subject: 'products',
  query: z.object({
    ...pageById,
    days: days.meta({ description: 'Also include the numbers by day, for this number of days back and ahead.' }),
  }),
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
        failed_deliveries: count(`Events whose last attempt failed, in the last ${OVERVIEW_DAYS} days.`),
        days: z.array(dayCounts).optional().meta({ description: 'The last days on which something happened, the oldest first.' }),
        expiring_days: z
          .array(expiringDay)
          .optional()
          .meta({ description: 'The next days on which licenses expire or may expire, the earliest first.' }),
      })
      .meta({ id: 'ProductOverview' }),
  ),
  errors: [],
  store: { BatchGetItem: ['product', 'license', 'event'], Query: ['stats'], indexes: ['list', 'lookup'] },
  examples: {
    response: [
      {
        product_id: 1,
        licenses: { active: 41, suspended: 2, expired: 3, revoked: 1, lapsed: 4, expiring: 6, capped: false },
        failed_deliveries: 1,
      },
    ],
  },
});
