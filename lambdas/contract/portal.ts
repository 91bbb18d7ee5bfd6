import * as z from 'zod';
import { endpoint } from './endpoint';
import { activationEvents } from './events';
import { deviceTokenExample, licenseExample, productExample } from './examples';
import { BUYER_KEY_MAILS_PER_DAY, CODE_ATTEMPTS, CODE_MAILS } from './limits';
import { pageById } from './paging';
import { portalActions } from './portal-actions';
import { processors } from './processors';
import {
  canonicalKey,
  deactivation,
  email,
  expiresAt,
  featureNames,
  fingerprint,
  licenseKind,
  licenseStatus,
  MAX_BODY_BYTES,
  pathId,
  seats,
  slug,
  updates,
} from './resources';
import { architectures, platforms } from './resources/release';
import { refusalErrors } from './statuses';
import { countUpTo, date, nameText, text, timestamp } from './text';

/** The endpoints of the portal for buyers (docs/spec/portal.md). */

const portalSlug = slug.meta({ description: "The product's slug.", examples: [productExample.slug] });
const ofPortal = z.object({ slug: portalSlug });
const ofLicense = z.object({ slug: portalSlug, id: pathId });

/** The response to a request for a code. It is the same for every address, so that nobody learns who is a customer. */
const accepted = z.object({}).meta({ id: 'Accepted' });

const code = z
  .string()
  .transform((raw) => raw.replace(/[\s-]/g, ''))
  .pipe(z.string().regex(/^\d{8}$/, { error: 'must be 8 digits' }))
  .meta({ type: 'string', description: 'The code of the mail: 8 digits; spaces and hyphens do not matter.', examples: ['48151623'] });

/** The rate limit for requests that a person makes by hand, for example with a typed code. Only a script would send many more. */
const TYPING = { rate: 20, burst: 40 } as const;

export const showPortal = endpoint({
  name: 'showPortal',
  method: 'GET',
  path: '/v1/portal/{slug}',
  tag: 'Portal',
  summary: 'Describe the portal of a product',
  description: 'How the page looks and what it offers. 404 unless the product has enabled its portal.',
  credential: 'none',
  params: ofPortal,
  status: 200,
  response: z
    .object({
      product: z.string().meta({ description: "The product's name." }),
      title: z.string(),
      support_url: z.string().nullable(),
      color: z.string().nullable(),
      allow: z.array(z.enum(portalActions)),
    })
    .meta({ id: 'PortalFront' }),
  errors: [],
  store: { GetItem: ['portal', 'product'] },
  throttle: { rate: 100, burst: 200 },
  examples: {
    response: {
      product: productExample.name,
      title: productExample.name,
      support_url: 'https://example.com/help',
      color: '#0b7285',
      allow: ['free_devices', 'downloads'],
    },
  },
});

export const requestPortalCode = endpoint({
  name: 'requestPortalCode',
  method: 'POST',
  path: '/v1/portal/{slug}/codes',
  tag: 'Portal',
  summary: 'Request a sign-in code',
  description: `Mails a code and a link to the address, if it owns a license of the product. The response is the same for every address, and as fast. At most ${CODE_MAILS} such mails in 10 minutes for one address; further requests change nothing. The mail is in German or English, by \`Accept-Language\`.`,
  credential: 'none',
  params: ofPortal,
  body: z.object({ email }),
  status: 202,
  response: accepted,
  errors: [],
  store: { GetItem: ['portal'], PutItem: ['event'] },
  queue: true,
  throttle: TYPING,
  examples: { request: { email: 'ada@example.com' }, response: {} },
});

const session = z.object({
  session: z
    .string()
    .meta({ description: 'For the header `X-Portal-Session`. Shown only this once: the service keeps only a hash of it.' }),
  expires_at: timestamp.meta({ description: 'Until when it lasts without further use: 60 minutes, and 12 hours at most.' }),
});

