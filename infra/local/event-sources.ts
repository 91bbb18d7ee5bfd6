import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import { callAws, REGION } from './aws';
import { messageOf } from './errors';
import { FairBatches } from './fair-batches';
import { isAllowed } from '../../test/support/policy';
import { functionFinder, type Functions } from './lambda';
import { functionStatements, type Statements } from './roles';
import { sqsTarget } from './sqs';
import { TemplateError, type Template } from './template';

/** Maximum seconds that a poll waits for messages. */
const LONG_POLL = 20;
/** Maximum number of messages that one call to SQS receives. */
const RECEIVE_LIMIT = 10;
/** Maximum number of simultaneous batches of one mapping. Without this limit, batches that hang could use the whole computer. */
const MAX_BATCHES = 8;
/**
 * Maximum number of received messages that wait for a batch. The poller stops receiving at this number, and continues when fewer messages
 * wait.
 */
const MAX_WAITING = 20_000;
/** Milliseconds until a failed poll of a queue is repeated. */
const RETRY_AFTER = 1000;
/** The permissions that a function's role needs, so that Lambda can poll a queue for it. */
const POLLING = ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'];

const mappingProperties = z.object({
  EventSourceArn: z.string().check(z.regex(/:sqs:/, { error: 'only SQS event sources run locally' })),
  FunctionName: z.string(),
  BatchSize: z._default(z.coerce.number(), 10),
  MaximumBatchingWindowInSeconds: z._default(z.coerce.number(), 0),
  FunctionResponseTypes: z._default(z.array(z.string()), []),
  ScalingConfig: z.optional(z.object({ MaximumConcurrency: z.optional(z.coerce.number()) })),
  Enabled: z._default(z.boolean(), true),
  FilterCriteria: z.optional(z.undefined({ error: 'filters do not run locally' })),
});
type Mapping = z.infer<typeof mappingProperties>;
const queueProperties = z.object({ VisibilityTimeout: z._default(z.coerce.number(), 30) });

interface Message {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
  readonly MD5OfBody: string;
  readonly Attributes: SQSRecord['attributes'] & { readonly MessageGroupId?: string };
  readonly MessageAttributes?: Record<string, { StringValue?: string; BinaryValue?: string; DataType: 'String' | 'Number' | 'Binary' }>;
}

export interface EventSources {
  /** Stops polling and waits for batches in progress. */
  stop(): Promise<void>;
}

export interface EventSourceOptions {
  readonly functions: Functions;
  readonly endpoint: string;
  /** The URLs of the queues, by the logical ids of the queues. */
  readonly queueUrls: Readonly<Record<string, string>>;
  /** The result of {@link functionStatements}, by default computed from the template. */
  readonly statements?: Statements;
  readonly log: (text: string) => void;
}

interface Source {
  readonly id: string;
  readonly mapping: Mapping;
  readonly functionId: string;
  /** Maximum number of simultaneous batches; 0 if the mapping is disabled. */
  readonly slots: number;
}

/** Reads the template's event source mappings. Functions must be defined first. */
function readSources(template: Template): Source[] {
  const functionOf = functionFinder(template);
  return template.resources('AWS::Lambda::EventSourceMapping').map((resource) => {
    const mapping = template.read(resource, mappingProperties);
    const functionId = functionOf(resource, mapping.FunctionName);
    const slots = mapping.Enabled ? Math.min(mapping.ScalingConfig?.MaximumConcurrency ?? MAX_BATCHES, MAX_BATCHES) : 0;
    return { id: resource.id, mapping, functionId, slots };
  });
}

/** The maximum number of simultaneous batches of each function, by the function's logical id. */
export function concurrency(template: Template): ReadonlyMap<string, number> {
  const batches = new Map<string, number>();
  for (const { functionId, slots } of readSources(template)) batches.set(functionId, (batches.get(functionId) ?? 0) + slots);
  return batches;
}

/** Polls the queues of the template's event source mappings and invokes their functions. */
export function start(template: Template, options: EventSourceOptions): EventSources {
  const queues = new Map(
    template
      .resources('AWS::SQS::Queue')
      .map((resource) => [
        String(template.resolve({ 'Fn::GetAtt': [resource.id, 'Arn'] }, resource.id)),
        { url: options.queueUrls[resource.id]!, visibility: template.read(resource, queueProperties).VisibilityTimeout },
      ]),
  );
  const { statements = functionStatements(template) } = options;
  const pollers = readSources(template).flatMap(({ id, mapping, functionId, slots }) => {
    const queue = queues.get(mapping.EventSourceArn);
    if (queue === undefined)
      throw new TemplateError(
        `${id} (AWS::Lambda::EventSourceMapping) polls ${mapping.EventSourceArn}, which is not a queue of the template.`,
      );
    const lacking = POLLING.find(
      (action) => !isAllowed(statements.get(functionId) ?? [], { action: `sqs:${action}`, resource: mapping.EventSourceArn, context: {} }),
    );
    if (lacking !== undefined)
      throw new TemplateError(
        `${id} (AWS::Lambda::EventSourceMapping) cannot poll: the role of ${functionId} does not allow sqs:${lacking} on ${mapping.EventSourceArn}.`,
      );
    return slots > 0 ? [new Poller({ ...options, mapping, functionId, slots, queue })] : [];
  });
  return { stop: async () => void (await Promise.all(pollers.map((poller) => poller.stop()))) };
}

