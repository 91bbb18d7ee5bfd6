import { fail, isFailure, type Failure } from '../contract/errors';
import { MAX_DEVICES_PER_USER } from '../contract/license-kinds';
import { MAX_MEMBERS } from '../contract/limits';
import type { MemberRole } from '../contract/resources';
import { refuseFull } from './activation';
import { boundDevice, hasMembers, isFull, type Device, type License } from './license';
import { edgeOf } from './lifecycle';
import { isSameAddress, memberFacts, movedMember, newMember, type Member } from './member';
import { begin, conclude, decide, fire, unchanged, withoutEvent, type Decision, type Progress } from './transition';

/** Adds and removes members of a license (docs/spec/sign-in.md, Licenses of named people). Times are epoch ms. */

/** The refusal (422) of a request about the members of a license whose devices take the seats. */
export const membersRefusal = (license: License): Failure | undefined =>
  hasMembers(license) ? undefined : fail('invalid_request', 'The license has no members: its type has the binding device');

/** The license after a change of its members, with the changed or added member. */
export interface MemberResult {
  readonly license: License;
  readonly member: Member;
  readonly isNew: boolean;
}

/**
 * Adds a member, who takes a seat, or changes the role of a member.
 *
 * @param known the member with this address, if there is one
 * @param role undefined: the role `member` for a new member; a known member keeps the role
 */
export function putMember(
  license: License,
  known: Member | undefined,
  { email, role }: { readonly email: string; readonly role?: MemberRole | undefined },
  now: number,
): Decision<Failure | MemberResult> {
  const refused = membersRefusal(license);
  if (refused) return unchanged(refused);
  const edge = edgeOf(license.status, 'add_member');
  if (typeof edge === 'string') return unchanged(fail(edge));
  if (known) {
    if (role === undefined || role === known.role) return unchanged({ license, member: known, isNew: false });
    const member = { ...known, role, revision: known.revision + 1 };
    return decide(license, 'amend', now, (after) => ({ license: after, member, isNew: false }), {
      members: [{ before: known, after: member }],
      details: memberFacts(member),
    });
  }
  if ((license.members ?? 0) >= MAX_MEMBERS) return unchanged(fail('invalid_request', `A license can have at most ${MAX_MEMBERS} members`));
  if (isFull(license)) return refuseFull(begin(license, now), now);
  const member = newMember(license, email, role ?? 'member', now);
  return decide(license, 'add_member', now, (after) => ({ license: after, member, isNew: true }), {
    patch: { members: (license.members ?? 0) + 1 },
    members: [{ before: undefined, after: member }],
    details: memberFacts(member),
  });
}

/**
 * Invites a member again. Nothing but the revision of the member changes, so that the invitation is committed only if the person is still a
 * member.
 */
export const inviteAgain = (result: MemberResult, now: number): Decision<MemberResult> => {
  const { license, member } = result;
  const members = [{ before: member, after: { ...member, revision: member.revision + 1 } }];
  return { transition: withoutEvent(license, license, now, members), result };
};

/**
 * Removes a member, and frees the devices of the member. This is allowed in every status.
 *
 * @param devices the rows of the member's devices
 * @param isErased whether the events must contain neither the address nor the labels of the devices, because the person's data is erased
 */
export function removeMember(
  license: License,
  member: Member | undefined,
  devices: readonly Device[],
  now: number,
  isErased = false,
): Decision<Failure | { removed: boolean; freed: number }> {
  const refused = membersRefusal(license);
  if (refused) return unchanged(refused);
  if (!member) return unchanged({ removed: false, freed: 0 });
  const bound = devices.filter((device) => boundDevice(license, device) !== undefined);
  const facts = memberFacts({ role: member.role, email: isErased ? null : member.email });
  let progress = begin(license, now);
  for (const device of bound) {
    const freed = fire(progress, 'deactivate', {
      patch: { seats_used: progress.license.seats_used - 1 },
      device: { action: 'free', device },
      ...(isErased && { about: { ...device, name: '', platform: '' } }),
      details: { reason: 'member_removed', ...facts },
    });
    if (isFailure(freed)) return unchanged(freed);
    progress = freed;
  }
  const removed = fire(progress, 'remove_member', {
    patch: { members: Math.max(0, (progress.license.members ?? 0) - 1) },
    members: [{ before: member, after: undefined }],
    details: facts,
  });
  if (isFailure(removed)) return unchanged(removed);
  return conclude(removed, { removed: true, freed: bound.length });
}

/** The most recently used devices first; of devices last seen on the same day, those first that were activated later. */
const byUse = (a: Device, b: Device): number =>
  (b.last_seen_on ?? '').localeCompare(a.last_seen_on ?? '') || b.activated_at - a.activated_at;

/**
 * Moves a membership to another address of the same person. If that address is a member, too, the two are joined, and one seat becomes free.
 * The person keeps the devices that were used last, at most {@link MAX_DEVICES_PER_USER}.
 *
 * @param from the membership of the previous address
 * @param to the membership of the new address
 * @param devices the rows of the devices of both
 */
export function moveMember(
  license: License,
  from: Member,
  to: Member | undefined,
  devices: readonly Device[],
  email: string,
  now: number,
): Decision<Failure | License> {
  const bound = devices.filter((device) => boundDevice(license, device) !== undefined).sort(byUse);
  const kept = bound.slice(0, MAX_DEVICES_PER_USER);
  const member = movedMember(from, to, email, license, kept);
  const start = begin(license, now);
  const moved = kept.filter((device) => device.member !== email);
  let progress: Progress = {
    ...start,
    devices: moved.map((device) => ({ action: 'rebind', device: { ...device, member: email }, read: device })),
  };
  for (const device of bound.slice(MAX_DEVICES_PER_USER)) {
    const freed = fire(progress, 'deactivate', {
      patch: { seats_used: progress.license.seats_used - 1 },
      device: { action: 'free', device },
      details: { reason: 'merged', ...memberFacts(member) },
    });
    if (isFailure(freed)) return unchanged(freed);
    progress = freed;
  }
  const isSameRow = isSameAddress(from.email, email);
  const ended = fire(progress, 'amend', {
    patch: { members: Math.max(0, (license.members ?? 0) - (to && !isSameRow ? 1 : 0)) },
    members: isSameRow
      ? [{ before: from, after: member }]
      : [
          { before: from, after: undefined },
          { before: to, after: member },
        ],
    details: memberFacts(member),
  });
  return isFailure(ended) ? unchanged(ended) : conclude(ended, ended.license);
}
