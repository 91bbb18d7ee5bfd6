import { getMailStatus } from '../contract/mail';
import { mailFrom } from '../runtime/mail';
import { serve } from '../runtime/serve';

export const handler = serve(getMailStatus, ({ app }) => {
  const from = mailFrom(app);
  return { configured: from !== null, from };
});
