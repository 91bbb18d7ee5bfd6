import { createHash } from 'node:crypto';
import { covers, limitsOf, startedTerm, type ReleaseFacts } from './coverage';
import { fail, isFailure, type Failure } from '../contract/errors';
import { boundDevice, isFull, leaseEnd, leaseMs, maxSeats, type Device, type License, type NewDevices } from './license';
import { dateOf, DAY_MS } from './time';
import { conclude, decide, fire, LOOK_CLOSER, unchanged, type Decision, type Progress } from './transition';
import { checkStatus, seen, warnOfExpiry, withLease, type BoundDevice, type CheckContext } from './validation';

/** Binding devices to a license, and freeing them (docs/spec/activation.md, Activate). */

/** What a client app says about its device; a label left out keeps what is stored. */
export interface DeviceClaim {
  readonly fingerprint: string;
  readonly name?: string | null | undefined;
  readonly platform?: string | null | undefined;
  /** The app itself: refused if the license doesn't cover it. */
  readonly release?: ReleaseFacts | null | undefined;
  /** The ref of a device whose seat is taken if the license is full; see {@link deviceRef}. */
  readonly replace?: string | null | undefined;
}

/** Names one device of one license to apps, which never see the fingerprints of others. Opaque to them. */
export const deviceRef = ({ id }: Pick<License, 'id'>, { fingerprint }: Pick<Device, 'fingerprint'>): string =>
  createHash('sha256').update(`device ${id} ${fingerprint}`).digest('base64url').slice(0, 22);

/** The device of that ref that holds a seat. */
export const deviceOfRef = (license: License, devices: readonly Device[], ref: string): Device | undefined =>
  devices.find((device) => boundDevice(license, device) !== undefined && deviceRef(license, device) === ref);

export interface ActivationContext extends CheckContext {
  /**
   * The devices of the license whose leases have ended, oldest first: a full license takes their seats. Undefined for a
   * first look, whose device and license may have been read at different instants.
   */
  readonly endedLeases?: readonly Device[] | undefined;
  /** The bound device that the claim asks to replace, if the devices were looked at. */
  readonly replaced?: Device | undefined;
}

export interface Activation {
  readonly license: License;
  readonly bound: BoundDevice;
}

/**
 * Activation: refused when revoked, suspended or expired (403), or for a release that is not covered (403), granted at once to a bound fingerprint (its lease
 * is renewed), refused when full (429 `no_seats`) or when too many new devices came (429 `too_many_devices`),
 * and otherwise the transition that takes a seat and binds the device.
 */
export function activate(
  license: License,
  known: Device | undefined,
  claim: DeviceClaim,
  context: ActivationContext,
): Decision<Failure | Activation> {
  const status = checkStatus(license, context.now);
  if ('refused' in status) return status.refused;
  if (claim.release && !covers(limitsOf(license, context.now), claim.release)) return unchanged(fail('release_not_covered'));

  const read = boundDevice(license, known);
  if (!read) return takeSeat(status.progress, claim, context);
  const progress = warnOfExpiry(status.progress, context);
  return conclude(progress, { license: progress.license, bound: { read, device: asClaimed(license, read, claim, context.now) } });
}

/** The bound device with the labels of the claim, seen today, and a fresh lease; the same object if that changes nothing. */
function asClaimed(license: License, read: Device, claim: DeviceClaim, now: number): Device {
  const labelled = { ...seen(read, now), name: claim.name ?? read.name, platform: claim.platform ?? read.platform };
  const device = leaseMs(license) === null ? labelled : withLease(license, labelled, now);
  return JSON.stringify(device) === JSON.stringify(read) ? read : device;
}

/** Takes a seat for a device that has none: a free one, that of the device to be replaced, or one whose lease has ended. */
function takeSeat(start: Progress, claim: DeviceClaim, context: ActivationContext): Decision<Failure | Activation> {
  const { now, endedLeases, replaced } = context;
  const progress = reclaim(
    replace(start, replaced),
    (endedLeases ?? []).filter(({ fingerprint }) => fingerprint !== replaced?.fingerprint),
  );
  if (isFull(progress.license)) {
    if (!endedLeases) return unchanged(LOOK_CLOSER);
    // Nothing is replaced if no seat can be taken.
    const reclaimed = replaced ? reclaim(start, endedLeases) : progress;
    // More have ended than one transaction takes back: the next one continues, and may find a seat.
    if (endedLeases.length > MAX_RECLAIMED) return conclude(reclaimed, LOOK_CLOSER);
    return refuseFull(warnOfExpiry(reclaimed, context), now);
  }

  const count = countNewDevice(progress.license, claim.fingerprint, now);
  if (!count) return conclude(warnOfExpiry(start, context), fail('too_many_devices'));

  const device = claimedDevice(progress.license, claim, now);
  const taken = fire(progress, 'activate', {
    patch: { seats_used: progress.license.seats_used + 1, new_devices: count.counted, ...startedTerm(progress.license, now) },
    device: { action: 'bind', device },
  });
  if (isFailure(taken)) return unchanged(taken);
  const done = warnOfExpiry(taken, context);
  return conclude(done, { license: done.license, bound: { read: device, device } });
}

/** Frees the device to be replaced, if the license is full. */
const replace = (progress: Progress, replaced: Device | undefined): Progress =>
  replaced && isFull(progress.license) ? free(progress, replaced, 'replaced') : progress;

/** Maximum number of ended leases that one transaction takes back: a delete and an event each. */
export const MAX_RECLAIMED = 40;

/** Frees devices with ended leases, oldest first, until the new device has a seat or no ended lease is left. */
function reclaim(progress: Progress, endedLeases: readonly Device[]): Progress {
  let next = progress;
  for (const device of endedLeases.slice(0, MAX_RECLAIMED)) {
    if (!isFull(next.license)) break;
    next = free(next, device, 'lease_ended');
  }
  return next;
}

/** Frees a device for another one. An active license is never refused that. */
function free(progress: Progress, device: Device, reason: 'lease_ended' | 'replaced'): Progress {
  const freed = fire(progress, 'deactivate', {
    patch: { seats_used: progress.license.seats_used - 1 },
    device: { action: 'free', device },
    details: { reason },
  });
  return isFailure(freed) ? progress : freed;
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
      last_seen_on: dateOf(now),
    },
    now,
  );

/** True when a refusal for want of a seat is worth a look at the devices. */
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
