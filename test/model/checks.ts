import type { EventName } from '../../lambdas/contract/events';
import {
  boundDevice,
  clientView,
  DAY,
  DEVICE_TOKEN_DAYS,
  deviceView,
  featuresOf,
  isFull,
  isRefusal,
  leaseEndOf,
  leaseMs,
  MINTED_TOKEN_DAYS,
  refuse,
  sameDevice,
  seatsView,
  tokenClaims,
  updatesView,
  type Device,
  type License,
  type LicenseEvent,
  type Refusal,
  type Step,
} from './license';

/**
 * The operations of client apps on a license. Each is a pure function from a state to a response, events and the next state
 * (docs/spec/activation.md).
 */

/** The time of an operation, and the settings of its deployment. */
export interface Instant {
  readonly now: number;
  /** `license.expiring` is sent this number of days before an expiry; with 0 it is never sent. */
  readonly expiringDays: number;
}

/** A license with the events that have led to it. */
export type Course = Pick<Step<object>, 'license' | 'events'>;
export const begin = (license: License): Course => ({ license, events: [] });

/** A state change: it has the next number in the license's sequence, and an event. */
export function then(
  { license, events }: Course,
  event: EventName,
  patch: Partial<License>,
  about: Pick<LicenseEvent, 'device' | 'details'> = {},
): Course {
  const after = { ...license, ...patch, sequence: license.sequence + 1 };
  return { license: after, events: [...events, { event, license: after, ...about }] };
}

/**
 * Whether the expiry has passed (`now >= expires_at`). Only an activation, a validation or a request for the device list then sets the
 * status to `expired`.
 */
const isPast = ({ expiresAt }: License, now: number): boolean => expiresAt !== null && now >= expiresAt;

/** Refuses a revoked, suspended or expired license. An expiry that has passed is noticed here, and reported once. */
function check(license: License, { now }: Instant): Step<Refusal> | undefined {
  if (license.status === 'active' && isPast(license, now)) {
    return { ...then(begin(license), 'license.expired', { status: 'expired' }), response: refuse('license_expired') };
  }
  return license.status === 'active' ? undefined : { ...begin(license), response: refuse(`license_${license.status}`) };
}

/** Sends the warning once for each expiry, at the first check (activation or validation) within the last `expiring_days`. */
function warn(course: Course, { now, expiringDays }: Instant): Course {
  const { expiresAt, warnedExpiry } = course.license;
  const isDue = (end: number | null, warned: number | null): boolean =>
    expiringDays > 0 && end !== null && end !== warned && now < end && now >= end - expiringDays * DAY;
  const expiring = isDue(expiresAt, warnedExpiry) ? then(course, 'license.expiring', { warnedExpiry: expiresAt }) : course;
  // `license.updates_expiring` is sent like `license.expiring`, but before `updates_until`.
  const { updatesUntil, warnedUpdates } = course.license;
  return isDue(updatesUntil, warnedUpdates) ? then(expiring, 'license.updates_expiring', { warnedUpdates: updatesUntil }) : expiring;
}

/** The first activation also sets the expiry and the end of updates, in the same transaction. */
const started = ({ term, updatesUntil }: License, now: number): Partial<License> =>
  term
    ? {
        term: null,
        expiresAt: now + term.days * DAY,
        updatesUntil: term.updatesDays === null ? updatesUntil : now + term.updatesDays * DAY,
      }
    : {};

/** A release of an app: its major version and when it was released. */
export interface Release {
  /** The version as the audience counts it. */
  readonly appVersion?: string;
  readonly major?: number;
  readonly releasedAt?: number;
}

/**
 * A limit of updates applies if the license has the limit and the release has the value that is compared with it. A release is covered if
 * neither limit applies, or if one of them allows it: `released_at <= updates_until`, or the major version `<= max_major`.
 */
function covers(license: License, { major, releasedAt }: Release, now: number): boolean {
  const { updatesUntil, maxMajor } = { ...license, ...started(license, now) };
  const byDate = updatesUntil === null || releasedAt === undefined ? undefined : releasedAt <= updatesUntil;
  const byMajor = maxMajor === null || major === undefined ? undefined : major <= maxMajor;
  return byDate === undefined && byMajor === undefined ? true : byDate === true || byMajor === true;
}

export interface Claim {
  readonly fingerprint: string;
  readonly name?: string;
  readonly platform?: string;
  readonly release?: Release;
  /** The device that loses its seat if the license is full. */
  readonly replace?: string;
}

