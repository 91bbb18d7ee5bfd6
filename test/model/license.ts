import type { EventName } from '../../lambdas/contract/events';
import type { ClientLicenseView, DeviceView, LicenseKind, LicenseView, SeatsView } from '../../lambdas/contract/resources';
import type { LicenseStatus } from '../../lambdas/contract/statuses';

/**
 * What the specification says of one license, as pure functions from a state to an answer, the next state and
 * the event that tells of it. Nothing here knows of tables, epochs or transactions: a license simply has the
 * devices that are bound to it.
 */

export const DAY = 86_400_000;

/** decisions.md, "error body": each machine code with its status. */
export const refusals = {
  unauthorized: 401,
  license_revoked: 403,
  license_expired: 403,
  license_suspended: 403,
  not_found: 404,
  duplicate: 409,
  idempotency_mismatch: 409,
  invalid_request: 422,
  mail_not_configured: 422,
  no_seats: 429,
} as const;
export interface Refusal {
  readonly refused: keyof typeof refusals;
}
export const refuse = (refused: Refusal['refused']): Refusal => ({ refused });
export const isRefusal = (answer: object): answer is Refusal => 'refused' in answer;

export interface LicenseType {
  readonly id: number;
  readonly product_id: number;
  readonly name: string;
  readonly kind: LicenseKind;
  readonly max_seats: number;
  readonly duration_days: number | null;
  readonly createdAt: number;
}

export interface Device {
  readonly fingerprint: string;
  readonly platform: string;
  readonly name: string;
  readonly activatedAt: number;
}

export interface License {
  readonly id: number;
  readonly key: string;
  readonly productId: number;
  readonly slug: string;
  readonly type: LicenseType;
  readonly email: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly createdAt: number;
  readonly status: LicenseStatus;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  /** When `license.seats_exhausted` was sent last. */
  readonly exhaustedAt: number | null;
  /** Bound now; a seat is used by each. */
  readonly devices: readonly Device[];
  /** "A number that rises by one with every state change of that license." */
  readonly sequence: number;
}

/** What an operation makes of a license. Without `told` nothing was changed that an event tells of. */
export interface Step<Answer extends object> {
  readonly license: License;
  readonly answer: Answer | Refusal;
  readonly told?: EventName;
  /** The device that the event is about. */
  readonly device?: Device;
}

// ── Views ───────────────────────────────────────────────────────────────────────────────────────

export const rfc3339 = (ms: number): string => new Date(ms).toISOString();
const rfc3339OrNull = (ms: number | null): string | null => (ms === null ? null : rfc3339(ms));

export const deviceView = ({ fingerprint, platform, name, activatedAt }: Device): DeviceView => ({ fingerprint, platform, name, activated_at: rfc3339(activatedAt), lease_expires_at: null });
export const seatsView = ({ devices, type }: License): SeatsView => ({ used: devices.length, max: type.max_seats });

const summary = (license: License): Omit<LicenseView, 'activations'> => {
  const { id, name, kind, max_seats, duration_days } = license.type;
  return {
    id: license.id,
    product_id: license.productId,
    key: license.key,
    status: license.status,
    expires_at: rfc3339OrNull(license.expiresAt),
    license_type: { id, name, kind, max_seats, duration_days, features: [], lease_minutes: null, new_devices_per_week: 0 },
    seats: seatsView(license),
    features: [],
    customer_email: license.email,
    metadata: license.metadata,
    created_at: rfc3339(license.createdAt),
    revoked_at: rfc3339OrNull(license.revokedAt),
    suspended_at: null,
    suspended_reason: null,
    suspended_by: null,
    suspended_cause: null,
    order: null,
    new_devices: { count: 0, since: null },
  };
};

export const adminView = (license: License): LicenseView => ({
  ...summary(license),
  activations: [...license.devices].sort((a, b) => a.activatedAt - b.activatedAt || (a.fingerprint < b.fingerprint ? -1 : 1)).map(deviceView),
});

/** "Stripped to exactly: id, key, status, expires_at, license_type." */
export const clientView = (license: License): ClientLicenseView => ({
  id: license.id,
  key: license.key,
  status: license.status,
  expires_at: rfc3339OrNull(license.expiresAt),
  license_type: { name: license.type.name, kind: license.type.kind },
});

/** service.md, Payload shape; all but the event's id, which is random. */
export const payload = (event: EventName, license: License, device: Device | undefined, now: number): Readonly<Record<string, unknown>> => ({
  event,
  timestamp: rfc3339(now).replace('T', ' ').replace('Z', '+00:00'),
  data: { product: license.slug, license: { ...summary(license), sequence: license.sequence }, ...(device && { device: deviceView(device) }) },
});

/** decisions.md, Offline token: the claims, but for the random `jti`. */
export const tokenClaims = (license: License, days: number, fingerprint: string | undefined, now: number): Readonly<Record<string, unknown>> => ({
  iss: 'license-key-service',
  aud: license.slug,
  sub: String(license.id),
  iat: Math.floor(now / 1000),
  exp: Math.floor(Math.min(now + days * DAY, license.expiresAt ?? Infinity) / 1000),
  ...(fingerprint !== undefined && { fingerprint }),
  kind: license.type.kind,
  features: [],
  license_expires_at: rfc3339OrNull(license.expiresAt),
});

/** "7 days bound to a device, 30 days minted by the operator." */
const DEVICE_TOKEN_DAYS = 7;
const MINTED_TOKEN_DAYS = 30;

// ── Operations ──────────────────────────────────────────────────────────────────────────────────

