import { fail, isFailure, type Failure } from '../contract/errors';
import type { Language } from '../contract/languages';
import type { Limits, MeterTerms } from '../contract/resources';
import { LAST_INSTANT } from '../contract/text';
import { claimedDevice, countNewDevice, type DeviceClaim } from './activation';
import { covers, limitsOf, startedTerm, startedUpdates } from './coverage';
import { timestampOf } from './time';
import { fire, decide, unchanged, type Decision, type DeviceTransition, type Occurrence, type Progress } from './transition';
import { meterChanges } from './meters';
import { withTerm } from './terms';
import { addDays, effectiveMeters, hasMembers, type License, type LicenseTerms, type Suspension } from './license';
import { edgeOf, initialEdge } from './lifecycle';
import type { Metadata } from './metadata';

/** The changes that an operator or a payment processor can make to a license (docs/spec/licenses.md). Times are epoch ms. */

// ── Issue ───────────────────────────────────────────────────────────────────────────────────────

/** A new license, with its first events and, for a trial, its device. */
export interface Issue {
  readonly license: License;
  readonly devices: readonly DeviceTransition[];
  readonly occurrences: readonly Occurrence[];
  readonly at: number;
}

export type IssueFacts = Pick<License, 'id' | 'product_id' | 'product_slug' | 'key' | 'license_type' | 'customer_email' | 'metadata'> &
  Partial<Pick<License, 'unverified_email' | 'order' | 'max_seats' | 'features' | 'limits' | 'meters' | 'language'>> & {
    /** The expiry; null: never. If it is undefined, the expiry is computed from the type's duration. */
    readonly expires_at?: number | null | undefined;
    /** The end of updates; null: no end. If it is undefined, the end is computed from the type's `updates_days`. */
    readonly updates_until?: number | null | undefined;
    /** The last major version that the license covers; null: no limit. If it is undefined, the type's limit applies. */
    readonly max_major?: number | null | undefined;
    /** When the license was sold, if that was in the past. A computed expiry counts from this time. */
    readonly created_at?: number | undefined;
  };

/** A new license with its event `license.created`. */
export function issue(facts: IssueFacts, now: number): Issue {
  const { duration_days, updates_days, starts } = facts.license_type;
  const created_at = facts.created_at ?? now;
  // If the request sets an expiry, the term doesn't wait for the first activation, because that expiry applies.
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
    limits: facts.limits ?? null,
    meters: facts.meters ?? null,
    meter_changes: {},
    term_starts: [],
    seats_used: 0,
    members: hasMembers(facts) ? 0 : null,
    epoch: 0,
    sequence: 1,
    customer_email: facts.customer_email,
    unverified_email: facts.unverified_email ?? null,
    language: facts.language ?? null,
    label: null,
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
    buyer_reissues: [],
    key_mailed: false,
  };
  return { license, devices: [], occurrences: [{ event: initialEdge.event, license, previous_status: license.status }], at: now };
}

/**
 * A new license that is already bound to a device: a trial. It has the events `license.created` and `license.activated`. It is refused if it
 * would not cover the release of the app.
 */
export function issueActivated(facts: IssueFacts, claim: DeviceClaim, now: number): Failure | Issue {
  const { license, occurrences } = issue(facts, now);
  if (claim.release && !covers(limitsOf(license, now), claim.release)) return fail('release_not_covered');
  const device = claimedDevice(license, claim, now);
  const start: Progress = { before: license, license, devices: [], members: [], occurrences, at: now };
  const count = countNewDevice(license, device.fingerprint, now);
  const taken = fire(start, 'activate', {
    patch: { seats_used: 1, ...startedTerm(license, now), ...(count && { new_devices: count.counted }) },
    device: { action: 'bind', device },
  });
  return isFailure(taken) ? taken : { license: taken.license, devices: taken.devices, occurrences: taken.occurrences, at: now };
}

// ── Change ──────────────────────────────────────────────────────────────────────────────────────

/**
 * Frees every seat by increasing the epoch of the license, which takes the same time for any number of seats. A reset is allowed in every
 * status, and always records an event. The members of a license count their new devices themselves, so the license keeps only the time
 * from which their counts begin.
 */
export function reset(
  license: License,
  now: number,
  { newDevices = false }: { readonly newDevices?: boolean } = {},
): Decision<Failure | { freed: number }> {
  return decide(license, 'reset', now, () => ({ freed: license.seats_used }), {
    patch: {
      seats_used: 0,
      epoch: license.epoch + 1,
      ...(newDevices && { new_devices: hasMembers(license) ? { since: now, hashes: [] } : null }),
    },
  });
}

/** Revokes a license permanently, and ends a suspension. A license that is already revoked stays unchanged. */
export function revoke(license: License, now: number, reason: string | null = null): Decision<Failure | License> {
  return decide(license, 'revoke', now, (after) => after, { patch: { revoked_at: now, revoked_reason: reason, suspended: null } });
}

