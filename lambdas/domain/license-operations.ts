import { fail, isFailure, type Failure } from '../contract/errors';
import type { Language } from '../contract/languages';
import { LAST_INSTANT } from '../contract/text';
import { claimedDevice, countNewDevice, type DeviceClaim } from './activation';
import { startedTerm, startedUpdates } from './coverage';
import { fire, decide, unchanged, type Decision, type DeviceTransition, type Occurrence, type Progress } from './transition';
import { addDays, type License, type LicenseTerms, type Suspension } from './license';
import { termsOf } from './license-type';
import { initialEdge, lifecycle } from './lifecycle';
import type { Metadata } from './metadata';

/** What the operator, or a payment processor, does to a license (docs/spec/licenses.md). Times are epoch ms. */

// ── Issue ───────────────────────────────────────────────────────────────────────────────────────

/** A license as it is first recorded, with its first events and, for a trial, its device. */
export interface Issue {
  readonly license: License;
  readonly devices: readonly DeviceTransition[];
  readonly occurrences: readonly Occurrence[];
  readonly at: number;
}

export type IssueFacts = Pick<License, 'id' | 'product_id' | 'product_slug' | 'key' | 'license_type' | 'customer_email' | 'metadata'> &
  Partial<Pick<License, 'unverified_email' | 'order' | 'max_seats' | 'features' | 'language'>> & {
    /** Overrides the expiry computed from the type's duration; undefined: computed; null: never. */
    readonly expires_at?: number | null | undefined;
    /** Overrides the end of updates computed from the type's `updates_days`; undefined: computed; null: no such limit. */
    readonly updates_until?: number | null | undefined;
    /** Overrides the type's; undefined: the type's; null: no such limit. */
    readonly max_major?: number | null | undefined;
    /** When it was sold, if that was before now: a computed expiry counts from it. */
    readonly created_at?: number | undefined;
  };

/** A new license with `license.created`. */
export function issue(facts: IssueFacts, now: number): Issue {
  const { duration_days, updates_days, starts } = facts.license_type;
  const created_at = facts.created_at ?? now;
  // A given expiry takes precedence: then nothing waits.
  const waits = starts === 'activation' && duration_days !== null && facts.expires_at === undefined;
  const computed = duration_days === null || waits ? null : addDays(created_at, duration_days);
  const updates = updates_days === null || waits ? null : addDays(created_at, updates_days);
  const license: License = {
    id: facts.id,
    product_id: facts.product_id,
    product_slug: facts.product_slug,
    key: facts.key,
    status: initialEdge.to,
    expires_at: facts.expires_at === undefined ? computed : facts.expires_at,
    term: waits ? { days: duration_days, updates_days: facts.updates_until === undefined ? updates_days : null } : null,
    updates_until: facts.updates_until === undefined ? updates : facts.updates_until,
    max_major: facts.max_major === undefined ? facts.license_type.max_major : facts.max_major,
    license_type: facts.license_type,
    max_seats: facts.max_seats ?? null,
    features: facts.features ?? null,
    seats_used: 0,
    epoch: 0,
    sequence: 1,
    customer_email: facts.customer_email,
    unverified_email: facts.unverified_email ?? null,
    language: facts.language ?? null,
    metadata: facts.metadata,
    created_at,
    revoked_at: null,
    revoked_reason: null,
    suspended: null,
    order: facts.order ?? null,
    new_devices: null,
    warned_expiry: null,
    warned_updates: null,
    exhausted_at: null,
    erased_at: null,
    buyer_frees: null,
    key_mailed: false,
  };
  return { license, devices: [], occurrences: [{ event: initialEdge.event, license, previous_status: license.status }], at: now };
}

