import { getMailStatus } from '../contract/mail';
import { mailFrom } from '../runtime/mail/from';
import { serve } from '../runtime/http/serve';

export const handler = serve(getMailStatus, ({ app }) => {
  const from = mailFrom(app);
  return { configured: from !== null, from };
});
