import type * as z from 'zod/mini';
import type { loggedPayload } from '../../contract/payload';
import type { DeliveryRecord } from '../../domain/delivery';
import type { License } from '../../domain/license';
import { reminderName, remindersOf } from '../../domain/mail-settings';
import { mailHead, portalUrl } from '../../domain/portal/settings';
import type { Product } from '../../domain/product';
import type { PortalInMail } from '../../domain/mail-content';
import { dateFor, isRemindable, renderReminder, renewsItself } from '../../domain/reminders';
import type { App } from '../../runtime/app';
import type { Mail } from '../../runtime/mail/mail';
import { getLicense } from '../../store/licenses/read';
import { findOrders } from '../../store/payments/orders';
import { getPortalOf } from '../../store/portal/settings';
import { hasUnsubscribed, reserveSlots } from '../../store/reminders/sent';
import { unsubscribeToken } from './unsubscribe';

/** Renders each reminder at the time of sending, with the current state of its license. */

/**
 * If a reminder is delayed by more than this time, in ms, it is not sent at once. It gets a new time in the schedule instead. Otherwise,
 * after an interruption, all delayed reminders would be sent at the same time.
 */
const LATE_MS = 60_000;

/** The mail of a reminder; `skipped` if the reminder is no longer needed; or the time until which it must wait (epoch ms). */
export type PreparedReminder = Mail | 'skipped' | { readonly waitsUntil: number };

/** What mails of a product show of its portal. */
export async function portalInMail({ table, config }: App, product: Pick<Product, 'id' | 'slug' | 'name'>): Promise<PortalInMail> {
  const portal = await getPortalOf(table, product);
  return {
    url: portal.enabled ? portalUrl(portal, config.publicUrl) : '',
    ...mailHead(portal, product, config.publicUrl),
  };
}

/** The URL that unsubscribes one buyer from the reminders of a product. */
export const unsubscribeAddress = ({ config }: App, { mail }: Pick<Product, 'mail'>, token: string): string =>
  `${config.publicUrl ?? mail.base_url ?? ''}/v1/unsubscribe/${token}`;

/**
 * Whether the processor will renew the subscription of a license. If the order of the subscription is not known, the service assumes that
 * the subscription will be renewed.
 */
export async function isRenewed({ table }: App, { order }: Pick<License, 'order'>): Promise<boolean> {
  if (order?.subscription_id == null) return false;
  const found = await findOrders(table, order.connection_id, [{ kind: 'subscription', id: order.subscription_id }]);
  return found.every(({ facts }) => renewsItself(facts));
}

/**
 * Renders the mail of a reminder, or decides to skip or postpone it.
 *
 * @throws Error if the delivery does not contain a reminder
 */
export async function prepareReminder(app: App, delivery: DeliveryRecord, product: Product): Promise<PreparedReminder> {
  const { reminder: reminded } = (JSON.parse(delivery.body ?? '{}') as z.infer<typeof loggedPayload>).data;
  if (!reminded || delivery.license_id === null) throw new Error('the reminder cannot be read');
  const reminder = remindersOf(product).find((one) => reminderName(one) === reminderName(reminded));
  const license = await getLicense(app.table, delivery.license_id);
  const isMoved = !license || dateFor(license, reminded.event) !== Date.parse(reminded.date);
  if (!reminder || isMoved || license.customer_email === null || !isRemindable(license)) return 'skipped';
  if ((await isRenewed(app, license)) || (await hasUnsubscribed(app.table, license))) return 'skipped';

  const now = app.realClock();
  if (delivery.due_at !== undefined && now - delivery.due_at > LATE_MS) {
    const start = await reserveSlots(app.table, 1, 1000 / app.config.mailsPerSecond, now, Number.MAX_SAFE_INTEGER);
    if (start !== undefined && start > now) return { waitsUntil: start };
  }
  const unsubscribe = unsubscribeAddress(app, product, await unsubscribeToken(app, product.id, license.customer_email));
  return {
    to: license.customer_email,
    ...renderReminder(product, license, reminder, await portalInMail(app, product), unsubscribe),
    headers: {
      'List-Unsubscribe': `<${unsubscribe}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  };
}
