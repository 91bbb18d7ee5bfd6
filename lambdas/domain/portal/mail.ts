import type { PortalMail } from '../../contract/events';
import type { Language } from '../../contract/languages';
import { fillPlaceholders } from '../../contract/placeholders';
import { platformName } from '../../contract/platform-name';
import { reportedName } from '../../contract/reported-name';
import { eventId, MAILTO, type Event } from '../event';
import { hasMembers, maxSeats, type Device, type License } from '../license';
import type { MailContent } from '../mail-content';
import { htmlOf, type MailHead } from '../mail-html';
import type { Product } from '../product';
import { MINUTE_MS, payloadTimestampOf } from '../time';
import type { PortalMailFacts } from './mail-facts';
import { mailTexts } from '../mail-texts';

/** The mails of the portal (docs/spec/portal.md, Mails). */

/** How long the service tries to send a mail with a code, in ms. A later mail would only confuse its reader. */
const CODE_MAIL_MS = 5 * MINUTE_MS;
/** How long a mail waits before the mail limit of its product is checked again, in ms. */
export const PRODUCT_LIMIT_WAIT_MS = 15_000;
/** Maximum time that a mail waits because of its product's mail limit, in ms. */
const LONGEST_WAIT_MS = 60 * MINUTE_MS;

interface MailRequest {
  readonly product: { readonly id: number; readonly slug: string };
  readonly to: string;
  readonly language: Language;
  /** When the mail was requested, in epoch ms. */
  readonly at: number;
  readonly random: Uint8Array;
}

function mailEvent(event: PortalMail, { product, to, at, random }: MailRequest, mail: PortalMailFacts, license?: License): Event {
  const id = license ? eventId(license.id, license.sequence, random) : eventId(0, product.id, random);
  const data = { product: product.slug, ...(license && { license_ids: [license.id] }) };
  return {
    id,
    event,
    channel: 'mail',
    url: `${MAILTO}${to}`,
    product_id: product.id,
    license_id: license?.id ?? null,
    body: JSON.stringify({ id, event, timestamp: payloadTimestampOf(at), data }),
    status: 'pending',
    created_at: at,
    mail,
  };
}

/**
 * The event for a mail with a sign-in code. The code is generated only when the mail is sent, and only if a license has the e-mail address.
 */
export const codeMail = (request: MailRequest): Event =>
  mailEvent('portal.code_mailed', request, { language: request.language, until: request.at + CODE_MAIL_MS, unlisted: true });

export const addressCodeMail = (request: MailRequest, session: string): Event =>
  mailEvent('portal.address_code_mailed', request, { language: request.language, until: request.at + CODE_MAIL_MS, session });

export const addressNoticeMail = (request: MailRequest): Event =>
  mailEvent('portal.address_notice_mailed', request, { language: request.language, until: null });

export const buyerKeyMail = (request: MailRequest, license: License): Event =>
  mailEvent('portal.key_mailed', request, { language: request.language, until: null }, license);

/** The mail about an approved sign-in. `device` is the ref of the device. */
export const deviceAddedMail = (request: MailRequest, license: License, device: string): Event =>
  mailEvent('portal.device_added', request, { language: request.language, until: null, device }, license);

/** The mail that invites a member of a license. */
export const invitationMail = (request: MailRequest, license: License): Event =>
  mailEvent('portal.invitation', request, { language: request.language, until: null }, license);

/**
 * The fields of a mail that contains a code and must wait because of its product's mail limit. `until` is moved to a later time, so that
 * after the wait the service still has the full time to send the mail. Undefined if the mail has already waited for the maximum time.
 */
export const postponed = (facts: PortalMailFacts, createdAt: number, now: number): PortalMailFacts | undefined =>
  now - createdAt >= LONGEST_WAIT_MS ? undefined : { ...facts, until: now + PRODUCT_LIMIT_WAIT_MS + CODE_MAIL_MS };

/** What a portal mail contains besides its text. */
export interface PortalMailValues {
  readonly code?: string;
  readonly link: string;
  readonly support: string;
  readonly license?: License;
  readonly device?: Pick<Device, 'name' | 'platform'>;
}

/** The content of a portal mail, with its placeholders filled in. */
export function renderPortalMail(
  event: PortalMail,
  language: Language,
  product: Pick<Product, 'name' | 'mail'>,
  head: MailHead,
  { code = '', link, support, license, device }: PortalMailValues,
): MailContent {
  const { mails, locale, never, unlimited, signIn, unnamedDevice } = mailTexts[language];
  const { subject, text } = mails[event];
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
  const values = {
    product: product.name,
    code,
    link,
    support,
    ...(device && {
      device:
        [device.name, platformName(device.platform)]
          .filter(Boolean)
          .map((name) => `"${reportedName(name)}"`)
          .join(', ') || unnamedDevice,
    }),
    ...(license && {
      keys: hasMembers(license) ? signIn : license.key,
      license_type: license.license_type.name,
      seats: maxSeats(license) === 0 ? unlimited : String(maxSeats(license)),
      expires_at: license.expires_at === null ? never : day.format(license.expires_at),
    }),
  };
  return {
    // A mail header must be a single line.
    subject: fillPlaceholders(subject, values).replace(/\s+/g, ' '),
    text: `${head.title}\n\n${fillPlaceholders(text, values)}`,
    html: htmlOf(text, values, { code: 'code', keys: 'code', link: 'link' }, { ...head, language }),
    replyTo: product.mail.reply_to ?? null,
    fromName: product.name,
  };
}
