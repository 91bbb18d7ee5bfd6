import type { EventName } from '../../lambdas/contract/events';
import type { ClientLicenseView, DeviceView, LicenseView, SeatsView, UpdatesView } from '../../lambdas/contract/resources';
import type { LicenseKind } from '../../lambdas/contract/license-kinds';
import type { LicenseStatus } from '../../lambdas/contract/statuses';

/**
 * A license as the specification describes it, and how responses, events and tokens show it. The model has no tables, epochs or
 * transactions: a license has a list of bound devices.
 */

export const DAY = 86_400_000;
export const MINUTE = 60_000;

/** Each error code with its status (docs/spec/service.md, Errors). */
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
  /** The features of the type, in sorted order. */
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
  /**
   * The time until which the device certainly keeps its seat; null if the device never had a lease. The time has an effect only while the
   * license leases its seats.
   */
  readonly leaseEnd: number | null;
  /** The UTC day of the device's latest activation or validation. */
  readonly lastSeenOn: string;
  /** The version of the app that was last stored; null: not known. */
  readonly appVersion: string | null;
}

export interface License {
  readonly id: number;
  readonly key: string;
  /** The keys that the license had before its reissues. */
  readonly deadKeys: readonly string[];
  readonly productId: number;
  readonly slug: string;
  /** The terms with which the license was sold. */
  readonly type: LicenseType;
  /** The license's own number of seats; null if the number of the license type applies. */
  readonly maxSeats: number | null;
  /** The license's own features, in sorted order; null if the features of the license type apply. */
  readonly features: readonly string[] | null;
  readonly email: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly createdAt: number;
  readonly status: LicenseStatus;
  readonly expiresAt: number | null;
  /**
   * The term that starts with the first activation; null after the term has started, or if the license has no such term. If `updatesDays`
   * is null, the end of updates doesn't depend on the start of the term.
   */
  readonly term: { readonly days: number; readonly updatesDays: number | null } | null;
  /** The license covers releases up to this time; null if it has no such limit. */
  readonly updatesUntil: number | null;
  readonly maxMajor: number | null;
  /** The value of `updatesUntil` for which `license.updates_expiring` was sent. */
  readonly warnedUpdates: number | null;
  readonly revokedAt: number | null;
  readonly suspension: { readonly at: number; readonly reason: string | null } | null;
  /** The value of `expiresAt` for which `license.expiring` was sent. */
  readonly warnedExpiry: number | null;
  /** The time of the latest `license.seats_exhausted`. */
  readonly exhaustedAt: number | null;
  /**
   * The devices that count towards the limit on new devices. The first of them took its seat at `since`, which starts a period of 7 days.
   */
  readonly newDevices: { readonly since: number; readonly fingerprints: readonly string[] } | null;
  /** The bound devices; each uses a seat. */
  readonly devices: readonly Device[];
  /** A number that rises by one with every state change of the license. */
  readonly sequence: number;
}

/** A newly issued license; omitted fields have the values of an unused license. */
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

/** An event of a license, and the license as it is right after the event. */
export interface LicenseEvent {
  readonly event: EventName;
  readonly license: License;
  /** The device that the event is about. */
  readonly device?: Device;
  /** Further fields of the event's `data`. */
  readonly details?: Readonly<Record<string, string>>;
}

/** A write of a bound device's labels and lease, which causes no event. */
export interface DeviceWrite {
  /** The device as it was when the operation decided to write it. */
  readonly read: Device;
  readonly device: Device;
}

/** The effect of an operation on a license. If there are no events, only `write` changes the license. */
export interface Step<Response extends object> {
  /** The license after its events, before `write` is applied. */
  readonly license: License;
  readonly response: Response | Refusal;
  readonly events: readonly LicenseEvent[];
  readonly write?: DeviceWrite;
}

