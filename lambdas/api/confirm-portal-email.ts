import { confirmPortalEmail } from '../contract/portal';
import { buyer, serve } from '../runtime/http';
import { confirmEmail } from '../use-cases/portal/change-email';

export const handler = serve(confirmPortalEmail, buyer, ({ app, session, body, now }) =>
  confirmEmail(app, session, body.email, body.code, now),
);
