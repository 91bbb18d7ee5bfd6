import { fail } from '../contract/errors';
import { mailLicense } from '../contract/mail';
import { deliveryView } from '../domain/delivery';
import { EVENT_RANDOM_BYTES, keyMail } from '../domain/event';
import { tooManyKeyMails } from '../domain/key-mail';
import { shownEmail } from '../domain/license';
import { mailFrom } from '../runtime/mail/from';
import { operator, serve } from '../runtime/http';
import { notify } from '../runtime/queue';
import { createEvent } from '../store/events/record';
import { markMailed } from '../store/licenses/mailed';
import { getLicense } from '../store/licenses/read';
import { countKeyMail } from '../store/limits';

export const handler = serve(mailLicense, operator, async ({ params, app, now }) => {
  const license = await getLicense(app.table, params.id);
  if (!license) return fail('not_found', 'There is no such license');
  if (mailFrom(app) === null) return fail('mail_not_configured');
  const to = shownEmail(license);
  if (to === null) return fail('invalid_request', 'The license has no customer_email to send to');
  const mail = keyMail([license], to, now, app.random(EVENT_RANDOM_BYTES));
  if (!(await createEvent(app.table, mail, [...countKeyMail(mail, to, now), ...markMailed([license])]))) return tooManyKeyMails();
  await notify(app, [mail]);
  return deliveryView(mail, '');
});
