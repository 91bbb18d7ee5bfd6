import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { chunks } from '../../store/chunks';
import { within } from '../../store/time-limit';
import type { Config } from '../config';
import type { QueueMessage, SendMessages } from '../ports';
import { timeouts } from './timeouts';

/** Maximum number of messages in one call of SQS. */
const BATCH_SIZE = 10;

/** Sends messages to the event queue through an SQS client of its own. */
export const sendMessages = (config: Config): SendMessages => {
  // The client calls the regional endpoint, or the endpoint that a local run sets in the environment. The queue's URL is not used as the
  // endpoint. The SDK reuses the middleware only for commands that are sent without options, so the commands below have no options.
  const sqs = new SQSClient({ requestHandler: timeouts, maxAttempts: 2, useQueueUrlAsEndpoint: false, cacheMiddleware: true });
  const sendBatch = async (messages: readonly QueueMessage[], timeoutMs: number): Promise<void> => {
    const command = new SendMessageBatchCommand({
      QueueUrl: config.eventQueueUrl,
      Entries: messages.map(({ body, delaySeconds, group }, index) => ({
        Id: String(index),
        MessageBody: body,
        DelaySeconds: delaySeconds,
        MessageGroupId: group,
      })),
    });
    const { Failed = [] } = await within(timeoutMs, sqs.send(command));
    if (Failed.length > 0)
      throw new Error(
        `SQS refused ${Failed.length} of ${messages.length} messages, the first because of ${Failed[0]?.Code ?? 'an unknown reason'}`,
      );
  };
  return async (messages, timeoutMs = Number.POSITIVE_INFINITY) => {
    await Promise.all([...chunks(messages, BATCH_SIZE)].map((batch) => sendBatch(batch, timeoutMs)));
  };
};
