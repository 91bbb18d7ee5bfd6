import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import * as z from 'zod/mini';
import { ACCOUNT, arn, callAws, REGION, RUN_TOKEN } from './aws';
import { loopbackAddress } from './door';
import type { Resource, Template } from './template';

/** A running SQS endpoint. Its messages are kept in memory. */
export interface Queues {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** Starts the SQS emulator for this run. */
export async function start(): Promise<Queues> {
  const worker = new Worker(join(__dirname, 'sqs-worker.mjs'), {
    workerData: { region: REGION, host: loopbackAddress(), token: RUN_TOKEN },
    execArgv: [],
    env: {},
  });
  // The promise of `once` rejects if the worker fails before it sends its first message.
  const [endpoint] = (await once(worker, 'message')) as [string];
  return {
    endpoint,
    stop: async () => {
      await worker.terminate();
    },
  };
}

/** The properties of a queue in the template that are passed to SQS as queue attributes with the same names. */
const attributes = {
  VisibilityTimeout: z.optional(z.coerce.string()),
  DelaySeconds: z.optional(z.coerce.string()),
  MessageRetentionPeriod: z.optional(z.coerce.string()),
  MaximumMessageSize: z.optional(z.coerce.string()),
  ReceiveMessageWaitTimeSeconds: z.optional(z.coerce.string()),
  FifoQueue: z.optional(z.coerce.string()),
  ContentBasedDeduplication: z.optional(z.coerce.string()),
};
const queueProperties = z.object(attributes);
const redrive = z.object({
  RedrivePolicy: z.optional(z.object({ deadLetterTargetArn: z.string(), maxReceiveCount: z.coerce.string() })),
});

export const sqsTarget = (action: string): string => `AmazonSQS.${action}`;

/**
 * Creates the template's queues.
 *
 * @returns queue URLs by logical id
 */
export async function createQueues(template: Template, { endpoint }: Queues): Promise<Record<string, string>> {
  const resources = template.resources('AWS::SQS::Queue');
  const urls: Record<string, string> = {};
  for (const resource of resources) {
    const name = queueName(template, resource);
    urls[resource.id] = `${endpoint}/${ACCOUNT}/${name}`;
    template.define(resource.id, { Ref: urls[resource.id]!, Arn: arn('sqs', name), QueueName: name });
    await callAws(endpoint, sqsTarget('CreateQueue'), { QueueName: name, Attributes: template.read(resource, queueProperties) });
  }
  // Redrive policies are set last, because each of them refers to another queue, which must exist.
  for (const resource of resources) {
    const { RedrivePolicy } = template.read(resource, redrive);
    if (!RedrivePolicy) continue;
    await callAws(endpoint, sqsTarget('SetQueueAttributes'), {
      QueueUrl: urls[resource.id],
      Attributes: { RedrivePolicy: JSON.stringify(RedrivePolicy) },
    });
  }
  return urls;
}

function queueName(template: Template, resource: Resource): string {
  const { QueueName, FifoQueue } = template.read(
    resource,
    z.object({ QueueName: z.optional(z.string()), FifoQueue: z.optional(z.boolean()) }),
  );
  return QueueName ?? (FifoQueue ? `${resource.id}.fifo` : resource.id);
}
