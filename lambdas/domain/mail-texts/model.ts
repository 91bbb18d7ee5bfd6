import type { PortalMail } from '../../contract/events';
import type { ReminderEvent } from '../../contract/events';

export interface MailText {
  readonly subject: string;
  /** Paragraphs are separated by blank lines. */
  readonly text: string;
}

/** The texts of all mails to buyers in one language. */
export interface MailTexts {
  /** The locale in which dates are written, such as `en-GB`. */
  readonly locale: string;
  readonly never: string;
  readonly unlimited: string;
  /** Stands for the key of a license of named people, who sign in instead. */
  readonly signIn: string;
  /** Stands for a device whose app has reported neither a name nor a platform. */
  readonly unnamedDevice: string;
  /** The mails of the portal. */
  readonly mails: Readonly<Record<PortalMail, MailText>>;
  /** The mail with the keys of new licenses, unless the product has its own text. A paragraph whose link has no URL is left out. */
  readonly key: MailText;
  /** The same for licenses of named people, who sign in instead of entering a key. */
  readonly signInMail: MailText;
  /** The texts of reminders for products without their own texts. A paragraph whose link has no URL is left out. */
  readonly reminders: Readonly<Record<ReminderEvent, MailText>>;
  /** The last paragraph of every reminder. It contains the placeholders `{{product}}` and `{{unsubscribe_url}}`. */
  readonly unsubscribeLink: string;
  /** The page on which a reader unsubscribes from reminders. It contains the placeholder `{{product}}`. */
  readonly unsubscribe: {
    readonly title: string;
    readonly question: string;
    readonly button: string;
    readonly done: string;
  };
}
