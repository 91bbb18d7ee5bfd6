import { confirmPortalEmail } from '../contract/portal';
import { servePortal } from '../runtime/http/serve-portal';
import { confirmEmail } from '../use-cases/portal/change-email';

export const handler = servePortal(confirmPortalEmail, ({ app, session, body, now }) =>
  confirmEmail(app, session, body.email, body.code, now),
);
