import * as z from 'zod/mini';
import { checked, documented } from './schema';
import { endpoint } from './endpoint';
import { activationEvents } from './events';
import { deviceTokenExample, licenseExample, meterExample, portalExample, productExample, receiptExample } from './examples';
import { BUYER_KEY_MAILS_PER_DAY, BUYER_REISSUES_PER_DAY, CODE_ATTEMPTS, CODE_MAILS } from './limits';
import { pageOfOrders } from './orders';
import { pageById } from './paging';
import { portalActions } from './portal-actions';
import { logo, vendorLinks } from './portal-settings';
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
  listedDevice,
  MAX_BODY_BYTES,
  memberRoles,
  meter,
  pathId,
  seats,
  shownLimits,
  slug,
  updates,
} from './resources';
import { receiptUrl, subscription } from './resources/order';
import { architectures, platforms } from './resources/release';
import { refusalErrors } from './statuses';
import { countUpTo, nameText, text, timestamp } from './text';

/** The endpoints of the portal for buyers (docs/spec/portal.md). */

const portalSlug = documented(slug, { description: "The product's slug.", examples: [productExample.slug] });
export const ofPortal = z.object({ slug: portalSlug });
export const ofLicense = z.object({ slug: portalSlug, id: pathId });

/**
 * The response to a request for a code. The response is the same for every e-mail address, so that nobody can find out whether a person is
 * a customer.
 */
const accepted = documented(z.object({}), { id: 'Accepted' });

const code = documented(
  z.pipe(
    z.pipe(
      z.string(),
      z.transform((raw) => raw.replace(/[\s-]/g, '')),
    ),
    checked(z.string(), z.regex(/^\d{8}$/, { error: 'must be 8 digits' })),
  ),
  { type: 'string', description: 'The code from the mail: 8 digits. Spaces and hyphens are ignored.', examples: ['48151623'] },
);

/**
 * The rate limit for requests that people make by hand, for example with a typed code. Only a script would send requests at a higher rate.
 */
const TYPING = { rate: 20, burst: 40 } as const;

const portalFront = documented(
  z.object({
    product: documented(z.string(), { description: "The product's name." }),
    title: z.string(),
    ...vendorLinks,
    logo,
    color: z.nullable(z.string()),
    allow: z.array(z.enum(portalActions)),
  }),
  { id: 'PortalFront' },
);
export type PortalFront = z.infer<typeof portalFront>;

export const showPortal = /* @__PURE__ */ endpoint(() => ({
  name: 'showPortal',
  method: 'GET',
  path: '/v1/portal/{slug}',
  tag: 'Portal',
  summary: 'Describe the portal of a product',
  description:
    'Returns the title, the logo, the color, the links and the allowed actions of the portal. The response is 404 unless the portal of the product is enabled.',
  credential: 'none',
  params: ofPortal,
  response: portalFront,
  store: { GetItem: ['portal', 'product'] },
  throttle: { rate: 100, burst: 200 },
  examples: {
    response: {
      product: productExample.name,
      ...portalExample,
    },
  },
}));

export const requestPortalCode = /* @__PURE__ */ endpoint(() => ({
  name: 'requestPortalCode',
  method: 'POST',
  path: '/v1/portal/{slug}/codes',
  tag: 'Portal',
  summary: 'Request a sign-in code',
  description: `Mails a sign-in code and a sign-in link to the e-mail address, if a license of the product has this address. The response is the same for every address and takes the same time, so that nobody can find out who is a customer. An address gets at most ${CODE_MAILS} such mails within 10 minutes; further requests send no mail. The language of the mail is German or English, according to \`Accept-Language\`.`,
  credential: 'none',
  params: ofPortal,
  body: z.object({ email }),
  status: 202,
  response: accepted,
  store: { GetItem: ['portal'], PutItem: ['event'] },
  queue: true,
  throttle: TYPING,
  examples: { request: { email: 'ada@example.com' }, response: {} },
}));

