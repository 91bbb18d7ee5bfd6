import { fail, type Failure } from '../contract/errors';
import { KEY_MAILS_PER_HOUR } from '../contract/limits';
import type { MailSettings } from '../contract/mail';
import { fillPlaceholders, type Placeholder } from '../contract/placeholders';
import { keyMail, type Event } from './event';
import { maxSeats, type License } from './license';
import { htmlOf } from './mail-html';
import type { Product } from './product';

/** The mail with a buyer's keys (docs/spec/mail.md, Key mails). */

const DEFAULTS: MailSettings = {
  send_keys: false,
  reply_to: null,
  subject: 'Your license for {{product}}',
  text: `Hello,

thank you for choosing {{product}}. This is your license key:

{{keys}}

License: {{license_type}}
Devices: {{seats}}
Expires: {{expires_at}}

Enter the key in the app to activate it. Keep this mail: you need the key again when you move to another computer.

Your licenses and devices: {{portal}}
`,
};

/** The default text for products without a portal: the paragraph that only leads there is left out. */
const TEXT_WITHOUT_PORTAL = DEFAULTS.text.replace(/\n[^\n]*\{\{portal\}\}\n$/, '');

/** A product's mail settings, with defaults for those that are not set. */
export const mailSettings = ({ mail }: Pick<Product, 'mail'>): MailSettings => ({
  send_keys: mail.send_keys ?? DEFAULTS.send_keys,
  reply_to: mail.reply_to ?? DEFAULTS.reply_to,
  subject: mail.subject ?? DEFAULTS.subject,
  text: mail.text ?? DEFAULTS.text,
});

/**
 * The mail with the keys of licenses that were just created or reissued together. Undefined if no mail is sent: the
 * product mails no keys, the first license has no address, or the licenses are trials. Record it with `recordEvent` in
 * the transaction of the change that it reports.
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

/** The refusal of a mail that an operator requests. Automatic mails are never refused. */
export const tooManyKeyMails = (): Failure =>
  fail(
    'rate_limited',
    `Within an hour, at most ${KEY_MAILS_PER_HOUR.license} mails can be sent for one license and ${KEY_MAILS_PER_HOUR.address} to one address`,
  );

const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

/** The distinct values, separated by commas. */
const distinct = (values: readonly string[]): string => [...new Set(values)].join(', ');

/** The value of each placeholder. For several licenses: all distinct values. */
function valuesOf(product: Pick<Product, 'name'>, licenses: readonly License[], portal: string): Readonly<Record<Placeholder, string>> {
  return {
    product: product.name,
    license_type: distinct(licenses.map(({ license_type }) => license_type.name)),
    keys: licenses.map(({ key }) => key).join('\n'),
    expires_at: distinct(licenses.map(({ expires_at }) => (expires_at === null ? 'never' : date.format(expires_at)))),
    seats: distinct(licenses.map((license) => (maxSeats(license) === 0 ? 'unlimited' : String(maxSeats(license))))),
    order: distinct(licenses.flatMap(({ order }) => order?.order_id ?? [])),
    portal,
  };
}

/**
 * The mail as it is sent.
 *
 * @param portal the address of the product's portal; empty if it is off
 */
export function renderKeyMail(
  product: Pick<Product, 'name' | 'mail'>,
  licenses: readonly License[],
  portal: string,
): { subject: string; text: string; html: string; replyTo: string | null } {
  const { subject, text: wanted, reply_to } = mailSettings(product);
  const text = wanted === DEFAULTS.text && portal === '' ? TEXT_WITHOUT_PORTAL : wanted;
  const values = valuesOf(product, licenses, portal);
  // A header must be a single line.
  return {
    subject: fillPlaceholders(subject, values).replace(/\s+/g, ' '),
    text: fillPlaceholders(text, values),
    html: htmlOf(text, values, { keys: 'code', portal: 'link' }),
    replyTo: reply_to,
  };
}
