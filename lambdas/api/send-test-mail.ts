import { fail } from '../contract/errors';
import { sendTestMail } from '../contract/mail';
import { mailFrom } from '../runtime/mail/from';
import { MailFailed } from '../runtime/mail/mail';
import { sendMail } from '../runtime/mail/mailer';
import { operator, serve } from '../runtime/http';
import { recordWrite } from '../store/transaction';

export const handler = serve(sendTestMail, operator, async ({ body: { to }, app }) => {
  const from = mailFrom(app);
  if (from === null) return fail('mail_not_configured');
  try {
    const message_id = await sendMail(app, from, {
      to,
      subject: 'Test mail from the license key service',
      text: 'This message was sent by the license key service to show that outgoing mail works.\n',
    });
    await recordWrite(app.table);
    return { status: 'sent' as const, to, message_id };
  } catch (error) {
    if (error instanceof MailFailed) return fail('mail_failed', `The mail could not be sent: ${error.message}`);
    throw error;
  }
});