const sessionEnd = documented(timestamp, {
  description:
    'The time at which the session ends if it is not used again: 60 minutes after its last use, but at most 12 hours after its beginning.',
});

const session = z.object({
  session: documented(z.string(), {
    description:
      'The token of the session, for the header `X-Portal-Session`. The token is shown only once, because the service stores only its hash.',
  }),
  expires_at: sessionEnd,
});

export const createPortalSession = /* @__PURE__ */ endpoint(() => ({
  name: 'createPortalSession',
  method: 'POST',
  path: '/v1/portal/{slug}/sessions',
  tag: 'Portal',
  summary: 'Sign in',
  description: `Starts a session of a buyer. The body contains the e-mail address and the code from the mail, or the \`token\` of a link. A code or a link works only once. After ${CODE_ATTEMPTS} wrong attempts for an e-mail address, the code of this address is invalid. All refusals have the same 401 response.`,
  credential: 'none',
  params: ofPortal,
  body: checked(
    z.object({ email: z.optional(email), code: z.optional(code), token: z.optional(text(1, 200)) }),
    z.refine(({ email: address, code: digits, token }) => (token === undefined) === (address !== undefined && digits !== undefined), {
      path: ['code'],
      error: 'must be given together with email, unless only token is given',
    }),
  ),
  // Only the hash of a session is stored, so the service could not return the session again.
  idempotent: false,
  status: 201,
  response: documented(session, { id: 'PortalSession' }),
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
}));

export const getPortalSession = /* @__PURE__ */ endpoint(() => ({
  name: 'getPortalSession',
  method: 'GET',
  path: '/v1/portal/{slug}/sessions',
  tag: 'Portal',
  summary: 'Get the session',
  description: 'Returns the e-mail address that is signed in, and the time at which the session ends.',
  credential: 'portal',
  params: ofPortal,
  response: documented(
    z.object({
      email: documented(z.string(), { description: 'The e-mail address that is signed in.' }),
      expires_at: sessionEnd,
    }),
    { id: 'PortalSignedIn' },
  ),
  store: {},
  examples: { response: { email: 'ada@example.com', expires_at: '2026-11-20T14:52:00.123Z' } },
}));

export const endPortalSession = /* @__PURE__ */ endpoint(() => ({
  name: 'endPortalSession',
  method: 'DELETE',
  path: '/v1/portal/{slug}/sessions',
  tag: 'Portal',
  summary: 'Sign out',
  description: 'Ends the session in the header `X-Portal-Session`. Without a valid session the request changes nothing.',
  credential: 'none',
  params: ofPortal,
  response: documented(z.object({ ended: z.boolean() }), { id: 'PortalSignOut' }),
  store: { GetItem: ['portal'], BatchGetItem: ['portal', 'portalSession'], DeleteItem: ['portalSession'] },
  throttle: TYPING,
  examples: { response: { ended: false } },
}));

const portalDevice = documented(
  z.object({
    ...listedDevice,
    member: documented(z.nullable(z.string()), {
      description: 'The e-mail address of the member who uses the device; null if the license does not belong to named people.',
    }),
  }),
  { id: 'PortalDevice' },
);

/** What a signed-in person can be for a license. */
export const portalRoles = ['buyer', ...memberRoles] as const;
export type PortalRole = (typeof portalRoles)[number];