/** Suspends an active or expired license. A license that is already suspended stays unchanged. */
export function suspend(license: License, { reason, by, cause }: Omit<Suspension, 'at'>, now: number): Decision<Failure | License> {
  return decide(license, 'suspend', now, (after) => after, { patch: { suspended: { at: now, reason, by, cause } } });
}

/** Continues a suspension for another cause. The time at which the suspension began stays the same. */
export function staySuspended(license: License, { reason, by, cause }: Omit<Suspension, 'at'>, now: number): Decision<Failure | License> {
  const at = license.suspended?.at;
  if (at === undefined) return unchanged(license);
  return decide(license, 'amend', now, (after) => after, { patch: { suspended: { at, reason, by, cause } } });
}

/** Ends a suspension: the license is active again. If the expiry has passed, the next check changes the status to `expired`. */
export function reinstate(license: License, now: number): Decision<Failure | License> {
  return decide(license, 'reinstate', now, (after) => after, { patch: { suspended: null } });
}

/** Gives the license a new key and frees every seat. The license's id, history and terms stay the same. */
export function reissue(
  license: License,
  key: string,
  now: number,
  patch: Partial<Pick<License, 'buyer_reissues'>> = {},
): Decision<Failure | License> {
  return decide(license, 'reissue', now, (after) => after, {
    patch: { ...patch, key, seats_used: 0, epoch: license.epoch + 1 },
    details: { previous_key: license.key },
  });
}

export interface Renewal {
  /** Whether the renewal begins a term of the license's meters (docs/spec/meters.md, Periods). */
  readonly beginsTerm?: boolean;
  readonly days?: number | null | undefined;
  readonly expires_at?: number | null | undefined;
  /** The latest expiry that the actor may set; undefined: no such limit. */
  readonly latest?: number | undefined;
}

/** The new expiry after a renewal, or the reason why the renewal is refused (422, or 403 beyond the limit of the actor). */
function renewedExpiry(license: License, { days, expires_at, latest }: Renewal, now: number): Failure | number {
  if (latest !== undefined && license.expires_at === null)
    return fail('forbidden', 'This request needs a token with the scope licenses: the license has no expiry to move');
  if (license.term && expires_at == null)
    return fail('invalid_request', 'expires_at is required: the term starts with the first activation, so it cannot be extended by days');
  if (license.expires_at === null && days == null && expires_at == null)
    return fail('invalid_request', 'days or expires_at is required: the license never expires, so it has no expiry to move');
  const term = days ?? license.license_type.duration_days;
  const next = expires_at ?? (term === null ? null : addDays(Math.max(now, license.expires_at ?? now), term));
  if (next === null) {
    return fail('invalid_request', 'days or expires_at is required: the license type has no duration_days to renew by');
  }
  if (next > LAST_INSTANT) return fail('invalid_request', `${days == null ? 'expires_at' : 'days'} leads past the year 9999`);
  if (license.expires_at !== null && next < license.expires_at) {
    return fail('invalid_request', 'expires_at must not move the expiry back');
  }
  if (latest !== undefined && next > latest)
    return fail('forbidden', `This token may renew a license until ${timestampOf(latest)} at the latest`);
  return next;
}

/**
 * Moves the expiry to a later time. An expired license is active again, and a suspended license stays suspended. A revoked license is
 * refused (403).
 */
export function renew(license: License, renewal: Renewal, now: number): Decision<Failure | License> {
  const refused = edgeOf(license.status, 'renew');
  if (typeof refused === 'string') return unchanged(fail(refused));
  const expires_at = renewedExpiry(license, renewal, now);
  if (typeof expires_at !== 'number') return unchanged(expires_at);
  return decide(license, 'renew', now, (after) => after, {
    patch: {
      expires_at,
      term: null,
      updates_until: startedUpdates(license, now),
      ...(renewal.beginsTerm && { term_starts: withTerm(license, Math.max(now, license.expires_at ?? now), now) }),
    },
  });
}

export interface UpdatesRenewal {
  readonly days?: number | null | undefined;
  readonly until?: number | null | undefined;
}

/** The new end of updates after a renewal of updates, or the reason why the renewal is refused (422). */
function renewedUpdates({ updates_until, license_type, term }: License, { days, until }: UpdatesRenewal, now: number): Failure | number {
  if (updates_until === null && term?.updates_days != null)
    return fail('invalid_request', 'updates_until is not set: the updates of this license begin with its first activation');
  if (updates_until === null) return fail('invalid_request', 'updates_until is not set: the license has no end of updates to move');
  const added = days ?? license_type.updates_days;
  const next = until ?? (added === null ? null : addDays(Math.max(now, updates_until), added));
  if (next === null) return fail('invalid_request', 'days or until is required: the license type has no updates_days to renew by');
  if (next > LAST_INSTANT) return fail('invalid_request', 'days leads past the year 9999');
  if (next < updates_until) return fail('invalid_request', 'until must not move the end of updates back');
  return next;
}