/** The license after a write of a device; undefined if the device has changed since the decision. */
export function written(license: License, { read, device }: DeviceWrite): License | undefined {
  const present = boundDevice(license, device.fingerprint);
  if (present?.activatedAt !== read.activatedAt || present.leaseEnd !== read.leaseEnd) return undefined;
  return { ...license, devices: license.devices.map((one) => (one === present ? device : one)) };
}

/** Fingerprints that are hex strings are compared in lower case. */
export const sameDevice = (fingerprint: string): string => (/^[0-9a-f]+$/i.test(fingerprint) ? fingerprint.toLowerCase() : fingerprint);
export const boundDevice = ({ devices }: License, fingerprint: string): Device | undefined =>
  devices.find((device) => device.fingerprint === sameDevice(fingerprint));

export const seatsOf = ({ maxSeats, type }: License): number => maxSeats ?? type.max_seats;
export const isFull = (license: License): boolean => seatsOf(license) > 0 && license.devices.length >= seatsOf(license);
export const featuresOf = ({ features, type }: License): readonly string[] => features ?? type.features;
/** The duration of a seat's lease, in ms; null if a device keeps its seat until the seat is freed. */
export const leaseMs = ({ type }: License): number | null => (type.lease_minutes === null ? null : type.lease_minutes * MINUTE);
/** The time at which the device's lease ends; null if the device has no lease. */
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
/** The field `updates` of the admin view, and of the responses to activations and validations. */
export const updatesView = ({ updatesUntil, maxMajor }: License): UpdatesView => ({
  until: rfc3339OrNull(updatesUntil),
  max_major: maxMajor,
});
export const seatsView = (license: License): SeatsView => ({ used: license.devices.length, max: seatsOf(license) });

const summary = (license: License): Omit<LicenseView, 'activations' | 'own_terms'> => {
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
      limits: {},
      meters: [],
      lease_minutes,
      new_devices_per_week,
      updates_days,
      max_major,
      starts,
      downloads_when_expired,
      binding: 'device',
      devices_per_user: null,
    },
    seats: seatsView(license),
    members: null,
    features: [...featuresOf(license)],
    limits: {},
    customer_email: license.email,
    language: null,
    label: null,
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
  own_terms: [
    ...(license.maxSeats === null ? [] : (['max_seats'] as const)),
    ...(license.features === null ? [] : (['features'] as const)),
  ],
  activations: [...license.devices]
    .sort((a, b) => a.activatedAt - b.activatedAt || (a.fingerprint < b.fingerprint ? -1 : 1))
    .map((device) => ({ ...deviceView(license, device), member: null, app_version: device.appVersion, country: null })),
});

/** The view of a license for client apps. It must not contain the buyer's e-mail address or other data of the vendor. */
export const clientView = (license: License): ClientLicenseView => ({
  id: license.id,
  key: license.key,
  status: license.status,
  expires_at: rfc3339OrNull(license.expiresAt),
  license_type: { name: license.type.name, kind: license.type.kind },
});

/** The payload of an event (docs/spec/events.md, Payload), except for the event's id, which is random. */
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

/** The lifetimes of offline tokens: 7 days if an activation returned the token, and 30 days if the operator created it. */
export const DEVICE_TOKEN_DAYS = 7;
export const MINTED_TOKEN_DAYS = 30;

/**
 * The claims of an offline token (docs/spec/activation.md, Offline tokens), except for the random `jti`. The token of a leased seat expires
 * no later than the lease.
 */
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
  // Each of the following two claims states a limit of updates, and exists only if the license has this limit.
  ...(license.updatesUntil !== null && { updates_until: rfc3339(license.updatesUntil) }),
  ...(license.maxMajor !== null && { max_major: license.maxMajor }),
  // A client gives a leased seat no grace period.
  ...leaseClaim(device && leaseEndOf(license, device)),
  verdicts: true,
});

const leaseClaim = (end: number | null | undefined): Readonly<Record<string, unknown>> =>
  end == null ? {} : { lease_expires_at: rfc3339(end) };
