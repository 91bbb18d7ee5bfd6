import type { SQSBatchResponse } from 'aws-lambda';
import { randomUUID } from 'node:crypto';
import type { SendMessages } from '../../lambdas/runtime/ports';
import { messageOf } from './errors';

/**
 * The event queue of the local run. Its messages are in memory: if the process is killed, the sweeper finds their events in the table. The
 * messages of each group are delivered independently of other groups, so a webhook that hangs delays only its own product.
 */

/** Maximum number of messages in a batch, as in a deployment (infra/event-queue.ts). */
const BATCH_SIZE = 10;
/**
 * Maximum number of batches of one group that are delivered at the same time. With fewer batches, a delivery waits for the table while the
 * processor is idle.
 */
const BATCHES_OF_GROUP = 16;
/** Maximum number of times that a message is delivered. Then it is dropped, and the sweeper sends a new message for its event. */
const MAX_RECEIVES = 5;
/** Time, in ms, after which a message is delivered again if its handling failed. */
const RETRY_MS = 1000;

interface Message {
  readonly messageId: string;
  readonly body: string;
  readonly group: string;
  readonly receives: number;
}

interface Group {
  readonly waiting: Message[];
  running: number;
}

export type Deliver = (event: { readonly Records: readonly Pick<Message, 'messageId' | 'body'>[] }) => Promise<SQSBatchResponse>;

export interface Queue {
  readonly send: SendMessages;
  /** Drops the waiting messages, and waits for batches that are being delivered. */
  stop(): Promise<void>;
}

/** @param report called with a line for each message that could not be handled */
export function start(deliver: Deliver, report: (line: string) => void): Queue {
  const groups = new Map<string, Group>();
  const timers = new Set<NodeJS.Timeout>();
  const underWay = new Set<Promise<void>>();
  let stopped = false;

  const later = (ms: number, message: Message): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      add(message);
    }, ms);
    timers.add(timer);
  };

  const add = (message: Message): void => {
    if (stopped) return;
    const group = groups.get(message.group) ?? { waiting: [], running: 0 };
    groups.set(message.group, group);
    group.waiting.push(message);
    // Messages that are sent together are in one batch.
    if (group.waiting.length === 1) setImmediate(dispatch, message.group, group);
  };

  const dispatch = (name: string, group: Group): void => {
    while (!stopped && group.running < BATCHES_OF_GROUP && group.waiting.length > 0) {
      group.running += 1;
      const batch = group.waiting.splice(0, BATCH_SIZE);
      const run = handle(batch).then(() => {
        underWay.delete(run);
        group.running -= 1;
        dispatch(name, group);
        if (group.running === 0 && group.waiting.length === 0) groups.delete(name);
      });
      underWay.add(run);
    }
  };

  const handle = async (batch: readonly Message[]): Promise<void> => {
    let failed = batch;
    try {
      const { batchItemFailures } = await deliver({ Records: batch });
      const ids = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
      failed = batch.filter(({ messageId }) => ids.has(messageId));
    } catch (error) {
      report(`ERROR Delivering events: ${messageOf(error)}`);
    }
    for (const message of failed) {
      if (message.receives < MAX_RECEIVES) later(RETRY_MS, { ...message, receives: message.receives + 1 });
      else report(`ERROR A message was dropped after ${MAX_RECEIVES} deliveries: ${message.body}`);
    }
  };

  return {
    send: (messages) => {
      for (const { body, delaySeconds, group } of messages) {
        const message = { messageId: randomUUID(), body, group, receives: 1 };
        if (delaySeconds > 0) later(delaySeconds * 1000, message);
        else add(message);
      }
      return Promise.resolve();
    },
    stop: async () => {
      stopped = true;
      for (const timer of timers) clearTimeout(timer);
      await Promise.all(underWay);
    },
  };
}
