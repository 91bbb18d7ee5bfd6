import type { FetchSecret } from './secrets';
import type { Config } from './config';

/** The AWS clients of a function beside the table's. Region, credentials and endpoints come from the Lambda runtime's environment. */

/** Longest wait for a connection and for an answer, in ms: a call that hangs is tried again within the request. */
const timeouts = { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true };

/** Reads secrets. The client is loaded when the first secret is needed: many requests never need it. */
export const secretsManager = (config: Config): FetchSecret => {
  return async (name) => {
    const { GetSecretValueCommand, SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager');
    const client = new SecretsManagerClient({ requestHandler: timeouts, maxAttempts: 3 });
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: config.secretArns[name] }));
    client.destroy();
    if (!SecretString) throw new Error(`The secret ${name} is empty`);
    return SecretString;
  };
};

/** Puts a message into the event queue. The client is loaded with the first message. */
type SendMessage = (body: string, delaySeconds: number, timeoutMs?: number) => Promise<unknown>;
export const eventQueue = (config: Config): ((body: string, delaySeconds: number, timeoutMs?: number) => Promise<void>) => {
  let client: Promise<SendMessage> | undefined;
  const connect = async (): Promise<SendMessage> => {
    const { SendMessageCommand, SQSClient } = await import('@aws-sdk/client-sqs');
    // The regional endpoint, which is also what a local run sets; the URL only names the queue.
    // Nobody changes its middleware: resolved anew for every message it takes a tenth of an activation's processor time.
    const sqs = new SQSClient({ requestHandler: timeouts, maxAttempts: 2, useQueueUrlAsEndpoint: false, cacheMiddleware: true });
    return (MessageBody, DelaySeconds, timeoutMs) =>
      sqs.send(new SendMessageCommand({ QueueUrl: config.eventQueueUrl, MessageBody, DelaySeconds }), timeoutMs === undefined ? {} : { abortSignal: AbortSignal.timeout(timeoutMs) });
  };
  return async (body, delaySeconds, timeoutMs) => {
    client ??= connect();
    await (await client)(body, delaySeconds, timeoutMs);
  };
};
