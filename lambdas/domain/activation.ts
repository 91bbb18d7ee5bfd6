import { createHash, createHmac } from 'node:crypto';
import { covers, limitsOf, startedTerm, type ReleaseFacts } from './coverage';
import { fail, isFailure, type Failure } from '../contract/errors';
import {
  appVersionOf,
  boundDevice,
  hasKey,
  hasMembers,
  isFull,
  leaseEnd,
  leaseMs,
  maxSeats,
  type BuyerFrees,
  type Device,
  type License,
  type NewDevices,
  type SignIn,
} from './license';
import { memberFacts, withoutDevice, type Member } from './member';
import { dateOf, DAY_MS } from './time';
import { conclude, decide, fire, transitionOf, unchanged, type Decision, type NeedsDevices, type Progress } from './transition';
import { checkStatus, seen, warnOfExpiry, withLease, type BoundDevice, type CheckContext } from './validation';

/** Binds devices to a license, and frees bound devices (docs/spec/activation.md, Activate). */

/** The device as a client app describes it in a request. A missing label leaves the stored label unchanged. */
export interface DeviceClaim {
  readonly fingerprint: string;
  readonly name?: string | null | undefined;
  readonly platform?: string | null | undefined;
  /** The version and the release date of the app. The activation is refused if the license does not cover this release. */
  readonly release?: ReleaseFacts | null | undefined;
  /** The country from which the app has sent its request; null: not known. */
  readonly country?: string | null | undefined;
  /** The ref of a device that the new device replaces if the license is full; see {@link deviceRef}. */
  readonly replace?: string | null | undefined;
  /** The hash of the device key in the request. The activation is refused unless the device has a seat and this key. */
  readonly keyHash?: string | undefined;
  /** The sign-in that a buyer has approved for the device. */
  readonly signIn?: SignIn | undefined;
}

/**
 * An opaque name for one device of one license. With this name, an app refers to the other devices of its license, because the app never
 * sees the fingerprints of other devices. Without the deployment's key, nobody can test whether a guessed fingerprint belongs to a ref. No
 * row contains a ref.
 */
export const deviceRef = (key: string, { id }: Pick<License, 'id'>, { fingerprint }: Pick<Device, 'fingerprint'>): string =>
  createHmac('sha256', key)
    .update(JSON.stringify(['device', id, fingerprint]))
    .digest('base64url')
    .slice(0, 22);

/** The devices that have a seat, each with its ref. */
export const devicesWithRefs = (key: string, license: License, devices: readonly Device[]): (Device & { readonly ref: string })[] =>
  devices
    .filter((device) => boundDevice(license, device) !== undefined)
    .map((device) => ({ ...device, ref: deviceRef(key, license, device) }));

/** The device with this ref, if it has a seat. */
export const deviceOfRef = (key: string, license: License, devices: readonly Device[], ref: string): Device | undefined =>
  devices.find((device) => boundDevice(license, device) !== undefined && deviceRef(key, license, device) === ref);

export interface ActivationContext extends CheckContext {
  /**
   * The license's devices whose leases have ended, sorted by the end of the lease, earliest first. An activation on a full license frees
   * these devices, one after another, until a seat is free. The field is undefined in the first attempt, which reads only the activating
   * device. If the first attempt finds no free seat, the result is {@link NeedsDevices}, and the next attempt has this field.
   */
  readonly endedLeases?: readonly Device[] | undefined;
  /** The bound device that the claim asks to replace. Undefined if there is no such device, or if the devices were not read. */
  readonly replaced?: Device | undefined;
  /**
   * Counts the replaced device as a device that the person in the portal has freed: the new count, or a refusal. Undefined if the app asks
   * for the replacement.
   */
  readonly countFree?: ((frees: BuyerFrees | null) => Failure | BuyerFrees) | undefined;
}

export interface Activation {
  readonly license: License;
  readonly bound: BoundDevice;
}

/**
 * Activates a device.
 *
 * - If the license is revoked, suspended or expired, or doesn't cover the release, the activation is refused (403).
 * - If the request has a device key that no longer works, the activation is refused (403).
 * - If the license belongs to named people, only a sign-in binds a device, so another device is refused (403).
 * - If the device is already bound, the activation is granted, and the lease of the device is renewed. An approved sign-in gives the device
 *   a new key.
 * - If the license is full (`no_seats`) or has too many new devices (`too_many_devices`), the activation is refused (429).
 * - Otherwise the transition takes a seat and binds the device.
 */
export function activate(
  license: License,
  known: Device | undefined,
  claim: DeviceClaim,
  context: ActivationContext,
): Decision<Failure | Activation> | NeedsDevices {
  const admitted = admit(license, claim, context.now);
  if ('refused' in admitted) return admitted.refused;
  const read = boundDevice(license, known);
  if (!hasKey(read, claim.keyHash)) return unchanged(fail('sign_in_required'));
  if (read) return renewSeat(admitted.progress, read, claim, context);
  return hasMembers(license) ? unchanged(fail('sign_in_required')) : takeSeat(admitted.progress, known, claim, context);
}

