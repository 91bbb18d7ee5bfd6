import { credentialHeaders } from '../contract/endpoint';
import { endPortalSession } from '../contract/portal';
import { isLiveSession, portalTokenHash } from '../domain/portal/session';
import { header } from '../runtime/http/request';
import { visitor, serve } from '../runtime/http';
import { endSession, readPortal } from '../store/portal/sessions';

export const handler = serve(endPortalSession, visitor, async ({ app, event, portal, now }) => {
  const token = header(event, credentialHeaders.portal);
  if (token === undefined) return { ended: false };
  const { session } = await readPortal(app.table, portal.slug, portalTokenHash(token));
  const isLive = session !== undefined && isLiveSession(portal, session, now);
  return { ended: isLive && (await endSession(app.table, session.hash)) };
});
