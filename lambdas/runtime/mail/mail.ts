/** A mail, independently of the transport that sends it. */
export interface Mail {
  readonly to: string;
  /** The sender's name, which mail programs show before the from-address. */
  readonly fromName?: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  /** The e-mail address for replies. If it is null or undefined, replies go to the from-address. */
  readonly replyTo?: string | null;
  /** The id of the mail's event, which Amazon SES repeats if the mail bounces. */
  readonly eventId?: string;
  /** The configuration set of Amazon SES that reports bounces. */
  readonly configurationSet?: string | undefined;
  /** Additional headers of the mail, by their names. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The transport refused the mail or could not be reached. The error message contains no secret, so the operator may see it. */
export class MailFailed extends Error {
  /**
   * @param code the reply code of an SMTP server; null if the server sent none
   * @param isFinal true if the transport refused the mail permanently
   */
  constructor(
    message: string,
    readonly code: number | null = null,
    readonly isFinal = false,
  ) {
    super(message);
  }
}

/** Describes an error in one sentence. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message || error.name : String(error));

/** The mail in the format of nodemailer. */
export const messageOf = (from: string, { to, fromName, subject, text, html, replyTo, headers }: Mail) => ({
  from: { name: fromName ?? '', address: from },
  to: { name: '', address: to },
  subject,
  text,
  html,
  replyTo: replyTo ?? undefined,
  ...(headers && { headers }),
});
