import * as z from 'zod/mini';
import { checked, documented } from './schema';
import { endpoint } from './endpoint';
import { productExample } from './examples';
import { pathId } from './resources';
import { countUpTo, timestamp } from './text';

const count = (description: string) => documented(checked(z.int(), z.minimum(0)), { description });

/** Default and maximum number of days in an overview. */
export const OVERVIEW_DAYS = 30;
export const MAX_OVERVIEW_DAYS = 90;
/** The count `expiring` includes the licenses that expire within this number of days from now. */
export const EXPIRING_DAYS = 30;
/** Maximum value of the counts `lapsed` and `expiring`, for each license type. */
export const MAX_COUNTED = 1000;

const expiryCounts = {
  lapsed: count(
    `Licenses whose expiry has passed but whose status is still \`active\`, because no activation, validation or request for the device list has checked them since. At most ${MAX_COUNTED} are counted.`,
  ),
  expiring: count(`Active licenses that expire within ${EXPIRING_DAYS} days. At most ${MAX_COUNTED} are counted.`),
  capped: documented(z.boolean(), { description: 'True if the real number for `lapsed` or `expiring` may be higher.' }),
};

/** Maximum number of licenses that are read for one count. The licenses whose expiry is nearest to the current time are read first. */
export const MAX_EXPIRIES_READ = 4000;

/** Number of months in the revenue of an overview, with the present month. */
export const REVENUE_MONTHS = 12;

const revenue = z.object({
  month: documented(checked(z.string(), z.regex(/^\d{4}-\d{2}$/)), { description: 'The month in UTC.', examples: ['2026-11'] }),
  currency: documented(z.nullable(z.string()), { description: 'The currency as an ISO 4217 code; null if the processor reports none.' }),
  paid: documented(z.int(), { description: "What was paid in the month, in the currency's minor unit and including tax." }),
  refunded: documented(z.int(), { description: 'What was refunded in the month.' }),
  fees: documented(z.int(), { description: "The processors' fees, as far as the processors report them." }),
  net: documented(z.int(), { description: 'What was paid minus what was refunded.' }),
  subscriptions: z.object({
    new: documented(z.int(), { description: 'Subscriptions whose first period was paid in the month. A free trial is not paid.' }),
    renewed: documented(z.int(), { description: 'Further periods of subscriptions that were paid in the month.' }),
    lost: documented(z.int(), { description: 'Subscriptions that ended in the month and were not paid again.' }),
  }),
});

/** Devices that were used on the last days, including today, are in the audience. */
export const AUDIENCE_DAYS = 7;
/** Maximum number of values in each distribution of an audience. */
export const MAX_AUDIENCE_VALUES = 200;

const distribution = (description: string) =>
  documented(
    z.object({
      values: documented(z.array(z.object({ value: z.string(), devices: count('Devices with this value.') })), {
        description: `The values with the most devices, the most frequent first. At most ${MAX_AUDIENCE_VALUES} values.`,
      }),
      other: count('Devices with further values.'),
      unknown: count('Devices without a value.'),
    }),
    { description },
  );

const audience = z.object({
  counted_at: documented(timestamp, { description: 'When the service began to count these devices.' }),
  devices: count('The number of devices.'),
  versions: distribution('The versions of the app, as the devices reported them.'),
  platforms: distribution('The platforms, as the devices reported them, cut to 40 characters.'),
  countries: distribution('The countries of the requests (ISO 3166-1 alpha-2).'),
});

const days = documented(z.optional(countUpTo(MAX_OVERVIEW_DAYS)), { description: `The number of days to show; default ${OVERVIEW_DAYS}.` });

/** The number of licenses in each status. */
const licenseCounts = {
  active: count('Licenses with the status `active`.'),
  suspended: count('Licenses with the status `suspended`.'),
  expired: count('Licenses with the status `expired`.'),
  revoked: count('Licenses with the status `revoked`.'),
};

const dayCounts = {
  date: z.iso.date(),
  issued: count('Licenses that were issued, including imported licenses.'),
  renewed: count('Renewals, that is, changes that moved the expiry of a license to a later time.'),
  activations: count('Devices that took a seat.'),
  delivered: count('Events that the webhook accepted.'),
  failed: count('Events whose last attempt failed.'),
  skipped: count('Events that were not posted, because no webhook URL was set or the webhook excludes the event.'),
};

const expiringDay = z.object({
  date: z.iso.date(),
  expiring: count('Active licenses that expire on this day. For today, only licenses that expire from now on are counted.'),
  capped: documented(z.boolean(), {
    description: `True if more licenses may expire on this day than \`expiring\` says. For all days together, the service reads at most ${MAX_EXPIRIES_READ.toLocaleString('en-US')} licenses, the earliest expiry first.`,
  }),
});

const dayExample = { date: '2026-11-20', issued: 5, renewed: 2, activations: 7, delivered: 12, failed: 1, skipped: 0 };

