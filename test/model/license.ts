import type { EventName } from '../../lambdas/contract/events';
import type { ClientLicenseView, DeviceView, LicenseKind, LicenseView, SeatsView, UpdatesView } from '../../lambdas/contract/resources';
import type { LicenseStatus } from '../../lambdas/contract/statuses';

/**
 * A license as the specification describes it, and how responses, events and tokens show it. Nothing here knows of
 * tables, epochs or transactions: a license simply has the devices that are bound to it.
 */

export const DAY = 86_400_000;
export const MINUTE = 60_000;

/** docs/spec/service.md, Errors: each machine code with its status. */
export const refusals = {
  unauthorized: 401,
  license_revoked: 403,
  license_expired: 403,
  release_not_covered: 403,
  license_suspended: 403,
  not_found: 404,
  duplicate: 409,
  idempotency_mismatch: 409,
  invalid_request: 422,
  mail_not_configured: 422,
  no_seats: 429,
  too_many_devices: 429,
} as const;
export interface Refusal {
  readonly refused: keyof typeof refusals;
}
export const refuse = (refused: Refusal['refused']): Refusal => ({ refused });
export const isRefusal = (response: object): response is Refusal => 'refused' in response;

export interface LicenseType {
  readonly id: number;
  readonly product_id: number;
  readonly name: string;
  readonly kind: LicenseKind;
  readonly max_seats: number;
  readonly duration_days: number | null;
  /** Sorted. */
  readonly features: readonly string[];
  readonly lease_minutes: number | null;
  readonly new_devices_per_week: number;
  readonly updates_days: number | null;
  readonly max_major: number | null;
  readonly starts: 'creation' | 'activation';
  readonly downloads_when_expired: boolean;
  readonly self_service: boolean;
  readonly archived: boolean;
  readonly createdAt: number;
}

export interface Device {
  readonly fingerprint: string;
  readonly platform: string;
  readonly name: string;
  readonly activatedAt: number;
  /** Until when it holds its seat for certain; null: it never had a lease. It counts only while the license leases its seats. */
  readonly leaseEnd: number | null;
  /** The UTC day of its last activation or validation. */
  readonly lastSeenOn: string;
}

export interface License {
  readonly id: number;
  readonly key: string;
  /** Keys that it had before. */
  readonly deadKeys: readonly string[];
  readonly productId: number;
  readonly slug: string;
  /** The terms that it was sold with. */
  readonly type: LicenseType;
  /** Its own number of seats; null: the type's. */
  readonly maxSeats: number | null;
  /** Its own features, sorted; null: the type's. */
  readonly features: readonly string[] | null;
  readonly email: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly createdAt: number;
  readonly status: LicenseStatus;
  readonly expiresAt: number | null;
  /** Waits for the first activation; `updatesDays` null: the end of updates does not. */
  readonly term: { readonly days: number; readonly updatesDays: number | null } | null;
  /** Releases up to then, and up to this major version, are covered; null: no such limit. */
  readonly updatesUntil: number | null;
  readonly maxMajor: number | null;
  /** The end of updates for which `license.updates_expiring` was sent. */
  readonly warnedUpdates: number | null;
  readonly revokedAt: number | null;
  readonly suspension: { readonly at: number; readonly reason: string | null } | null;
  /** The expiry for which `license.expiring` was sent. */
  readonly warnedExpiry: number | null;
  /** When `license.seats_exhausted` was sent last. */
  readonly exhaustedAt: number | null;
  /** Devices that took a seat for the first time, within 7 days from the first of them. */
  readonly newDevices: { readonly since: number; readonly fingerprints: readonly string[] } | null;
  /** Bound now; a seat is used by each. */
  readonly devices: readonly Device[];
  /** "A number that rises by one with every state change of that license." */
  readonly sequence: number;
}

/** A license as it is issued; what is not given is as nobody has touched it. */
export const newLicense = (
  facts: Pick<License, 'id' | 'key' | 'productId' | 'slug' | 'type' | 'createdAt' | 'expiresAt'> & Partial<License>,
): License => ({
  deadKeys: [],
  maxSeats: null,
  features: null,
  email: null,
  metadata: {},
  status: 'active',
  revokedAt: null,
  suspension: null,
  warnedExpiry: null,
  term: null,
  updatesUntil: null,
  maxMajor: null,
  warnedUpdates: null,
  exhaustedAt: null,
  newDevices: null,
  devices: [],
  sequence: 1,
  ...facts,
});

/** An event of a license, with the license right after it. */
export interface LicenseEvent {
  readonly event: EventName;
  readonly license: License;
  /** The device that the event is about. */
  readonly device?: Device;
  /** What else its `data` holds. */
  readonly details?: Readonly<Record<string, string>>;
}

/** A write of a bound device that has no event: its labels and its lease. */
export interface DeviceWrite {
  /** As it was when the write was decided on. */
  readonly read: Device;
  readonly device: Device;
}

/** What an operation makes of a license. Without events nothing was changed but what `write` says. */
export interface Step<Response extends object> {
  /** The license after its events; `write` is not yet made. */
  readonly license: License;
  readonly response: Response | Refusal;
  readonly events: readonly LicenseEvent[];
  readonly write?: DeviceWrite;
}

/** The license after a write of a device; undefined if the device is no longer as it was. */
export function written(license: License, { read, device }: DeviceWrite): License | undefined {
  const present = boundDevice(license, device.fingerprint);
  if (present?.activatedAt !== read.activatedAt || present.leaseEnd !== read.leaseEnd) return undefined;
  return { ...license, devices: license.devices.map((one) => (one === present ? device : one)) };
}

