import { getPortalSession } from '../contract/portal';
import { sessionEnd } from '../domain/portal/session';
import { timestampOf } from '../domain/time';
import { buyer, serve } from '../runtime/http';

export const handler = serve(getPortalSession, buyer, ({ session, now }) => ({
  email: session.address,
  // This request is a use of the session.
  expires_at: timestampOf(sessionEnd({ ...session, used_at: now })),
}));
