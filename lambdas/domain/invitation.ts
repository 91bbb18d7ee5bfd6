import type { Language } from '../contract/languages';
import type { License } from './license';
import { contentOf, languageOfMail, valuesOf, withoutDeadLinks, type MailContent, type PortalInMail } from './mail-content';
import { invitationTextOf } from './mail-settings';
import type { Product } from './product';

/**
 * The content of the mail that invites a member of a license (docs/spec/mail.md, Invitations). Its reader is not the buyer, so a text that
 * names the key, the order or the number of seats does not show them.
 */
export function renderInvitation(
  product: Pick<Product, 'name' | 'mail'>,
  license: License,
  portal: PortalInMail,
  language: Language = languageOfMail(product, [license]),
): MailContent {
  const { product: name, license_type, expires_at, portal: url } = valuesOf(product, [license], portal, language);
  const values = { product: name, license_type, expires_at, portal: url };
  const { subject, text } = invitationTextOf(product, language);
  return contentOf({ subject, text: withoutDeadLinks(text, values) }, values, product, { ...portal, language });
}
