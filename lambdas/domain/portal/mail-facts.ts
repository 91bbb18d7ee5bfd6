import * as z from 'zod/mini';
import { languages } from '../../contract/languages';
import { number, orNull, string, type Stored } from '../stored';

/** Additional fields in the row of a portal mail. No response shows them. */
export const portalMailFactsSchema = z.object({
  language: z.enum(languages),
  /** The time (epoch ms) after which the mail is no longer sent; null if there is no such time. */
  until: orNull(number),
  /** The hash of the session that may confirm the new e-mail address. */
  session: z.optional(string),
  /** The ref of the device that the mail is about. */
  device: z.optional(string),
  /** Whether the delivery log hides the mail, because the e-mail address may belong to anybody. */
  unlisted: z.optional(z.boolean()),
});
export interface PortalMailFacts extends Stored<typeof portalMailFactsSchema> {}