const portalLicense = documented(
  z.object({
    id: checked(z.int(), z.minimum(1)),
    role: documented(z.enum(portalRoles), {
      description: 'What the signed-in person is for this license: its buyer, or one of the people to whom it belongs.',
    }),
    member_id: documented(z.nullable(z.string()), {
      description: 'The id of the signed-in person as a member; null for a buyer who is not a member.',
    }),
    key: documented(z.nullable(canonicalKey), { description: 'Null for all but the buyer.' }),
    label: documented(z.nullable(z.string()), { description: 'The label that the buyer has given the license; null: none.' }),
    status: licenseStatus,
    expires_at: expiresAt,
    license_type: z.object({ name: z.string(), kind: licenseKind }),
    features: featureNames,
    limits: shownLimits,
    meters: documented(z.array(meter), { description: 'What was consumed, by the name of the meter.' }),
    seats,
    members: documented(z.nullable(z.int()), {
      description: 'The number of members; null for a role `member`, and for a license that does not belong to named people.',
    }),
    updates,
    order: documented(z.nullable(z.object({ processor: z.enum(processors), order_id: z.string() })), {
      description: 'Null for all but the buyer.',
    }),
    created_at: timestamp,
    devices: documented(z.array(portalDevice), { description: 'All devices; for the role `member`, only the person’s own.' }),
    frees_left: documented(z.nullable(checked(z.int(), z.minimum(0))), {
      description: 'The number of devices of the license that the signed-in person may free now; null: no limit.',
    }),
    renew_url: documented(z.nullable(z.string()), {
      description:
        "The vendor's page on which this license can be renewed (`renew_url` of the mail settings). Null if there is no such page, or if the license has no end, is a trial, is suspended or is revoked. Null for all but the buyer, because it may contain the key.",
    }),
  }),
  { id: 'PortalLicense' },
);
export type PortalLicenseView = z.infer<typeof portalLicense>;

const portalLicenseExample = {
  id: 1,
  role: 'buyer' as const,
  member_id: null,
  key: licenseExample.key,
  label: null,
  status: 'active',
  expires_at: null,
  license_type: { name: 'Personal', kind: 'lifetime' },
  features: ['export', 'sync'],
  limits: { projects: 50 },
  meters: [meterExample],
  seats: { used: 1, max: 3 },
  members: null,
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
      member: null,
    },
  ],
  frees_left: 5,
  renew_url: null,
};

/** Maximum number of licenses on one page of the portal. */
export const MAX_PORTAL_LICENSES = 100;

const portalLimit = documented(z.optional(countUpTo(MAX_PORTAL_LICENSES)), {
  description: `Maximum number of licenses; default ${MAX_PORTAL_LICENSES}.`,
});

export const listPortalLicenses = /* @__PURE__ */ endpoint(() => ({
  name: 'listPortalLicenses',
  method: 'GET',
  path: '/v1/portal/{slug}/licenses',
  tag: 'Portal',
  summary: "List the buyer's licenses",
  description: `Returns the licenses of the product whose buyer or member the signed-in person is, newest first, each with its devices. A page has at most ${MAX_PORTAL_LICENSES} licenses.`,
  credential: 'portal',
  params: ofPortal,
  query: z.object({ ...pageById, limit: portalLimit }),
  response: z.array(portalLicense),
  // `product` is needed for the rows of the license types, which contain the current names of the types.
  store: {
    GetItem: ['product'],
    BatchGetItem: ['license', 'licenseId', 'member', 'metadata', 'meter', 'product'],
    Query: ['license'],
    indexes: ['email'],
  },
  secrets: ['portalKey'],
  examples: { response: [portalLicenseExample] },
}));

/** The table access that is needed to change a license of a buyer. Reading the license in the path needs no declaration here. */
const change = {
  BatchGetItem: ['license'],
  UpdateItem: ['license'],
} as const;

export const labelPortalLicense = /* @__PURE__ */ endpoint(() => ({
  name: 'labelPortalLicense',
  method: 'PATCH',
  path: '/v1/portal/{slug}/licenses/{id}',
  tag: 'Portal',
  summary: 'Label a license',
  description:
    'Gives one of the buyer’s licenses a label, by which the buyer tells licenses apart. The operator sees the label too. Null or an empty text removes it. The request works in every status of the license.',
  credential: 'portal',
  params: ofLicense,
  body: z.object({ label: z.nullable(nameText(0, 60)) }),
  response: documented(z.object({ label: z.nullable(z.string()) }), { id: 'PortalLabel' }),
  store: { ...change, UpdateItem: ['license', 'licenseId'] },
  emits: ['license.updated'],
  throttle: TYPING,
  examples: { request: { label: 'Studio computer' }, response: { label: 'Studio computer' } },
}));

