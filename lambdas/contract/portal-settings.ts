import * as z from 'zod';
import { endpoint } from './endpoint';
import { productExample } from './examples';
import { portalActions } from './portal-actions';
import { email, pathId } from './resources';
import { nameText, text, timestamp } from './text';

/** The endpoints with which a vendor configures the portal (docs/spec/portal.md, Settings). */

/** Maximum length of the support address, in characters. */
const MAX_SUPPORT_URL = 2048;

const isSupportUrl = (value: string): boolean => {
  if (!URL.canParse(value)) return false;
  const { protocol, username, password, hostname, pathname } = new URL(value);
  if (protocol === 'mailto:') return pathname.includes('@');
  return protocol === 'https:' && hostname !== '' && username === '' && password === '';
};

const settings = z
  .object({
    enabled: z.boolean(),
    title: z.string().meta({ description: "The heading of the page; by default the product's name." }),
    support_url: z.string().nullable(),
    color: z.string().nullable().meta({ description: "The color of buttons; null: the page's own." }),
    allow: z.array(z.enum(portalActions)),
    frees_per_30_days: z
      .int()
      .min(0)
      .max(1000)
      .meta({ description: 'Number of devices of one license that its buyer may free in 30 days, counted from the first; 0: no limit.' }),
    mail_configured: z.boolean().meta({ description: 'Without mail, only links made with the API sign in.' }),
  })
  .meta({ id: 'PortalSettings' });
export type PortalSettingsView = z.infer<typeof settings>;

const example = {
  enabled: true,
  title: productExample.name,
  support_url: 'https://example.com/help',
  color: '#0b7285',
  allow: ['free_devices', 'downloads'],
  frees_per_30_days: 5,
  mail_configured: true,
};

export const getPortal = endpoint({
  name: 'getPortal',
  method: 'GET',
  path: '/v1/products/{id}/portal',
  tag: 'Portal',
  summary: "Get the settings of the product's portal",
  description: 'The page on which buyers see their licenses, free devices and recover keys.',
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
});

export const setPortal = endpoint({
  name: 'setPortal',
  method: 'POST',
  path: '/v1/products/{id}/portal',
  tag: 'Portal',
  summary: "Change the settings of the product's portal",
  description: 'Changes the given fields only. Disabling the portal ends all sessions, codes and links.',
  credential: 'admin',
  scope: 'manage',
  subject: 'product',
  params: z.object({ id: pathId }),
  body: z.object({
    enabled: z.boolean().optional(),
    title: nameText(0, 100).nullable().optional().meta({ description: "Null or empty: the product's name." }),
    support_url: text(1, MAX_SUPPORT_URL)
      .refine(isSupportUrl, { error: 'must be an absolute https: or mailto: URL without user info' })
      .meta({ type: 'string', maxLength: MAX_SUPPORT_URL })
      .nullable()
      .optional(),
    color: z
      .string()
      .regex(/^#[0-9a-fA-F]{6}$/, { error: 'must be a color such as #0b7285' })
      .transform((color) => color.toLowerCase())
      .meta({ type: 'string', pattern: '^#[0-9a-fA-F]{6}$', examples: ['#0b7285'] })
      .nullable()
      .optional(),
    allow: z
      .array(z.enum(portalActions))
      .max(portalActions.length)
      .refine((names) => new Set(names).size === names.length, { error: 'must be distinct' })
      .optional()
      .meta({ uniqueItems: true, description: 'What buyers may do.' }),
    frees_per_30_days: z.int().min(0).max(1000).optional(),
  }),
  repeatable: true,
  status: 200,
  response: settings,
  errors: [],
  store: { GetItem: ['product', 'portal'], PutItem: ['portal'] },
  settings: ['publicUrl'],
  mail: 'status',
  examples: { request: { enabled: true, color: '#0b7285' }, response: example },
});

export const createPortalLink = endpoint({
  name: 'createPortalLink',
  method: 'POST',
  path: '/v1/products/{id}/portal/links',
  tag: 'Portal',
  summary: 'Create a link that signs a buyer in',
  description:
    "For a vendor's own site, where the buyer has signed in already, or for a mail of the support. It works once. 404 if the address has no license of the product, 422 while the portal is off. At most 20 links of one buyer live at a time; a further one ends the oldest.",
  credential: 'admin',
  scope: 'licenses',
  subject: 'product',
  params: z.object({ id: pathId }),
  body: z.object({
    customer_email: email,
    ttl_minutes: z.int().min(1).max(10_080).nullish().meta({ description: 'How long the link works; default 1,440.' }),
  }),
  status: 201,
  response: z
    .object({
      url: z.string().meta({ description: 'Signs in once: give it only to the buyer.' }),
      expires_at: timestamp,
    })
    .meta({ id: 'PortalLink' }),
  errors: [],
  store: {
    GetItem: ['product', 'portal', 'portalBuyer'],
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
});