/** "A hex string is compared in lower case." */
export const sameDevice = (fingerprint: string): string => (/^[0-9a-f]+$/i.test(fingerprint) ? fingerprint.toLowerCase() : fingerprint);
export const boundDevice = ({ devices }: License, fingerprint: string): Device | undefined =>
  devices.find((device) => device.fingerprint === sameDevice(fingerprint));

export const seatsOf = ({ maxSeats, type }: License): number => maxSeats ?? type.max_seats;
export const isFull = (license: License): boolean => seatsOf(license) > 0 && license.devices.length >= seatsOf(license);
export const featuresOf = ({ features, type }: License): readonly string[] => features ?? type.features;
/** How long a seat is leased, in ms; null: it is held until it is freed. */
export const leaseMs = ({ type }: License): number | null => (type.lease_minutes === null ? null : type.lease_minutes * MINUTE);
/** When the device's lease ends; null: it has none. */
export const leaseEndOf = (license: License, { leaseEnd }: Device): number | null => (leaseMs(license) === null ? null : leaseEnd);

// ── Views ───────────────────────────────────────────────────────────────────────────────────────

export const rfc3339 = (ms: number): string => new Date(ms).toISOString();
const rfc3339OrNull = (ms: number | null): string | null => (ms === null ? null : rfc3339(ms));

export const deviceView = (license: License, device: Device): DeviceView => ({
  fingerprint: device.fingerprint,
  platform: device.platform,
  name: device.name,
  activated_at: rfc3339(device.activatedAt),
  lease_expires_at: rfc3339OrNull(leaseEndOf(license, device)),
  last_seen_on: device.lastSeenOn,
});
/** "The admin view has `updates: {until, max_major}`. Activate and validate responses have the same field." */
export const updatesView = ({ updatesUntil, maxMajor }: License): UpdatesView => ({
  until: rfc3339OrNull(updatesUntil),
  max_major: maxMajor,
});
export const seatsView = (license: License): SeatsView => ({ used: license.devices.length, max: seatsOf(license) });

const summary = (license: License): Omit<LicenseView, 'activations'> => {
  const { id, name, kind, max_seats, duration_days, features, lease_minutes, new_devices_per_week } = license.type;
  const { updates_days, max_major, starts, downloads_when_expired } = license.type;
  const { suspension, newDevices } = license;
  return {
    id: license.id,
    product_id: license.productId,
    key: license.key,
    status: license.status,
    expires_at: rfc3339OrNull(license.expiresAt),
    term: license.term && { starts: 'activation', days: license.term.days },
    updates: updatesView(license),
    license_type: {
      id,
      name,
      kind,
      max_seats,
      duration_days,
      features: [...features],
      lease_minutes,
      new_devices_per_week,
      updates_days,
      max_major,
      starts,
      downloads_when_expired,
    },
    seats: seatsView(license),
    features: [...featuresOf(license)],
    customer_email: license.email,
    language: null,
    metadata: license.metadata,
    created_at: rfc3339(license.createdAt),
    revoked_at: rfc3339OrNull(license.revokedAt),
    revoked_reason: null,
    suspended_at: rfc3339OrNull(suspension?.at ?? null),
    suspended_reason: suspension?.reason ?? null,
    suspended_by: suspension && 'operator',
    suspended_cause: suspension && 'operator',
    order: null,
    new_devices: { count: newDevices?.fingerprints.length ?? 0, since: rfc3339OrNull(newDevices?.since ?? null) },
  };
};

export const adminView = (license: License): LicenseView => ({
  ...summary(license),
  activations: [...license.devices]
    .sort((a, b) => a.activatedAt - b.activatedAt || (a.fingerprint < b.fingerprint ? -1 : 1))
    .map((device) => deviceView(license, device)),
});

/** "Stripped to exactly: id, key, status, expires_at, license_type." */
export const clientView = (license: License): ClientLicenseView => ({
  id: license.id,
  key: license.key,
  status: license.status,
  expires_at: rfc3339OrNull(license.expiresAt),
  license_type: { name: license.type.name, kind: license.type.kind },
});

/** docs/spec/events.md, Payload; all but the event's id, which is random. */
export const payload = ({ event, license, device, details }: LicenseEvent, now: number): Readonly<Record<string, unknown>> => ({
  event,
  timestamp: rfc3339(now).replace('T', ' ').replace('Z', '+00:00'),
  data: {
    product: license.slug,
    license: { ...summary(license), sequence: license.sequence },
    ...(device && { device: deviceView(license, device) }),
    ...details,
  },
});

/** "7 days bound to a device, 30 days minted by the operator." */
export const DEVICE_TOKEN_DAYS = 7;
export const MINTED_TOKEN_DAYS = 30;

/** docs/spec/activation.md, Offline tokens: the claims, but for the random `jti`. "A token of a leased seat never outlives the lease." */
export const tokenClaims = (
  license: License,
  days: number,
  device: Device | undefined,
  now: number,
): Readonly<Record<string, unknown>> => ({
  iss: 'license-key-service',
  aud: license.slug,
  sub: String(license.id),
  iat: Math.floor(now / 1000),
  exp: Math.floor(
    Math.min(
      now + days * DAY,
      license.expiresAt ?? (license.term ? now + license.term.days * DAY : Infinity),
      (device && leaseEndOf(license, device)) ?? Infinity,
    ) / 1000,
  ),
  ...(device && { fingerprint: device.fingerprint }),
  kind: license.type.kind,
  features: [...featuresOf(license)],
  license_expires_at: rfc3339OrNull(license.expiresAt),
  // "Each only if that limit exists."
  ...(license.updatesUntil !== null && { updates_until: rfc3339(license.updatesUntil) }),
  ...(license.maxMajor !== null && { max_major: license.maxMajor }),
  verdicts: true,
});