export const freePortalDevice = /* @__PURE__ */ endpoint(() => ({
  name: 'freePortalDevice',
  method: 'DELETE',
  path: '/v1/portal/{slug}/licenses/{id}/devices/{ref}',
  tag: 'Portal',
  summary: 'Free the seat of a device',
  description:
    "Frees the seat of one of the buyer's devices. It needs `free_devices` in the portal's `allow`, except for a device on which somebody has signed in within the last 72 hours: such a device can always be freed, and does not count. The request works in every status of the license. An unknown `ref` frees no device. The response is 429 `too_many_frees` if the buyer has already freed the maximum number of devices of this license within 30 days (`frees_per_30_days`).",
  credential: 'portal',
  params: z.object({ slug: portalSlug, id: pathId, ref: documented(z.string(), { examples: ['pU1Q6f0b9cEr5dGq3Lw1aQ'] }) }),
  response: deactivation,
  // The operation itself checks `allow`, because the buyer may always free a device that has just signed in.
  errors: ['forbidden', 'too_many_frees'],
  store: {
    ...change,
    BatchGetItem: [...change.BatchGetItem, 'member'],
    Query: ['license'],
    PutItem: ['member'],
    DeleteItem: ['license'],
    ConditionCheckItem: ['member'],
  },
  secrets: ['portalKey'],
  emits: ['license.deactivated'],
  examples: { response: { freed: true } },
}));

export const reissuePortalLicense = /* @__PURE__ */ endpoint(() => ({
  name: 'reissuePortalLicense',
  method: 'POST',
  path: '/v1/portal/{slug}/licenses/{id}/reissue',
  tag: 'Portal',
  summary: 'Replace a leaked key',
  description: `Gives the license a new key and frees every seat, at most ${BUYER_REISSUES_PER_DAY} times within 24 hours for each license. The previous key is refused from now on.`,
  credential: 'portal',
  allow: 'reissue',
  params: ofLicense,
  response: portalLicense,
  errors: ['license_revoked', 'license_suspended', 'rate_limited'],
  store: {
    ...change,
    GetItem: ['product'],
    BatchGetItem: [...change.BatchGetItem, 'meter'],
    Query: ['meter'],
    UpdateItem: ['license', 'licenseId'],
    PutItem: ['license', 'freedDevices', 'meter'],
  },
  emits: ['license.reissued'],
  examples: { response: { ...portalLicenseExample, key: 'VKTFZ-3K6VP-JNM4E-B07SN-5QY2C', seats: { used: 0, max: 3 }, devices: [] } },
}));

export const mailPortalLicense = /* @__PURE__ */ endpoint(() => ({
  name: 'mailPortalLicense',
  method: 'POST',
  path: '/v1/portal/{slug}/licenses/{id}/mail',
  tag: 'Portal',
  summary: 'Mail the key again',
  description: `Mails the key of the license to the e-mail address of the signed-in buyer, at most ${BUYER_KEY_MAILS_PER_DAY} times within 24 hours for each license.`,
  credential: 'portal',
  params: ofLicense,
  status: 202,
  response: accepted,
  errors: ['license_revoked', 'mail_not_configured', 'rate_limited'],
  store: { PutItem: ['event'], UpdateItem: ['limit', 'license'] },
  mail: 'status',
  queue: true,
  examples: { response: {} },
}));

/** The content of a device's offline request, as the client library writes it. */
export const offlineRequest = z.object({
  product: z.int(),
  key: z.optional(z.string()),
  fingerprint,
  name: z.optional(nameText(0, 200)),
  platform: z.optional(nameText(0, 200)),
});

