import { fail, isFailure, type Failure } from '../contract/errors';
import { dateOf } from './time';
import { addDays, boundDevice, isPastExpiry, leaseEnd, leaseMs, type Device, type License } from './license';
import { begin, conclude, decide, fire, unchanged, type Decision, type Progress } from './transition';

/** Checking a license: what a validation decides, and what every activation begins with (docs/spec/activation.md, Validate). */

/** What a check depends on besides the license. Times are epoch ms. */
export interface CheckContext {
  readonly now: number;
  /** Days before the expiry in which the first check sends `license.expiring`; 0: none does. */
  readonly expiringDays: number;
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
  const status = checkStatus(license, context.now);
  if ('refused' in status) return status.refused;

  const progress = warnOfExpiry(status.progress, context);
  const read = boundDevice(license, known);
  if (!read) return conclude(progress, { license: progress.license, bound: undefined });
  const device = seen(isRenewalDue(license, read, context.now) ? withLease(license, read, context.now) : read, context.now);
  return conclude(progress, { license: progress.license, bound: { read, device } });
}

/** What a request that only reads begins with: refused when revoked, suspended or expired (and expiry is noticed here). */
export function examine(license: License, now: number): Decision<Failure | License> {
  const status = checkStatus(license, now);
  return 'refused' in status ? status.refused : unchanged(license);
}

/** The refusal to mint a token for a license; undefined when it is good. The stored status stays: expiry is noticed by clients' checks. */
export function mintingRefusal(license: License, now: number): Failure | undefined {
  const status = checkStatus(license, now);
  return 'refused' in status ? status.refused.result : undefined;
}

/**
 * What every check begins with: a refusal by the license's status, or the license on its way. An expiry that has passed
 * is noticed here, with its one event.
 */
export function checkStatus(license: License, now: number): { readonly refused: Decision<Failure> } | { readonly progress: Progress } {
  if (license.status === 'active' && isPastExpiry(license, now)) {
    return { refused: decide(license, 'expire', now, () => fail('license_expired')) };
  }
  const progress = fire(begin(license, now), 'check');
  return isFailure(progress) ? { refused: unchanged(progress) } : { progress };
}

/** What every check ends with: the warnings of the expiry and of the end of updates, if they are near and were not sent for it yet. */
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

/** The device as seen today; the same object if that is recorded already. */
export const seen = (device: Device, now: number): Device =>
  device.last_seen_on !== null && device.last_seen_on >= dateOf(now) ? device : { ...device, last_seen_on: dateOf(now) };

/** The device with a fresh lease; null when the license leases no seats. */
export const withLease = (license: License, device: Device, now: number): Device => {
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
