/** The events a product's backend is told of (service.md, Events; licenses.md, Statuses and events). */
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
  'webhook.test',
] as const;
export type EventName = (typeof eventNames)[number];

/** Where an event stands on its way to the product's webhook. */
export const deliveryStatuses = ['pending', 'delivered', 'failed', 'skipped'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];
