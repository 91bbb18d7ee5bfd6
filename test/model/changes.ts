import { begin, then, type Instant } from './checks';
import { adminView, DAY, refuse, type License, type LicenseType, type Step } from './license';

/** The operator's changes of a license, as pure functions from a state to a response, events and the next state (docs/spec/licenses.md). */

/** A change with one event. The response is the admin view of the changed license. */
const changed = (
  license: License,
  event: Parameters<typeof then>[1],
  patch: Partial<License>,
  details?: Readonly<Record<string, string>>,
): Step<object> => {
  const course = then(begin(license), event, patch, { ...(details && { details }) });
  return { ...course, response: adminView(course.license) };
};
export const unchanged = (license: License): Step<object> => ({ ...begin(license), response: adminView(license) });
const revoked = (license: License): Step<object> => ({ ...begin(license), response: refuse('license_revoked') });

/**
 * A reset works in every status, doesn't change the status, and always emits an event. The count of new devices is cleared only on request.
 */
export function reset(license: License, { newDevices = false }: { readonly newDevices?: boolean | undefined } = {}): Step<object> {
  const course = then(begin(license), 'license.reset', { devices: [], ...(newDevices && { newDevices: null }) });
  return { ...course, response: { status: 'reset', freed: license.devices.length } };
}

/** A revocation works in every status, and ends a suspension. A repeated revocation emits no second event. */
export const revoke = (license: License, { now }: Instant): Step<object> =>
  license.status === 'revoked'
    ? unchanged(license)
    : changed(license, 'license.revoked', { status: 'revoked', revokedAt: now, suspension: null });

/** An active or expired license becomes suspended. A suspended license doesn't change. For a revoked license the response is 403. */
export function suspend(license: License, { reason }: { readonly reason?: string | undefined }, { now }: Instant): Step<object> {
  if (license.status === 'revoked') return revoked(license);
  if (license.status === 'suspended') return unchanged(license);
  return changed(license, 'license.suspended', { status: 'suspended', suspension: { at: now, reason: reason || null } });
}

/**
 * A suspended license becomes active. If its expiry has passed, the next activation, validation or request for the device list sets the
 * status to `expired`. An active or expired license doesn't change. For a revoked license the response is 403.
 */
export function reinstate(license: License): Step<object> {
  if (license.status === 'revoked') return revoked(license);
  return license.status === 'suspended'
    ? changed(license, 'license.reinstated', { status: 'active', suspension: null })
    : unchanged(license);
}

export interface Renewal {
  readonly days?: number;
  readonly expires_at?: string;
}

/**
 * A renewal extends the license from the later of now and the old expiry, and never moves the expiry back. A license that never expires
 * gets an expiry only if the request names days or a date. A revoked license is refused, an expired license becomes active again, and a
 * suspended license stays suspended.
 */
export function renew(license: License, { days, expires_at }: Renewal, { now }: Instant): Step<object> {
  if (license.status === 'revoked') return revoked(license);
  // Before the term has started, a renewal with `days` is refused with 422, and a renewal with `expires_at` sets the expiry.
  if (license.term && expires_at === undefined) return { ...begin(license), response: refuse('invalid_request') };
  const term = days ?? license.type.duration_days;
  const invalid: Step<object> = { ...begin(license), response: refuse('invalid_request') };
  if (expires_at === undefined && (term === null || (license.expiresAt === null && days === undefined))) return invalid;
  const expiresAt = expires_at === undefined ? Math.max(now, license.expiresAt ?? now) + (term ?? 0) * DAY : Date.parse(expires_at);
  if (license.expiresAt !== null && expiresAt < license.expiresAt) return invalid;
  return changed(license, 'license.renewed', {
    status: license.status === 'expired' ? 'active' : license.status,
    expiresAt,
    term: null,
    updatesUntil: startedUpdates(license, now),
  });
}

