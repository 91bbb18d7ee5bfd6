import type { DeliveryStatus, EventName } from '../../lambdas/contract/events';
import type { LicenseStatus } from '../../lambdas/contract/statuses';
import type { DeliveryView } from '../../lambdas/contract/webhooks';
import { rfc3339 } from './license';

/** The specification of the delivery of one event, as pure functions. */

/** The delays of the four attempts of a round, in ms. The delay of a retry starts when the previous attempt has failed. */
const DELAYS = [0, 1000, 5000, 15_000];

export interface Attempt {
  readonly at: number;
  readonly ms: number;
  /** The status of the receiver's response; null if the receiver sent no response. */
  readonly status: number | null;
}

export interface Event {
  readonly id: string;
  readonly event: EventName;
  readonly productId: number;
  readonly licenseId: number | null;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly createdAt: number;
  readonly by?: string;
  readonly status: DeliveryStatus;
  readonly attempts: readonly Attempt[];
  /** The number of attempts in the current round. */
  readonly round: number;
  readonly dueAt: number;
  /** The webhook URL of the latest attempt. */
  readonly url: string | null;
  /** The license type, and the statuses before and after the change, for the overview. */
  readonly moved?: {
    readonly from?: { readonly type: number; readonly status: LicenseStatus };
    readonly to: { readonly type: number; readonly status: LicenseStatus };
  };
  /** The outcome of the delivery, which the overview counts. */
  readonly ended?: DeliveryStatus;
  /**
   * Whether the statistics include the event. The first delivery adds the event to the statistics; an event that was recorded as skipped is
   * added by the next sweep.
   */
  readonly counted?: boolean;
}

export const newEvent = (
  facts: Pick<Event, 'id' | 'event' | 'productId' | 'licenseId' | 'payload' | 'createdAt' | 'by' | 'moved'>,
): Event => ({
  ...facts,
  status: 'pending',
  attempts: [],
  round: 0,
  dueAt: facts.createdAt,
  url: null,
});

/** A receiver accepts an event by responding with a status below 400. */
const isAccepted = ({ status }: Attempt): boolean => status !== null && status < 400;
const endOf = ({ at, ms }: Attempt): number => at + ms;

/** The event after an attempt: delivered, due again, or failed after the fourth attempt of the round. */
export function attempted(event: Event, url: string, attempt: Attempt): Event {
  const round = event.round + 1;
  const after: Event = { ...event, counted: true, url, round, attempts: [...event.attempts, attempt] };
  if (isAccepted(attempt)) return { ...after, status: 'delivered', ended: 'delivered' };
  const delay = DELAYS[round];
  return delay === undefined ? { ...after, status: 'failed', ended: 'failed' } : { ...after, dueAt: endOf(attempt) + delay };
}

/** If the webhook has no URL, the event is logged as `skipped`, either when it is recorded or when its delivery starts. */
export const skipped = (event: Event, by: 'delivery' | 'record'): Event => ({
  ...event,
  status: 'skipped',
  ended: 'skipped',
  counted: by === 'delivery',
});

/** The event after a sweep. */
export const swept = (event: Event): Event => (event.status === 'skipped' ? { ...event, counted: true } : event);

/**
 * Sends the same event again in a new round of attempts. A pending event doesn't change. If the statistics include the event, they keep its
 * previous outcome until the round ends.
 */
export function redelivered({ ended, ...event }: Event, now: number): Event {
  if (event.status === 'pending') return { ...event, ...(ended && { ended }) };
  return { ...event, status: 'pending', round: 0, dueAt: now, ...(event.counted && ended && { ended }) };
}

/** The expected entry of the delivery log. It does not contain the texts of errors, but only whether there was an error. */
export function deliveryView(
  event: Event,
  webhookUrl: string,
): Omit<DeliveryView, 'last_error' | 'payload' | 'history'> & { payload: object; last_error: boolean; history: object[] } {
  const last = event.attempts.at(-1);
  const pending = event.status === 'pending';
  return {
    id: event.id,
    event: event.event,
    channel: 'webhook',
    product_id: event.productId,
    license_id: event.licenseId,
    ...(event.by !== undefined && { by: event.by }),
    url: event.url ?? (pending && webhookUrl !== '' ? webhookUrl : null),
    status: event.status,
    attempts: event.attempts.length,
    last_error: last !== undefined && !isAccepted(last),
    last_status: last?.status ?? null,
    created_at: rfc3339(event.createdAt),
    next_attempt_at: pending ? rfc3339(event.dueAt) : null,
    delivered_at: event.status === 'delivered' && last ? rfc3339(endOf(last)) : null,
    payload: { id: event.id, ...event.payload },
    history: event.attempts
      .map((attempt, place) => ({
        attempt: place + 1,
        at: rfc3339(attempt.at),
        status: attempt.status,
        error: !isAccepted(attempt),
        duration_ms: attempt.ms,
      }))
      .slice(-50),
  };
}
