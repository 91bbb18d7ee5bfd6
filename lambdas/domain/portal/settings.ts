import type { PortalSettingsView } from '../../contract/portal-settings';
import type { PortalAction } from '../../contract/portal-actions';

/** The vendor's pages to which the portal links; null: no link. */
export interface VendorLinks {
  readonly support_url: string | null;
  readonly shop_url: string | null;
  readonly imprint_url: string | null;
  readonly privacy_url: string | null;
}

/** The settings of a product's portal (docs/spec/portal.md, Settings). */
export interface Portal extends VendorLinks {
  readonly slug: string;
  readonly product_id: number;
  readonly enabled: boolean;
  /** A counter that is increased when the portal is disabled. Sessions and links with an older epoch are invalid. */
  readonly epoch: number;
  /** The title of the portal; null: the product's name. */
  readonly title: string | null;
  /** The color as `#rrggbb`; null: the page's own color. */
  readonly color: string | null;
  readonly allow: readonly PortalAction[];
  /** How many devices of one license its buyer may free in 30 days; 0 means no limit. */
  readonly frees_per_30_days: number;
  /** The base URL of the service at the last change of the settings. Links contain this URL if the deployment does not know its own URL. */
  readonly base_url: string;
}

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

export const portalSettingsView = (portal: Portal, product: { readonly name: string }, mailConfigured: boolean): PortalSettingsView => ({
  enabled: portal.enabled,
  title: portalTitle(portal, product),
  ...vendorLinks(portal),
  color: portal.color,
  allow: [...portal.allow],
  frees_per_30_days: portal.frees_per_30_days,
  mail_configured: mailConfigured,
});

/**
 * The URL of the portal page. With a token, it is the URL at which the page signs the buyer in. The token is in the fragment of the URL,
 * because browsers don't send the fragment to a server.
 *
 * @param publicUrl the URL of the deployment, if it is known
 */
export const portalUrl = ({ slug, base_url }: Pick<Portal, 'slug' | 'base_url'>, publicUrl: string | undefined, token?: string): string =>
  `${publicUrl ?? base_url}/portal/${slug}${token === undefined ? '' : `#t=${token}`}`;
