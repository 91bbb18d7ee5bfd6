import * as z from 'zod/mini';
import { checked, documented } from './schema';
import { endpoint } from './endpoint';
import { portalExample } from './examples';
import { portalActions } from './portal-actions';
import { email, pathId } from './resources';
import { nameText, text, timestamp } from './text';
import { isPlainUrl } from './url';

/** The endpoints with which a vendor configures the portal for buyers (docs/spec/portal.md, Settings). */

/** Maximum length of a URL, in characters. */
const MAX_URL = 2048;

const isSupportUrl = (value: string): boolean =>
  isPlainUrl(value, 'https:') || (URL.canParse(value) && new URL(value).protocol === 'mailto:' && new URL(value).pathname.includes('@'));

/** A schema for a URL to which the page links; null removes it. `rule` completes the sentence "<field> must …". */
const linkTo = (isAllowed: (value: string) => boolean, rule: string) =>
  z.optional(
    z.nullable(
      documented(checked(text(1, MAX_URL), z.refine(isAllowed, { error: `must ${rule}` })), { type: 'string', maxLength: MAX_URL }),
    ),
  );

const HTTPS = 'be an absolute https: URL without user info, backslashes and braces in its host';
const webLink = linkTo((value) => isPlainUrl(value, 'https:'), HTTPS);

/** The pages of the vendor to which the portal links, as responses show them. */
export const vendorLinks = {
  support_url: documented(z.nullable(z.string()), { description: 'The page or the address where buyers get help.' }),
  shop_url: documented(z.nullable(z.string()), { description: "The vendor's shop." }),
  imprint_url: documented(z.nullable(z.string()), { description: "The page with the vendor's legal notice." }),
  privacy_url: documented(z.nullable(z.string()), { description: "The vendor's privacy policy." }),
};

const settings = documented(
  z.object({
    enabled: z.boolean(),
    title: documented(z.string(), { description: "The heading of the portal's page; the default is the product's name." }),
    ...vendorLinks,
    color: documented(z.nullable(z.string()), {
      description: 'The color of buttons, links and focus rings; null: the default color of the page.',
    }),
    allow: z.array(z.enum(portalActions)),
    frees_per_30_days: documented(checked(z.int(), z.minimum(0), z.maximum(1000)), {
      description:
        'The maximum number of devices of one license that its buyer may free within 30 days. The 30 days begin when the first device is freed. 0: no limit.',
    }),
    mail_configured: documented(z.boolean(), {
      description: 'Whether mail is configured. Without mail, buyers can sign in only with a link that the vendor creates.',
    }),
  }),
  { id: 'PortalSettings' },
);
export type PortalSettingsView = z.infer<typeof settings>;

const example = {
  enabled: true,
  ...portalExample,
  frees_per_30_days: 5,
  mail_configured: true,
};

export const getPortal = /* @__PURE__ */ endpoint(() => ({
  name: 'getPortal',
  method: 'GET',
  path: '/v1/products/{id}/portal',
  tag: 'Portal',
  summary: "Get the settings of the product's portal",
  description: 'Returns the settings of the portal, the page on which buyers see their licenses, free seats and recover keys.',
  credential: 'admin',
  scope: 'read',
  subject: 'product',
  params: z.object({ id: pathId }),
  status: 200,
  response: settings,
  errors: [],
  store: { GetItem: ['product', 'portal'] },
  mail: 'status',
  examples: { response: example },
}));

export const setPortal = /* @__PURE__ */ endpoint(() => ({
  name: 'setPortal',
  method: 'POST',
  path: '/v1/products/{id}/portal',
  tag: 'Portal',
  summary: "Change the settings of the product's portal",
  description: 'Changes only the fields in the body. If the portal is disabled, all its sessions, sign-in codes and links become invalid.',
  credential: 'admin',
  scope: 'manage',
  subject: 'product',
  params: z.object({ id: pathId }),
  body: z.object({
    enabled: z.optional(z.boolean()),
    title: documented(z.optional(z.nullable(nameText(0, 100))), {
      description: "The heading of the portal's page; null or empty: the product's name.",
    }),
    support_url: linkTo(isSupportUrl, `${HTTPS}, or a mailto: URL`),
    shop_url: webLink,
    imprint_url: webLink,
    privacy_url: webLink,
    color: z.optional(
      z.nullable(
        documented(
          z.pipe(
            checked(z.string(), z.regex(/^#[0-9a-fA-F]{6}$/, { error: 'must be a color such as #0b7285' })),
            z.transform((color) => color.toLowerCase()),
          ),
          { type: 'string', pattern: '^#[0-9a-fA-F]{6}$', examples: ['#0b7285'] },
        ),
      ),
    ),
    allow: documented(
      z.optional(
        checked(
          z.array(z.enum(portalActions)),
          z.maxLength(portalActions.length),
          z.refine((names) => new Set(names).size === names.length, { error: 'must be distinct' }),
        ),
      ),
      { uniqueItems: true, description: 'The actions that buyers may perform in the portal.' },
    ),
    frees_per_30_days: z.optional(checked(z.int(), z.minimum(0), z.maximum(1000))),
  }),
  repeatable: true,
  status: 200,
  response: settings,
  errors: [],
  store: { GetItem: ['product', 'portal'], PutItem: ['portal'] },
  settings: ['publicUrl'],
  mail: 'status',
  examples: { request: { enabled: true, color: '#0b7285' }, response: example },
}));

export const createPortalLink = /* @__PURE__ */ endpoint(() => ({
  name: 'createPortalLink',
  method: 'POST',
  path: '/v1/products/{id}/portal/links',
  tag: 'Portal',
  summary: 'Create a sign-in link for a buyer',
  description:
    'Creates a link with which the buyer can sign in to the portal once. The vendor can show the link on its own website after the buyer has signed in there, or can mail the link to the buyer. The response is 404 if no license of the product has this e-mail address, and 422 while the portal is disabled. A buyer has at most 20 valid links. If a further link is created, the oldest link becomes invalid.',
  credential: 'admin',
  scope: 'licenses',
  subject: 'product',
  params: z.object({ id: pathId }),
  body: z.object({
    customer_email: email,
    ttl_minutes: documented(z.nullish(checked(z.int(), z.minimum(1), z.maximum(10_080))), {
      description: 'The number of minutes for which the link is valid; default 1,440.',
    }),
  }),
  status: 201,
  response: documented(
    z.object({
      url: documented(z.string(), {
        description: 'The link. Anyone who has the link can sign in as the buyer once, so give it only to the buyer.',
      }),
      expires_at: timestamp,
    }),
    { id: 'PortalLink' },
  ),
  errors: [],
  store: {
    GetItem: ['product', 'portal', 'portalBuyer'],
    BatchGetItem: ['licenseId', 'member'],
    PutItem: ['portalBuyer', 'portalLink'],
    DeleteItem: ['portalLink', 'portalSession'],
    indexes: ['email'],
  },
  settings: ['publicUrl'],
  examples: {
    request: { customer_email: 'ada@example.com' },
    response: {
      url: 'https://licenses.example.com/portal/acme-editor#t=q3Zl0ZmY7cJw0d0n6b3nSg2yTtJ8e1kqkq7kq1w9v4E',
      expires_at: '2026-11-21T13:52:00.123Z',
    },
  },
}));
