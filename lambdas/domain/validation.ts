import { fail, isFailure, type Failure } from '../contract/errors';
import { dateOf } from './time';
import { addDays, boundDevice, hasKey, isPastExpiry, leaseEnd, leaseMs, type Device, type DeviceUse, type License } from './license';
import { begin, conclude, decide, fire, unchanged, type Decision, type Progress } from './transition';

/** Checks a license: in a validation, and at the beginning of every activation (docs/spec/activation.md, Validate). */

/** Settings of a check, besides the license. Times are epoch ms. */
export interface CheckContext {
  readonly now: number;
  /**
   * A check sends `license.expiring` if the expiry is at most this number of days away. It sends `license.updates_expiring` if the end of
   * updates is at most this number of days away. If the number is 0, these events are never sent.
   */
  readonly expiringDays: number;
}

/** A bound device as it was read, and as it must be stored after a check. Both are the same object if there is nothing to write. */
export interface BoundDevice {
  readonly read: Device;
  readonly device: Device;
}

/** A checked license: the facts that a validation may report. */
export interface Checked {
  readonly license: License;
  readonly bound: BoundDevice | undefined;
}

/**
 * Decides a validation. A license that is revoked, suspended or expired is refused, and an expiry that has just passed is recorded. The
 * device's lease is renewed if a third of it is over.
 *
 * @param use what the request tells about the device
 * @param keyHash the hash of the request's device key; undefined if the request has the license's key
 */
export function check(
  license: License,
  known: Device | undefined,
  context: CheckContext,
  use: DeviceUse,
  keyHash?: string,
): Decision<Failure | Checked> {
  const status = checkStatus(license, context.now);
  if ('refused' in status) return status.refused;
  const read = boundDevice(license, known);
  if (!hasKey(read, keyHash)) return unchanged(fail('sign_in_required'));

  const progress = warnOfExpiry(status.progress, context);
  if (!read) return conclude(progress, { license: progress.license, bound: undefined });
  const device = seen(isRenewalDue(license, read, context.now) ? withLease(license, read, context.now) : read, context.now, use);
  return conclude(progress, { license: progress.license, bound: { read, device } });
}

/**
 * Checks a license for a request that lists its devices. A license that is revoked, suspended or expired is refused, and an expiry that has
 * just passed is recorded. A device key that no longer works is refused as in {@link check}.
 */
export function examine(license: License, known: Device | undefined, now: number, keyHash?: string): Decision<Failure | License> {
  const status = checkStatus(license, now);
  if ('refused' in status) return status.refused;
  return unchanged(hasKey(boundDevice(license, known), keyHash) ? license : fail('sign_in_required'));
}

/**
 * The refusal of a request for an offline token of a license; undefined if the license's status allows it. An expiry that has passed is not
 * recorded here, because the next check by a client records it.
 */
export function mintingRefusal(license: License, now: number): Failure | undefined {
  const status = checkStatus(license, now);
  return 'refused' in status ? status.refused.result : undefined;
}

/**
 * The beginning of every check: refuses the license because of its status, or returns the progress for further triggers. An expiry that has
 * just passed is recorded with its event.
 */
export function checkStatus(license: License, now: number): { readonly refused: Decision<Failure> } | { readonly progress: Progress } {
  if (license.status === 'active' && isPastExpiry(license, now)) {
    return { refused: decide(license, 'expire', now, () => fail('license_expired')) };
  }
  const progress = fire(begin(license, now), 'check');
  return isFailure(progress) ? { refused: unchanged(progress) } : { progress };
}

/** The end of every check: warns of the expiry and of the end of updates, if they are near and the warning was not sent yet. */
export function warnOfExpiry(progress: Progress, { now, expiringDays }: CheckContext): Progress {
  const isDue = (end: number | null, warned: number | null): boolean =>
    expiringDays > 0 && end !== null && warned !== end && now < end && addDays(now, expiringDays) >= end;
  const { expires_at, warned_expiry, updates_until, warned_updates } = progress.license;
  let next = progress;
  for (const [trigger, isNear, patch] of [
    ['warn', isDue(expires_at, warned_expiry), { warned_expiry: expires_at }],
    ['warn_updates', isDue(updates_until, warned_updates), { warned_updates: updates_until }],
  ] as const) {
    const warned = isNear ? fire(next, trigger, { patch }) : next;
    if (!isFailure(warned)) next = warned;
  }
  return next;
}

/** Whether a check of this day was already recorded for the device. */
export const isSeen = ({ last_seen_on }: Pick<Device, 'last_seen_on'>, now: number): boolean =>
  last_seen_on !== null && last_seen_on >= dateOf(now);

/**
 * Records the first check of a day, with what it tells about the device. A check that names no version leaves the version unchanged. The
 * result of a later check is the same object.
 */
export const seen = (device: Device, now: number, use: DeviceUse): Device =>
  isSeen(device, now) ? device : { ...device, ...use, app_version: use.app_version ?? device.app_version, last_seen_on: dateOf(now) };

/** The device with a new lease. `lease_expires_at` is null if the license has no leases. */
export const withLease = (license: License, device: Device, now: number): Device => {
  const length = leaseMs(license);
  return { ...device, lease_expires_at: length === null ? null : now + length };
};

/**
 * True if a third of the lease or more is over, or if the device has no lease yet. Also true if the device has a lease of a former license
 * type, but the license has no leases now. The old lease must not count if the license gets leases again.
 */
function isRenewalDue(license: License, device: Device, now: number): boolean {
  const length = leaseMs(license);
  if (length === null) return device.lease_expires_at !== null;
  const end = leaseEnd(license, device);
  return end === null || (end - now) * 3 <= length * 2;
}
