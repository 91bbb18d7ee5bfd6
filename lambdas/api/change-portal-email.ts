import { changePortalEmail } from '../contract/portal';
import { comparableEmail } from '../domain/email';
import { EVENT_RANDOM_BYTES } from '../domain/event';
import { onlyForBuyer } from '../domain/portal/license';
import { addressCodeMail, addressNoticeMail } from '../domain/portal/mail';
import { languageOf } from '../domain/portal/language';
import { header } from '../runtime/http/request';
import { buyer, serve } from '../runtime/http';
import { notify } from '../runtime/queue';
import { recordEvent } from '../store/events/record';
import { isOnlyMember } from '../store/licenses/of-person';
import { countEmailChange } from '../store/limits';
import { transact } from '../store/transaction';

export const handler = serve(changePortalEmail, buyer, async ({ app, event, portal, session, body, now }) => {
  if (await isOnlyMember(app.table, session)) return onlyForBuyer();
  if (comparableEmail(body.email) === comparableEmail(session.address)) return {};
  const request = (to: string) => ({
    product: { id: portal.product_id, slug: portal.slug },
    to,
    language: languageOf(header(event, 'accept-language')),
    at: now,
    random: app.random(EVENT_RANDOM_BYTES),
  });
  const mails = [addressCodeMail(request(body.email), session.hash), addressNoticeMail(request(session.address))];
  const { committed } = await transact(app.table, [...mails.map(recordEvent), countEmailChange(portal.product_id, session.address, now)]);
  // If the buyer has reached the limit, no mail is sent. The response is the same, so it does not show whether a mail was sent.
  if (committed) await notify(app, mails);
  return {};
});
