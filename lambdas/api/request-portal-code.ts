import { requestPortalCode } from '../contract/portal';
import { EVENT_RANDOM_BYTES } from '../domain/event';
import { codeMail } from '../domain/portal/mail';
import { languageOf } from '../domain/portal/language';
import { header } from '../runtime/http/request';
import { visitor, serve } from '../runtime/http';
import { notify } from '../runtime/queue';
import { createEvent } from '../store/events/record';

/**
 * Only puts the request into the queue. The worker later checks whether a license has the e-mail address. Therefore neither the response
 * nor its duration reveals whether such a license exists.
 */
export const handler = serve(requestPortalCode, visitor, async ({ app, event, portal, body, now }) => {
  const mail = codeMail({
    product: { id: portal.product_id, slug: portal.slug },
    to: body.email,
    language: languageOf(header(event, 'accept-language')),
    at: now,
    random: app.random(EVENT_RANDOM_BYTES),
  });
  await createEvent(app.table, mail);
  await notify(app, [mail]);
  return {};
});
