import type { Language } from '../contract/languages';
import { fillPlaceholders, placeholdersIn, type Placeholder, type ReminderPlaceholder } from '../contract/placeholders';
import { hasMembers, maxSeats, type License } from './license';
import { htmlOf, type MailFrame, type MailHead } from './mail-html';
import { languageOfProduct } from './mail-settings';
import { mailTexts } from './mail-texts';
import type { Product } from './product';

/** The content of mails about licenses: the values of the placeholders, in the language of the reader. */

export interface MailContent {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly replyTo: string | null;
  /** The name of the sender: the product. */
  readonly fromName: string;
}

/** What a mail shows of the product's portal. */
export interface PortalInMail extends MailHead {
  /** The URL of the page; empty if the portal is off. */
  readonly url: string;
}

/** The language of a mail about licenses that were bought together. */
export const languageOfMail = (product: Pick<Product, 'mail'>, [first]: readonly Pick<License, 'language'>[]): Language =>
  first?.language ?? languageOfProduct(product);

/** The distinct values of a list, separated by commas or by another separator. */
const distinct = (values: readonly string[], separator = ', '): string => [...new Set(values)].join(separator);

/**
 * The value of each placeholder. In a mail about several licenses, `keys` has one key per line; the key of a
 * license of named people is in no mail. Other placeholders, such as `expires_at`,
 * have all distinct values of these licenses, separated by commas.
 */
export function valuesOf(
  product: Pick<Product, 'name'>,
  licenses: readonly License[],
  { url: portal }: PortalInMail,
  language: Language,
): Readonly<Record<Placeholder, string>> {
  const { locale, never, unlimited, signIn } = mailTexts[language];
  const date = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
  return {
    product: product.name,
    license_type: distinct(licenses.map(({ license_type }) => license_type.name)),
    keys: distinct(
      licenses.map((license) => (hasMembers(license) ? signIn : license.key)),
      '\n',
    ),
    expires_at: distinct(licenses.map(({ expires_at }) => (expires_at === null ? never : date.format(expires_at)))),
    seats: distinct(licenses.map((license) => (maxSeats(license) === 0 ? unlimited : String(maxSeats(license))))),
    order: distinct(licenses.flatMap(({ order }) => order?.order_id ?? [])),
    portal,
  };
}

/** The placeholders whose values are URLs. */
const links = ['portal', 'renew_url'] as const satisfies readonly ReminderPlaceholder[];

/** Removes paragraphs from a default text if they contain a link to a URL that the product doesn't have. */
export const withoutDeadLinks = (text: string, values: Readonly<Record<string, string>>): string =>
  text
    .split('\n\n')
    .filter((paragraph) => !links.some((name) => values[name] === '' && placeholdersIn(paragraph).includes(name)))
    .join('\n\n');

/** The mail with its placeholders filled in. */
export const contentOf = (
  { subject, text }: { readonly subject: string; readonly text: string },
  values: Readonly<Record<string, string>>,
  { name, mail }: Pick<Product, 'name' | 'mail'>,
  frame: MailFrame,
): MailContent => ({
  // A mail header must be a single line.
  subject: fillPlaceholders(subject, values).replace(/\s+/g, ' '),
  text: fillPlaceholders(text, values),
  html: htmlOf(text, values, { keys: 'code', portal: 'link', renew_url: 'link', unsubscribe_url: 'link' }, frame),
  replyTo: mail.reply_to ?? null,
  fromName: name,
});
