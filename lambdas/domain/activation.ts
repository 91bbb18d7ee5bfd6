import { createHash } from 'node:crypto';
import { fail, isFailure, type Failure } from '../contract/errors';
import { fire, begin, decide, conclude, unchanged, type Decision, type Progress } from './transition';
import {
  addDays,
  boundDevice,
  isFull,
  isPastExpiry,
  leaseEnd,
  leaseMs,
  maxSeats,
  type Device,
  type License,
  type NewDevices,
} from './license';
import { DAY_MS } from './time';

/** Checking a license, and binding devices to it (docs/spec/activation.md). */

/** What a check depends on besides the license. Times are epoch ms. */
export interface CheckContext {
  readonly now: number;
  /** Days before the expiry in which the first check sends `license.expiring`; 0: none does. */
  readonly expiringDays: number;
}

/**
 * Notices an expiry that has passed: the change to `expired` with its one event, and a refusal. Undefined when there is nothing to notice.
 */
function noticeExpiry(license: License, now: number): Decision<Failure> | undefined {
  if (license.status !== 'active' || !isPastExpiry(license, now)) return undefined;
  return decide(license, 'expire', now, () => fail('license_expired'));
}

/** True when the expiry is near and `license.expiring` was not sent for it yet. */
const isWarningDue = ({ expires_at, warned_expiry }: License, { now, expiringDays }: CheckContext): boolean =>
  expiringDays > 0 && expires_at !== null && warned_expiry !== expires_at && addDays(now, expiringDays) >= expires_at;

/** What every check begins with: a refusal, or the license on its way. */
function checked(license: License, context: CheckContext): { readonly refused: Decision<Failure> } | { readonly progress: Progress } {
  const expired = noticeExpiry(license, context.now);
  if (expired) return { refused: expired };
  const progress = fire(begin(license, context.now), 'check');
  return isFailure(progress) ? { refused: unchanged(progress) } : { progress };
}

/** What every check ends with: the warning of the expiry, when that is due. */
function warned(progress: Progress, context: CheckContext): Progress {
  if (!isWarningDue(progress.license, context)) return progress;
  const next = fire(progress, 'warn', { patch: { warned_expiry: progress.license.expires_at } });
  return isFailure(next) ? progress : next;
}

/** The device with a fresh lease; null when the license leases no seats. */
const withLease = (license: License, device: Device, now: number): Device => {
  const length = leaseMs(license);
  return { ...device, lease_expires_at: length === null ? null : now + length };
};

/** True when a third of the lease or more is gone, or the device has none yet. */
function isRenewalDue(license: License, device: Device, now: number): boolean {
  const length = leaseMs(license);
  if (length === null) return false;
  const end = leaseEnd(license, device);
  return end === null || (end - now) * 3 <= length * 2;
}

/** A bound device after a check: as it was read, and as it is to be stored, which is the same object when nothing is to be written. */
export interface BoundDevice {
  readonly read: Device;
  readonly device: Device;
}

/** A checked license: what a validation may report. */
export interface Checked {
  readonly license: License;
  readonly bound: BoundDevice | undefined;
}

/** A validation: refused when revoked, suspended or expired (and expiry is noticed here). A lease is renewed when a third of it is gone. */
export function check(license: License, known: Device | undefined, context: CheckContext): Decision<Failure | Checked> {
  const start = checked(license, context);
  if ('refused' in start) return start.refused;
  const progress = warned(start.progress, context);
  const read = boundDevice(license, known);
  if (!read) return conclude(progress, { license: progress.license, bound: undefined });
  const device = isRenewalDue(license, read, context.now) ? withLease(license, read, context.now) : read;
  return conclude(progress, { license: progress.license, bound: { read, device } });
}

/** The refusal to mint a token for a license; undefined when it is good. The stored status stays: expiry is noticed by clients' checks. */
export function mintingRefusal(license: License, now: number): Failure | undefined {
  if (noticeExpiry(license, now)) return fail('license_expired');
  const progress = fire(begin(license, now), 'check');
  return isFailure(progress) ? progress : undefined;
}

/** What a client app says about its machine; a label left out keeps what is stored. */
export interface DeviceClaim {
  readonly fingerprint: string;
  readonly name?: string | null | undefined;
  readonly platform?: string | null | undefined;
}

export interface ActivationContext extends CheckContext {
  /**
   * The devices of the license whose leases have ended, oldest first, when they were looked for: a full license
   * takes their seats.
   */
  readonly endedLeases?: readonly Device[] | undefined;
  /**
   * False for a first look, whose device and license may have been read at different instants: a refusal for
   * want of a seat is then looked at again before it is reported.
   */
  readonly isFinal: boolean;
}

export interface Activation {
  readonly license: License;
  readonly bound: BoundDevice;
}

/** Maximum number of ended leases that one transaction takes back: a delete and an event each. */
export const MAX_RECLAIMED = 40;

/** Frees the devices whose leases ended longest ago, until one more fits or none is left. */
function reclaim(progress: Progress, endedLeases: readonly Device[]): Progress {
  let next = progress;
  for (const device of endedLeases.slice(0, MAX_RECLAIMED)) {
    if (!isFull(next.license)) break;
    const freed = fire(next, 'deactivate', {
      patch: { seats_used: next.license.seats_used - 1 },
      device: { action: 'free', device },
      details: { reason: 'lease_ended' },
    });
    if (isFailure(freed)) break;
    next = freed;
  }
  return next;
}

