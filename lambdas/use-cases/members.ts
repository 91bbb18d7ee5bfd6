import { fail, type Failure } from '../contract/errors';
import type { MemberRole, MemberView } from '../contract/resources';
import type { Device } from '../domain/license';
import { memberId, memberView, positionOf, type Member } from '../domain/member';
import * as domain from '../domain/members';
import type { Decision } from '../domain/transition';
import type { App } from '../runtime/app';
import { pageOf, type Page } from '../runtime/http/paging';
import type { LicenseState } from '../store/licenses/commit';
import { getLicense } from '../store/licenses/read';
import { getMember, readDevicesOf, readMembers } from '../store/members';
import { applyDecision } from './apply-decision';

/** Adds and removes members of licenses (docs/spec/sign-in.md, Licenses of named people). */

const noSuchLicense = (): Failure => fail('not_found', 'There is no such license');

interface MemberCall {
  readonly app: App;
  /** The time of the request, in epoch ms. */
  readonly now: number;
  readonly licenseId: number;
}

interface MemberState extends LicenseState {
  readonly member: Member | undefined;
  /** The rows of the member's devices. */
  readonly devices: readonly Device[];
}

/** Applies a decision about one member of a license. The license and the member are read again if they changed in the meantime. */
async function applyToMember<Result>(
  { app, licenseId }: MemberCall,
  id: string,
  decide: (state: MemberState) => Decision<Failure | Result>,
): Promise<Failure | Result> {
  const { table } = app;
  const read = async (): Promise<MemberState | undefined> => {
    const license = await getLicense(table, licenseId);
    const member = license && (await getMember(table, licenseId, id));
    return license && { license, member, devices: member ? await readDevicesOf(table, license, [member]) : [] };
  };
  const state = await read();
  return (state && (await applyDecision(app, state, decide, { reread: read }))) ?? noSuchLicense();
}

/** Adds a member, who takes a seat, or changes the role of a member. */
export const putMember = (
  call: MemberCall,
  given: { readonly email: string; readonly role?: MemberRole | undefined },
): Promise<Failure | domain.MemberResult> =>
  applyToMember(call, memberId(call.licenseId, given.email), ({ license, member }) => domain.putMember(license, member, given, call.now));

/** Removes a member and frees the devices of the member. */
export const removeMember = (call: MemberCall, id: string): Promise<Failure | { removed: boolean; freed: number }> =>
  applyToMember(call, id, ({ license, member, devices }) => domain.removeMember(license, member, devices, call.now));

/** A page of the members of a license, oldest first. */
export async function pageOfMembers(
  { table }: App,
  licenseId: number,
  { cursor, limit }: { readonly cursor: string | undefined; readonly limit: number },
): Promise<Failure | Page<MemberView>> {
  const license = await getLicense(table, licenseId);
  if (!license) return noSuchLicense();
  const refused = domain.membersRefusal(license);
  if (refused) return refused;
  const members = await readMembers(table, licenseId);
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
