import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { callAws, REGION } from './aws';
import { messageOf } from './errors';
import { credentialsOf, type Functions } from './lambda';
import { sqsTarget } from './sqs';
import { TemplateError, type Template } from './template';

/** Seconds that one poll waits for messages. */
const LONG_POLL = 20;
/** Most messages that SQS gives at a time. */
const RECEIVE_LIMIT = 10;
/** Pollers of a mapping at the most, as on AWS to begin with: one machine gains nothing from more. */
const MAX_POLLERS = 5;
/** Milliseconds until a failed poll is tried again. */
const RETRY_AFTER = 1000;

const mappingProperties = z.object({
  EventSourceArn: z.string().regex(/:sqs:/, { error: 'only SQS event sources run locally' }),
  FunctionName: z.string(),
  BatchSize: z.coerce.number().default(10),
  MaximumBatchingWindowInSeconds: z.coerce.number().default(0),
  FunctionResponseTypes: z.array(z.string()).default([]),
  ScalingConfig: z.object({ MaximumConcurrency: z.coerce.number().optional() }).optional(),
  Enabled: z.boolean().default(true),
  FilterCriteria: z.undefined({ error: 'filters do not run locally' }).optional(),
});
type Mapping = z.infer<typeof mappingProperties>;

interface Message {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
  readonly MD5OfBody: string;
  readonly Attributes: SQSRecord['attributes'];
  readonly MessageAttributes?: Record<string, { StringValue?: string; BinaryValue?: string; DataType: 'String' | 'Number' | 'Binary' }>;
}

export interface EventSources {
  /** Stops polling and waits for batches under way. */
  stop(): Promise<void>;
}

export interface EventSourceOptions {
  readonly functions: Functions;
  /** Where Lambda's pollers find SQS, with the credentials of the function's role. */
  readonly endpoint: string;
  /** Queue URLs by logical id. */
  readonly queueUrls: Readonly<Record<string, string>>;
  readonly log: (text: string) => void;
}

/** Polls the queues of the template's event source mappings and invokes their functions. */
export function start(template: Template, { functions, queueUrls, endpoint, log }: EventSourceOptions): EventSources {
  const stopping = new AbortController();
  const calls = new Set<AbortController>();
  const urlOf = new Map(template.resources('AWS::SQS::Queue').map(({ id }) => [String(template.resolve({ 'Fn::GetAtt': [id, 'Arn'] }, id)), queueUrls[id]!]));
  const functionIds = new Map(
    template.resources('AWS::Lambda::Function').flatMap(({ id }) => [
      [String(template.resolve({ Ref: id }, id)), id],
      [String(template.resolve({ 'Fn::GetAtt': [id, 'Arn'] }, id)), id],
    ]),
  );
  const pollers = template.resources('AWS::Lambda::EventSourceMapping').flatMap((resource) => {
    const mapping = template.read(resource, mappingProperties);
    const queueUrl = urlOf.get(mapping.EventSourceArn);
    if (queueUrl === undefined) throw new TemplateError(`${resource.id} (${resource.Type}) polls ${mapping.EventSourceArn}, which is no queue of the template.`);
    const functionId = functionIds.get(mapping.FunctionName);
    if (functionId === undefined) throw new TemplateError(`${resource.id} (${resource.Type}) invokes ${mapping.FunctionName}, which is no function of the template.`);
    const poller = { mapping, functionId, sqs: { endpoint, accessKeyId: credentialsOf(functionId).AWS_ACCESS_KEY_ID }, queueUrl, functions, log, signal: stopping.signal, calls };
    const count = mapping.Enabled ? Math.min(mapping.ScalingConfig?.MaximumConcurrency ?? MAX_POLLERS, MAX_POLLERS) : 0;
    return Array.from({ length: count }, () => poll(poller));
  });
  return {
    stop: async () => {
      stopping.abort();
      for (const call of calls) call.abort();
      await Promise.all(pollers);
    },
  };
}

interface Poller {
  readonly mapping: Mapping;
  readonly functionId: string;
  readonly sqs: { readonly endpoint: string; readonly accessKeyId: string };
  readonly queueUrl: string;
  readonly functions: Functions;
  readonly log: (text: string) => void;
  readonly signal: AbortSignal;
  /** The polls under way, of all pollers. */
  readonly calls: Set<AbortController>;
}

