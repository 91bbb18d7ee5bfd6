import { fail, isFailure, type Failure } from '../contract/errors';
import type { InvitationReason, PutMemberView } from '../contract/members';
import type { MemberRole, MemberView } from '../contract/resources';
import type { Event } from '../domain/event';
import type { Device, License } from '../domain/license';
import { isSameAddress, memberId, memberView, positionOf, type Member } from '../domain/member';
import * as domain from '../domain/members';
import { isLastManagerPossible, memberChangeRefusal, type MemberIntent } from '../domain/portal/members';
import type { Session } from '../domain/portal/session';
import type { Portal } from '../domain/portal/settings';
import { portalAccessOf, type PortalAccess } from '../domain/portal/access';
import { unchanged, type Decision, type Transition } from '../domain/transition';
import type { App } from '../runtime/app';
import { pageOf, type Page } from '../runtime/http/paging';
import { Reply } from '../runtime/http/response';
import { notify } from '../runtime/queue';
import type { LicenseState } from '../store/licenses/commit';
import { getLicense } from '../store/licenses/read';
import { checkMember, getMember, getOwnMember, readDevicesOf, readMembers } from '../store/members';
import type { Action } from '../store/transaction';
import { applyDecision } from './apply-decision';
import { planInvitation } from './invitations';

/** Adds and removes members of licenses (docs/spec/sign-in.md, Licenses of named people). */

const noSuchLicense = (): Failure => fail('not_found', 'There is no such license');

interface MemberCall {
  readonly app: App;
  /** The time of the request, in epoch ms. */
  readonly now: number;
  readonly licenseId: number;
  /** The person who makes the request in the portal; undefined: an operator, who may do everything. */
  readonly person?: { readonly portal: Portal; readonly session: Session };
}

interface MemberState extends LicenseState {
  readonly member: Member | undefined;
  /** The rows of the member's devices. */
  readonly devices: readonly Device[];
  /** What the person who makes the request is for the license. */
  readonly access: PortalAccess | undefined;
  readonly managers: number | null;
}

async function readState(
  { app: { table }, licenseId, person }: MemberCall,
  id: string,
  intent: MemberIntent,
): Promise<MemberState | undefined> {
  const license = await getLicense(table, licenseId);
  if (!license) return undefined;
  const member = await getMember(table, licenseId, id);
  const own = person && (await getOwnMember(table, license, person.session.address));
  return {
    license,
    member,
    devices: member ? await readDevicesOf(table, license, [member]) : [],
    access: person && portalAccessOf(license, own, person.session),
    managers:
      person && isLastManagerPossible(license, member, intent)
        ? (await readMembers(table, licenseId)).filter(({ role }) => role === 'manager').length
        : null,
  };
}

/**
 * Applies a decision about one member of a license. What it depends on is read again if it changed in the meantime. The transaction also
 * checks that the person who makes the request still has the role.
 */
export async function applyToMember<Result>(
  call: MemberCall,
  id: string,
  intent: MemberIntent,
  decide: (state: MemberState) => Decision<Failure | Result>,
  alongside: (transition: Transition) => Promise<readonly Action[]> = async () => [],
  isOneOfMany = false,
): Promise<Failure | Result> {
  const { app, person } = call;
  const read = () => readState(call, id, intent);
  const state = await read();
  let access: PortalAccess | undefined;
  const decideFor = (current: MemberState): Decision<Failure | Result> => {
    ({ access } = current);
    const refused = person && memberChangeRefusal({ ...current, intent }, person.portal);
    return refused ? unchanged(refused) : decide(current);
  };
  const applied =
    state &&
    (await applyDecision(app, state, decideFor, {
      reread: read,
      isOneOfMany,
      alongside: async (transition) => [...checkMembership(access?.member, transition), ...(await alongside(transition))],
    }));
  return applied ?? noSuchLicense();
}

/**
 * The action that checks that a person is still a member with the same role, unless the transition changes the same row on that condition.
 */
export function checkMembership(member: Member | undefined, { members }: Transition): Action[] {
  const isChanged = member && members.some(({ before }) => before && isSameAddress(before.email, member.email));
  return member && !isChanged ? [checkMember(member)] : [];
}

interface Given {
  readonly email: string;
  readonly role?: MemberRole | undefined;
  /** Whether an invitation is mailed; undefined: only to a new member. */
  readonly invite?: boolean | undefined;
}

/** The result of {@link putMember}: whether the member was invited, and why not although it was wanted. */
export interface PutMember extends domain.MemberResult {
  readonly invited: boolean;
  readonly reason: InvitationReason | null;
}

/** Adds a member, who takes a seat, or changes the role of a member. The invitation is recorded in the same transaction. */
export async function putMember(call: MemberCall, given: Given): Promise<Failure | PutMember> {
  const { app, now } = call;
  const id = memberId(call.licenseId, given.email);
  let mail: Event | undefined;
  let reason: InvitationReason | null = null;
  const put = await applyToMember<domain.MemberResult>(
    call,
    id,
    given,
    ({ license, member }) => {
      const decided = domain.putMember(license, member, given, now);
      const isRepeated = !decided.transition && !isFailure(decided.result);
      return isRepeated && given.invite === true ? domain.inviteAgain(decided.result, now) : decided;
    },
    async ({ after, members }) => {
      const changed = members.find((change) => change.after && isSameAddress(change.after.email, given.email));
      if (!changed?.after || !(given.invite ?? changed.before === undefined)) return [];
      const planned = await planInvitation(app, after, changed.after, now);
      ({ mail, reason } = planned);
      return planned.actions;
    },
  );
  if (isFailure(put)) return put;
  if (mail) await notify(app, [mail]);
  return { ...put, invited: mail !== undefined, reason };
}

/** Removes a member and frees the devices of the member. */
export const removeMember = (call: MemberCall, id: string): Promise<Failure | { removed: boolean; freed: number }> =>
  applyToMember(call, id, 'remove', ({ license, member, devices }) => domain.removeMember(license, member, devices, call.now));

/** The response to a request that added or changed a member, with the status 200 if the person already was a member. */
export async function putReply({ table }: App, put: Failure | PutMember): Promise<Failure | Reply<PutMemberView> | PutMemberView> {
  if (isFailure(put)) return put;
  const { license, member, isNew, invited, reason } = put;
  const view = { ...memberView(member, license, await readDevicesOf(table, license, [member])), invited, reason };
  return isNew ? view : new Reply(view, { status: 200 });
}

/** A page of the members of a license, oldest first. */
export async function pageOfMembers(
  { table }: App,
  license: License,
  { cursor, limit }: { readonly cursor: string | undefined; readonly limit: number },
): Promise<Failure | Page<MemberView>> {
  const refused = domain.membersRefusal(license);
  if (refused) return refused;
  const members = await readMembers(table, license.id);
  const start = cursor === undefined ? 0 : members.filter((member) => positionOf(member) <= cursor).length;
  const shown = members.slice(start, start + limit);
  const devices = await readDevicesOf(table, license, shown);
  const last = shown.at(-1);
  return pageOf(shown, last && start + limit < members.length ? positionOf(last) : undefined, positionOf, (member) =>
    memberView(
      member,
      license,
      devices.filter((device) => device.member === member.email),
    ),
  );
}