export const createPortalSession = endpoint({
  name: 'createPortalSession',
  method: 'POST',
  path: '/v1/portal/{slug}/sessions',
  tag: 'Portal',
  summary: 'Sign in',
  description: `With the address and the code of the mail, or with the \`token\` of a link. Each works once. After ${CODE_ATTEMPTS} wrong attempts for an address its code is dead. Every refusal is the same 401.`,
  credential: 'none',
  params: ofPortal,
  body: z
    .object({ email: email.optional(), code: code.optional(), token: text(1, 200).optional() })
    .refine(({ email: address, code: digits, token }) => (token === undefined) === (address !== undefined && digits !== undefined), {
      path: ['code'],
      error: 'must be given with email, or token alone',
    }),
  status: 201,
  response: session.meta({ id: 'PortalSession' }),
  errors: ['unauthorized'],
  store: {
    GetItem: ['portal', 'portalBuyer', 'portalLink'],
    UpdateItem: ['portalBuyer'],
    PutItem: ['portalBuyer', 'portalSession'],
    DeleteItem: ['portalLink', 'portalSession'],
  },
  secrets: ['portalKey', 'originSecret'],
  throttle: TYPING,
  examples: {
    request: { email: 'ada@example.com', code: '48151623' },
    response: { session: 'q3Zl0ZmY7cJw0d0n6b3nSg2yTtJ8e1kqkq7kq1w9v4E', expires_at: '2026-11-20T14:52:00.123Z' },
  },
});

export const endPortalSession = endpoint({
  name: 'endPortalSession',
  method: 'DELETE',
  path: '/v1/portal/{slug}/sessions',
  tag: 'Portal',
  summary: 'Sign out',
  description: 'Ends the session of the header `X-Portal-Session`. Without a live session nothing happens.',
  credential: 'none',
  params: ofPortal,
  status: 200,
  response: z.object({ ended: z.boolean() }).meta({ id: 'PortalSignOut' }),
  errors: [],
  store: { GetItem: ['portal'], BatchGetItem: ['portal', 'portalSession'], DeleteItem: ['portalSession'] },
  throttle: TYPING,
  examples: { response: { ended: false } },
});

const portalDevice = z
  .object({
    ref: z.string().meta({ description: 'Identifies the device within its license; opaque, and not a fingerprint.' }),
    name: z.string(),
    platform: z.string(),
    activated_at: timestamp,
    last_seen_on: date.nullable(),
  })
  .meta({ id: 'PortalDevice' });

const portalLicense = z
  .object({
    id: z.int().min(1),
    key: canonicalKey,
    status: licenseStatus,
    expires_at: expiresAt,
    license_type: z.object({ name: z.string(), kind: licenseKind }),
    features: featureNames,
    seats,
    updates,
    order: z.object({ processor: z.enum(processors), order_id: z.string() }).nullable(),
    created_at: timestamp,
    devices: z.array(portalDevice),
    frees_left: z.int().min(0).nullable().meta({ description: 'How many devices the buyer may free now; null: no limit.' }),
  })
  .meta({ id: 'PortalLicense' });
export type PortalLicenseView = z.infer<typeof portalLicense>;

const portalLicenseExample = {
  id: 1,
  key: licenseExample.key,
  status: 'active',
  expires_at: null,
  license_type: { name: 'Personal', kind: 'lifetime' },
  features: ['export', 'sync'],
  seats: { used: 1, max: 3 },
  updates: { until: null, max_major: null },
  order: { processor: 'stripe', order_id: 'cs_test_a1' },
  created_at: '2026-11-20T13:52:00.123Z',
  devices: [
    {
      ref: 'pU1Q6f0b9cEr5dGq3Lw1aQ',
      name: "Ada's laptop",
      platform: 'linux',
      activated_at: '2026-11-20T13:54:00.000Z',
      last_seen_on: '2026-11-20',
    },
  ],
  frees_left: 5,
};

/** Maximum number of licenses on one page of the portal. */
export const MAX_PORTAL_LICENSES = 100;

const portalLimit = countUpTo(MAX_PORTAL_LICENSES)
  .optional()
  .meta({ description: `Maximum number of licenses; default ${MAX_PORTAL_LICENSES}.` });

export const listPortalLicenses = endpoint({
  name: 'listPortalLicenses',
  method: 'GET',
  path: '/v1/portal/{slug}/licenses',
  tag: 'Portal',
  summary: "List the buyer's licenses",
  description: `The licenses of the product with the address of the session, newest first, in pages of at most ${MAX_PORTAL_LICENSES}, each with its devices.`,
  credential: 'portal',
  params: ofPortal,
  query: z.object({ ...pageById, limit: portalLimit }),
  status: 200,
  response: z.array(portalLicense),
  errors: [],
  // The license types of the product are read, because they contain the current names.
  store: { BatchGetItem: ['license', 'metadata', 'product'], Query: ['license'], indexes: ['email'] },
  examples: { response: [portalLicenseExample] },
});

