import { fail, isFailure, type Failure } from '../contract/errors';
import { DEVICES_PER_USER } from '../contract/license-kinds';
import {
  admit,
  claimedDevice,
  countNewDevice,
  freedBy,
  refuseFull,
  renewSeat,
  type Activation,
  type ActivationContext,
  type DeviceClaim,
} from './activation';
import { startedTerm } from './coverage';
import { boundDevice, isFull, type Device, type License } from './license';
import { countedDevices, devicesOf, isSameAddress, memberFacts, newMember, withoutDevice, type Member } from './member';
import { conclude, fire, unchanged, type Decision, type Progress } from './transition';
import { warnOfExpiry, type CheckContext } from './validation';

/** Binds devices to the members of a license (docs/spec/sign-in.md, Devices of members). */

export interface MemberContext extends CheckContext, Pick<ActivationContext, 'replaced' | 'countFree'> {
  /** The address of the person who has signed in. */
  readonly address: string;
  /** The membership of this person; undefined for a buyer who is not a member yet. */
  readonly own: Member | undefined;
  /** The member who uses the device now. */
  readonly holder: Member | undefined;
}

/**
 * Activates a device for a person who has signed in. The caller has checked that the person is a member or the buyer.
 *
 * - The refusals of the license's status, and of a release that the license doesn't cover, are those of every activation (403).
 * - A buyer who is not a member becomes one, if a seat is free (429 `no_seats`).
 * - If the member already has the maximum number of devices, the device replaces `replaced`, or is refused (429).
 * - A device of another member moves: it loses its seat and its key, and gets a new seat.
 */
export function activateForMember(
  license: License,
  known: Device | undefined,
  claim: DeviceClaim,
  context: MemberContext,
): Decision<Failure | Activation> {
  const { now, holder, own } = context;
  const admitted = admit(license, claim, now);
  if ('refused' in admitted) return admitted.refused;
  const start = admitted.progress;
  if (!own && isFull(license)) return refuseFull(warnOfExpiry(start, context), now);
  const member = own ?? newMember(license, context.address, 'member', now);
  const read = boundDevice(license, known);
  if (read?.member != null && isSameAddress(read.member, member.email)) return renewSeat(start, read, claim, context);

  const place = makePlace(start, member, context);
  if (isFailure(place)) return conclude(warnOfExpiry(start, context), place);
  const counted = countNewDevice(
    { new_devices: countedDevices(member, license), license_type: license.license_type },
    claim.fingerprint,
    now,
  );
  if (!counted) return conclude(warnOfExpiry(start, context), fail('too_many_devices'));
  let progress: Failure | Progress = own
    ? place.progress
    : fire(place.progress, 'add_member', { patch: { members: (license.members ?? 0) + 1 }, details: memberFacts(member) });
  if (read && !isFailure(progress)) progress = loseMoved(progress, read, holder);
  if (isFailure(progress)) return unchanged(progress);

  const device = { ...claimedDevice(license, claim, now), member: member.email };
  const after: Member = {
    ...member,
    ...place.patch,
    revision: own ? own.revision + 1 : 1,
    epoch: license.epoch,
    devices: [...place.devices, device.fingerprint],
    last_seen_on: device.last_seen_on,
    new_devices: counted.counted,
  };
  const taken = fire(progress, 'activate', {
    patch: { seats_used: progress.license.seats_used + 1, ...startedTerm(progress.license, now) },
    device: read ? { action: 'rebind', device, read } : { action: 'bind', device, freed: known },
    members: [{ before: own, after }],
    details: { ...(claim.signIn && { reason: 'sign_in' }), ...memberFacts(member) },
  });
  if (isFailure(taken)) return unchanged(taken);
  const done = warnOfExpiry(taken, context);
  return conclude(done, { license: done.license, bound: { read: device, device } });
}

interface Place {
  readonly progress: Progress;
  /** The devices that the member keeps. */
  readonly devices: readonly string[];
  /** The fields of the member that change. */
  readonly patch: Partial<Member>;
}

/** Frees the device to be replaced, but only if the member has no place for another device. */
function makePlace(progress: Progress, member: Member, { replaced, countFree }: MemberContext): Failure | Place {
  const { license } = progress;
  const devices = devicesOf(member, license);
  const maximum = license.license_type.devices_per_user ?? DEVICES_PER_USER;
  if (devices.length < maximum) return { progress, devices, patch: {} };
  if (!replaced || devices.length > maximum) return fail('too_many_user_devices');
  const counted = countFree?.(member.frees);
  if (isFailure(counted)) return counted;
  // The row of the member changes once, together with the new device.
  const { members: _, details, ...freed } = freedBy(license, replaced, member);
  const next = fire(progress, 'deactivate', { ...freed, details: { reason: 'replaced', ...details } });
  if (isFailure(next)) return next;
  return {
    progress: next,
    devices: devices.filter((fingerprint) => fingerprint !== replaced.fingerprint),
    patch: counted ? { frees: counted } : {},
  };
}

/** Takes the device from the member who used it. Its row is replaced when the device gets its new seat. */
const loseMoved = (progress: Progress, device: Device, holder: Member | undefined): Failure | Progress =>
  fire(progress, 'deactivate', {
    patch: { seats_used: progress.license.seats_used - 1 },
    about: device,
    members: holder ? [withoutDevice(holder, progress.license, device)] : [],
    details: { reason: 'moved', ...(holder && memberFacts(holder)) },
  });
