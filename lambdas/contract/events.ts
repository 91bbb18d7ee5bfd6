/** The events that are reported to a product's backend (docs/spec/events.md, Events). */
export const eventNames = [
  'license.created',
  'license.activated',
  'license.deactivated',
  'license.reset',
  'license.revoked',
  'license.expired',
  'license.renewed',
  'license.updated',
  'license.suspended',
  'license.reinstated',
  'license.reissued',
  'license.expiring',
  'license.seats_exhausted',
  'release.published',
  'release.yanked',
  'webhook.test',
] as const;
export type EventName = (typeof eventNames)[number];

/** The status of an event's delivery to the product's webhook. */
export const deliveryStatuses = ['pending', 'delivered', 'failed', 'skipped'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** How a delivery goes out: to the product's webhook, or by mail to a buyer. */
export const channels = ['webhook', 'mail'] as const;
export type Channel = (typeof channels)[number];

/** The event of a mail with license keys (docs/spec/mail.md, Delivery of key mails). It is never posted to a webhook. */
export const KEY_MAILED = 'license.key_mailed';
/** What the delivery log has entries of. */
export const loggedEvents = [...eventNames, KEY_MAILED] as const;
export type LoggedEvent = (typeof loggedEvents)[number];