/** The table access that is needed to change a license of a buyer. */
const change = {
  GetItem: ['licenseId', 'license'],
  BatchGetItem: ['license', 'licenseId'],
  UpdateItem: ['license'],
  PutItem: ['event'],
} as const;

export const freePortalDevice = endpoint({
  name: 'freePortalDevice',
  method: 'DELETE',
  path: '/v1/portal/{slug}/licenses/{id}/devices/{ref}',
  tag: 'Portal',
  summary: 'Free the seat of a device',
  description:
    "Works in every status. An unknown `ref` frees nothing. 429 `too_many_frees` if the buyer has freed as many devices of this license within 30 days as the product's portal allows.",
  credential: 'portal',
  allow: 'free_devices',
  params: z.object({ slug: portalSlug, id: pathId, ref: z.string().meta({ examples: ['pU1Q6f0b9cEr5dGq3Lw1aQ'] }) }),
  status: 200,
  response: deactivation,
  errors: ['too_many_frees'],
  store: { ...change, Query: ['license'], DeleteItem: ['license'] },
  emits: ['license.deactivated'],
  examples: { response: { freed: true } },
});

export const reissuePortalLicense = endpoint({
  name: 'reissuePortalLicense',
  method: 'POST',
  path: '/v1/portal/{slug}/licenses/{id}/reissue',
  tag: 'Portal',
  summary: 'Replace a leaked key',
  description: 'The license gets a new key, and every seat is freed. The previous key is refused from now on.',
  credential: 'portal',
  allow: 'reissue',
  params: ofLicense,
  status: 200,
  response: portalLicense,
  errors: ['license_revoked', 'license_suspended'],
  store: {
    ...change,
    GetItem: ['licenseId', 'license', 'product'],
    UpdateItem: ['license', 'licenseId'],
    PutItem: ['license', 'event', 'freedDevices'],
  },
  emits: ['license.reissued'],
  examples: { response: { ...portalLicenseExample, key: 'VKTFZ-3K6VP-JNM4E-B07SN-5QY2C', seats: { used: 0, max: 3 }, devices: [] } },
});

export const mailPortalLicense = endpoint({
  name: 'mailPortalLicense',
  method: 'POST',
  path: '/v1/portal/{slug}/licenses/{id}/mail',
  tag: 'Portal',
  summary: 'Mail the key again',
  description: `Mails the key to the address of the session: at most ${BUYER_KEY_MAILS_PER_DAY} times within 24 hours for one license.`,
  credential: 'portal',
  params: ofLicense,
  status: 202,
  response: accepted,
  errors: ['license_revoked', 'mail_not_configured', 'rate_limited'],
  store: { GetItem: ['license'], BatchGetItem: ['licenseId'], PutItem: ['event'], UpdateItem: ['limit', 'license'] },
  mail: 'status',
  queue: true,
  examples: { response: {} },
});

/** The content of a device's offline request, as the client library writes it. */
export const offlineRequest = z.object({
  product: z.int(),
  key: z.string(),
  fingerprint,
  name: nameText(0, 200).optional(),
  platform: nameText(0, 200).optional(),
});

export const mintPortalToken = endpoint({
  name: 'mintPortalToken',
  method: 'POST',
  path: '/v1/portal/{slug}/licenses/{id}/offline',
  tag: 'Portal',
  summary: 'License a device that is never online',
  description:
    "Takes the text of the app's `offlineRequest()`, binds that device like an activation, and returns the text for its `importToken()`.",
  credential: 'portal',
  allow: 'offline',
  params: ofLicense,
  body: z.object({ request: z.string().min(1).max(MAX_BODY_BYTES).meta({ description: 'It begins with `LKS1-REQUEST.`' }) }),
  status: 200,
  response: z
    .object({ response: z.string().meta({ description: 'A signed offline token, bound to the device.' }) })
    .meta({ id: 'PortalToken' }),
  errors: [...refusalErrors, 'no_seats', 'too_many_devices'],
  store: {
    ...change,
    GetItem: ['licenseId', 'license', 'product'],
    BatchGetItem: ['license', 'licenseId', 'product', 'signingKey'],
    // The query finds the seats whose leases have ended.
    Query: ['license'],
    UpdateItem: ['license'],
    DeleteItem: ['license'],
    PutItem: ['license', 'event'],
  },
  secrets: ['signingKey'],
  emits: activationEvents,
  settings: ['offlineTokenDays', 'expiringDays'],
  examples: { request: { request: 'LKS1-REQUEST.eyJwcm9kdWN0IjoxfQ' }, response: { response: deviceTokenExample } },
});

