import type { License } from '../license';
import type { Member } from '../member';
import type { PortalRole } from '../../contract/portal';
import { isOwn } from './license';
import type { Session } from './session';

/** What a person is for a license (docs/spec/sign-in.md, Members in the portal). */

export interface Standing {
  readonly role: PortalRole;
  /** The person's membership; undefined if the person is a buyer and not a member. */
  readonly member: Member | undefined;
}

/**
 * The standing of a session's address; undefined if the license is none of its business.
 *
 * @param member the member of the license with this address
 */
export function standingOf(
  license: License,
  member: Member | undefined,
  session: Pick<Session, 'product_id' | 'address'>,
): Standing | undefined {
  if (isOwn(license, session)) return { role: 'buyer', member };
  return member && license.product_id === session.product_id ? { role: member.role, member } : undefined;
}

/** Whether a person manages all members and devices of a license. */
export const isManaging = ({ role }: Standing): boolean => role !== 'member';
