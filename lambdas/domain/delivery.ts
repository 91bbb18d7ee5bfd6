import * as z from 'zod/mini';
import type { DeliveryView } from '../contract/webhooks';
import { eventSchema } from './event';
import { bounceSchema } from './mail-feedback';
import { timestampOf, timestampOrNull } from './time';
import { number, orNull, string, type Stored } from './stored';

/** The delivery of an event: the times of its attempts, and its state after each attempt. Times are epoch ms. */

/**
 * Delays after failed attempts to post an event, in ms (docs/spec/events.md, Delivery rules). If the attempt after the last delay fails,
 * the delivery has failed.
 */
export const RETRY_DELAYS_MS = [1000, 5000, 15_000] as const;

/**
 * Delays after a fault of the service itself, in ms. If the attempt after the last delay fails, the delivery has failed. The delays are
 * long, because such a fault lasts until somebody repairs its cause.
 */
export const FAULT_DELAYS_MS = [1, 2, 5, 15, 30, 60, 60, 60].map((minutes) => minutes * 60_000);

/** Delays after failed attempts to send a mail, in ms (docs/spec/mail.md, Delivery of key mails). */
export const MAIL_RETRY_DELAYS_MS = [60_000, 300_000, 900_000] as const;

/** Delays after failed attempts to send a mail that becomes useless after some minutes, in ms. */
const SHORT_MAIL_RETRY_DELAYS_MS = [10_000, 30_000, 60_000, 120_000] as const;

/**
 * The time, in ms, for which an attempt reserves an event, so that no other process attempts the delivery. This time is longer than the
 * longest attempt.
 */
export const LEASE_MS = 30_000;

/** Maximum number of attempts that the log shows for one event. */
const HISTORY_LENGTH = 50;
const ERROR_LENGTH = 300;
/** Number of the newest attempts that keep the receiver's response, so that the row stays small. A round has as many attempts. */
const RESPONSES_KEPT = 4;

const attemptSchema = z.object({
  /** The number of the attempt, counted over all rounds of the event. */
  attempt: number,
  at: number,
  status: orNull(number),
  error: orNull(string),
  duration_ms: number,
  /** The beginning of the body with which the receiver responded to a failed attempt. */
  response: z.optional(string),
});
export interface Attempt extends Stored<typeof attemptSchema> {}

/** An event with the state of its delivery. The fields that a new event doesn't have are optional. */
export const deliverySchema = z.extend(eventSchema, {
  url: z.optional(string),
  attempts: z.optional(number),
  /** Number of attempts in the current round. A redelivery starts a new round. */
  round: z.optional(number),
  /** Number of faults of the service itself in the current round. */
  faults: z.optional(number),
  /** When the next attempt is due; undefined if it is due immediately. */
  due_at: z.optional(number),
  /** When the reservation of the event by the running attempt ends. */
  lease_until: z.optional(number),
  delivered_at: z.optional(number),
  history: z.optional(z.array(attemptSchema)),
  /** What happened to a mail after its delivery. */
  bounce: z.optional(bounceSchema),
  /**
   * Whether the product's statistics already include the change that the event reports. `outcome` is the delivery status that the
   * statistics include (see `tally.ts`).
   */
  counted: z.optional(z.boolean()),
  outcome: z.optional(z.enum(['delivered', 'failed', 'skipped'])),
});
export interface Delivery extends Stored<typeof deliverySchema> {}

/** A delivery. The payload is missing if it could not be read. */
export type DeliveryRecord = Omit<Delivery, 'body'> & { readonly body?: string };

/** The result of posting an event: the response's status, or why there was no response. */
export interface PostResult {
  /** When the attempt began, in epoch ms. */
  readonly at: number;
  readonly durationMs: number;
  readonly status: number | null;
  /** Why the attempt failed; null if the event was accepted. */
  readonly error: string | null;
  /** The beginning of the response's body, if the attempt failed. */
  readonly response?: string;
  /** True if another attempt would fail too, because the mail server refuses the mail permanently. */
  readonly isFinal?: boolean;
}

/** Whether the status of a response means that the receiver accepted the event. A redirect also counts as accepted; it is not followed. */
export const isAccepted = (status: number): boolean => status >= 200 && status < 400;

