import * as z from 'zod/mini';
import { languages, type Language } from '../contract/languages';
import type { MailSettings } from '../contract/mail';
import { reminderEvents } from '../contract/events';
import { mailTexts } from './mail-texts';
import type { MailText } from './mail-texts/model';
import { orNull, type Stored } from './stored';

/** The settings of a product's mails to buyers (docs/spec/mail.md). */

/** A reminder as it is stored. */
const storedReminderSchema = z.object({
  event: z.enum(reminderEvents),
  days: z.number(),
  /** The subject; null: the default subject in the language of the mail. The same applies to `text`. */
  subject: orNull(z.string()),
  text: orNull(z.string()),
  /** When the reminder was added, in epoch ms. Mails that were due before this time are not sent. */
  since: z.number(),
});
export interface StoredReminder extends Stored<typeof storedReminderSchema> {}

/** The settings as they are stored. An undefined field has its default. */
export const mailSettingsSchema = z.object({
  send_keys: z.optional(z.boolean()),
  reply_to: z.optional(z.string()),
  subject: z.optional(z.string()),
  text: z.optional(z.string()),
  invitation_subject: z.optional(z.string()),
  invitation_text: z.optional(z.string()),
  language: z.optional(z.enum(languages)),
  renew_url: z.optional(z.string()),
  reminders: z.optional(z.array(storedReminderSchema)),
  /**
   * The base URL of the service when the reminders were last set. Deployments that don't know their own URL use this URL for links in
   * reminders.
   */
  base_url: z.optional(z.string()),
  /** A counter that each change of the settings increases; undefined counts as 0. With it, a simultaneous change is detected. */
  revision: z.optional(z.number()),
});
export interface StoredMailSettings extends Stored<typeof mailSettingsSchema> {}

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
  return JSON.stringify(before) === JSON.stringify(after) ? before : { ...after, revision: (before.revision ?? 0) + 1 };
}