/** Returns the device with a new lease. If the license has no leases, the device has none either. */
const leased = (license: License, device: Device, now: number): Device => {
  const length = leaseMs(license);
  return { ...device, leaseEnd: length === null ? null : now + length };
};

const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10);

const claimed = (license: License, { fingerprint, name = '', platform = '', release }: Claim, now: number): Device => {
  const appVersion = release?.appVersion ?? null;
  return leased(
    license,
    { fingerprint: sameDevice(fingerprint), name, platform, activatedAt: now, leaseEnd: null, lastSeenOn: dayOf(now), appVersion },
    now,
  );
};

/** An activation with `replace` frees the seat of the named device and binds the new device in one transaction. */
const freed = (course: Course, device: Device): Course =>
  then(
    course,
    'license.deactivated',
    { devices: course.license.devices.filter((one) => one !== device) },
    { device, details: { reason: 'replaced' } },
  );

/** Frees the seats whose leases ended first, one after another, until there is a free seat. */
function reclaim(course: Course, now: number): Course {
  const { license } = course;
  const endOf = (device: Device): number => leaseEndOf(license, device) ?? Infinity;
  const ended = license.devices
    .filter((device) => endOf(device) <= now)
    .sort((a, b) => endOf(a) - endOf(b) || (a.fingerprint < b.fingerprint ? -1 : 1));
  return ended.reduce(
    (present, device) =>
      isFull(present.license)
        ? then(
            present,
            'license.deactivated',
            { devices: present.license.devices.filter((one) => one !== device) },
            { device, details: { reason: 'lease_ended' } },
          )
        : present,
    course,
  );
}

const WEEK = 7 * DAY;

/** Applies the limit on new devices (docs/spec/activation.md, A limit on new devices). Returns undefined if the device is refused. */
function countNewDevice({ newDevices, type }: License, fingerprint: string, now: number): Pick<License, 'newDevices'> | undefined {
  if (type.new_devices_per_week === 0) return { newDevices };
  const { since, fingerprints } = newDevices && now - newDevices.since < WEEK ? newDevices : { since: now, fingerprints: [] };
  if (fingerprints.includes(fingerprint)) return { newDevices: { since, fingerprints } };
  return fingerprints.length < type.new_devices_per_week
    ? { newDevices: { since, fingerprints: [...fingerprints, fingerprint] } }
    : undefined;
}

const activationOf = (license: License, device: Device, now: number): object => ({
  status: license.status,
  license: clientView(license),
  device: deviceView(license, device),
  seats: seatsView(license),
  features: [...featuresOf(license)],
  limits: {},
  updates: updatesView(license),
  offline_token: tokenClaims(license, DEVICE_TOKEN_DAYS, device, now),
});

/** A step that binds a device, or finds it already bound. */
type Taken = Step<object> & { readonly device?: Device };

/**
 * For a revoked, suspended or expired license the response is 403. A bound device gets 200 without another seat or an event. If the license
 * is full or has too many new devices, the response is 429. Otherwise the device takes a seat.
 */
function take(license: License, claim: Claim, at: Instant): Taken {
  const { now } = at;
  const refused = check(license, at);
  if (refused) return refused;
  if (claim.release && !covers(license, claim.release, now)) return { ...begin(license), response: refuse('release_not_covered') };

  const bound = boundDevice(license, claim.fingerprint);
  if (bound) {
    const device = leased(
      license,
      {
        ...bound,
        lastSeenOn: dayOf(now),
        name: claim.name ?? bound.name,
        platform: claim.platform ?? bound.platform,
        appVersion: claim.release?.appVersion ?? bound.appVersion,
      },
      now,
    );
    const isSame = JSON.stringify(device) === JSON.stringify(bound);
    const course = warn(begin(license), at);
    return { ...course, response: activationOf(course.license, device, now), device, ...(!isSame && { write: { read: bound, device } }) };
  }

  const replaced = claim.replace === undefined || !isFull(license) ? undefined : boundDevice(license, claim.replace);
  const free = reclaim(replaced ? freed(begin(license), replaced) : begin(license), now);
  if (isFull(free.license)) {
    // `license.seats_exhausted` is sent for an activation refused with 429, at most once in 24 h per license.
    const course = warn(replaced ? reclaim(begin(license), now) : free, at);
    const { exhaustedAt } = license;
    const isReported = exhaustedAt !== null && now - exhaustedAt < DAY;
    return { ...(isReported ? course : then(course, 'license.seats_exhausted', { exhaustedAt: now })), response: refuse('no_seats') };
  }
  const device = claimed(license, claim, now);
  const counted = countNewDevice(license, device.fingerprint, now);
  if (!counted) return { ...warn(begin(license), at), response: refuse('too_many_devices') };
  const taken = then(
    free,
    'license.activated',
    { devices: [...free.license.devices, device], ...counted, ...started(license, now) },
    { device },
  );
  const course = warn(taken, at);
  return { ...course, response: activationOf(course.license, device, now), device };
}

