import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Config } from './config';
import type { SendMessages } from './queue';
import type { FetchSecret } from './secrets';
import { chunks } from '../store/chunks';
import { within } from '../store/time-limit';

/**
 * The AWS clients of a function, except the client of the table. Region, credentials and endpoints come from the environment of the Lambda
 * runtime. The SDK is imported statically. With a dynamic import, esbuild would wrap all code that the SDK shares with the rest of the
 * bundle, and loading the bundle would take longer.
 */

/**
 * Maximum time to connect and to receive a response, in ms. If a call takes longer, the client repeats the call within the same request.
 */
export const timeouts = { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true };

/** Reads secrets. */
export const secretsManager = (config: Config): FetchSecret => {
  return async (name) => {
    const client = new SecretsManagerClient({ requestHandler: timeouts, maxAttempts: 3 });
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: config.secretArns[name] }));
    client.destroy();
    if (!SecretString) throw new Error(`The secret ${name} is empty`);
    return SecretString;
  };
};

/** Maximum number of messages in one call of SQS. */
const BATCH_SIZE = 10;

/** Sends messages to the event queue. The SQS client is created when the first message is sent. */
export const sendMessages = (config: Config): SendMessages => {
  const connect = (): SendMessages => {
    // The client calls the regional endpoint, or the endpoint that a local run sets in the environment. The queue's URL is not used as the
    // endpoint. The SDK reuses the middleware only for commands that are sent without options, so the commands below have no options.
    const sqs = new SQSClient({ requestHandler: timeouts, maxAttempts: 2, useQueueUrlAsEndpoint: false, cacheMiddleware: true });
    return async (messages, timeoutMs = Number.POSITIVE_INFINITY) => {
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
  };
  let sender: SendMessages | undefined;
  return async (messages, timeoutMs) => {
    const send = (sender ??= connect());
    await Promise.all([...chunks(messages, BATCH_SIZE)].map((batch) => send(batch, timeoutMs)));
  };
};
