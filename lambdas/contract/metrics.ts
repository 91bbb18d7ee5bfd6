import { eventNames } from './events';

/**
 * What the functions count, by the names that CloudWatch shows. Each is published with the one dimension
 * `stage`; a metric costs nothing in hours in which nothing happens.
 */
export const METRIC_NAMESPACE = 'LicenseKeyService';

export const metricNames = [
  // A change was committed, and its event with it.
  ...eventNames,
  // An attempt to post an event was accepted, refused (another follows), or was the last one; or there was no URL.
  'delivery.delivered',
  'delivery.retried',
  'delivery.failed',
  'delivery.skipped',
  // A fault of our own prevented an attempt: a secret that can't be opened, a product that no longer exists, an unreadable row or message.
  'delivery.fault',
  // Requests that were refused for a reason worth watching.
  'refused.no_seats',
  'refused.admin_token',
  'refused.api_key',
  'refused.payment',
  // A sale was verified, and issued no license (docs/spec/payments.md, Held sales); those of the test mode are not counted.
  'payment.held',
  // Requests that ended in 503 because the table was busy or conflicts went on, and in 500.
  'request.unavailable',
  'request.fault',
  // How long the longest-waiting event has been due, in seconds.
  'events.pending_age',
] as const;
export type MetricName = (typeof metricNames)[number];
