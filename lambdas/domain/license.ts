import { fail, isFailure, type ErrorName, type Failure } from '../contract/errors';
import type { EventName } from '../contract/events';
import type { LicenseKind, LicenseStatus } from '../contract/resources';
import { LAST_INSTANT } from '../contract/text';

/** The license state machine (service.md, States and transitions). Times are epoch milliseconds. */

/** A license type as its licenses carry it. Types never change, so the copy never goes stale. */
export interface LicenseTypeSnapshot {
  readonly id: number;
  readonly name: string;
  readonly kind: LicenseKind;
  /** 0 means unlimited. */
  readonly max_seats: number;
  /** Null for the kinds that do not run out. */
  readonly duration_days: number | null;
}

export interface License {
  readonly id: number;
  readonly product_id: number;
  readonly product_slug: string;
  readonly key: string;
  readonly status: LicenseStatus;
  readonly expires_at: number | null;
  readonly license_type: LicenseTypeSnapshot;
  readonly seats_used: number;
  /** Raised by every reset; a device of an older epoch holds no seat. */
  readonly epoch: number;
  /** Raised by one with every state change; the change's event carries it, and commits only on top of its predecessor. */
  readonly sequence: number;
  readonly customer_email: string | null;
  /** The metadata object as JSON. */
  readonly metadata: string;
  readonly created_at: number;
  readonly revoked_at: number | null;
}

export interface Device {
  readonly fingerprint: string;
  readonly platform: string;
  readonly name: string;
  readonly activated_at: number;
  /** The license's epoch in which it was bound. */
  readonly epoch: number;
}

/** What can happen to a license. `check` is a validation or the minting of a token; `expire` is the passing of its expiry, noticed. */
export const triggers = ['activate', 'check', 'deactivate', 'reset', 'revoke', 'renew', 'expire'] as const;
export type Trigger = (typeof triggers)[number];

/** Where a trigger leads and the event that tells of it; null where nothing changes. */
export interface Transition {
  readonly to: LicenseStatus;
  readonly event: EventName | null;
}

/** The status of a new license, and its first event. */
export const initialTransition: Transition = { to: 'active', event: 'license.created' };

/** Every status × trigger: a transition, or the error that refuses it. `docs/lifecycle.md` draws it. */
export const lifecycle: Readonly<Record<LicenseStatus, Readonly<Record<Trigger, Transition | ErrorName>>>> = {
  active: {
    activate: { to: 'active', event: 'license.activated' },
    check: { to: 'active', event: null },
    deactivate: { to: 'active', event: 'license.deactivated' },
    reset: { to: 'active', event: 'license.reset' },
    revoke: { to: 'revoked', event: 'license.revoked' },
    renew: { to: 'active', event: 'license.renewed' },
    expire: { to: 'expired', event: 'license.expired' },
  },
  expired: {
    activate: 'license_expired',
    check: 'license_expired',
    deactivate: { to: 'expired', event: 'license.deactivated' },
    reset: { to: 'expired', event: 'license.reset' },
    revoke: { to: 'revoked', event: 'license.revoked' },
    renew: { to: 'active', event: 'license.renewed' },
    expire: { to: 'expired', event: null },
  },
  revoked: {
    activate: 'license_revoked',
    check: 'license_revoked',
    deactivate: { to: 'revoked', event: 'license.deactivated' },
    reset: { to: 'revoked', event: 'license.reset' },
    revoke: { to: 'revoked', event: null },
    renew: 'license_revoked',
    expire: { to: 'revoked', event: null },
  },
};

/** A change of a license that is to be committed together with its event. */
export interface Change {
  readonly before: License;
  readonly after: License;
  readonly event: EventName;
  /** The device that the change binds or frees. */
  readonly device?: { readonly action: 'bind' | 'free'; readonly device: Device };
  readonly at: number;
}

/** What a request makes of a license: an answer, and the change it rests on, if any. */
export interface Decision<Answer> {
  readonly change: Change | null;
  readonly answer: Answer;
}

const unchanged = <A>(answer: A): Decision<A> => ({ change: null, answer });

/**
 * What a trigger makes of a license: the refusal, the license as it is where nothing happens, or the change.
 *
 * @param answer made of the license as it is afterwards
 * @param effect what changes beside the status
 */
function applyTrigger<Answer>(
  trigger: Trigger,
  license: License,
  now: number,
  answer: (after: License) => Answer,
  { patch, device }: { readonly patch?: Partial<License>; readonly device?: Change['device'] } = {},
): Decision<Failure | Answer> {
  const transition = lifecycle[license.status][trigger];
  if (typeof transition === 'string') return unchanged(fail(transition));
  if (transition.event === null) return unchanged(answer(license));
  const after = { ...license, ...patch, status: transition.to, sequence: license.sequence + 1 };
  return { change: { before: license, after, event: transition.event, ...(device && { device }), at: now }, answer: answer(after) };
}

/** True where the expiry has passed, noticed or not: `now >= expires_at`. */
const isPastExpiry = (license: License, now: number): boolean => license.expires_at !== null && license.expires_at <= now;

/** The device, where it holds a seat of the license now. */
export const boundDevice = (license: License, device: Device | undefined): Device | undefined =>
  device?.epoch === license.epoch ? device : undefined;

/**
 * Notices the expiry where it has passed: the change to `expired` with its one event, answered by a refusal.
 * Undefined where there is nothing to notice.
 */