export const mintPortalToken = /* @__PURE__ */ endpoint(() => ({
  name: 'mintPortalToken',
  method: 'POST',
  path: '/v1/portal/{slug}/licenses/{id}/offline',
  tag: 'Portal',
  summary: 'Create an offline token for a device without a network',
  description:
    "Creates an offline token for a device without a network. The request contains the text that the app creates with `offlineRequest()`. The device is bound to the license as in an activation. The response contains the text for the app's `importToken()`.",
  credential: 'portal',
  allow: 'offline',
  params: ofLicense,
  body: z.object({
    request: documented(checked(z.string(), z.minLength(1), z.maxLength(MAX_BODY_BYTES)), {
      description: 'The text that the app created with `offlineRequest()`. It begins with `LKS1-REQUEST.`',
    }),
  }),
  response: documented(
    z.object({ response: documented(z.string(), { description: 'A signed offline token that is bound to the device.' }) }),
    { id: 'PortalToken' },
  ),
  errors: [...refusalErrors, 'no_seats', 'too_many_devices', 'too_many_user_devices'],
  store: {
    ...change,
    GetItem: ['product'],
    BatchGetItem: ['license', 'product', 'signingKey', 'member'],
    // The devices are queried, because a device whose lease has ended can lose its seat to the new device.
    Query: ['license'],
    UpdateItem: ['license', 'limit'],
    DeleteItem: ['license'],
    PutItem: ['license', 'member'],
  },
  secrets: ['signingKey'],
  emits: [...activationEvents, 'license.member_added'],
  settings: ['offlineTokenDays', 'expiringDays'],
  examples: { request: { request: 'LKS1-REQUEST.eyJwcm9kdWN0IjoxfQ' }, response: { response: deviceTokenExample } },
}));

const portalDownload = documented(
  z.object({
    license_id: checked(z.int(), z.minimum(1)),
    version: z.string(),
    released_at: timestamp,
    notes: documented(z.nullable(z.string()), { description: 'The release notes, in Markdown.' }),
    artifacts: z.array(
      z.object({
        filename: z.string(),
        platform: z.enum(platforms),
        arch: z.enum(architectures),
        size: documented(z.int(), { description: 'The size of the file, in bytes.' }),
        url: documented(z.string(), {
          description:
            'The URL of the file. A request to this URL needs no header. The URL is valid for 5 minutes. To get a new URL, list the downloads again.',
        }),
      }),
    ),
  }),
  { id: 'PortalDownload' },
);
export type PortalDownload = z.infer<typeof portalDownload>;

export const listPortalDownloads = /* @__PURE__ */ endpoint(() => ({
  name: 'listPortalDownloads',
  method: 'GET',
  path: '/v1/portal/{slug}/downloads',
  tag: 'Portal',
  summary: "List the buyer's downloads",
  description:
    "Returns one release for each active license of the buyer: the newest release of the channel `stable` that the license covers and whose required features the license has. A license without such a release is left out. The pages match those of *List the buyer's licenses*: each page has the releases for the licenses on the same page of that list.",
  credential: 'portal',
  allow: 'downloads',
  params: ofPortal,
  query: z.object({ ...pageById, limit: portalLimit }),
  response: z.array(portalDownload),
  store: { GetItem: ['release'], BatchGetItem: ['license', 'licenseId', 'member', 'release'], indexes: ['email'] },
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
}));

const portalOrder = documented(
  z.object({
    order_id: documented(z.nullable(z.string()), {
      description: "The payment processor's id of the order, as it is on the buyer's receipt.",
    }),
    processor: z.enum(processors),
    created_at: timestamp,
    license_ids: z.array(z.int()),
    amounts: z.array(
      z.object({
        currency: documented(z.nullable(z.string()), { description: 'The currency as an ISO 4217 code.' }),
        paid: documented(z.int(), { description: "Everything that was paid, including tax, in the currency's minor unit." }),
        refunded: z.int(),
      }),
    ),
    subscription,
    receipt_url: receiptUrl,
  }),
  { id: 'PortalOrder' },
);
export type PortalOrder = z.infer<typeof portalOrder>;

