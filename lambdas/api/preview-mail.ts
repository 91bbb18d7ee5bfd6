import { fail } from '../contract/errors';
import { INVITATION, previewMail } from '../contract/mail';
import { renderInvitation } from '../domain/invitation';
import { renderKeyMail } from '../domain/key-mail';
import { languageOfMail } from '../domain/mail-content';
import { remindersOf } from '../domain/mail-settings';
import { renderReminder } from '../domain/reminders';
import { sampleLicense } from '../domain/sample-license';
import { operator, serve } from '../runtime/http';
import { getLicense } from '../store/licenses/read';
import { getProduct } from '../store/products';
import { portalInMail, unsubscribeAddress } from '../use-cases/reminders/prepare';

/** The number of days that the preview of a reminder shows if neither the request nor the product's settings contain a number of days. */
const DAYS = 7;

/** The token in the unsubscribe link of a preview. The token belongs to no buyer. */
const SAMPLE_TOKEN = 'sample';

export const handler = serve(previewMail, operator, async ({ params, body, app, now }) => {
  const product = await getProduct(app.table, params.id);
  if (!product) return fail('not_found', 'There is no such product');
  const { event, subject, text, renew_url, license_id } = body;
  const reminder = event == null || event === INVITATION ? undefined : event;
  const known = remindersOf(product).filter((one) => one.event === reminder);
  const saved = body.days == null ? known[0] : known.find(({ days }) => days === body.days);
  const days = body.days ?? saved?.days ?? DAYS;

  const found = license_id == null ? undefined : await getLicense(app.table, license_id);
  if (license_id != null && found?.product_id !== product.id) return fail('not_found', 'There is no such license of this product');
  const license = found ?? sampleLicense(product, reminder ? { event: reminder, days } : null, now);

  const language = body.language ?? languageOfMail(product, [license]);
  const portal = await portalInMail(app, product);
  const texts = event === INVITATION ? { invitation_subject: subject, invitation_text: text } : { subject, text };
  const given = Object.fromEntries(Object.entries({ ...texts, renew_url }).filter(([, value]) => value != null));
  const previewed = { ...product, mail: { ...product.mail, ...given } };
  const own = { subject: subject ?? saved?.subject ?? null, text: text ?? saved?.text ?? null };
  const shown =
    reminder !== undefined
      ? renderReminder(
          previewed,
          license,
          { event: reminder, days, ...own },
          portal,
          unsubscribeAddress(app, product, SAMPLE_TOKEN),
          language,
        )
      : event === INVITATION
        ? renderInvitation(previewed, license, portal, language)
        : renderKeyMail(previewed, [license], portal, language);
  return { subject: shown.subject, text: shown.text, html: shown.html, language };
});
