import * as z from 'zod/mini';
import type { PortalSettingsView } from '../../contract/portal-settings';
import { portalActions } from '../../contract/portal-actions';
import { flag, known, number, orNull, string, type Stored } from '../stored';
import type { MailHead } from '../mail-html';
import { logoPath, logoSchema } from './logo';

/** The settings of a product's portal (docs/spec/portal.md, Settings). */
export const portalSchema = z.object({
  slug: string,
  product_id: number,
  enabled: flag,
  /** A counter that is increased when the portal is disabled. Sessions and links with an older epoch are invalid. */
  epoch: number,
  /** The title of the portal; null: the product's name. */
  title: orNull(string),
  /** The vendor's pages to which the portal links; null: no link. */
  support_url: orNull(string),
  shop_url: orNull(string),
  imprint_url: orNull(string),
  privacy_url: orNull(string),
  logo: orNull(logoSchema),
  /** The color as `#rrggbb`; null: the page's own color. */
  color: orNull(string),
  /** This version does not allow actions that only a newer version knows. */
  allow: known(portalActions),
  /** How many devices of one license its buyer may free in 30 days; 0 means no limit. */
  frees_per_30_days: number,
  /** The base URL of the service at the last change of the settings. Links contain this URL if the deployment does not know its own URL. */
  base_url: string,
});
export interface Portal extends Stored<typeof portalSchema> {}

export type VendorLinks = Pick<Portal, 'support_url' | 'shop_url' | 'imprint_url' | 'privacy_url'>;

export const newPortal = (product: { readonly id: number; readonly slug: string }): Portal => ({
  slug: product.slug,
  product_id: product.id,
  enabled: false,
  epoch: 0,
  title: null,
  support_url: null,
  shop_url: null,
  imprint_url: null,
  privacy_url: null,
  logo: null,
  color: null,
  allow: ['free_devices', 'downloads'],
  frees_per_30_days: 5,
  base_url: '',
});

/** The changes that an operator makes. An undefined field stays unchanged. */
export type PortalChanges = { readonly [Field in Exclude<keyof Portal, 'slug' | 'product_id' | 'epoch'>]?: Portal[Field] | undefined };

/** The settings after a change. Disabling the portal begins a new epoch. */
export function changePortal(portal: Portal, changes: PortalChanges): Portal {
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as Partial<Portal>;
  const after = { ...portal, ...given, ...(given.title === '' && { title: null }) };
  return portal.enabled && !after.enabled ? { ...after, epoch: portal.epoch + 1 } : after;
}

export const portalTitle = ({ title }: Pick<Portal, 'title'>, product: { readonly name: string }): string => title ?? product.name;

export const vendorLinks = ({ support_url, shop_url, imprint_url, privacy_url }: VendorLinks): VendorLinks => ({
  support_url,
  shop_url,
  imprint_url,
  privacy_url,
});

export const logoView = ({ slug, logo }: Pick<Portal, 'slug' | 'logo'>): PortalSettingsView['logo'] =>
  logo && { sha256: logo.sha256, path: logoPath(slug, logo), width: logo.width, height: logo.height };

export const portalSettingsView = (portal: Portal, product: { readonly name: string }, mailConfigured: boolean): PortalSettingsView => ({
  enabled: portal.enabled,
  title: portalTitle(portal, product),
  ...vendorLinks(portal),
  logo: logoView(portal),
  color: portal.color,
  allow: [...portal.allow],
  frees_per_30_days: portal.frees_per_30_days,
  mail_configured: mailConfigured,
});

/**
 * What mails show above their text: the title, the color and the logo of the portal. A mail needs the whole URL of the logo.
 *
 * @param publicUrl the URL of the deployment, if it is known
 */
export const mailHead = (portal: Portal, product: { readonly name: string }, publicUrl: string | undefined): MailHead => ({
  title: portalTitle(portal, product),
  color: portal.color,
  logo: portal.logo && {
    url: `${publicUrl ?? portal.base_url}${logoPath(portal.slug, portal.logo)}`,
    width: portal.logo.width,
    height: portal.logo.height,
  },
});

/**
 * The URL of the portal page. With a token, it is the URL at which the page signs the buyer in. The token is in the fragment of the URL,
 * because browsers don't send the fragment to a server.
 *
 * @param publicUrl the URL of the deployment, if it is known
 */
export const portalUrl = ({ slug, base_url }: Pick<Portal, 'slug' | 'base_url'>, publicUrl: string | undefined, token?: string): string =>
  `${publicUrl ?? base_url}/portal/${slug}${token === undefined ? '' : `#t=${token}`}`;
