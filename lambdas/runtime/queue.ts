import type { Event } from '../domain/event';

/** The fields of an event that a message needs. */
export type EventRef = Pick<Event, 'id' | 'product_id' | 'channel'>;

/** The queue of events to deliver. */
export interface EventQueue {
  /**
   * Sends the ids of events, to arrive after `delayMs` (rounded up to seconds, at most {@link MAX_DELAY_SECONDS}).
   * Throws if any was not sent.
   *
   * @param timeoutMs maximum time that the sending may take
   */
  send(events: readonly EventRef[], delayMs?: number, timeoutMs?: number): Promise<void>;
}

/** A message of the event queue. */
export interface QueueMessage {
  readonly body: string;
  readonly delaySeconds: number;
  /** Messages of one group do not delay those of another, in any number: SQS serves groups fairly. */
  readonly group: string;
}

/** Sends messages to the event queue within `timeoutMs`. Throws if any was refused. */
export type SendMessages = (messages: readonly QueueMessage[], timeoutMs?: number) => Promise<void>;

/** The longest delay of a message in SQS. If it arrives before the event is due, another one is sent. */
const MAX_DELAY_SECONDS = 900;

/** The event queue, on top of a function that sends messages. */
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