export const getOverview = /* @__PURE__ */ endpoint(() => ({
  name: 'getOverview',
  method: 'GET',
  path: '/v1/products/{id}/overview',
  tag: 'Products',
  summary: 'Get the numbers of a product',
  description:
    'Returns the numbers of licenses by type and status, the activity of the last `days` days, and the numbers of licenses that expire within the next `days` days. Days are UTC. Most numbers come from stored counters, so the response takes the same time for any number of licenses. Recent events that the stored counters do not include yet are added, if they are among the latest 200 events. Lapsed and expiring licenses have no stored counters: each request counts them, up to a limit. `issued` and `renewed` are 0 for days before the service began to count these numbers.',
  credential: 'admin',
  scope: 'read',
  subject: 'product',
  params: z.object({ id: pathId }),
  query: z.object({ days }),
  response: documented(
    z.object({
      licenses: documented(
        z.array(
          z.object({
            license_type_id: checked(z.int(), z.minimum(1)),
            ...licenseCounts,
            ...expiryCounts,
          }),
        ),
        { description: 'The licenses by license type, in ascending id order. Types without a license are absent.' },
      ),
      days: documented(
        z.array(
          z.object({
            ...dayCounts,
            downloads: count('Downloads of files of releases. A download that is interrupted and continued counts once.'),
          }),
        ),
        { description: 'The numbers of each of the last days, from the oldest day to today.' },
      ),
      expiring_days: documented(z.array(expiringDay), {
        description: 'The licenses that expire on each of the next `days` days, today first.',
      }),
      downloads: documented(
        z.array(
          z.object({
            version: z.string(),
            total: count('Downloads of the version on all days of the overview.'),
            days: z.array(z.object({ date: z.iso.date(), downloads: count('Downloads of the version on this day.') })),
          }),
        ),
        { description: 'The versions that were downloaded in the last `days` days, the newest version first.' },
      ),
      meters: documented(
        z.array(
          z.object({
            name: z.string(),
            total: z.int(),
            days: z.array(z.object({ date: z.iso.date(), amount: z.int() })),
          }),
        ),
        {
          description:
            'What was consumed in the last `days` days by the name of the meter, without what was given back. Corrections do not count. An amount is counted within two minutes.',
        },
      ),
      revenue: documented(z.array(revenue), {
        description: `The revenue of the last ${REVENUE_MONTHS} months by month and currency, the oldest month first. Months without a payment or a change of a subscription are absent. Orders for which no plan names a license type, and orders of the test mode, do not count. A notification is counted within two minutes.`,
      }),
      audience: documented(z.nullable(audience), {
        description: `The devices that have a seat and were used on the last ${AUDIENCE_DAYS} days (UTC, with today), by the version of the app, platform and country; null: no device was counted yet. The devices of a product are counted again and again in the background: a few devices every five minutes, 100,000 every three hours, and any number once a day.`,
      }),
    }),
    { id: 'Overview' },
  ),
  store: { GetItem: ['product', 'stats'], BatchGetItem: ['license', 'event'], Query: ['stats'], indexes: ['list', 'lookup'] },
  examples: {
    response: {
      licenses: [{ license_type_id: 1, active: 41, suspended: 2, expired: 3, revoked: 1, lapsed: 4, expiring: 6, capped: false }],
      days: [{ ...dayExample, downloads: 31 }],
      expiring_days: [{ date: '2026-11-20', expiring: 2, capped: false }],
      downloads: [{ version: '2.4.0', total: 31, days: [{ date: '2026-11-20', downloads: 31 }] }],
      meters: [{ name: 'exports', total: 38, days: [{ date: '2026-11-20', amount: 38 }] }],
      revenue: [
        {
          month: '2026-11',
          currency: 'USD',
          paid: 83300,
          refunded: 4900,
          fees: 4165,
          net: 78400,
          subscriptions: { new: 6, renewed: 11, lost: 1 },
        },
      ],
      audience: {
        counted_at: '2026-11-20T14:05:00.123Z',
        devices: 52,
        versions: {
          values: [
            { value: '2.4.0', devices: 38 },
            { value: '2.3.1', devices: 11 },
          ],
          other: 0,
          unknown: 3,
        },
        platforms: {
          values: [
            { value: 'macos', devices: 31 },
            { value: 'windows', devices: 21 },
          ],
          other: 0,
          unknown: 0,
        },
        countries: {
          values: [
            { value: 'DE', devices: 29 },
            { value: 'NL', devices: 20 },
          ],
          other: 0,
          unknown: 3,
        },
      },
    },
  },
}));

/** Maximum number of products in `products` of {@link getDeploymentOverview}, because the size of a response is limited. */
export const MAX_DAY_PRODUCTS = 10_000;
/** Maximum number of products in the list of products that need attention. */
export const MAX_ATTENTION = 100;
/** Maximum number of held payments that one request reads in total, to count `held_sales` of every product. */
export const MAX_HELD_COUNTED = 1000;
/** A license that expires within this number of days, including today, counts as expiring soon. */
export const SOON_DAYS = 7;
/**
 * Maximum number of licenses of a product that are read for each number of `expiringInList`, the expiry nearest to the current time first.
 */
