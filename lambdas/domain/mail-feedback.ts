import * as z from 'zod/mini';
import { bounceTypes } from '../contract/events';
import { number, string, type Stored } from './stored';

/**
 * Reads the notifications that Amazon SES publishes if a mail bounced or was reported as spam. (The format is documented in the developer
 * guide of Amazon SES, "Contents of event data that Amazon SES publishes to Amazon SNS".)
 */

/** What happened to a mail after Amazon SES had accepted it. */
export const bounceSchema = z.object({
  /** When the receiving mail server reported it, in epoch ms. */
  at: number,
  type: z.enum(bounceTypes),
  /** SES's name of the cause and the status code of the mail server (RFC 3463), such as `General 5.1.1`. It never contains an address. */
  reason: string,
});
export interface Bounce extends Stored<typeof bounceSchema> {}

/** A notification about a mail of this service. */
export interface MailFeedback extends Bounce {
  /** The id of the mail's event. */
  readonly event_id: string;
  /** The e-mail address to which the mail was sent. */
  readonly address: string;
}

/** The name of the message tag that contains the id of the mail's event. */
export const EVENT_TAG = 'event_id';

/** Whether no further mails may be sent to an address after such a bounce. A temporary bounce, such as a full mailbox, stops nothing. */
export const stopsMails = ({ type }: Pick<Bounce, 'type'>): boolean => type !== 'temporary';

type Json = Readonly<Record<string, unknown>>;
const objectOf = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});
const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : undefined);
const word = (value: unknown): string => (typeof value === 'string' && /^[\w.-]{1,50}$/.test(value) ? value : '');

/**
 * Reads a notification. Undefined if the notification is not about a bounce or a complaint, if it is not about a mail of this service, or if
 * the recipient has reported that a mail is not spam.
 *
 * @param text the JSON text of the notification
 */
export function readMailFeedback(text: string): MailFeedback | undefined {
  const { eventType, mail, bounce, complaint } = objectOf(parsed(text));
  const { tags, destination } = objectOf(mail);
  const event_id = first(objectOf(tags)[EVENT_TAG]);
  // Each mail of this service has one recipient. The address that bounced may be another one if the recipient forwards mails.
  const address = first(destination);
  if (typeof event_id !== 'string' || !/^[0-9a-f]{32}$/.test(event_id) || typeof address !== 'string') return undefined;
  const { timestamp, bounceType, bounceSubType, bouncedRecipients, complaintFeedbackType } = objectOf(bounce ?? complaint);
  const at = Date.parse(typeof timestamp === 'string' ? timestamp : '');
  if (Number.isNaN(at)) return undefined;
  if (eventType === 'Complaint')
    return complaintFeedbackType === 'not-spam'
      ? undefined
      : { event_id, address, at, type: 'complaint', reason: word(complaintFeedbackType) || 'complaint' };
  if (eventType !== 'Bounce') return undefined;
  const status = word(objectOf(first(bouncedRecipients))['status']);
  const reason = [word(bounceSubType), status].filter((part) => part !== '').join(' ');
  return { event_id, address, at, type: bounceType === 'Permanent' ? 'permanent' : 'temporary', reason: reason || 'bounce' };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
