import { eventNames } from './events';

/**
 * The metrics of the functions, by their names in CloudWatch. Each metric has only the dimension `stage`. A metric costs nothing in hours
 * in which it is not published.
 */
export const METRIC_NAMESPACE = 'LicenseKeyService';

export const metricNames = [
  // One metric for each event: how often the event was recorded.
  ...eventNames,
  // Counts deliveries by result: accepted, failed and due again, permanently failed, or skipped. An event is skipped if the product has no
  // webhook, or if the webhook does not get this kind of event.
  'delivery.delivered',
  'delivery.retried',
  'delivery.failed',
  'delivery.skipped',
  // Counts mails that were sent, and mails that failed permanently. These mails are also counted as deliveries.
  'mail.delivered',
  'mail.failed',
  // Counts attempts that a fault of the service prevented: a secret that cannot be decrypted, a product that no longer exists, or an
  // unreadable row or message.
  'delivery.fault',
  // Counts requests that were refused for reasons that an operator may want to watch.
  'refused.no_seats',
  'refused.admin_token',
  'refused.api_key',
  'refused.license',
  'refused.payment',
  'refused.portal_session',
  'refused.portal_sign_in',
  'refused.trial',
  // Counts verified sales for which no license was issued (docs/spec/payments.md, Held sales). Sales in test mode are not counted.
  'payment.held',
  // `request.unavailable` counts requests that ended with 503, because the table was busy or because transactions conflicted repeatedly.
  // `request.fault` counts requests that ended with 500.
  'request.unavailable',
  'request.fault',
  // The time since the oldest pending event was due, in seconds.
  'events.pending_age',
] as const;
export type MetricName = (typeof metricNames)[number];