export const MAX_SOON_READ = 100;

const attentionCounts = {
  failed_deliveries: count(`Events of the last ${OVERVIEW_DAYS} days whose last attempt failed.`),
  failed_mails: count(`Mails of the last ${OVERVIEW_DAYS} days whose last attempt failed.`),
  held_sales: count(
    `Orders with at least one row with the status \`held\` in the payments log. For all products together, the service reads at most ${MAX_HELD_COUNTED} such rows.`,
  ),
  rejecting_connections: count(
    'Payment connections at which notifications with a wrong signature arrived since the last valid notification. Their signing secret is probably wrong.',
  ),
};

export const getDeploymentOverview = /* @__PURE__ */ endpoint(() => ({
  name: 'getDeploymentOverview',
  method: 'GET',
  path: '/v1/overview',
  tag: 'Products',
  summary: 'Get the numbers of all products together',
  description:
    'Returns the numbers of licenses by status and the activity of the last `days` days. With `date`, the response also has the activity of that day by product. Days are UTC. Without `date` and `include`, reading takes the same time for any number of licenses and products. The service counts a change after the first attempt to deliver the event that reports the change, usually within seconds. It counts the result of a delivery when the delivery ends. An event that is not posted is counted within two minutes. Numbers are 0 for days before the service began to count them. The numbers of downloads, and of licenses that expire soon, are only in the overview of each product. A token that is bound to a product gets only the numbers of that product.',
  credential: 'admin',
  scope: 'read',
  subject: 'products',
  query: z.object({
    days,
    date: documented(z.optional(z.iso.date()), {
      description: 'Also return the numbers of this day by product.',
      examples: [dayExample.date],
    }),
    include: documented(z.optional(z.enum(['attention'])), {
      description:
        'An additional part of the response. `attention` adds the products with failures, held sales or wrong signing secrets, which need an action by an operator.',
    }),
  }),
  response: documented(
    z.object({
      licenses: z.object(licenseCounts),
      days: documented(z.array(z.object(dayCounts)), {
        description: 'The numbers of each of the last days, from the oldest day to today.',
      }),
      products: documented(
        z.optional(
          z.array(
            z.object({
              product_id: checked(z.int(), z.minimum(1)),
              issued: dayCounts.issued,
              renewed: dayCounts.renewed,
              failed: dayCounts.failed,
            }),
          ),
        ),
        {
          description: `Present only with \`date\`: the products with activity on that day. The products with the highest sum of \`issued\`, \`renewed\` and \`failed\` come first. The list has at most ${MAX_DAY_PRODUCTS} products. Numbers are kept for about 100 days.`,
        },
      ),
      attention: documented(
        z.optional(
          z.array(
            z.object({
              product_id: checked(z.int(), z.minimum(1)),
              name: documented(z.nullable(z.string()), { description: 'The name of the product; null if the product cannot be read.' }),
              ...attentionCounts,
            }),
          ),
        ),
        {
          description: `Present only with \`include=attention\`: the products with failures, held sales or wrong signing secrets. The products with the most held sales come first, then the products with wrong signing secrets, then the products with the most failures. The list has at most ${MAX_ATTENTION} products.`,
        },
      ),
    }),
    { id: 'DeploymentOverview' },
  ),
  store: { BatchGetItem: ['event', 'product'], Query: ['stats'], indexes: ['list', 'pending'] },
  examples: {
    response: {
      licenses: { active: 41, suspended: 2, expired: 3, revoked: 1 },
      days: [dayExample],
      products: [{ product_id: 1, issued: 5, renewed: 2, failed: 1 }],
      attention: [
        { product_id: 1, name: productExample.name, failed_deliveries: 1, failed_mails: 0, held_sales: 2, rejecting_connections: 0 },
      ],
    },
  },
}));

/** The statistics that the list of products shows for each product. */
export const numbersInList = documented(
  z.object({
    licenses: z.object(licenseCounts),
    failed_deliveries: attentionCounts.failed_deliveries,
  }),
  { id: 'ProductNumbers' },
);

/** The numbers of licenses that expire soon or have expired unnoticed. The list of products shows these numbers for each product. */
export const expiringInList = documented(
  z.object({
    licenses: count(
      `Active licenses, without trials, that expire within ${SOON_DAYS} UTC days. The first day is today, and the last day is included completely.`,
    ),
    capped: documented(z.boolean(), {
      description: `True if more licenses may expire within these days than \`licenses\` says. The service reads at most ${MAX_SOON_READ} licenses of a product, the earliest expiry first.`,
    }),
    unreadable: count(
      'Licenses that expire within these days, but are not counted in `licenses`, because the service cannot read their rows.',
    ),
    lapsed: count(
      `Licenses, with trials, whose expiry has passed but whose status is still \`active\`. The service reads at most ${MAX_SOON_READ} licenses of a product, the latest expiry first.`,
    ),
    lapsed_capped: documented(z.boolean(), { description: 'True if the real number for `lapsed` may be higher.' }),
  }),
  { id: 'ProductExpiring' },
);