/** The beginning of every activation: checks the status of the license, and whether it covers the release of the claim. */
export function admit(license: License, claim: DeviceClaim, now: number): ReturnType<typeof checkStatus> {
  const status = checkStatus(license, now);
  if ('refused' in status) return status;
  const isCovered = !claim.release || covers(limitsOf(license, now), claim.release);
  return isCovered ? status : { refused: unchanged(fail('release_not_covered')) };
}

/** Activates a device that has a seat: stores its labels, renews its lease, and gives it a new key after a sign-in. */
export function renewSeat(start: Progress, read: Device, claim: DeviceClaim, context: CheckContext): Decision<Activation> {
  const progress = warnOfExpiry(start, context);
  const device = asClaimed(progress.license, read, claim, context.now);
  if (!claim.signIn) return conclude(progress, { license: progress.license, bound: { read, device } });
  const signedIn = { ...progress, devices: [...progress.devices, { action: 'rebind', read, device } as const] };
  return conclude(signedIn, { license: progress.license, bound: { read: device, device } });
}

/** What changes when a device loses its seat. `holder` is the member who uses the device, if the license has members. */
export const freedBy = (license: License, device: Device, holder: Member | undefined, patch: Partial<Member> = {}) => ({
  patch: { seats_used: license.seats_used - 1 },
  device: { action: 'free', device } as const,
  members: holder ? [withoutDevice(holder, license, device, patch)] : [],
  details: holder ? memberFacts(holder) : {},
});

/**
 * Returns the bound device with the labels of the claim, a renewed lease, and the current day as the day of its last check. If none of
 * these values changes, the function returns the object `read` itself, not a copy.
 */
function asClaimed(license: License, read: Device, claim: DeviceClaim, now: number): Device {
  const app_version = appVersionOf(claim.release?.version) ?? read.app_version;
  const labelled = {
    ...seen(read, now, { app_version, country: claim.country ?? read.country }),
    name: claim.name ?? read.name,
    platform: claim.platform ?? read.platform,
    app_version,
    sign_in: claim.signIn ?? read.sign_in,
  };
  const device = withLease(license, labelled, now);
  return JSON.stringify(device) === JSON.stringify(read) ? read : device;
}

/**
 * Takes a seat for a device that has none: a free seat, the seat of the device to be replaced, or the seat of a device whose lease has
 * ended.
 *
 * @param freed the row of the same device, if a reset has freed the device before
 */
function takeSeat(
  start: Progress,
  freed: Device | undefined,
  claim: DeviceClaim,
  context: ActivationContext,
): Decision<Failure | Activation> | NeedsDevices {
  const { now, endedLeases, replaced, countFree } = context;
  const replacement = replace(start, replaced, countFree);
  if (isFailure(replacement)) return unchanged(replacement);
  const progress = reclaim(
    replacement,
    (endedLeases ?? []).filter(({ fingerprint }) => fingerprint !== replaced?.fingerprint),
  );
  if (isFull(progress.license)) {
    if (!endedLeases) return { needs: 'devices', transition: null };
    // The device to be replaced keeps its seat if the new device gets no seat.
    const reclaimed = replaced ? reclaim(start, endedLeases) : progress;
    // There are more devices with ended leases than one transaction can free. The next attempt frees further devices, and may then find a
    // free seat.
    if (endedLeases.length > MAX_RECLAIMED) return { needs: 'devices', transition: transitionOf(reclaimed) };
    return refuseFull(warnOfExpiry(reclaimed, context), now);
  }

  const count = countNewDevice(progress.license, claim.fingerprint, now);
  if (!count) return conclude(warnOfExpiry(start, context), fail('too_many_devices'));

  const device = claimedDevice(progress.license, claim, now);
  const taken = fire(progress, 'activate', {
    patch: { seats_used: progress.license.seats_used + 1, new_devices: count.counted, ...startedTerm(progress.license, now) },
    device: { action: 'bind', device, freed },
    ...(claim.signIn && { details: { reason: 'sign_in' } }),
  });
  if (isFailure(taken)) return unchanged(taken);
  const done = warnOfExpiry(taken, context);
  return conclude(done, { license: done.license, bound: { read: device, device } });
}

/** Frees the device to be replaced, but only if the license is full. If the buyer may free no more devices, the result is a refusal. */
function replace(progress: Progress, replaced: Device | undefined, countFree: ActivationContext['countFree']): Failure | Progress {
  if (!replaced || !isFull(progress.license)) return progress;
  const counted = countFree?.(progress.license.buyer_frees);
  if (isFailure(counted)) return counted;
  return free(progress, replaced, 'replaced', counted && { buyer_frees: counted });
}

