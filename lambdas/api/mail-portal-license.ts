import { fail, isFailure } from '../contract/errors';
import { BUYER_KEY_MAILS_PER_DAY } from '../contract/limits';
import { mailPortalLicense } from '../contract/portal';
import { EVENT_RANDOM_BYTES } from '../domain/event';
import { buyerKeyMail } from '../domain/portal/mail';
import { languageOf } from '../domain/portal/language';
import { header } from '../runtime/http/request';
import { buyer, serve } from '../runtime/http';
import { mailFrom } from '../runtime/mail/from';
import { notify } from '../runtime/queue';
import { createEvent } from '../store/events/record';
import { markMailed } from '../store/licenses/mailed';
import { countBuyerKeyMail } from '../store/limits';

export const handler = serve(mailPortalLicense, buyer, async ({ app, event, portal, session, now, ownLicense }) => {
  const license = await ownLicense();
  if (isFailure(license)) return license;
  if (license.status === 'revoked') return fail('license_revoked');
  if (mailFrom(app) === null) return fail('mail_not_configured');
  const mail = buyerKeyMail(
    {
      product: { id: portal.product_id, slug: portal.slug },
      to: license.customer_email ?? session.address,
      language: languageOf(header(event, 'accept-language')),
      at: now,
      random: app.random(EVENT_RANDOM_BYTES),
    },
    license,
  );
  if (!(await createEvent(app.table, mail, [countBuyerKeyMail(license.id, now), ...markMailed([license])])))
    return fail('rate_limited', `The key can be mailed at most ${BUYER_KEY_MAILS_PER_DAY} times within 24 hours`);
  await notify(app, [mail]);
  return {};
});
