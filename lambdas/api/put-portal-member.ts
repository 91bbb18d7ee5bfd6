import { putPortalMember } from '../contract/portal-members';
import { buyer, serve } from '../runtime/http';
import { putMember, putReply } from '../use-cases/members';

export const handler = serve(putPortalMember, buyer, async ({ app, portal, session, params, body, now }) =>
  putReply(app, await putMember({ app, now, licenseId: params.id, person: { portal, session } }, body)),
);
