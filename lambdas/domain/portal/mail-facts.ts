import type { Language } from '../../contract/languages';

/** Additional fields in the row of a portal mail. No response shows them. */
export interface PortalMailFacts {
  readonly language: Language;
  /** The time (epoch ms) after which the mail is no longer sent; null if there is no such time. */
  readonly until: number | null;
  /** The hash of the session that may confirm the new e-mail address. */
  readonly session?: string;
  /** The ref of the device that the mail is about. */
  readonly device?: string;
  /** Whether the delivery log hides the mail, because the e-mail address may belong to anybody. */
  readonly unlisted?: boolean;
}
