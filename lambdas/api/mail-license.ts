import { fail } from '../contract/errors';
import { mailLicense } from '../contract/mail';
import { deliveryView } from '../domain/delivery';
import { EVENT_RANDOM_BYTES, keyMail } from '../domain/event';
import { mailFrom } from '../runtime/mail/mailer';
import { serve } from '../runtime/http/serve';
import { createEvent } from '../store/events/record';
import { getLicense } from '../store/licenses/read';

export const handler = serve(mailLicense, async ({ params, app, now }) => {
  const license = await getLicense(app.table, params.id);
  if (!license) return fail('not_found', 'There is no such license');
  if (mailFrom(app) === null) return fail('mail_not_configured');
  if (!license.customer_email) return fail('invalid_request', 'The license has no customer_email to send to');
  const mail = keyMail([license], license.customer_email, now, app.random(EVENT_RANDOM_BYTES));
  await createEvent(app.table, mail);
  await app.notify([mail]);
  return deliveryView(mail, '');
});
