import * as z from 'zod';
import { endpoint } from './endpoint';
import { pageById } from './paging';
import { pathId } from './resources';
import { countUpTo } from './text';

const count = (description: string) => z.int().min(0).meta({ description });

/** Days that an overview shows unless it is asked for others, and the most that it can be asked for. */
export const OVERVIEW_DAYS = 30;
export const MAX_OVERVIEW_DAYS = 90;
/** Days ahead that `expiring` looks. */
export const EXPIRING_DAYS = 30;
/** Licenses of a type that are counted for `lapsed`, and for `expiring`. */
export const MAX_COUNTED = 1000;

const expiryCounts = {
  lapsed: count(
    `Active licenses whose expiry has passed unnoticed: there has been no activation or validation since. At most ${MAX_COUNTED}.`,
  ),
  expiring: count(`Active licenses that expire within ${EXPIRING_DAYS} days. At most ${MAX_COUNTED}.`),
  capped: z.boolean().meta({ description: 'True when `lapsed` or `expiring` may be more than the number says.' }),
};

/** Licenses whose expiry one count reads, from the nearest on. */
export const MAX_EXPIRIES_READ = 4000;

const days = countUpTo(MAX_OVERVIEW_DAYS).optional();

const dayCounts = z.object({
  date: z.iso.date(),
  issued: count('Licenses that were issued, imported ones included.'),
  renewed: count('Renewals: the expiry was pushed forward.'),
  activations: count('Machines that took a seat.'),
  delivered: count('Events that the webhook accepted.'),
  failed: count('Events given up after the last attempt.'),
  skipped: count('Events that found no webhook URL.'),
});

const expiringDay = z.object({
  date: z.iso.date(),
  expiring: count('Active licenses that expire on this day; today: from now on.'),
  capped: z
    .boolean()
    .meta({ description: `True when there may be more: the expiry of at most ${MAX_EXPIRIES_READ} licenses is read, the earliest first.` }),
});

const dayExample = { date: '2026-11-20', issued: 5, renewed: 2, activations: 7, delivered: 12, failed: 1, skipped: 0 };

export const getOverview = endpoint({
  name: 'getOverview',
  method: 'GET',
  path: '/v1/products/{id}/overview',
  tag: 'Products',
  summary: "A product's numbers",
  description:
    'Licenses by type and status, the activity of the last days, and what expires in as many days ahead; days are UTC. The numbers are kept as events are settled, and those of the latest 200 events are added when asked; reading them costs the same however many licenses there are. What has lapsed and what expires is counted when asked. `issued` and `renewed` are 0 on days before the service counted them.',
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
      days: z.array(dayCounts).meta({ description: 'The last days, oldest first, today last.' }),
      expiring_days: z.array(expiringDay).meta({ description: 'As many days ahead, today first.' }),
    })
    .meta({ id: 'Overview' }),
  errors: [],
  store: { GetItem: ['product'], BatchGetItem: ['license', 'event'], Query: ['stats'], indexes: ['list', 'lookup'] },
  examples: {
    response: {
      licenses: [{ license_type_id: 1, active: 41, suspended: 2, expired: 3, revoked: 1, lapsed: 4, expiring: 6, capped: false }],
      days: [dayExample],
      expiring_days: [{ date: '2026-11-20', expiring: 2, capped: false }],
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
  description: `For every product its licenses by status and its failed deliveries of the last ${OVERVIEW_DAYS} days, in ascending id order, paged like every list, with at most ${MAX_OVERVIEWS} products a page. The numbers are those of each product's own overview, those by day only if \`days\` is given.`,
  credential: 'admin',
  scope: 'read',
  subject: 'products',
  query: z.object({ ...pageById, days: days.meta({ description: 'Also the numbers of so many days, back and ahead.' }) }),
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
        failed_deliveries: count(`Events given up after the last attempt, in the last ${OVERVIEW_DAYS} days.`),
        days: z.array(dayCounts).optional().meta({ description: 'The last days on which something happened, oldest first.' }),
        expiring_days: z
          .array(expiringDay)
          .optional()
          .meta({ description: 'The next days on which licenses expire, or may expire, the first first.' }),
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