export function activate(license: License, claim: Claim, at: Instant): Step<object> {
  const { device: _, ...step } = take(license, claim, at);
  return step;
}

/**
 * The response to a validation reports a refusal in the body instead of the HTTP status, and contains a token only for a bound device. A
 * validation renews a lease if at least a third of the lease has passed. It removes the lease if the license has no leases any more.
 */
export function validate(license: License, { fingerprint, release }: Claim, at: Instant): Step<object> {
  const { now } = at;
  const refused = check(license, at);
  if (refused) return { ...refused, response: { valid: false, status: refused.license.status } };
  const course = warn(begin(license), at);
  const bound = boundDevice(license, fingerprint);
  const length = leaseMs(license);
  const isDue = bound !== undefined && (length === null || bound.leaseEnd === null || now >= bound.leaseEnd - length + length / 3);
  // The first check of a day stores the version of the app.
  const isFirst = bound !== undefined && bound.lastSeenOn < dayOf(now);
  const today = bound && (isFirst ? { ...bound, lastSeenOn: dayOf(now), appVersion: release?.appVersion ?? bound.appVersion } : bound);
  const device = today && isDue ? leased(license, today, now) : today;
  return {
    ...course,
    ...(bound && device && JSON.stringify(device) !== JSON.stringify(bound) && { write: { read: bound, device } }),
    response: {
      valid: true,
      status: license.status,
      license: clientView(license),
      seats: seatsView(license),
      features: [...featuresOf(license)],
      limits: {},
      updates: updatesView(license),
      ...(release && { covered: covers(license, release, now) }),
      ...(device && { device: deviceView(license, device), offline_token: tokenClaims(license, DEVICE_TOKEN_DAYS, device, now) }),
    },
  };
}

/**
 * Frees the seat of a device, in every status of the license. The result is true if a seat was freed and false otherwise. The same rule
 * applies when an operator frees one device.
 */
export function deactivate(license: License, { fingerprint }: Claim): Step<object> {
  const device = boundDevice(license, fingerprint);
  if (!device) return { ...begin(license), response: { freed: false } };
  const freed = then(begin(license), 'license.deactivated', { devices: license.devices.filter((one) => one !== device) }, { device });
  return { ...freed, response: { freed: true } };
}

/** The operations of a client that uses a key which the license had before a reissue. The old key is refused at once. */
export const underDeadKey = {
  activate: (license: License): Step<object> => ({ ...begin(license), response: refuse('license_revoked') }),
  validate: (license: License): Step<object> => ({ ...begin(license), response: { valid: false, status: 'revoked' } }),
  deactivate: (license: License): Step<object> => ({ ...begin(license), response: { freed: false } }),
} as const;

export interface Minting {
  readonly ttlDays?: number | undefined;
  /** The activated device to which the token is bound. */
  readonly claim?: Claim | undefined;
}

/**
 * An offline token is refused in the same cases as an activation. If the expiry has passed, a request without a device doesn't
 * set the status to `expired`.
 */
export function mint(license: License, { ttlDays = MINTED_TOKEN_DAYS, claim }: Minting, at: Instant): Step<object> {
  if (!claim) {
    const refused = check(license, at);
    return { ...begin(license), response: refused ? refused.response : { token: tokenClaims(license, ttlDays, undefined, at.now) } };
  }
  const { device, ...step } = take(license, claim, at);
  return isRefusal(step.response) ? step : { ...step, response: { token: tokenClaims(step.license, ttlDays, device, at.now) } };
}

/** A trial issues a license of the trial type and activates it on the device, in one transaction. */
export function startTrial(issued: License, claim: Claim, { now }: Instant): Step<object> {
  const device = claimed(issued, claim, now);
  const created: Course = { license: issued, events: [{ event: 'license.created', license: issued }] };
  const taken = then(
    created,
    'license.activated',
    { devices: [device], ...started(issued, now), ...countNewDevice(issued, device.fingerprint, now) },
    { device },
  );
  return { ...taken, response: activationOf(taken.license, device, now) };
}
