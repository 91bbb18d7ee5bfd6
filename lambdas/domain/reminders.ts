import { REMINDED } from '../contract/events';
import { fillPlaceholders, type ReminderPlaceholder, type RenewUrlPlaceholder } from '../contract/placeholders';
import type { ReminderEvent } from '../contract/reminders';
import { eventId, MAILTO } from './event';
import type { Delivery } from './delivery';
import { addDays, type License } from './license';
import { contentOf, languageOfMail, valuesOf, withoutDeadLinks, type MailContent } from './mail-content';
import type { StoredReminder } from './mail-settings';
import { mailTexts } from './mail-texts';
import type { Order } from './payments/order';
import type { Product } from './product';
import { dateOf, payloadTimestampOf, timestampOf } from './time';

/** Reminders before and after the end of a license or of its updates (docs/spec/mail.md, Reminders). Times are epoch ms. */

/** A reminder of one license, for one date. */
export interface Reminded {
  readonly event: ReminderEvent;
  readonly days: number;
  /** The expiry or the end of updates. */
  readonly date: number;
}

/** The date of a license that a reminder is about; null: the license has none. */
export const dateFor = ({ expires_at, updates_until }: License, event: ReminderEvent): number | null =>
  event === 'updates_expiring' ? updates_until : expires_at;

const offset = ({ event, days }: Pick<StoredReminder, 'event' | 'days'>): number => (event === 'expired' ? days : -days);

/** When a reminder is due for a date. */
export const reminderDueAt = (reminder: Pick<StoredReminder, 'event' | 'days'>, date: number): number => addDays(date, offset(reminder));

/** The date for which a reminder is due at an instant. */
export const dateDueAt = (reminder: Pick<StoredReminder, 'event' | 'days'>, due: number): number => addDays(due, -offset(reminder));

/** The beginning of the UTC day. */
export const dayStart = (at: number): number => Date.parse(dateOf(at));

/**
 * Until when at the latest a term that waits for the first activation cannot end its updates, or when the updates end:
 * the end of updates is never earlier. Null: the license has no end of updates.
 *
 * @param now when the term would start at the earliest
 */
export const earliestUpdatesEnd = ({ updates_until, term }: Pick<License, 'updates_until' | 'term'>, now: number): number | null =>
  updates_until ?? (term?.updates_days == null ? null : addDays(now, term.updates_days));

/**
 * The reminder that is due for a license now; undefined if there is none.
 *
 * A reminder is not due for what was due before it was added. A license gets no reminder whose day was over when the
 * license was created, and none for a date that had passed by then.
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

/** Whether reminders make sense for a license: somebody can be mailed, and can do something about it. */
export const isRemindable = ({ status, customer_email, license_type, key_mailed }: License): boolean =>
  customer_email !== null && status !== 'revoked' && status !== 'suspended' && (license_type.kind !== 'trial' || key_mailed);

/** Whether the payment processor will renew the subscription, so that its end needs no reminder. */
export function renewsItself({ endedAt, closed, cancellation, paidUntil, standing }: Order): boolean {
  // A subscription that was paid for a later period continues.
  const isCanceled = cancellation?.endsAt != null && (paidUntil === null || paidUntil <= cancellation.endsAt);
  return endedAt === null && closed === null && !isCanceled && !standing.includes('payment');
}

/**
 * The mail with a reminder.
 *
 * @param dueAt when it may be sent, by the real time
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

/** The address of the vendor's page for renewals of a license; empty if there is none. */
function renewUrlOf(url: string | undefined, { id, key, order }: License): string {
  const values: Readonly<Record<RenewUrlPlaceholder, string>> = { key, order: order?.order_id ?? '', license_id: String(id) };
  const encoded = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, encodeURIComponent(value)]));
  return url === undefined ? '' : fillPlaceholders(url, encoded);
}

/**
 * The reminder as it is sent.
 *
 * @param portal the address of the product's portal; empty if it is off
 * @param unsubscribe the address that ends reminders: every reminder shows it below its text
 * @param language by default that of the license, or else the product's
 */
export function renderReminder(
  product: Pick<Product, 'name' | 'mail'>,
  license: License,
  reminder: Pick<StoredReminder, 'event' | 'days' | 'subject' | 'text'>,
  portal: string,
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
  return contentOf({ subject, text: `${text.trimEnd()}\n\n${unsubscribeLink}\n` }, values, product);
}
