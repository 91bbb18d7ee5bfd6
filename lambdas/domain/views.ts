import type { ClientLicenseView, DeviceView, LicenseTypeView, LicenseView, SeatsView } from '../contract/resources';
import { boundDevice, type Device, type License, type LicenseTypeSnapshot } from './license';
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

/** Most bytes of devices in one view, as Lambda counts its answer: a license may have any number of them. */
const MAX_DEVICES_BYTES = 4_000_000;

/** As many of the devices, in order, as fit into so many bytes of JSON within JSON. */
export function truncateToBytes(devices: readonly DeviceView[], maxBytes = MAX_DEVICES_BYTES): DeviceView[] {
  let bytes = 0;
  const end = devices.findIndex((device) => {
    bytes += Buffer.byteLength(JSON.stringify(JSON.stringify(device)));
    return bytes > maxBytes;
  });
  return devices.slice(0, end === -1 ? devices.length : end);
}

/**
 * The admin view: the devices that hold a seat, in the order in which they were bound. Where there are too
 * many to answer, the first; `seats.used` counts them all.
 */
export const licenseView = (license: License, devices: readonly Device[]): LicenseView => ({
  ...licenseSummary(license),
  activations: truncateToBytes(
    devices
      .filter((device) => boundDevice(license, device) !== undefined)
      .sort((a, b) => a.activated_at - b.activated_at || (a.fingerprint < b.fingerprint ? -1 : 1))
      .map(deviceView),
  ),
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