interface PollerOptions extends EventSourceOptions {
  readonly mapping: Mapping;
  readonly functionId: string;
  readonly slots: number;
  readonly queue: { readonly url: string; readonly visibility: number };
}

/**
 * Polls the queue of one mapping and distributes messages fairly by `MessageGroupId`. On AWS, a product whose webhook hangs does not delay
 * other products: SQS delays only the messages of this product, and Lambda starts more instances for the others. The local SQS and the
 * local Lambda do neither, so this class distributes the batches fairly.
 */
class Poller {
  private readonly waiting: FairBatches<Message>;
  private readonly stopping = new AbortController();
  private readonly receiving: Promise<void>;
  private readonly underWay = new Set<Promise<void>>();
  private readonly renewal: NodeJS.Timeout;
  private wake: (() => void) | undefined;
  /** Each poll has its own abort signal, because a shared signal would accumulate one listener for every poll. */
  private poll = new AbortController();

  constructor(private readonly options: PollerOptions) {
    const { mapping, slots, queue } = options;
    const windowMs = mapping.MaximumBatchingWindowInSeconds * 1000;
    this.waiting = new FairBatches({
      groupOf: ({ Attributes }) => Attributes.MessageGroupId,
      batchSize: mapping.BatchSize,
      slots,
      windowMs,
    });
    this.receiving = this.receive(windowMs);
    this.renewal = setInterval(() => void this.renew().catch(this.report), (queue.visibility * 1000) / 3);
  }

  async stop(): Promise<void> {
    clearInterval(this.renewal);
    this.stopping.abort();
    this.poll.abort();
    this.wake?.();
    await this.receiving;
    await Promise.all(this.underWay);
  }

  private readonly report = (error: unknown): void => {
    if (!this.stopping.signal.aborted) this.options.log(`ERROR Polling ${this.options.queue.url}: ${messageOf(error)}\n`);
  };

  private call<Output>(action: string, input: object, signal?: AbortSignal): Promise<Output> {
    return callAws<Output>(this.options.endpoint, sqsTarget(action), { QueueUrl: this.options.queue.url, ...input }, { signal });
  }

  private async receive(windowMs: number): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        const { Messages = [] } = await this.call<{ Messages?: Message[] }>(
          'ReceiveMessage',
          {
            MaxNumberOfMessages: RECEIVE_LIMIT,
            WaitTimeSeconds: LONG_POLL,
            MessageSystemAttributeNames: ['All'],
            MessageAttributeNames: ['All'],
          },
          (this.poll = new AbortController()).signal,
        );
        for (const message of Messages) this.waiting.add(message, performance.now());
        this.dispatch();
        if (Messages.length > 0 && windowMs > 0) setTimeout(() => this.dispatch(), windowMs + 1).unref();
        while (this.waiting.size >= MAX_WAITING && !signal.aborted) await new Promise<void>((resolve) => (this.wake = resolve));
      } catch (error) {
        if (signal.aborted) return;
        this.report(error);
        await sleep(RETRY_AFTER, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Starts all batches that are due and have a free slot. */
  private dispatch(): void {
    while (!this.stopping.signal.aborted) {
      const batch = this.waiting.take(performance.now());
      if (!batch) return;
      const handled = this.handle(batch.messages)
        .catch(this.report)
        .then(() => {
          this.underWay.delete(handled);
          this.waiting.done(batch);
          this.wake?.();
          this.dispatch();
        });
      this.underWay.add(handled);
    }
  }

  private async handle(messages: readonly Message[]): Promise<void> {
    const { functions, functionId, mapping, log } = this.options;
    const outcome = await functions.invoke(functionId, sqsEvent(messages, mapping.EventSourceArn));
    if ('error' in outcome)
      return log(`WARN ${mapping.FunctionName} failed for a batch of ${messages.length}: ${outcome.error.errorMessage}\n`);
    const failed = mapping.FunctionResponseTypes.includes('ReportBatchItemFailures')
      ? failedIds(outcome.payload, messages)
      : new Set<string>();
    const handled = messages.filter(({ MessageId }) => !failed.has(MessageId));
    await inTens(handled, (Entries) => this.call('DeleteMessageBatch', { Entries }));
  }

  /** Extends the visibility timeout of waiting messages, so that SQS does not deliver them again. */
  private async renew(): Promise<void> {
    const { visibility } = this.options.queue;
    await inTens([...this.waiting.waiting()], (Entries) =>
      this.call('ChangeMessageVisibilityBatch', { Entries: Entries.map((entry) => ({ ...entry, VisibilityTimeout: visibility })) }),
    );
  }
}

/** Makes one call per ten messages, the maximum of an SQS batch. */
async function inTens(
  messages: readonly Message[],
  call: (entries: { Id: string; ReceiptHandle: string }[]) => Promise<unknown>,
): Promise<void> {
  for (let i = 0; i < messages.length; i += RECEIVE_LIMIT) {
    await call(messages.slice(i, i + RECEIVE_LIMIT).map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle })));
  }
}

const batchResponse = z.nullable(
  z.object({ batchItemFailures: z.nullish(z.array(z.object({ itemIdentifier: z.string().check(z.minLength(1)) }))) }),
);

/** The ids of the messages that a function reports as failed. If the report is invalid, all messages count as failed, as on AWS. */
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
