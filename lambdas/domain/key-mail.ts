import { fail, type Failure } from '../contract/errors';
import { KEY_MAILS_PER_HOUR } from '../contract/limits';
import { keyMail, type Event } from './event';
import { hasMembers, type License } from './license';
import { contentOf, languageOfMail, valuesOf, withoutDeadLinks, type MailContent, type PortalInMail } from './mail-content';
import { mailSettings } from './mail-settings';
import { mailTexts } from './mail-texts';
import type { Product } from './product';

/** The mail with a buyer's keys (docs/spec/mail.md, Key mails). */

/**
 * The mail with the keys of licenses that were just created or reissued together, or whose buyer's address has just become known. The
 * result is undefined if the product mails no keys, if the first license has no e-mail address, or if the licenses are trials. Record the
 * mail with `recordEvent` in the transaction that creates or reissues the licenses.
 */
export function keyMailFor(
  product: Pick<Product, 'mail'>,
  licenses: readonly License[],
  at: number,
  random: Uint8Array,
): Event | undefined {
  const sold = licenses.filter(({ license_type }) => license_type.kind !== 'trial');
  const [first, ...others] = sold;
  if (!first?.customer_email || !mailSettings(product).send_keys) return undefined;
  return keyMail([first, ...others], first.customer_email, at, random);
}

/** The refusal of a mail that an operator requests too often. Automatic mails are never refused. */
export const tooManyKeyMails = (): Failure =>
  fail(
    'rate_limited',
    `Within an hour, at most ${KEY_MAILS_PER_HOUR.license} mails can be sent for one license and ${KEY_MAILS_PER_HOUR.address} to one address`,
  );

/**
 * The content of a mail with license keys.
 *
 * @param language by default the language of the first license, or else the language of the product
 */
export function renderKeyMail(
  product: Pick<Product, 'name' | 'mail'>,
  licenses: readonly License[],
  portal: PortalInMail,
  language = languageOfMail(product, licenses),
): MailContent {
  const values = valuesOf(product, licenses, portal, language);
  const { key, signInMail } = mailTexts[language];
  const defaults = licenses.every(hasMembers) ? signInMail : key;
  const { subject = defaults.subject, text = withoutDeadLinks(defaults.text, values) } = product.mail;
  return contentOf({ subject, text }, values, product, { ...portal, language });
}