const EXHAUSTED_EVERY_MS = DAY_MS;

/** 429: with `license.seats_exhausted`, at most once in 24 hours. */
function refuseFull(progress: Progress, now: number): Decision<Failure> {
  const { exhausted_at } = progress.license;
  if (exhausted_at !== null && now - exhausted_at < EXHAUSTED_EVERY_MS) return conclude(progress, fail('no_seats'));
  const recorded = fire(progress, 'exhaust', { patch: { exhausted_at: now } });
  return conclude(isFailure(recorded) ? progress : recorded, fail('no_seats'));
}

const NEW_DEVICES_WINDOW_MS = 7 * DAY_MS;

/** 6 bytes distinguish the devices of one license, in little space in its row. */
const shortHash = (fingerprint: string): string => createHash('sha256').update(fingerprint).digest('base64url').slice(0, 8);

/** The count of new devices with this one; undefined when the limit is reached. */
export function countNewDevice(
  { new_devices, license_type }: License,
  fingerprint: string,
  now: number,
): { readonly counted: NewDevices | null } | undefined {
  const limit = license_type.new_devices_per_week;
  if (limit === 0) return { counted: new_devices };
  const current = new_devices && now - new_devices.since < NEW_DEVICES_WINDOW_MS ? new_devices : { since: now, hashes: [] };
  const hash = shortHash(fingerprint);
  if (current.hashes.includes(hash)) return { counted: current };
  return current.hashes.length >= limit ? undefined : { counted: { ...current, hashes: [...current.hashes, hash] } };
}

/** The device of a claim that takes a seat of the license now. */
export const claimedDevice = (license: License, claim: DeviceClaim, now: number): Device =>
  withLease(
    license,
    {
      fingerprint: claim.fingerprint,
      name: claim.name ?? '',
      platform: claim.platform ?? '',
      activated_at: now,
      epoch: license.epoch,
      lease_expires_at: null,
    },
    now,
  );

/**
 * Activation: refused when revoked, suspended or expired (403), granted at once to a bound fingerprint (its lease
 * is renewed), refused when full (429 `no_seats`) or when too many new devices came (429 `too_many_devices`),
 * and otherwise the change that takes a seat and binds the device.
 */
export function activate(
  license: License,
  known: Device | undefined,
  claim: DeviceClaim,
  context: ActivationContext,
): Decision<Failure | Activation> {
  const start = checked(license, context);
  if ('refused' in start) return start.refused;
  const { now, endedLeases = [], isFinal } = context;

  const read = boundDevice(license, known);
  if (read) {
    const labelled = { ...read, name: claim.name ?? read.name, platform: claim.platform ?? read.platform };
    const renewed = leaseMs(license) === null ? labelled : withLease(license, labelled, now);
    const isSame = renewed.name === read.name && renewed.platform === read.platform && renewed.lease_expires_at === read.lease_expires_at;
    const progress = warned(start.progress, context);
    return conclude(progress, { license: progress.license, bound: { read, device: isSame ? read : renewed } });
  }

  const progress = reclaim(start.progress, endedLeases);
  if (isFull(progress.license)) {
    if (!isFinal) return unchanged(fail('no_seats'));
    // More have ended than one transaction takes back: the next one goes on, and may find a seat.
    if (endedLeases.length > MAX_RECLAIMED) return conclude(progress, fail('no_seats'));
    return refuseFull(warned(progress, context), now);
  }

  const count = countNewDevice(progress.license, claim.fingerprint, now);
  if (!count) return conclude(warned(start.progress, context), fail('too_many_devices'));

  const device = claimedDevice(progress.license, claim, now);
  const taken = fire(progress, 'activate', {
    patch: { seats_used: progress.license.seats_used + 1, new_devices: count.counted },
    device: { action: 'bind', device },
  });
  if (isFailure(taken)) return unchanged(taken);
  const done = warned(taken, context);
  return conclude(done, { license: done.license, bound: { read: device, device } });
}

/** True when a refusal for want of a seat is worth a look for ended leases. */
export const mayHaveEndedLeases = (license: License): boolean => leaseMs(license) !== null && maxSeats(license) !== 0;

/** The devices whose leases have ended, those that ended longest ago first. */
export const endedLeasesOf = (license: License, devices: readonly Device[], now: number): Device[] =>
  devices
    .filter((device) => boundDevice(license, device) !== undefined && (leaseEnd(license, device) ?? Number.POSITIVE_INFINITY) <= now)
    .sort((a, b) => (a.lease_expires_at ?? 0) - (b.lease_expires_at ?? 0) || (a.fingerprint < b.fingerprint ? -1 : 1));

/** Frees the device's seat, in every status; nothing to free is not an error. */
export function deactivate(license: License, device: Device | undefined, now: number): Decision<Failure | { freed: boolean }> {
  const bound = boundDevice(license, device);
  if (!bound) return unchanged({ freed: false });
  return decide(license, 'deactivate', now, () => ({ freed: true }), {
    patch: { seats_used: license.seats_used - 1 },
    device: { action: 'free', device: bound },
  });
}
