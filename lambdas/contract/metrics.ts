import { eventNames } from './events';

/**
 * The metrics of the functions, by their names in CloudWatch. Each has the single dimension `stage`. A metric costs
 * nothing in hours in which it is not published.
 */
export const METRIC_NAMESPACE = 'LicenseKeyService';

export const metricNames = [
  // A change was committed with its event.
  ...eventNames,
  // An attempt to post an event was accepted, or refused with another attempt to follow, or refused for the last time; or there was no URL.
  'delivery.delivered',
  'delivery.retried',
  'delivery.failed',
  'delivery.skipped',
  // A fault of the service prevented an attempt: a secret that cannot be decrypted, a product that no longer exists, an
  // unreadable row or message.
  'delivery.fault',
  // Requests that were refused for a reason worth watching.
  'refused.no_seats',
  'refused.admin_token',
  'refused.api_key',
  'refused.license',
  'refused.payment',
  'refused.portal_session',
  'refused.portal_sign_in',
  // A verified sale issued no license (docs/spec/payments.md, Held sales); sales in test mode are not counted.
  'payment.held',
  // Requests that ended in 503, because the table was busy or conflicts persisted, and requests that ended in 500.
  'request.unavailable',
  'request.fault',
  // The age of the oldest event that is due, in seconds.
  'events.pending_age',
] as const;
export type MetricName = (typeof metricNames)[number];
