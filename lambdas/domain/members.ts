import { fail, isFailure, type Failure } from '../contract/errors';
import { MAX_MEMBERS } from '../contract/limits';
import type { MemberRole } from '../contract/resources';
import { refuseFull } from './activation';
import { boundDevice, hasMembers, isFull, type Device, type License } from './license';
import { lifecycle } from './lifecycle';
import { memberFacts, newMember, type Member } from './member';
import { begin, conclude, decide, fire, unchanged, type Decision } from './transition';

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
  const edge = lifecycle[license.status].add_member;
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
 * Removes a member, and frees the devices of the member. This is allowed in every status.
 *
 * @param devices the rows of the member's devices
 */
export function removeMember(
  license: License,
  member: Member | undefined,
  devices: readonly Device[],
  now: number,
): Decision<Failure | { removed: boolean; freed: number }> {
  const refused = membersRefusal(license);
  if (refused) return unchanged(refused);
  if (!member) return unchanged({ removed: false, freed: 0 });
  const bound = devices.filter((device) => boundDevice(license, device) !== undefined);
  let progress = begin(license, now);
  for (const device of bound) {
    const freed = fire(progress, 'deactivate', {
      patch: { seats_used: progress.license.seats_used - 1 },
      device: { action: 'free', device },
      details: { reason: 'member_removed', ...memberFacts(member) },
    });
    if (isFailure(freed)) return unchanged(freed);
    progress = freed;
  }
  const removed = fire(progress, 'remove_member', {
    patch: { members: Math.max(0, (progress.license.members ?? 0) - 1) },
    members: [{ before: member, after: undefined }],
    details: memberFacts(member),
  });
  if (isFailure(removed)) return unchanged(removed);
  return conclude(removed, { removed: true, freed: bound.length });
}