function noticeExpiry(license: License, now: number): Decision<Failure> | undefined {
  if (license.status !== 'active' || !isPastExpiry(license, now)) return undefined;
  return applyTrigger('expire', license, now, () => fail('license_expired'));
}

/** A checked license: what a validation may tell. */
export interface Checked {
  readonly license: License;
  readonly device: Device | undefined;
}

/** Validation, or the minting of a token: refused when revoked or expired (and expiry is noticed here). */
export function check(license: License, device: Device | undefined, now: number): Decision<Failure | Checked> {
  return noticeExpiry(license, now) ?? applyTrigger('check', license, now, () => ({ license, device: boundDevice(license, device) }));
}

export interface Activation {
  readonly license: License;
  readonly device: Device;
  /** True where the device was bound before and only its name or platform is new. */
  readonly relabelled: boolean;
}

/** What a client app says of its machine; a label left out keeps what is stored. */
export interface DeviceClaim {
  readonly fingerprint: string;
  readonly name?: string | null | undefined;
  readonly platform?: string | null | undefined;
}

/**
 * Activation: refused when revoked or expired (403), answered at once for a bound fingerprint, refused
 * when full (429), and otherwise the change that takes a seat and binds the device.
 */
export function activate(license: License, known: Device | undefined, claim: DeviceClaim, now: number): Decision<Failure | Activation> {
  const checked = check(license, known, now);
  if (isFailure(checked.answer)) return { ...checked, answer: checked.answer };

  const bound = checked.answer.device;
  if (bound) {
    const device = { ...bound, name: claim.name ?? bound.name, platform: claim.platform ?? bound.platform };
    const relabelled = device.name !== bound.name || device.platform !== bound.platform;
    return unchanged({ license, device, relabelled });
  }

  const { max_seats } = license.license_type;
  if (max_seats !== 0 && license.seats_used >= max_seats) return unchanged(fail('no_seats'));

  const device: Device = {
    fingerprint: claim.fingerprint,
    name: claim.name ?? '',
    platform: claim.platform ?? '',
    activated_at: now,
    epoch: license.epoch,
  };
  return applyTrigger('activate', license, now, (after) => ({ license: after, device, relabelled: false }), {
    patch: { seats_used: license.seats_used + 1 },
    device: { action: 'bind', device },
  });
}

/** Frees the device's seat, in every status; nothing to free is no error. */
export function deactivate(license: License, device: Device | undefined, now: number): Decision<Failure | { freed: boolean }> {
  const bound = boundDevice(license, device);
  if (!bound) return unchanged({ freed: false });
  return applyTrigger('deactivate', license, now, () => ({ freed: true }), {
    patch: { seats_used: license.seats_used - 1 },
    device: { action: 'free', device: bound },
  });
}

/** Frees every seat by raising the epoch, whatever their number. Always a change, in every status. */
export function reset(license: License, now: number): Decision<Failure | { freed: number }> {
  return applyTrigger('reset', license, now, () => ({ freed: license.seats_used }), { patch: { seats_used: 0, epoch: license.epoch + 1 } });
}

/** Revokes for good; revoking again changes nothing. */
export function revoke(license: License, now: number): Decision<Failure | License> {
  return applyTrigger('revoke', license, now, (after) => after, { patch: { revoked_at: now } });
}

const DAY_MS = 86_400_000;

/** The end of a term of `days` × 24 h from an instant. */
export const addDays = (from: number, days: number): number => from + days * DAY_MS;

export interface Renewal {
  readonly days?: number | null | undefined;
  readonly expires_at?: number | null | undefined;
}

/** The expiry that a renewal leads to, or why there is none (422). */
function renewedExpiry(license: License, { days, expires_at }: Renewal, now: number): Failure | number {
  const term = days ?? license.license_type.duration_days;
  const next = expires_at ?? (term === null ? null : addDays(Math.max(now, license.expires_at ?? now), term));
  if (next === null) {
    return fail('invalid_request', 'days or expires_at is required: the license type has no duration_days to renew by');
  }
  if (next > LAST_INSTANT) return fail('invalid_request', `${days == null ? 'expires_at' : 'days'} leads past the year 9999`);
  if (license.expires_at !== null && next < license.expires_at) {
    return fail('invalid_request', 'expires_at must not move the expiry back');
  }
  return next;
}

/** Pushes the expiry forward; an expired license is active again. Refused when revoked (403). */
export function renew(license: License, renewal: Renewal, now: number): Decision<Failure | License> {
  const refused = lifecycle[license.status].renew;
  if (typeof refused === 'string') return unchanged(fail(refused));
  const expires_at = renewedExpiry(license, renewal, now);
  if (typeof expires_at !== 'number') return unchanged(expires_at);
  return applyTrigger('renew', license, now, (after) => after, { patch: { expires_at } });
}

/** A license as it is first recorded. */
export function issue(
  facts: Pick<License, 'id' | 'product_id' | 'product_slug' | 'key' | 'license_type' | 'customer_email' | 'metadata'> & {
    /** Overrides the expiry computed from the type's duration. */
    readonly expires_at: number | null;
  },
  now: number,
): License {
  const { duration_days } = facts.license_type;
  return {
    ...facts,
    status: initialTransition.to,
    expires_at: facts.expires_at ?? (duration_days === null ? null : addDays(now, duration_days)),
    seats_used: 0,
    epoch: 0,
    sequence: 1,
    created_at: now,
    revoked_at: null,
  };
}