export const withoutResponse = ({ response, ...attempt }: Attempt): Attempt => attempt;

/** The delivery with one more attempt in its history. The caller sets the new status. */
function withAttempt(
  { due_at, lease_until, ...delivery }: DeliveryRecord,
  { at, status, error, durationMs, response }: PostResult,
): DeliveryRecord {
  const attempt = (delivery.attempts ?? 0) + 1;
  const entry: Attempt = {
    attempt,
    at,
    status,
    error: error?.slice(0, ERROR_LENGTH) ?? null,
    duration_ms: durationMs,
    ...(response !== undefined && { response }),
  };
  const history = [...(delivery.history ?? []), entry].slice(-HISTORY_LENGTH);
  const older = history.slice(0, -RESPONSES_KEPT).map(withoutResponse);
  return { ...delivery, attempts: attempt, history: [...older, ...history.slice(-RESPONSES_KEPT)] };
}

/** The status after an attempt, and the time of the next attempt. If `delay` is undefined, there is no further attempt. */
const next = (at: number, delay: number | undefined): Pick<Delivery, 'status' | 'due_at'> =>
  delay === undefined ? { status: 'failed' } : { status: 'pending', due_at: at + delay };

/** The delivery after an attempt. The event is then delivered, due again, or permanently failed. */
export function settle(delivery: DeliveryRecord, url: string, result: PostResult): DeliveryRecord {
  const round = (delivery.round ?? 0) + 1;
  const settled = { ...withAttempt(delivery, result), url, round };
  const end = result.at + result.durationMs;
  if (result.error === null) return { ...settled, status: 'delivered', delivered_at: end };
  const delays: readonly number[] =
    delivery.channel !== 'mail' ? RETRY_DELAYS_MS : delivery.mail?.until == null ? MAIL_RETRY_DELAYS_MS : SHORT_MAIL_RETRY_DELAYS_MS;
  return { ...settled, ...next(end, result.isFinal ? undefined : delays[round - 1]) };
}

/**
 * The delivery after a fault of the service itself prevented an attempt. The history shows a failed attempt. The delivery is due again
 * later; after a limited number of faults it fails permanently.
 */
export function settleFault(delivery: DeliveryRecord, reason: string, at: number): DeliveryRecord {
  const faults = (delivery.faults ?? 0) + 1;
  const attempted = withAttempt(delivery, { at, durationMs: 0, status: null, error: `internal: ${reason}` });
  return { ...attempted, faults, ...next(at, FAULT_DELAYS_MS[faults - 1]) };
}

/**
 * The record of a skipped delivery. An event is not posted if its product has no webhook, or if the webhook's filter excludes the event. A
 * mail is not sent if mail is not configured, if the mail is not allowed, or if it is no longer needed.
 */
export const skip = ({ due_at, lease_until, ...delivery }: DeliveryRecord): DeliveryRecord => ({ ...delivery, status: 'skipped' });

/** The log entry of a delivery. Before the first attempt it shows `webhookUrl`, the product's current URL. */
export function deliveryView(delivery: Delivery, webhookUrl: string): DeliveryView {
  const history = delivery.history ?? [];
  const last = history.at(-1);
  const pending = delivery.status === 'pending';
  return {
    id: delivery.id,
    event: delivery.event,
    channel: delivery.channel ?? 'webhook',
    product_id: delivery.product_id,
    license_id: delivery.license_id,
    ...(delivery.by !== undefined && { by: delivery.by }),
    url: delivery.url ?? ((pending && webhookUrl) || null),
    status: delivery.status,
    attempts: delivery.attempts ?? 0,
    last_error: last?.error ?? null,
    last_status: last?.status ?? null,
    created_at: timestampOf(delivery.created_at),
    next_attempt_at: pending ? timestampOf(delivery.due_at ?? delivery.created_at) : null,
    delivered_at: timestampOrNull(delivery.delivered_at ?? null),
    ...(delivery.bounce && { bounce: { ...delivery.bounce, at: timestampOf(delivery.bounce.at) } }),
    payload: JSON.parse(delivery.body) as DeliveryView['payload'],
    history: history.map((entry) => ({ ...entry, at: timestampOf(entry.at) })),
  };
}