export const listPortalOrders = /* @__PURE__ */ endpoint(() => ({
  name: 'listPortalOrders',
  method: 'GET',
  path: '/v1/portal/{slug}/orders',
  tag: 'Portal',
  summary: "List the buyer's orders",
  description:
    "Returns the orders of this product that were placed with the buyer's e-mail address and for which licenses were issued, newest first. A moved license does not move its order.",
  credential: 'portal',
  params: ofPortal,
  query: z.object({
    ...pageOfOrders,
    limit: documented(z.optional(countUpTo(100)), { description: 'Maximum number of orders; default 100.' }),
  }),
  response: z.array(portalOrder),
  store: { BatchGetItem: ['payment'], Query: ['payment'], indexes: ['list', 'email'] },
  examples: {
    response: [
      {
        order_id: 'cs_live_a1',
        processor: 'stripe',
        created_at: '2026-11-20T13:52:00.000Z',
        license_ids: [1],
        amounts: [{ currency: 'USD', paid: 9800, refunded: 0 }],
        subscription: { state: 'active', renews_at: '2027-01-20T13:52:00.000Z', ends_at: null },
        receipt_url: receiptExample,
      },
    ],
  },
}));

export const changePortalEmail = /* @__PURE__ */ endpoint(() => ({
  name: 'changePortalEmail',
  method: 'POST',
  path: '/v1/portal/{slug}/email',
  tag: 'Portal',
  summary: 'Change the e-mail address: request a code',
  description:
    'Mails a code to the new e-mail address and a notice to the current e-mail address. The response is the same for every address.',
  credential: 'portal',
  allow: 'change_email',
  params: ofPortal,
  body: z.object({ email }),
  status: 202,
  response: accepted,
  // A session that is only a member's.
  errors: ['forbidden'],
  store: { BatchGetItem: ['licenseId', 'member'], PutItem: ['event'], UpdateItem: ['limit'], indexes: ['email'] },
  queue: true,
  throttle: TYPING,
  examples: { request: { email: 'ada@example.org' }, response: {} },
}));

export const confirmPortalEmail = /* @__PURE__ */ endpoint(() => ({
  name: 'confirmPortalEmail',
  method: 'POST',
  path: '/v1/portal/{slug}/email/confirm',
  tag: 'Portal',
  summary: 'Change the e-mail address: enter the code',
  description:
    'Replaces the e-mail address of all the buyer’s licenses of this product with the new address, and moves the buyer’s memberships of licenses of named people to it. The session of this request continues with the new address, and the buyer’s other sessions end. Only the session that requested the code can confirm the new address. The response to a wrong code is 401.',
  credential: 'portal',
  allow: 'change_email',
  params: ofPortal,
  body: z.object({ email, code }),
  response: documented(z.object({ email: z.string() }), { id: 'PortalAddress' }),
  store: {
    ...change,
    GetItem: ['licenseId', 'license', 'member', 'portalBuyer'],
    BatchGetItem: ['license', 'licenseId', 'member', 'product'],
    UpdateItem: ['license', 'licenseId'],
    PutItem: ['license', 'member', 'portalBuyer', 'previousAddress'],
    DeleteItem: ['license', 'member', 'portalSession', 'portalLink', 'portalBuyer'],
    indexes: ['email'],
  },
  secrets: ['portalKey'],
  emits: ['license.updated', 'license.deactivated'],
  size: 'large',
  throttle: TYPING,
  examples: { request: { email: 'ada@example.org', code: '48151623' }, response: { email: 'ada@example.org' } },
}));
