import type { License } from '../license';
import type { Member } from '../member';
import type { PortalRole } from '../../contract/portal';
import { isOwn } from './license';
import type { Session } from './session';

/** Who a person is for a license, which decides what the portal shows and allows (docs/spec/sign-in.md, Members in the portal). */

export interface PortalAccess {
  readonly role: PortalRole;
  /** The person's membership; undefined if the person is a buyer and not a member. */
  readonly member: Member | undefined;
}

/**
 * What a session's address may do with a license; undefined if the license is neither of this buyer nor of a member with this address.
 *
 * @param member the member of the license with this address
 */
export function portalAccessOf(
  license: License,
  member: Member | undefined,
  session: Pick<Session, 'product_id' | 'address'>,
): PortalAccess | undefined {
  if (isOwn(license, session)) return { role: 'buyer', member };
  return member && license.product_id === session.product_id ? { role: member.role, member } : undefined;
}

/** Whether a person manages all members and devices of a license. */
export const isManaging = ({ role }: PortalAccess): boolean => role !== 'member';
