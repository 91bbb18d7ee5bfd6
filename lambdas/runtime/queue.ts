import type { Event } from '../domain/event';

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

/** A message of the event queue. */
export interface QueueMessage {
  readonly body: string;
  readonly delaySeconds: number;
  /**
   * The group id of the message. SQS serves groups fairly: a large number of messages of one group does not delay the messages of another
   * group.
   */
  readonly group: string;
}

/** Sends messages to the event queue within `timeoutMs`. Throws if SQS refused any message. */
export type SendMessages = (messages: readonly QueueMessage[], timeoutMs?: number) => Promise<void>;

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