async function poll(poller: Poller): Promise<void> {
  while (!poller.signal.aborted) {
    try {
      const messages = await gather(poller);
      if (messages.length > 0) await handle(poller, messages);
    } catch (error) {
      if (poller.signal.aborted) return;
      poller.log(`ERROR Polling ${poller.queueUrl}: ${messageOf(error)}\n`);
      await sleep(RETRY_AFTER, undefined, { signal: poller.signal }).catch(() => undefined);
    }
  }
}

/** Receives until the batch is full or its window has passed since the first message. */
async function gather({ mapping, sqs, queueUrl, signal, calls }: Poller): Promise<Message[]> {
  const receive = async (limit: number, seconds: number): Promise<readonly Message[]> => {
    // A signal of its own: fetch leaves a listener on each that it is given, until garbage is collected.
    const call = new AbortController();
    calls.add(call);
    const { Messages = [] } = await callAws<{ Messages?: Message[] }>(
      sqs.endpoint,
      sqsTarget('ReceiveMessage'),
      {
        QueueUrl: queueUrl,
        MaxNumberOfMessages: Math.min(limit, RECEIVE_LIMIT),
        WaitTimeSeconds: seconds,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      },
      { signal: call.signal, accessKeyId: sqs.accessKeyId },
    ).finally(() => calls.delete(call));
    return Messages;
  };
  const batch = [...(await receive(mapping.BatchSize, LONG_POLL))];
  if (batch.length === 0) return batch;
  const windowEnd = Date.now() + mapping.MaximumBatchingWindowInSeconds * 1000;
  while (batch.length < mapping.BatchSize && !signal.aborted) {
    const left = Math.ceil((windowEnd - Date.now()) / 1000);
    if (left <= 0) break;
    batch.push(...(await receive(mapping.BatchSize - batch.length, Math.min(left, LONG_POLL))));
  }
  return batch;
}

async function handle({ mapping, functionId, sqs, queueUrl, functions, log }: Poller, messages: readonly Message[]): Promise<void> {
  const outcome = await functions.invoke(functionId, sqsEvent(messages, mapping.EventSourceArn));
  if ('error' in outcome) return log(`WARN ${mapping.FunctionName} failed for a batch of ${messages.length}: ${outcome.error.errorMessage}\n`);
  const failed = mapping.FunctionResponseTypes.includes('ReportBatchItemFailures') ? failedIds(outcome.payload, messages) : new Set<string>();
  const Entries = messages
    .filter(({ MessageId }) => !failed.has(MessageId))
    .map(({ ReceiptHandle }, i) => ({ Id: String(i), ReceiptHandle }));
  for (let i = 0; i < Entries.length; i += RECEIVE_LIMIT) {
    await callAws(
      sqs.endpoint,
      sqsTarget('DeleteMessageBatch'),
      { QueueUrl: queueUrl, Entries: Entries.slice(i, i + RECEIVE_LIMIT) },
      { accessKeyId: sqs.accessKeyId },
    );
  }
}

const batchResponse = z.object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string().min(1) })).nullish() }).nullable();

/** The messages that a function reports as failed: all of them where the report makes no sense, as on AWS. */
function failedIds(payload: string, messages: readonly Message[]): Set<string> {
  const ids = new Set(messages.map(({ MessageId }) => MessageId));
  const parsed = batchResponse.safeParse(JSON.parse(payload));
  if (!parsed.success) return ids;
  const failed = (parsed.data?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier);
  return failed.every((id) => ids.has(id)) ? new Set(failed) : ids;
}

const sqsEvent = (messages: readonly Message[], eventSourceARN: string): SQSEvent => ({
  Records: messages.map((message) => ({
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: message.Attributes,
    messageAttributes: Object.fromEntries(
      Object.entries(message.MessageAttributes ?? {}).map(([name, { StringValue, BinaryValue, DataType }]) => [
        name,
        { stringValue: StringValue, binaryValue: BinaryValue, stringListValues: [], binaryListValues: [], dataType: DataType },
      ]),
    ),
    md5OfBody: message.MD5OfBody,
    eventSource: 'aws:sqs',
    eventSourceARN,
    awsRegion: REGION,
  })),
});
