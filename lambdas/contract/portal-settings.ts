import * as z from 'zod/mini';
import { checked, documented } from './schema';
import { endpoint } from './endpoint';
import { logoExample, portalExample, productExample, uploadExample } from './examples';
import { MAX_LOGO_BYTES, MAX_LOGO_SIDE } from './logo-size';
import { portalActions } from './portal-actions';
import { email, pathId } from './resources';
import { nameText, text, timestamp } from './text';
import { fileHash, HOW_TO_UPLOAD, upload } from './upload';
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

const side = checked(z.int(), z.minimum(1), z.maximum(MAX_LOGO_SIDE));

/** The logo of a portal, as responses show it. */
export const logo = documented(
  z.nullable(
    documented(
      z.object({
        sha256: documented(z.string(), { description: 'SHA-256 of the image, in hex.' }),
        path: documented(z.string(), {
          description: "The path of the image at the service's URL. Another image has another path, so the image can be cached for ever.",
        }),
        width: documented(side, { description: 'In pixels.' }),
        height: documented(side, { description: 'In pixels.' }),
      }),
      { id: 'PortalLogo' },
    ),
  ),
  { description: 'The logo, above the title of the page and of mails.' },
);

const settings = documented(
  z.object({
    enabled: z.boolean(),
    title: documented(z.string(), { description: "The heading of the portal's page; the default is the product's name." }),
    ...vendorLinks,
    logo,
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
  response: settings,
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
    logo: documented(z.optional(z.nullable(fileHash)), {
      description: 'The SHA-256 hash, in hex, of the image that was uploaded (`createPortalLogoUpload`); null: no logo.',
    }),
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
  response: settings,
  store: { GetItem: ['product', 'portal'], PutItem: ['portal'] },
  settings: ['publicUrl'],
  files: ['changeLogo'],
  mail: 'status',
  examples: { request: { enabled: true, color: '#0b7285' }, response: example },
}));

export const createPortalLogoUpload = /* @__PURE__ */ endpoint(() => ({
  name: 'createPortalLogoUpload',
  method: 'POST',
  path: '/v1/products/{id}/portal/logo',
  tag: 'Portal',
  summary: 'Get the URL for the upload of a logo',
  description: `Declares an image in the format PNG, and returns the URL for its upload. The image has at most ${MAX_LOGO_BYTES / 1024} KB, and at most ${MAX_LOGO_SIDE.toLocaleString('en-US')} pixels on each side. ${HOW_TO_UPLOAD} After the upload, set the field \`logo\` of the portal's settings to the hash of the image.`,
  credential: 'admin',
  scope: 'manage',
  subject: 'product',
  params: z.object({ id: pathId }),
  body: z.object({
    size: documented(checked(z.int(), z.minimum(1), z.maximum(MAX_LOGO_BYTES)), { description: 'The size of the image in bytes.' }),
    sha256: fileHash,
  }),
  changesNothing: true,
  repeatable: true,
  response: documented(z.object({ upload }), { id: 'PortalLogoUpload' }),
  store: { GetItem: ['product'] },
  files: ['uploadLogo'],
  examples: {
    request: { size: 5120, sha256: logoExample.sha256 },
    response: {
      upload: {
        ...uploadExample,
        url: `https://production-releases-0a1b2c3d4e5f.s3.eu-central-1.amazonaws.com/logo-uploads/${productExample.slug}/${logoExample.sha256}?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=3600`,
        headers: { ...uploadExample.headers, 'content-type': 'image/png' },
      },
    },
  },
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
  // Only the hash of a link is stored, so the service could not return the link again.
  idempotent: false,
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
