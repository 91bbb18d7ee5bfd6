import { fail, type Failure } from '../../contract/errors';
import type { MemberRole } from '../../contract/resources';
import type { License } from '../license';
import { membersRefusal } from '../members';
import { isSameAddress, type Member } from '../member';
import { noSuchLicense, notOffered } from './license';
import type { Portal } from './settings';
import { isManaging, type PortalAccess } from './access';

/** What buyers, managers and members may change about the members of a license (docs/spec/sign-in.md, Members in the portal). */

/** Refuses what only the buyer and managers may do (403). */
export const managingRefusal = (license: License, access: PortalAccess): Failure | undefined =>
  membersRefusal(license) ?? (isManaging(access) ? undefined : fail('forbidden', 'Only the buyer and managers of the license can do this'));

/** A change of one member: a removal, or a new role. */
export type MemberIntent = 'remove' | { readonly role?: MemberRole | undefined };

/** A person who changes a member in the portal, as read for the decision. */
interface Change {
  readonly license: License;
  /** What the person is for the license; undefined: nothing any more. */
  readonly access: PortalAccess | undefined;
  /** The member who is changed. */
  readonly member: Member | undefined;
  readonly intent: MemberIntent;
  /** The number of managers; null if it was not read (see {@link isLastManagerPossible}). */
  readonly managers: number | null;
}

/**
 * The refusal of a change of a member. Everybody may leave a license, whatever the portal allows. Without a buyer, a license keeps its last
 * manager, because otherwise nobody could manage it in the portal.
 */
export function memberChangeRefusal(
  { license, access, member, intent, managers }: Change,
  { allow }: Pick<Portal, 'allow'>,
): Failure | undefined {
  const isOwn = access?.member !== undefined && member !== undefined && isSameAddress(access.member.email, member.email);
  const isLeaving = intent === 'remove' && isOwn;
  if (!isLeaving && !allow.includes('members')) return notOffered();
  if (!access) return noSuchLicense();
  const refused = isLeaving ? membersRefusal(license) : managingRefusal(license, access);
  if (refused) return refused;
  return isLastManagerPossible(license, member, intent) && managers === 1
    ? fail('invalid_request', 'A license without a buyer must keep a manager')
    : undefined;
}

/** Whether a change could take the last manager from a license without a buyer, so that the managers must be counted. */
export const isLastManagerPossible = (license: License, member: Member | undefined, intent: MemberIntent): boolean =>
  license.customer_email === null && member?.role === 'manager' && (intent === 'remove' || intent.role === 'member');