/** A new license that a device holds from the start: a trial. `license.created`, then `license.activated`. */
export function issueActivated(facts: IssueFacts, claim: DeviceClaim, now: number): Failure | Issue {
  const { license, occurrences } = issue(facts, now);
  const device = claimedDevice(license, claim, now);
  const start: Progress = { before: license, license, devices: [], occurrences, at: now };
  const count = countNewDevice(license, device.fingerprint, now);
  const taken = fire(start, 'activate', {
    patch: { seats_used: 1, ...startedTerm(license, now), ...(count && { new_devices: count.counted }) },
    device: { action: 'bind', device },
  });
  return isFailure(taken) ? taken : { license: taken.license, devices: taken.devices, occurrences: taken.occurrences, at: now };
}

// ── Change ──────────────────────────────────────────────────────────────────────────────────────

/** Frees every seat by raising the epoch, which takes the same time for any number of seats. Always a change, in every status. */
export function reset(
  license: License,
  now: number,
  { newDevices = false }: { readonly newDevices?: boolean } = {},
): Decision<Failure | { freed: number }> {
  return decide(license, 'reset', now, () => ({ freed: license.seats_used }), {
    patch: { seats_used: 0, epoch: license.epoch + 1, ...(newDevices && { new_devices: null }) },
  });
}

/** Revokes for good; revoking again changes nothing. A suspension ends by it. */
export function revoke(license: License, now: number, reason: string | null = null): Decision<Failure | License> {
  return decide(license, 'revoke', now, (after) => after, { patch: { revoked_at: now, revoked_reason: reason, suspended: null } });
}

/** Suspends an active or expired license; suspending again changes nothing. */
export function suspend(license: License, { reason, by, cause }: Omit<Suspension, 'at'>, now: number): Decision<Failure | License> {
  return decide(license, 'suspend', now, (after) => after, { patch: { suspended: { at: now, reason, by, cause } } });
}

/** Ends a suspension: active again, and an expiry that has passed is found by the next check. */
export function reinstate(license: License, now: number): Decision<Failure | License> {
  return decide(license, 'reinstate', now, (after) => after, { patch: { suspended: null } });
}

/** Moves the license to a new key and frees every seat. Its id, history and terms stay. */
export function reissue(license: License, key: string, now: number): Decision<Failure | License> {
  return decide(license, 'reissue', now, (after) => after, {
    patch: { key, seats_used: 0, epoch: license.epoch + 1 },
    details: { previous_key: license.key },
  });
}

export interface Renewal {
  readonly days?: number | null | undefined;
  readonly expires_at?: number | null | undefined;
}