/** The end of updates if the term starts now. */
const startedUpdates = ({ term, updatesUntil }: License, now: number): number | null =>
  term?.updatesDays == null ? updatesUntil : now + term.updatesDays * DAY;

/**
 * Adds the days to the later of now and the old end of updates. A given `until` before the old end of updates is refused with 422. For a
 * revoked license the response is 403.
 */
export function renewUpdates(
  license: License,
  { days, until }: { readonly days?: number; readonly until?: string },
  { now }: Instant,
): Step<object> {
  if (license.status === 'revoked') return revoked(license);
  const added = days ?? license.type.updates_days;
  const invalid: Step<object> = { ...begin(license), response: refuse('invalid_request') };
  if (license.updatesUntil === null || (added === null && until === undefined)) return invalid;
  const updatesUntil = until === undefined ? Math.max(now, license.updatesUntil) + (added ?? 0) * DAY : Date.parse(until);
  return updatesUntil < license.updatesUntil ? invalid : changed(license, 'license.updates_renewed', { updatesUntil });
}

/** The body of a PATCH request. In a date, null means "never"; in another field, null means the value of the license type. */
export interface Edit {
  readonly customer_email?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly expires_at?: string | null;
  readonly max_seats?: number | null;
  readonly features?: readonly string[] | null;
  readonly updates_until?: string | null;
  readonly max_major?: number | null;
  readonly license_type_id?: number;
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
/** The terms that a license copies from its type. */
const termsOf = ({ product_id: _, self_service: __, archived: ___, createdAt: ____, ...terms }: LicenseType): object => terms;
/**
 * An edit changes only the named fields. The response to a PATCH request that changes nothing is 200, and no event is sent.
 *
 * @param type the license type that the edit names
 */
export function edit(
  license: License,
  { customer_email, metadata, expires_at, max_seats, features, updates_until, max_major, ...named }: Edit,
  type: LicenseType | undefined,
  now: number,
): Step<object> {
  const asksForTerms = [expires_at, max_seats, features, updates_until, max_major, named.license_type_id].some(
    (value) => value !== undefined,
  );
  if (license.status === 'revoked' && asksForTerms) return revoked(license);
  const expiresAt = expires_at === undefined ? license.expiresAt : expires_at === null ? null : Date.parse(expires_at);
  // A later expiry, or null, makes an expired license active again.
  const isLater = license.expiresAt !== null && (expiresAt === null || expiresAt > license.expiresAt);
  const after: License = {
    ...license,
    email: customer_email === undefined ? license.email : customer_email,
    metadata: metadata ?? license.metadata,
    expiresAt,
    // A given `expires_at` replaces the term, so the license no longer waits for its first activation.
    ...(expires_at !== undefined && { term: null, updatesUntil: startedUpdates(license, now) }),
    ...(updates_until !== undefined && {
      updatesUntil: updates_until === null ? null : Date.parse(updates_until),
      term: expires_at === undefined && license.term ? { ...license.term, updatesDays: null } : null,
    }),
    // Moving a license to another type applies that type's `max_major`.
    ...(type && type.id !== license.type.id && { maxMajor: type.max_major }),
    ...(max_major !== undefined && { maxMajor: max_major }),
    maxSeats: max_seats === undefined ? license.maxSeats : max_seats,
    features: features === undefined ? license.features : features && [...features].sort(),
    type: type && !isSame(termsOf(type), termsOf(license.type)) ? type : license.type,
    status: license.status === 'expired' && isLater ? 'active' : license.status,
  };
  return isSame(after, license) ? unchanged(license) : changed(license, 'license.updated', after);
}

/**
 * A reissue gives the same license a new key and frees every seat. The old key is refused at once. For a revoked license the response is
 * 403.
 */
export const reissue = (license: License, key: string): Step<object> =>
  license.status === 'revoked'
    ? revoked(license)
    : changed(
        license,
        'license.reissued',
        { key, deadKeys: [...license.deadKeys, license.key], devices: [] },
        { previous_key: license.key },
      );
