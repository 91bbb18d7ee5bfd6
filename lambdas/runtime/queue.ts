import type { Event } from '../domain/event';
import type { App } from './app';
import { sendMessages } from './aws/queue';
import { log } from './observability/log';
import type { SendMessages } from './ports';

/**
 * The queue of events to deliver. Only functions that send messages import this file, because the SQS client makes their bundles larger.
 */

/** The fields of an event that a queue message needs. */
export type EventRef = Pick<Event, 'id' | 'product_id' | 'channel'>;

/** The queue of events to deliver. */
export interface EventQueue {
  /**
   * Sends a message with the id of each event. The messages arrive after `delayMs` (rounded up to seconds, at most {@link
   * MAX_DELAY_SECONDS}).
   *
   * @param timeoutMs maximum time, in ms, that sending may take
   * @throws Error if any message was not sent
   */
  send(events: readonly EventRef[], delayMs?: number, timeoutMs?: number): Promise<void>;
}

/** The longest possible delay of a message in SQS. If a message arrives before its event is due, another message is sent. */
const MAX_DELAY_SECONDS = 900;

/** Creates the event queue from a function that sends messages. */
export const eventQueue = (send: SendMessages): EventQueue => ({
  send: (events, delayMs = 0, timeoutMs) => {
    const delaySeconds = Math.min(Math.max(0, Math.ceil(delayMs / 1000)), MAX_DELAY_SECONDS);
    return send(
      events.map(({ id, product_id, channel }) => ({
        body: JSON.stringify({ event_id: id }),
        delaySeconds,
        group: channel === 'mail' ? `${product_id}-mail` : String(product_id),
      })),
      timeoutMs,
    );
  },
});

let ofFunction: EventQueue | undefined;

/** The event queue of an app. The SQS client of the function is created with the first message. */
export const queueOf = ({ config, send }: Pick<App, 'config' | 'send'>): EventQueue =>
  send ? eventQueue(send) : (ofFunction ??= eventQueue(sendMessages(config)));

/** Maximum time, in ms, that a request waits for the queue after its commit. */
const NOTIFY_LIMIT_MS = 1000;

/**
 * Starts the delivery of committed events, after `delayMs`. The function never fails. If a message cannot be sent, the sweeper later finds
 * the event in the table.
 */
export async function notify(app: App, events: readonly EventRef[], delayMs = 0): Promise<void> {
  try {
    await queueOf(app).send(events, delayMs, NOTIFY_LIMIT_MS);
  } catch (error) {
    log.warn('EVENT_NOT_QUEUED', { event_ids: events.map(({ id }) => id) }, error);
  }
}
