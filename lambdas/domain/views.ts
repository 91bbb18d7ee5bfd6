import type { ClientLicenseView, DeviceView, LicenseTypeView, LicenseView, SeatsView } from '../contract/resources';
import type { Device, License, LicenseTypeSnapshot } from './license';
import { timestampOf, timestampOrNull } from './time';

/** Records as answers show them. */

export const seatsView = (license: License): SeatsView => ({
  used: license.seats_used,
  max: license.license_type.max_seats,
});

export const deviceView = ({ fingerprint, platform, name, activated_at }: Device): DeviceView => ({
  fingerprint,
  platform,
  name,
  activated_at: timestampOf(activated_at),
});

/** Field by field: the table gives a map's fields in any order. */
const licenseTypeSummary = ({ id, name, kind, max_seats, duration_days }: LicenseTypeSnapshot): LicenseTypeSnapshot => ({
  id,
  name,
  kind,
  max_seats,
  duration_days,
});

/** The admin view without the devices, as events carry it. */
export const licenseSummary = (license: License): Omit<LicenseView, 'activations'> => ({
  id: license.id,
  product_id: license.product_id,
  key: license.key,
  status: license.status,
  expires_at: timestampOrNull(license.expires_at),
  license_type: licenseTypeSummary(license.license_type),
  seats: seatsView(license),
  customer_email: license.customer_email,
  metadata: JSON.parse(license.metadata) as Record<string, unknown>,
  created_at: timestampOf(license.created_at),
  revoked_at: timestampOrNull(license.revoked_at),
});

/** The admin view: the devices in the order in which they were bound. */
export const licenseView = (license: License, devices: readonly Device[]): LicenseView => ({
  ...licenseSummary(license),
  activations: [...devices]
    .sort((a, b) => a.activated_at - b.activated_at || (a.fingerprint < b.fingerprint ? -1 : 1))
    .map(deviceView),
});

export const clientLicenseView = (license: License): ClientLicenseView => ({
  id: license.id,
  key: license.key,
  status: license.status,
  expires_at: timestampOrNull(license.expires_at),
  license_type: { name: license.license_type.name, kind: license.license_type.kind },
});

/** A license type as it is recorded. */
export interface LicenseType extends LicenseTypeSnapshot {
  readonly product_id: number;
  readonly created_at: number;
}

export const licenseTypeView = ({ id, product_id, name, kind, max_seats, duration_days, created_at }: LicenseType): LicenseTypeView => ({
  id,
  product_id,
  name,
  kind,
  max_seats,
  duration_days,
  created_at: timestampOf(created_at),
});