/** Moves the end of updates to a later time. The status stays the same. A revoked license is refused (403). */
export function renewUpdates(license: License, renewal: UpdatesRenewal, now: number): Decision<Failure | License> {
  const refused = edgeOf(license.status, 'renew_updates');
  if (typeof refused === 'string') return unchanged(fail(refused));
  const updates_until = renewedUpdates(license, renewal, now);
  if (typeof updates_until !== 'number') return unchanged(updates_until);
  return decide(license, 'renew_updates', now, (after) => after, { patch: { updates_until } });
}

/** The changes of an edit. An undefined field stays unchanged. */
export interface Edit {
  readonly customer_email?: string | null | undefined;
  /** The language of the license's mails; null: the language of the product. */
  readonly language?: Language | null | undefined;
  /** The buyer's label; null: none. */
  readonly label?: string | null | undefined;
  readonly metadata?: Metadata | undefined;
  /** The new expiry; null: the license never expires. */
  readonly expires_at?: number | null | undefined;
  /** The new end of updates, which may be earlier or later than the current end; null: updates never end. */
  readonly updates_until?: number | null | undefined;
  /** The last major version that the license covers; null: no such limit. */
  readonly max_major?: number | null | undefined;
  /** The license's own number of seats; null: the number of its license type. */
  readonly max_seats?: number | null | undefined;
  /** The license's own features, sorted; null: the features of its license type. */
  readonly features?: readonly string[] | null | undefined;
  /** The license's own limits, sorted by name; null: the limits of its license type. */
  readonly limits?: Limits | null | undefined;
  /** The license's own meters, sorted by name; null: the meters of its license type. */
  readonly meters?: readonly MeterTerms[] | null | undefined;
  /** The terms of another license type, or the current terms of the license's own type. */
  readonly license_type?: LicenseTerms | undefined;
}

/** The waiting term without its days of updates, so that the first activation does not change the end of updates. */
const withoutUpdates = (term: License['term']): License['term'] => term && { ...term, updates_days: null };

/** Objects of the same kind have their fields in the same order: that of the kind's schema. */
const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const isSameMetadata = (a: Metadata, b: Metadata): boolean =>
  (a.json !== undefined && a.json === b.json) || (a.ref !== undefined && a.ref === b.ref);

/**
 * Changes only the fields that the edit names. A later expiry, or no expiry, makes an expired license active again. A revoked license
 * accepts only a new e-mail address, language, label and metadata; other changes are refused (403). An edit that changes nothing has no
 * event.
 */
export function edit(
  license: License,
  {
    customer_email,
    language,
    label,
    metadata,
    expires_at,
    updates_until,
    max_major,
    max_seats,
    features,
    limits,
    meters,
    license_type,
  }: Edit,
  now: number,
): Decision<Failure | License> {
  if (license_type && license_type.binding !== license.license_type.binding)
    return unchanged(fail('invalid_request', 'license_type_id must name a license type with the same binding'));
  const terms = {
    ...(expires_at !== undefined && { expires_at, term: null, updates_until: startedUpdates(license, now) }),
    ...(updates_until !== undefined && { updates_until, ...(expires_at === undefined && { term: withoutUpdates(license.term) }) }),
    // The limit of major versions changes only with a move to another type. If the edit names the license's own type, the license keeps its
    // own limit.
    ...(license_type !== undefined && license_type.id !== license.license_type.id && { max_major: license_type.max_major }),
    ...(max_major !== undefined && { max_major }),
    ...(max_seats !== undefined && { max_seats }),
    ...(features !== undefined && { features }),
    ...(limits !== undefined && { limits }),
    ...(meters !== undefined && { meters }),
    ...(license_type !== undefined && { license_type }),
  };
  const refused = Object.keys(terms).length > 0 ? edgeOf(license.status, 'amend') : undefined;
  if (typeof refused === 'string') return unchanged(fail(refused));

  const amended = Object.entries(terms).filter(([name, value]) => !isSame(value, license[name as keyof typeof terms]));
  const annotated = {
    // An e-mail address that the operator sets counts as verified, even if it equals the unverified address of a trial.
    ...(customer_email !== undefined &&
      (customer_email !== license.customer_email || license.unverified_email !== null) && { customer_email, unverified_email: null }),
    ...(language !== undefined && language !== license.language && { language }),
    ...(label !== undefined && label !== license.label && { label }),
    ...(metadata !== undefined && !isSameMetadata(metadata, license.metadata) && { metadata }),
  };
  if (amended.length === 0 && Object.keys(annotated).length === 0) return unchanged(license);

  const isLater = expires_at !== undefined && license.expires_at !== null && (expires_at === null || expires_at > license.expires_at);
  const trigger = isLater ? 'prolong' : amended.length > 0 ? 'amend' : 'annotate';
  const patch: Partial<License> = { ...Object.fromEntries(amended), ...annotated };
  return decide(license, trigger, now, (after) => after, {
    patch: { ...patch, meter_changes: meterChanges(license, effectiveMeters({ ...license, ...patch })) },
  });
}