const portalDownload = z
  .object({
    license_id: z.int().min(1),
    version: z.string(),
    released_at: timestamp,
    notes: z.string().nullable().meta({ description: 'What is new, in Markdown.' }),
    artifacts: z.array(
      z.object({
        filename: z.string(),
        platform: z.enum(platforms),
        arch: z.enum(architectures),
        size: z.int().meta({ description: 'Bytes.' }),
        url: z.string().meta({ description: 'Needs no header. Valid for 5 minutes: request the list again for another one.' }),
      }),
    ),
  })
  .meta({ id: 'PortalDownload' });

export const listPortalDownloads = endpoint({
  name: 'listPortalDownloads',
  method: 'GET',
  path: '/v1/portal/{slug}/downloads',
  tag: 'Portal',
  summary: "List the buyer's downloads",
  description:
    'For each active license of the buyer the newest release of the channel `stable` that it covers and has the features for; none for a license that covers none. The licenses are those of the same page of the list of licenses.',
  credential: 'portal',
  allow: 'downloads',
  params: ofPortal,
  query: z.object({ ...pageById, limit: portalLimit }),
  status: 200,
  response: z.array(portalDownload),
  errors: [],
  store: { GetItem: ['release'], BatchGetItem: ['license', 'release'], indexes: ['email'] },
  files: ['download'],
  examples: {
    response: [
      {
        license_id: 1,
        version: '2.4.0',
        released_at: '2026-11-20T13:52:00.123Z',
        notes: '- Exports in the background',
        artifacts: [
          {
            filename: 'photo-studio-2.4.0-arm64.dmg',
            platform: 'macos',
            arch: 'arm64',
            size: 104857600,
            url: 'https://files.example.com/photo-studio-2.4.0-arm64.dmg?X-Amz-Signature=0a1b2c',
          },
        ],
      },
    ],
  },
});

export const changePortalEmail = endpoint({
  name: 'changePortalEmail',
  method: 'POST',
  path: '/v1/portal/{slug}/email',
  tag: 'Portal',
  summary: 'Change the address: request a code',
  description: 'Mails a code to the new address and a notice to the present one. The response is the same for every address.',
  credential: 'portal',
  allow: 'change_email',
  params: ofPortal,
  body: z.object({ email }),
  status: 202,
  response: accepted,
  errors: [],
  store: { PutItem: ['event'], UpdateItem: ['limit'] },
  queue: true,
  throttle: TYPING,
  examples: { request: { email: 'ada@example.org' }, response: {} },
});

export const confirmPortalEmail = endpoint({
  name: 'confirmPortalEmail',
  method: 'POST',
  path: '/v1/portal/{slug}/email/confirm',
  tag: 'Portal',
  summary: 'Change the address: enter the code',
  description:
    'Moves all licenses of the buyer in this product to the new address. This session continues under it; the buyer’s other sessions end. Only the session that requested the code can confirm it; a wrong code is 401.',
  credential: 'portal',
  allow: 'change_email',
  params: ofPortal,
  body: z.object({ email, code }),
  status: 200,
  response: z.object({ email: z.string() }).meta({ id: 'PortalAddress' }),
  errors: [],
  store: {
    ...change,
    GetItem: ['licenseId', 'license', 'portalBuyer'],
    UpdateItem: ['license', 'licenseId'],
    PutItem: ['event', 'portalBuyer'],
    DeleteItem: ['portalSession', 'portalLink', 'portalBuyer'],
    indexes: ['email'],
  },
  secrets: ['portalKey'],
  emits: ['license.updated'],
  size: 'large',
  throttle: TYPING,
  examples: { request: { email: 'ada@example.org', code: '48151623' }, response: { email: 'ada@example.org' } },
});
