import { removePortalMember } from '../contract/portal-members';
import { isFailure } from '../contract/errors';
import { notOffered } from '../domain/portal/license';
import { buyer, serve } from '../runtime/http';
import { removeMember } from '../use-cases/members';

export const handler = serve(removePortalMember, buyer, async ({ app, portal, session, params, now, openLicense }) => {
  const open = await openLicense();
  if (isFailure(open)) return portal.allow.includes('members') ? open : notOffered();
  return removeMember({ app, now, licenseId: params.id, person: { portal, session } }, params.member_id);
});
