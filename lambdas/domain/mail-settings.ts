import { languages, type Language } from '../contract/languages';
import type { MailSettings } from '../contract/mail';
import { changedFields } from './audit';
import { mailTexts } from './mail-texts';
import type { MailText } from './mail-texts/model';
import type { StoredMailSettings, StoredReminder } from './stored-mail-settings';

/** The settings of a product's mails to buyers (docs/spec/mail.md). */

interface WithSettings {
  readonly mail: StoredMailSettings;
}

export const languageOfProduct = ({ mail }: WithSettings): Language => mail.language ?? 'en';

export const remindersOf = ({ mail }: WithSettings): readonly StoredReminder[] => mail.reminders ?? [];

/** The name that distinguishes a reminder from the product's other reminders. */
export const reminderName = ({ event, days }: Pick<StoredReminder, 'event' | 'days'>): string => `${event}-${days}`;

/** The text of the mail that invites a member of a license. */
export function invitationTextOf({ mail }: WithSettings, language: Language): MailText {
  const defaults = mailTexts[language].mails['portal.invitation'];
  return { subject: mail.invitation_subject ?? defaults.subject, text: mail.invitation_text ?? defaults.text };
}

/** A product's mail settings as responses show them, with defaults for the settings that are not set. */
export function mailSettings(product: WithSettings): MailSettings {
  const { mail } = product;
  const language = languageOfProduct(product);
  const texts = mailTexts[language];
  const invitation = invitationTextOf(product, language);
  return {
    send_keys: mail.send_keys ?? false,
    reply_to: mail.reply_to ?? null,
    subject: mail.subject ?? texts.key.subject,
    text: mail.text ?? texts.key.text,
    invitation_subject: invitation.subject,
    invitation_text: invitation.text,
    language,
    renew_url: mail.renew_url ?? null,
    reminders: remindersOf(product).map(({ event, days, subject, text }) => ({
      event,
      days,
      subject: subject ?? texts.reminders[event].subject,
      text: text ?? texts.reminders[event].text,
    })),
  };
}

/** The default texts of the settings that are texts. */
const defaultTexts = {
  subject: (language: Language) => mailTexts[language].key.subject,
  text: (language: Language) => mailTexts[language].key.text,
  invitation_subject: (language: Language) => mailTexts[language].mails['portal.invitation'].subject,
  invitation_text: (language: Language) => mailTexts[language].mails['portal.invitation'].text,
} as const;
type TextField = keyof typeof defaultTexts;
const textFields = Object.keys(defaultTexts) as readonly TextField[];

/** The changes that an operator makes. An undefined field stays unchanged, and null restores the default. */
export interface MailChanges
  extends Omit<
    { readonly [Field in keyof StoredMailSettings]?: StoredMailSettings[Field] | null | undefined },
    'reminders' | 'base_url' | 'revision'
  > {
  readonly reminders?:
    | readonly (Pick<StoredReminder, 'event' | 'days'> & {
        readonly subject?: string | null | undefined;
        readonly text?: string | null | undefined;
      })[]
    | null
    | undefined;
}

/**
 * The operator's own text; null if the given text equals the default text of any language. Responses contain the default text of the
 * product's language. If an operator sends a response back unchanged, this default must not become the text of mails in all languages.
 */
const ownOr = (given: string | null | undefined, defaultText: (language: Language) => string): string | null =>
  given == null || languages.some((language) => defaultText(language) === given) ? null : given;

/**
 * The settings after a change. A reminder that existed before with the same event and days keeps the time from which it applies. Any other
 * reminder applies from `now` (epoch ms). If no setting changes, the function returns the object `before` itself.
 *
 * @param baseUrl the URL of the service; it is stored if the change sets the reminders
 */
export function changeMailSettings(before: StoredMailSettings, changes: MailChanges, baseUrl: string, now: number): StoredMailSettings {
  const texts = textFields
    .filter((field) => changes[field] !== undefined)
    .map((field) => [field, ownOr(changes[field], defaultTexts[field])] as const);
  const stored = changes.reminders?.map((one): StoredReminder => {
    const known = before.reminders?.find((other) => reminderName(other) === reminderName(one));
    return {
      event: one.event,
      days: one.days,
      subject: ownOr(one.subject, (language) => mailTexts[language].reminders[one.event].subject),
      text: ownOr(one.text, (language) => mailTexts[language].reminders[one.event].text),
      since: known?.since ?? now,
    };
  });
  const given = {
    ...changes,
    ...Object.fromEntries(texts),
    ...(stored && (stored.length === 0 ? { reminders: null } : { reminders: stored, base_url: baseUrl })),
  };
  const changed = Object.entries(given).filter(([, value]) => value !== undefined);
  const fields = Object.entries({ ...before, ...Object.fromEntries(changed) });
  const after: StoredMailSettings = Object.fromEntries(fields.filter(([, value]) => value !== null));
  return changedFields(before, after).length === 0 ? before : { ...after, revision: (before.revision ?? 0) + 1 };
}
