/** The events that are posted to a product's webhook (docs/spec/events.md, Events). */
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
  'license.updates_renewed',
  'license.updates_expiring',
  'license.meter_reached',
  'license.member_added',
  'license.member_removed',
  'release.published',
  'release.yanked',
  'webhook.test',
] as const;
export type EventName = (typeof eventNames)[number];

/**
 * The events that an activation can record. Some of these events are about other changes that the activation notices, such as an expiry.
 */
export const activationEvents: readonly EventName[] = [
  'license.activated',
  'license.deactivated',
  'license.expired',
  'license.expiring',
  'license.updates_expiring',
  'license.seats_exhausted',
];

/** The statuses of an event's delivery to the product's webhook. */
export const deliveryStatuses = ['pending', 'delivered', 'failed', 'skipped'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** The channels of deliveries: the product's webhook, and mail to a buyer. */
export const channels = ['webhook', 'mail'] as const;
export type Channel = (typeof channels)[number];

/**
 * What a receiving mail server reported after it had accepted a mail: a permanent failure, such as an unknown mailbox; a temporary failure,
 * such as a full mailbox; or that the recipient has reported the mail as spam.
 */
export const bounceTypes = ['permanent', 'temporary', 'complaint'] as const;
export type BounceType = (typeof bounceTypes)[number];

/** The event of a mail with license keys (docs/spec/mail.md, Delivery of key mails). The event is never posted to a webhook. */
export const KEY_MAILED = 'license.key_mailed';
/** The event of a mail with a reminder (docs/spec/mail.md, Reminders). The event is never posted to a webhook. */
export const REMINDED = 'license.reminded';
/**
 * The events of the portal's mails (docs/spec/portal.md, Mails): a sign-in code, a code for a new e-mail address, a notice to the previous
 * e-mail address, a key that its buyer requested, a notice that somebody has signed in on a device, and the invitation of a member. These
 * events are never posted to a webhook.
 */
export const portalMails = [
  'portal.code_mailed',
  'portal.address_code_mailed',
  'portal.address_notice_mailed',
  'portal.key_mailed',
  'portal.device_added',
  'portal.invitation',
] as const;
export type PortalMail = (typeof portalMails)[number];
export const isPortalMail = (name: string): name is PortalMail => portalMails.some((mail) => mail === name);
/** Whether an event is about a mail. An event about a mail is never posted to a webhook, and no metric counts it. */
export const isMail = (name: string): name is PortalMail | typeof KEY_MAILED | typeof REMINDED =>
  name === KEY_MAILED || name === REMINDED || isPortalMail(name);
/** The events that appear in the delivery log. */
export const loggedEvents = [...eventNames, KEY_MAILED, REMINDED, ...portalMails] as const;
export type LoggedEvent = (typeof loggedEvents)[number];

/** The reasons for a reminder: the license expires soon, the license has expired, or its updates end soon. */
export const reminderEvents = ['expiring', 'expired', 'updates_expiring'] as const;
export type ReminderEvent = (typeof reminderEvents)[number];