/**
 * Maximum number of devices with ended leases that one transaction frees. For each of them the transaction deletes a row and writes an
 * event.
 */
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

/** Frees a device so that another device gets its seat. An active license always allows this. */
function free(progress: Progress, device: Device, reason: 'lease_ended' | 'replaced', patch: Partial<License> = {}): Progress {
  const freed = fire(progress, 'deactivate', {
    patch: { ...patch, seats_used: progress.license.seats_used - 1 },
    device: { action: 'free', device },
    details: { reason },
  });
  return isFailure(freed) ? progress : freed;
}

const EXHAUSTED_EVERY_MS = DAY_MS;

/** Refuses an activation because all seats are used (429). Sends `license.seats_exhausted` at most once in 24 hours. */
export function refuseFull(progress: Progress, now: number): Decision<Failure> {
  const { exhausted_at } = progress.license;
  if (exhausted_at !== null && now - exhausted_at < EXHAUSTED_EVERY_MS) return conclude(progress, fail('no_seats'));
  const recorded = fire(progress, 'exhaust', { patch: { exhausted_at: now } });
  return conclude(isFailure(recorded) ? progress : recorded, fail('no_seats'));
}

const NEW_DEVICES_WINDOW_MS = 7 * DAY_MS;

/**
 * A hash of 6 bytes. It is long enough to distinguish the devices of one license, and short enough to be stored in the row of the license.
 */
const shortHash = (fingerprint: string): string => createHash('sha256').update(fingerprint).digest('base64url').slice(0, 8);

/**
 * Counts a device that takes a seat. Returns the devices that have taken a seat in the current window of 7 days, including this device.
 * Undefined if this device would exceed the limit of new devices.
 */
export function countNewDevice(
  { new_devices, license_type }: Pick<License, 'new_devices' | 'license_type'>,
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

/** The device that a claim describes, bound to the license at the time `now`. */
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
      sign_in: claim.signIn ?? null,
      member: null,
      app_version: appVersionOf(claim.release?.version),
      country: claim.country ?? null,
    },
    now,
  );

/**
 * Gives a seat to a device that was activated at another system. Unlike {@link activate}, it does not check the expiry, because the device
 * was activated before, and it does not count the device as a new device.
 *
 * @param activatedAt when the device was activated, in epoch ms
 * @returns the device that has a seat. The refusals are those of the license's status, `no_seats`, and `sign_in_required` for a
 * license of named people.
 */
export function addDevice(
  license: License,
  known: Device | undefined,
  claim: DeviceClaim,
  activatedAt: number,
  now: number,
): Decision<Failure | { readonly license: License; readonly device: Device }> {
  const bound = boundDevice(license, known);
  if (bound) return unchanged({ license, device: bound });
  if (license.status === 'active' && hasMembers(license)) return unchanged(fail('sign_in_required'));
  if (license.status === 'active' && isFull(license)) return unchanged(fail('no_seats'));
  const device: Device = { ...claimedDevice(license, claim, now), activated_at: activatedAt, last_seen_on: dateOf(activatedAt) };
  return decide(license, 'activate', now, (after) => ({ license: after, device }), {
    patch: { seats_used: license.seats_used + 1, ...startedTerm(license, activatedAt) },
    device: { action: 'bind', device, freed: known },
  });
}

/**
 * True if the license has a limited number of seats, and its leases can end. If such a license is full, its devices must be read, because
 * some of their leases may have ended.
 */
export const mayHaveEndedLeases = (license: License): boolean => leaseMs(license) !== null && maxSeats(license) !== 0;

/** The devices whose leases have ended; the lease that ended first comes first. */
export const endedLeasesOf = (license: License, devices: readonly Device[], now: number): Device[] =>
  devices
    .filter((device) => boundDevice(license, device) !== undefined && (leaseEnd(license, device) ?? Number.POSITIVE_INFINITY) <= now)
    .sort((a, b) => (a.lease_expires_at ?? 0) - (b.lease_expires_at ?? 0) || (a.fingerprint < b.fingerprint ? -1 : 1));

/**
 * Frees the seat of the device. This is allowed in every status. If the device has no seat, nothing changes.
 *
 * @param keyHash the hash of the request's device key; undefined if the request has no device key. If the key no longer works, nothing
 * changes.
 * @param holder the member who uses the device, if the license has members
 */
export function deactivate(
  license: License,
  device: Device | undefined,
  now: number,
  { keyHash, holder }: { readonly keyHash?: string | undefined; readonly holder?: Member | undefined } = {},
): Decision<Failure | { freed: boolean }> {
  const bound = boundDevice(license, device);
  if (!bound || !hasKey(bound, keyHash)) return unchanged({ freed: false });
  return decide(license, 'deactivate', now, () => ({ freed: true }), freedBy(license, bound, holder));
}
