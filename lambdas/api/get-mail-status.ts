import { getMailStatus } from '../contract/mail';
import { mailFrom } from '../runtime/mail/from';
import { operator, serve } from '../runtime/http';

export const handler = serve(getMailStatus, operator, ({ app }) => {
  const from = mailFrom(app);
  return { configured: from !== null, from };
});
