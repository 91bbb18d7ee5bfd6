import type { PortalMail } from '../../../contract/events';

export interface MailText {
  readonly subject: string;
  /** Paragraphs are separated by blank lines. */
  readonly text: string;
}

/** The texts of the portal's mails in one language. */
export interface MailTexts {
  /** For dates. */
  readonly locale: string;
  readonly never: string;
  readonly unlimited: string;
  readonly mails: Readonly<Record<PortalMail, MailText>>;
}
