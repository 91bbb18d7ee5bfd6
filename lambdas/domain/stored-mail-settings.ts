import * as z from 'zod/mini';
import { reminderEvents } from '../contract/events';
import { languages } from '../contract/languages';
import { flag, number, orNull, string, type Stored } from './stored';

/**
 * The settings of a product's mails, as the row of the product contains them. They are in a file without the texts of the mails, because
 * most functions read products and send no mail.
 */

/** A reminder as it is stored. */
const storedReminderSchema = z.object({
  event: z.enum(reminderEvents),
  days: number,
  /** The subject; null: the default subject in the language of the mail. The same applies to `text`. */
  subject: orNull(string),
  text: orNull(string),
  /** When the reminder was added, in epoch ms. Mails that were due before this time are not sent. */
  since: number,
});
export interface StoredReminder extends Stored<typeof storedReminderSchema> {}

/** The settings as they are stored. An undefined field has its default. */
export const mailSettingsSchema = z.object({
  /** False in a row without this field, so that a request that sends false changes nothing. */
  send_keys: z.optional(flag),
  reply_to: z.optional(string),
  subject: z.optional(string),
  text: z.optional(string),
  invitation_subject: z.optional(string),
  invitation_text: z.optional(string),
  language: z.optional(z.enum(languages)),
  renew_url: z.optional(string),
  reminders: z.optional(z.array(storedReminderSchema)),
  /**
   * The base URL of the service when the reminders were last set. Deployments that don't know their own URL use this URL for links in
   * reminders.
   */
  base_url: z.optional(string),
  /** A counter that each change of the settings increases; undefined counts as 0. With it, a simultaneous change is detected. */
  revision: z.optional(number),
});
export interface StoredMailSettings extends Stored<typeof mailSettingsSchema> {}