/** A state change: the next in the license's sequence. */
const changed = (license: License, patch: Partial<License>): License => ({ ...license, ...patch, sequence: license.sequence + 1 });

/** "A license is expired at `now >= expires_at`", but only an activation or a validation finds that out. */
const isPast = ({ expiresAt }: License, now: number): boolean => expiresAt !== null && now >= expiresAt;

/** Refuses what is revoked or expired; the expiry is noticed here, and told of once. Revoked outranks expired. */
function check(license: License, now: number): Step<Refusal> | undefined {
  if (license.status === 'active' && isPast(license, now)) {
    return { license: changed(license, { status: 'expired' }), told: 'license.expired', answer: refuse('license_expired') };
  }
  return license.status === 'active' ? undefined : { license, answer: refuse(`license_${license.status}`) };
}

export interface Claim {
  readonly fingerprint: string;
  readonly name?: string;
  readonly platform?: string;
}

/** "A hex string is compared in lower case." */
export const sameMachine = (fingerprint: string): string => (/^[0-9a-f]+$/i.test(fingerprint) ? fingerprint.toLowerCase() : fingerprint);
export const boundDevice = ({ devices }: License, fingerprint: string): Device | undefined => devices.find((device) => device.fingerprint === sameMachine(fingerprint));

/** Revoked or expired 403; bound already 200 without seat or event, changed labels stored; full 429; else a seat is taken. */
export function activate(license: License, { fingerprint, name, platform }: Claim, now: number): Step<object> {
  const refused = check(license, now);
  if (refused) return refused;
  const answer = (after: License, device: Device): object => ({
    status: after.status,
    license: clientView(after),
    device: deviceView(device),
    seats: seatsView(after),
    features: [],
    offline_token: tokenClaims(after, DEVICE_TOKEN_DAYS, device.fingerprint, now),
  });

  const bound = boundDevice(license, fingerprint);
  if (bound) {
    const device = { ...bound, name: name ?? bound.name, platform: platform ?? bound.platform };
    const after = { ...license, devices: license.devices.map((one) => (one === bound ? device : one)) };
    return { license: after, answer: answer(after, device) };
  }
  if (license.type.max_seats > 0 && license.devices.length >= license.type.max_seats) {
    // "license.seats_exhausted: on an activation refused with 429, at most once in 24 h for a license."
    if (license.exhaustedAt !== null && now - license.exhaustedAt < DAY) return { license, answer: refuse('no_seats') };
    return { license: changed(license, { exhaustedAt: now }), told: 'license.seats_exhausted', answer: refuse('no_seats') };
  }
  const device = { fingerprint: sameMachine(fingerprint), name: name ?? '', platform: platform ?? '', activatedAt: now };
  const after = changed(license, { devices: [...license.devices, device] });
  return { license: after, told: 'license.activated', device, answer: answer(after, device) };
}

/** Says in its body what an activation says by its status; a token only for a bound machine. */
export function validate(license: License, { fingerprint }: Claim, now: number): Step<object> {
  const refused = check(license, now);
  if (refused) return { ...refused, answer: { valid: false, status: refused.license.status } };
  const device = boundDevice(license, fingerprint);
  return {
    license,
    answer: {
      valid: true,
      status: license.status,
      license: clientView(license),
      seats: seatsView(license),
      features: [],
      ...(device && { device: deviceView(device), offline_token: tokenClaims(license, DEVICE_TOKEN_DAYS, device.fingerprint, now) }),
    },
  };
}

/** "Idempotent: true if a seat was freed, false otherwise"; in every status. */
export function deactivate(license: License, { fingerprint }: Claim): Step<object> {
  const device = boundDevice(license, fingerprint);
  if (!device) return { license, answer: { freed: false } };
  const after = changed(license, { devices: license.devices.filter((one) => one !== device) });
  return { license: after, told: 'license.deactivated', device, answer: { freed: true } };
}

/** "Works in every status, changes none, always emits." */
export const reset = (license: License): Step<object> => ({
  license: changed(license, { devices: [] }),
  told: 'license.reset',
  answer: { status: 'reset', freed: license.devices.length },
});

/** "From every status; repeated, no second event." */
export function revoke(license: License, now: number): Step<object> {
  if (license.status === 'revoked') return { license, answer: adminView(license) };
  const after = changed(license, { status: 'revoked', revokedAt: now });
  return { license: after, told: 'license.revoked', answer: adminView(after) };
}

export interface Renewal {
  readonly days?: number;
  readonly expires_at?: string;
}

/** From the later of now and the expiry, never back, never for what is revoked; what was expired is active again. */
export function renew(license: License, { days, expires_at }: Renewal, now: number): Step<object> {
  if (license.status === 'revoked') return { license, answer: refuse('license_revoked') };
  const term = days ?? license.type.duration_days;
  if (term === null && expires_at === undefined) return { license, answer: refuse('invalid_request') };
  const expiresAt = expires_at === undefined ? Math.max(now, license.expiresAt ?? now) + (term ?? 0) * DAY : Date.parse(expires_at);
  if (license.expiresAt !== null && expiresAt < license.expiresAt) return { license, answer: refuse('invalid_request') };
  const after = changed(license, { status: 'active', expiresAt });
  return { license: after, told: 'license.renewed', answer: adminView(after) };
}

/** Refused when revoked or expired; "minting an offline token doesn't notice expiry". */
export function mint(license: License, ttlDays: number | undefined, now: number): Step<object> {
  const refused = check(license, now);
  if (refused) return { license, answer: refused.answer };
  return { license, answer: { token: tokenClaims(license, ttlDays ?? MINTED_TOKEN_DAYS, undefined, now) } };
}
