import { REMINDED } from '../contract/events';
import type { ReminderPlaceholder } from '../contract/placeholders';
import type { ReminderEvent } from '../contract/events';
import { eventId, MAILTO } from './event';
import type { Delivery } from './delivery';
import { addDays, type License } from './license';
import { contentOf, languageOfMail, valuesOf, withoutDeadLinks, type MailContent, type PortalInMail } from './mail-content';
import type { StoredReminder } from './stored-mail-settings';
import { mailTexts } from './mail-texts';
import type { Facts } from './payments/facts';
import { isEnded, missingPayment, paidUntilOf } from './payments/target';
import type { Product } from './product';
import { renewUrlOf } from './renew-url';
import { dateOf, payloadTimestampOf, timestampOf } from './time';

/** Reminders before and after the end of a license or of its updates (docs/spec/mail.md, Reminders). Times are epoch ms. */

/** A reminder for one license and one date. */
export interface Reminded {
  readonly event: ReminderEvent;
  readonly days: number;
  /** The license's expiry or its end of updates. */
  readonly date: number;
}

/** The date of a license to which a reminder refers; null if the license has no such date. */
export const dateFor = ({ expires_at, updates_until }: License, event: ReminderEvent): number | null =>
  event === 'updates_expiring' ? updates_until : expires_at;

const offset = ({ event, days }: Pick<StoredReminder, 'event' | 'days'>): number => (event === 'expired' ? days : -days);

/** The time at which a reminder is due. `date` is the expiry or the end of updates to which the reminder refers. */
export const reminderDueAt = (reminder: Pick<StoredReminder, 'event' | 'days'>, date: number): number => addDays(date, offset(reminder));

/** The inverse of {@link reminderDueAt}: the date for which the reminder is due at the time `due`. */
export const dateDueAt = (reminder: Pick<StoredReminder, 'event' | 'days'>, due: number): number => addDays(due, -offset(reminder));

/** The beginning of the UTC day that contains a time. */
export const dayStart = (at: number): number => Date.parse(dateOf(at));

/**
 * The end of a license's updates; null if the license has no end of updates. If the license's term starts with the first activation, and
 * has not started yet, the result is the earliest possible end of updates.
 *
 * @param now the earliest time at which the term could start
 */
export const earliestUpdatesEnd = ({ updates_until, term }: Pick<License, 'updates_until' | 'term'>, now: number): number | null =>
  updates_until ?? (term?.updates_days == null ? null : addDays(now, term.updates_days));

/**
 * The reminder that is due for a license now; undefined if none is due.
 *
 * In these cases, the reminder is not due:
 * - Its time had already passed when the reminder was added to the settings.
 * - The license was created on a later day than the day of the reminder's time.
 * - The license was created after the date to which the reminder refers.
 */
export function dueReminder(license: License, reminder: StoredReminder, now: number): Reminded | undefined {
  const { event, days, since } = reminder;
  const date = dateFor(license, event);
  if (date === null) return undefined;
  const due = reminderDueAt(reminder, date);
  const isDue = since < due && due <= now;
  const isNewer = license.created_at >= date || dateOf(license.created_at) > dateOf(due);
  return isDue && !isNewer ? { event, days, date } : undefined;
}

/**
 * Whether reminders are sent for a license. They are sent if the license has its buyer's e-mail address, and is neither revoked nor
 * suspended. For a trial, its key must also have been mailed to the buyer.
 */
export const isRemindable = ({ status, customer_email, license_type, key_mailed }: License): boolean =>
  customer_email !== null && status !== 'revoked' && status !== 'suspended' && (license_type.kind !== 'trial' || key_mailed);

/** Whether the payment processor will renew the order's subscription. In that case the end of the license needs no reminder. */
export function renewsItself(facts: Facts): boolean {
  const { cancellation } = facts;
  const paidUntil = paidUntilOf(facts);
  // If a later period was already paid, the subscription continues despite the cancellation.
  const isCanceled = cancellation?.endsAt != null && (paidUntil === null || paidUntil <= cancellation.endsAt);
  return !isEnded(facts) && !facts.isPaidOff && !isCanceled && missingPayment(facts) === undefined;
}

/**
 * The event for a mail with a reminder.
 *
 * @param dueAt the earliest time at which the mail may be sent. It is a time of the real clock, even if a test has moved the clock of the
 * service
 */
export function reminderMail(license: License, reminded: Reminded, at: number, dueAt: number, random: Uint8Array): Delivery {
  const id = eventId(license.id, license.sequence, random);
  const reminder = { ...reminded, date: timestampOf(reminded.date) };
  const data = { product: license.product_slug, license_ids: [license.id], reminder };
  return {
    id,
    event: REMINDED,
    channel: 'mail',
    url: `${MAILTO}${license.customer_email ?? ''}`,
    product_id: license.product_id,
    license_id: license.id,
    body: JSON.stringify({ id, event: REMINDED, timestamp: payloadTimestampOf(at), data }),
    status: 'pending',
    created_at: at,
    due_at: dueAt,
  };
}

/**
 * The content of a reminder, with its placeholders filled in.
 *
 * @param unsubscribe the URL of the page for unsubscribing, which every reminder shows below its text
 * @param language the language of the mail; the default is the language of the license, or of the product if the license has none
 */
export function renderReminder(
  product: Pick<Product, 'name' | 'mail'>,
  license: License,
  reminder: Pick<StoredReminder, 'event' | 'days' | 'subject' | 'text'>,
  portal: PortalInMail,
  unsubscribe: string,
  language = languageOfMail(product, [license]),
): MailContent {
  const values: Readonly<Record<ReminderPlaceholder | 'unsubscribe_url', string>> = {
    ...valuesOf(product, [license], portal, language),
    renew_url: renewUrlOf(product.mail.renew_url, license),
    days: String(reminder.days),
    unsubscribe_url: unsubscribe,
  };
  const { reminders, unsubscribeLink } = mailTexts[language];
  const defaults = reminders[reminder.event];
  const subject = reminder.subject ?? defaults.subject;
  const text = reminder.text ?? withoutDeadLinks(defaults.text, values);
  return contentOf({ subject, text: `${text.trimEnd()}\n\n${unsubscribeLink}\n` }, values, product, { ...portal, language });
}