/** The expiry that a renewal leads to, or why there is none (422). */
function renewedExpiry(license: License, { days, expires_at }: Renewal, now: number): Failure | number {
  if (license.term && expires_at == null)
    return fail('invalid_request', 'days cannot be added to a term that starts with the first activation');
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

/** Pushes the expiry forward; an expired license is active again, a suspended one stays suspended. Refused when revoked (403). */
export function renew(license: License, renewal: Renewal, now: number): Decision<Failure | License> {
  const refused = lifecycle[license.status].renew;
  if (typeof refused === 'string') return unchanged(fail(refused));
  const expires_at = renewedExpiry(license, renewal, now);
  if (typeof expires_at !== 'number') return unchanged(expires_at);
  return decide(license, 'renew', now, (after) => after, {
    patch: { expires_at, term: null, updates_until: startedUpdates(license, now) },
  });
}

export interface UpdatesRenewal {
  readonly days?: number | null | undefined;
  readonly until?: number | null | undefined;
}

/** The end of updates that a renewal leads to, or why there is none (422). */
function renewedUpdates({ updates_until, license_type }: License, { days, until }: UpdatesRenewal, now: number): Failure | number {
  if (updates_until === null) return fail('invalid_request', 'updates_until is not set: the license has no end of updates to move');
  const added = days ?? license_type.updates_days;
  const next = until ?? (added === null ? null : addDays(Math.max(now, updates_until), added));
  if (next === null) return fail('invalid_request', 'days or until is required: the license type has no updates_days to renew by');
  if (next > LAST_INSTANT) return fail('invalid_request', 'days leads past the year 9999');
  if (next < updates_until) return fail('invalid_request', 'until must not move the end of updates back');
  return next;
}

/** Pushes the end of updates forward; the status stays. Refused when revoked (403). */
export function renewUpdates(license: License, renewal: UpdatesRenewal, now: number): Decision<Failure | License> {
  const refused = lifecycle[license.status].renew_updates;
  if (typeof refused === 'string') return unchanged(fail(refused));
  const updates_until = renewedUpdates(license, renewal, now);
  if (typeof updates_until !== 'number') return unchanged(updates_until);
  return decide(license, 'renew_updates', now, (after) => after, { patch: { updates_until } });
}

/** What an edit names; undefined stays as it is. */
export interface Edit {
  readonly customer_email?: string | null | undefined;
  /** Null: the product's. */
  readonly language?: Language | null | undefined;
  readonly metadata?: Metadata | undefined;
  /** Null: never. */
  readonly expires_at?: number | null | undefined;
  /** In any direction; null: no such limit. */
  readonly updates_until?: number | null | undefined;
  /** Null: no such limit. */
  readonly max_major?: number | null | undefined;
  /** Null: the type's. */
  readonly max_seats?: number | null | undefined;
  /** Sorted; null: the type's. */
  readonly features?: readonly string[] | null | undefined;
  /** The terms of another type, or its own type's present ones. */
  readonly license_type?: LicenseTerms | undefined;
}

/** A waiting term that leaves the end of updates as it is set. */
const withoutUpdates = (term: License['term']): License['term'] => term && { ...term, updates_days: null };

const isSame = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

const isSameMetadata = (a: Metadata, b: Metadata): boolean =>
  (a.json !== undefined && a.json === b.json) || (a.ref !== undefined && a.ref === b.ref);

/**
 * Changes what is named, and only that. A later expiry, or none, makes an expired license active again. A revoked
 * license takes only a new address, language and metadata (403). An edit that changes nothing has no event.
 */
export function edit(
  license: License,
  { customer_email, language, metadata, expires_at, updates_until, max_major, max_seats, features, license_type }: Edit,
  now: number,
): Decision<Failure | License> {
  const terms = {
    ...(expires_at !== undefined && { expires_at, term: null, updates_until: startedUpdates(license, now) }),
    ...(updates_until !== undefined && { updates_until, ...(expires_at === undefined && { term: withoutUpdates(license.term) }) }),
    // Only a move to another type: the license's own limit stays if its own type is named.
    ...(license_type !== undefined && license_type.id !== license.license_type.id && { max_major: license_type.max_major }),
    ...(max_major !== undefined && { max_major }),
    ...(max_seats !== undefined && { max_seats }),
    ...(features !== undefined && { features }),
    ...(license_type !== undefined && { license_type: termsOf(license_type) }),
  };
  const refused = Object.keys(terms).length > 0 ? lifecycle[license.status].amend : undefined;
  if (typeof refused === 'string') return unchanged(fail(refused));

  const present = { ...license, license_type: termsOf(license.license_type) };
  const amended = Object.entries(terms).filter(([name, value]) => !isSame(value, present[name as keyof typeof terms]));
  const annotated = {
    // An address that the operator sets is verified, also if it is the one that a trial was started with.
    ...(customer_email !== undefined &&
      (customer_email !== license.customer_email || license.unverified_email !== null) && { customer_email, unverified_email: null }),
    ...(language !== undefined && language !== license.language && { language }),
    ...(metadata !== undefined && !isSameMetadata(metadata, license.metadata) && { metadata }),
  };
  if (amended.length === 0 && Object.keys(annotated).length === 0) return unchanged(license);

  const isLater = expires_at !== undefined && license.expires_at !== null && (expires_at === null || expires_at > license.expires_at);
  const trigger = isLater ? 'prolong' : amended.length > 0 ? 'amend' : 'annotate';
  return decide(license, trigger, now, (after) => after, { patch: { ...Object.fromEntries(amended), ...annotated } });
}
