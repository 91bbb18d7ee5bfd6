import type { PortalMail } from '../../contract/events';
import type { ReminderEvent } from '../../contract/reminders';

export interface MailText {
  readonly subject: string;
  /** Paragraphs are separated by blank lines. */
  readonly text: string;
}

/** The texts of all mails to buyers in one language. */
export interface MailTexts {
  /** For dates. */
  readonly locale: string;
  readonly never: string;
  readonly unlimited: string;
  /** The mails of the portal. */
  readonly mails: Readonly<Record<PortalMail, MailText>>;
  /** The mail with the keys of new licenses, unless the product has its own. A paragraph with an empty address is left out. */
  readonly key: MailText;
  /** Reminders that have no text of their own. A paragraph with an empty address is left out. */
  readonly reminders: Readonly<Record<ReminderEvent, MailText>>;
  /** The last paragraph of every reminder. `{{product}}` and `{{unsubscribe_url}}` are filled in. */
  readonly unsubscribeLink: string;
  /** The page that ends reminders. `{{product}}` is filled in. */
  readonly unsubscribe: {
    readonly title: string;
    readonly question: string;
    readonly button: string;
    readonly done: string;
  };
}
