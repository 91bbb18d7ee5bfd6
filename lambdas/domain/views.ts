import type { ClientLicenseView, DeviceView, LicenseTypeView, LicenseView, SeatsView, UpdatesView } from '../contract/resources';
import {
  boundDevice,
  effectiveFeatures,
  effectiveLimits,
  leaseEnd,
  maxSeats,
  seatsTaken,
  shownEmail,
  type Device,
  type License,
  type LicenseTerms,
} from './license';
import type { LicenseType } from './license-type';
import { metadataJson } from './metadata';
import { timestampOf, timestampOrNull } from './time';

/** Stored records in the format of responses. */

export const seatsView = (license: License): SeatsView => ({ used: seatsTaken(license), max: maxSeats(license) });

/** The limits that decide which releases the license covers. */
export const updatesView = ({ updates_until, max_major }: License): UpdatesView => ({ until: timestampOrNull(updates_until), max_major });

export const deviceView = (license: License, device: Device): DeviceView => ({
  fingerprint: device.fingerprint,
  platform: device.platform,
  name: device.name,
  activated_at: timestampOf(device.activated_at),
  lease_expires_at: timestampOrNull(leaseEnd(license, device)),
  last_seen_on: device.last_seen_on,
});

const termsView = (terms: LicenseTerms): LicenseView['license_type'] => ({
  ...terms,
  features: [...terms.features],
  meters: [...terms.meters],
});

/**
 * The part of the admin view of a license that events contain, too.
 *
 * @param metadata the metadata object, or a value that the view contains instead of it, such as a reference to the metadata's row
 */
export const licenseSummary = <Metadata>(
  license: License,
  metadata: Metadata,
): Omit<LicenseView, 'activations' | 'own_terms' | 'metadata'> & { readonly metadata: Metadata } => ({
  id: license.id,
  product_id: license.product_id,
  key: license.key,
  status: license.status,
  expires_at: timestampOrNull(license.expires_at),
  term: license.term && { starts: 'activation', days: license.term.days },
  updates: updatesView(license),
  license_type: termsView(license.license_type),
  seats: seatsView(license),
  members: license.members,
  features: [...effectiveFeatures(license)],
  limits: effectiveLimits(license),
  customer_email: shownEmail(license),
  language: license.language,
  label: license.label,
  metadata,
  created_at: timestampOf(license.created_at),
  revoked_at: timestampOrNull(license.revoked_at),
  revoked_reason: license.revoked_reason,
  suspended_at: timestampOrNull(license.suspended?.at ?? null),
  suspended_reason: license.suspended?.reason ?? null,
  suspended_by: license.suspended?.by ?? null,
  suspended_cause: license.suspended?.cause ?? null,
  order: license.order && { ...license.order },
  new_devices: {
    count: license.new_devices?.hashes.length ?? 0,
    // If no device was counted, the license may contain the time of a reset.
    since: license.new_devices?.hashes.length ? timestampOf(license.new_devices.since) : null,
  },
});

export const ownTermsView = (license: License): LicenseView['own_terms'] =>
  (['max_seats', 'features', 'limits', 'meters'] as const).filter((terms) => license[terms] !== null);

/** Maximum size of the devices in one response, in bytes as Lambda counts them. A license may have any number of devices. */
const MAX_DEVICES_BYTES = 4_000_000;

/**
 * The first devices that fit into `maxBytes`. In Lambda's response, the body is a JSON string, so the JSON of each device is encoded a
 * second time. The size of a device is its size after the second encoding.
 */
export function truncateToBytes<Shown extends DeviceView>(devices: readonly Shown[], maxBytes = MAX_DEVICES_BYTES): Shown[] {
  let bytes = 0;
  const end = devices.findIndex((device) => {
    bytes += Buffer.byteLength(JSON.stringify(JSON.stringify(device)));
    return bytes > maxBytes;
  });
  return devices.slice(0, end === -1 ? devices.length : end);
}

/** The devices that are bound to a license, the longest bound first. */
export const activationViews = (license: License, devices: readonly Device[]): LicenseView['activations'] =>
  devices
    .filter((device) => boundDevice(license, device) !== undefined)
    .sort((a, b) => a.activated_at - b.activated_at || (a.fingerprint < b.fingerprint ? -1 : 1))
    .map((device) => ({
      ...deviceView(license, device),
      member: device.member,
      app_version: device.app_version,
      country: device.country,
    }));

/**
 * The admin view of a license. It shows the devices with a seat, in the order in which they were bound. If a response cannot contain all
 * devices, the view shows only the first devices, and `seats.used` counts all of them.
 */
export const licenseView = (license: License, devices: readonly Device[]): LicenseView => ({
  ...licenseSummary(license, JSON.parse(metadataJson(license.metadata)) as Record<string, unknown>),
  own_terms: ownTermsView(license),
  activations: truncateToBytes(activationViews(license, devices)),
});

/** @param key the key with which the app has made its request: the license's key, or a device key */
export const clientLicenseView = (license: License, key = license.key): ClientLicenseView => ({
  id: license.id,
  key,
  status: license.status,
  expires_at: timestampOrNull(license.expires_at),
  license_type: { name: license.license_type.name, kind: license.license_type.kind },
});

/** What an app learns about its license from an activation and from a validation. @param key see {@link clientLicenseView} */
export const grantedView = (license: License, key?: string) => ({
  status: license.status,
  license: clientLicenseView(license, key),
  seats: seatsView(license),
  features: [...effectiveFeatures(license)],
  limits: effectiveLimits(license),
  updates: updatesView(license),
});

export const licenseTypeView = (type: LicenseType): LicenseTypeView => ({
  id: type.id,
  product_id: type.product_id,
  name: type.name,
  kind: type.kind,
  max_seats: type.max_seats,
  duration_days: type.duration_days,
  features: [...type.features],
  limits: type.limits,
  meters: [...type.meters],
  lease_minutes: type.lease_minutes,
  new_devices_per_week: type.new_devices_per_week,
  updates_days: type.updates_days,
  max_major: type.max_major,
  starts: type.starts,
  downloads_when_expired: type.downloads_when_expired,
  binding: type.binding,
  devices_per_user: type.devices_per_user,
  self_service: type.self_service,
  archived: type.archived,
  created_at: timestampOf(type.created_at),
});
