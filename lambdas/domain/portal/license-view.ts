import type { PortalLicenseView } from '../../contract/portal';
import type { MeterView } from '../../contract/resources';
import { effectiveFeatures, effectiveLimits, type Device, type License } from '../license';
import { memberId } from '../member';
import type { Product } from '../product';
import { renewUrlOf } from '../renew-url';
import { timestampOf, timestampOrNull } from '../time';
import { seatsView, updatesView } from '../views';
import { freesLeft, freesOf } from './license';
import type { Portal } from './settings';
import { isManaging, type PortalAccess } from './access';

/** What a person can see of a license in the portal (docs/spec/portal.md, With a session). */

/** The vendor's renewal page for a license; null if there is none, or if the license cannot be renewed. */
function renewalOf(license: License, { mail }: Pick<Product, 'mail'>): string | null {
  const { status, license_type, expires_at, updates_until } = license;
  const isEnding = expires_at !== null || updates_until !== null;
  const isRenewable = isEnding && license_type.kind !== 'trial' && (status === 'active' || status === 'expired');
  return isRenewable ? renewUrlOf(mail.renew_url, license) || null : null;
}

/** @param devices the devices that the person may see, each with its ref */
export const portalLicenseView = (
  license: License,
  access: PortalAccess,
  devices: readonly (Device & { readonly ref: string })[],
  meters: readonly MeterView[],
  portal: Portal,
  product: Pick<Product, 'mail'>,
  now: number,
): PortalLicenseView => ({
  id: license.id,
  role: access.role,
  member_id: access.member ? memberId(license.id, access.member.email) : null,
  key: access.role === 'buyer' ? license.key : null,
  label: license.label,
  status: license.status,
  expires_at: timestampOrNull(license.expires_at),
  license_type: { name: license.license_type.name, kind: license.license_type.kind },
  features: [...effectiveFeatures(license)],
  limits: effectiveLimits(license),
  meters: [...meters],
  seats: seatsView(license),
  members: isManaging(access) ? license.members : null,
  updates: updatesView(license),
  order: access.role === 'buyer' && license.order ? { processor: license.order.processor, order_id: license.order.order_id } : null,
  created_at: timestampOf(license.created_at),
  devices: [...devices]
    .sort((a, b) => b.activated_at - a.activated_at || (a.ref < b.ref ? -1 : 1))
    .map(({ ref, name, platform, activated_at, last_seen_on, member }) => ({
      ref,
      name,
      platform,
      activated_at: timestampOf(activated_at),
      last_seen_on,
      member,
    })),
  frees_left: freesLeft(freesOf(license, access.member), portal, now),
  // The page's URL may contain the key.
  renew_url: access.role === 'buyer' ? renewalOf(license, product) : null,
});
