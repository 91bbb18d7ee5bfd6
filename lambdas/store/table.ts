import { BatchGetItemCommand, ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { unmarshall, type NativeAttributeValue } from '@aws-sdk/util-dynamodb';
import { GetCommand, QueryCommand, UpdateCommand, type DynamoDBDocumentClient, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import type { AuditTrail } from './audit-trail';
import type { Key } from './keys';
import type { InTurn } from './turns';
import { chunks } from './chunks';

/** The time limits of a request for its calls to the table, in epoch ms. */
export interface TimeLimits {
  /** After this time no call is retried. All calls of a request share this retry budget. */
  readonly retryUntil: number;
  /** Every call ends before this time, so that the response is sent before the function times out. */
  readonly deadline: number;
}

/** The table and the services that the store needs to use it. The caller provides the clock, the randomness and the function that waits. */
export interface Table {
  readonly client: DynamoDBDocumentClient;
  readonly name: string;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly random: (bytes: number) => Uint8Array;
  readonly sleep: (ms: number) => Promise<void>;
  /** Maximum time of one call, in ms. A call that takes longer is repeated. A function uses {@link CALL_LIMIT_MS}. */
  readonly callLimitMs: number;
  /** Serializes the changes of a license: they run one after another. */
  readonly inTurn: InTurn;
  /** The limits of the request that uses the table. Without limits, each operation has its own retry budget. */
  readonly limits?: TimeLimits;
  /** The audit entry that the request's first transaction writes, if the request is an admin write. */
  readonly audit?: AuditTrail;
}

export type Item = Record<string, NativeAttributeValue>;

/** The table could not be reached or was too busy until the retry budget ended. The last call may or may not have changed data. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/** Maximum time for which a request may keep retrying, in ms. After this time the response is 503. */
export const RETRY_BUDGET_MS = 5000;

/** Maximum time of a call in a function, in ms. It is short enough for another try within the request. */
export const CALL_LIMIT_MS = 3000;

/** The time at which an operation that starts now must stop retrying, in epoch ms. */
export const retryLimit = ({ limits, clock }: Pick<Table, 'limits' | 'clock'>): number => limits?.retryUntil ?? clock() + RETRY_BUDGET_MS;

/** Waits for a random time (full-jitter exponential backoff): up to 10 ms, doubled with each attempt, at most 320 ms. */
export function backoff(table: Table, attempt: number): Promise<void> {
  const ceiling = 10 * 2 ** Math.min(attempt, 5);
  const [a = 0, b = 0] = table.random(2);
  return table.sleep(((a * 256 + b) / 65_536) * ceiling);
}

/** Names and codes of errors, and reasons of cancelled transactions, that do not depend on the data. */
const TRANSIENT = new Set([
  'TransactionConflict',
  'TransactionConflictException',
  'TransactionInProgressException',
  'ThrottlingError',
  'ThrottlingException',
  'ProvisionedThroughputExceeded',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'TimeoutError',
  'RequestTimeout',
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  // The name of an AWS endpoint cannot be resolved while the resolver is busy or restarting.
  'EAI_AGAIN',
  'ENOTFOUND',
]);

/** Whether an error is temporary, so that the same call can be repeated. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof TransactionCanceledException) {
    return (error.CancellationReasons ?? []).some(({ Code = '' }) => TRANSIENT.has(Code));
  }
  const { code = '', $metadata } = error as { code?: string; $metadata?: { httpStatusCode?: number } };
  return TRANSIENT.has(error.name) || TRANSIENT.has(code) || ($metadata?.httpStatusCode ?? 0) >= 500;
}

/** The options of a call that the client receives. */
interface CallOptions {
  /** Aborts the call when its time is up. */
  readonly abortSignal?: AbortSignal;
}

/** Makes a call that ends within `ms`, even if the client does not notice that the call hangs. */
async function callWithin<Result>(ms: number, call: (options: CallOptions) => Promise<Result>): Promise<Result> {
  if (ms === Number.POSITIVE_INFINITY) return call({});
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(Object.assign(new Error(`The table did not respond within ${ms} ms`), { name: 'TimeoutError' }));
      abort.abort();
    }, ms);
  });
  try {
    return await Promise.race([call({ abortSignal: abort.signal }), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Makes a call that is safe to repeat, and repeats it after temporary errors, with random waits, until `retryUntil` (epoch ms). No call
 * takes longer than `callLimitMs` or than the request's deadline allows.
 *
 * @throws StoreUnavailable if the request may not retry any more
 */
export async function retryTransient<Result>(
  table: Table,
  call: (options: CallOptions) => Promise<Result>,
  retryUntil: number = retryLimit(table),
): Promise<Result> {
  const deadline = table.limits?.deadline ?? Number.POSITIVE_INFINITY;
  for (let attempt = 0; ; attempt += 1) {
    const left = deadline - table.clock();
    if (left <= 0) throw new StoreUnavailable('The time of the request is up');
    try {
      return await callWithin(Math.min(table.callLimitMs, left), call);
    } catch (error) {
      if (!isTransient(error)) throw error;
      if (table.clock() >= Math.min(retryUntil, deadline)) throw new StoreUnavailable('Every call of the table failed', { cause: error });
      await backoff(table, attempt);
    }
  }
}

/** Whether a conditional write was executed: false if its condition failed. */
export async function conditionHeld(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return false;
  }
}

/** Reads one item consistently; undefined if it does not exist. */
export async function getItem(table: Table, key: Key): Promise<Item | undefined> {
  const command = new GetCommand({ TableName: table.name, Key: key, ConsistentRead: true });
  const { Item } = await retryTransient(table, (options) => table.client.send(command, options));
  return Item;
}

/** DynamoDB's maximum number of keys in one BatchGetItem call. */
export const BATCH_SIZE = 100;

/**
 * Reads items by their keys, each consistently, in the order of the keys; undefined for a key without an item. Every validation uses this
 * function. It therefore does not use the document client, whose translation takes a tenth of a request's processor time.
 */
export async function getItems(table: Table, keys: readonly Key[]): Promise<(Item | undefined)[]> {
  const identity = (key: { pk: string; sk: string }): string => `${key.pk}\n${key.sk}`;
  const found = new Map<string, Item>();

  await Promise.all(
    [...chunks(keys, BATCH_SIZE)].map(async (batch) => {
      const retryUntil = retryLimit(table);
      let wanted = batch;
      for (let attempt = 0; wanted.length > 0; attempt += 1) {
        if (attempt > 0) {
          if (table.clock() >= retryUntil) throw new StoreUnavailable('BatchGetItem left keys unprocessed');
          await backoff(table, attempt);
        }
        const Keys = wanted.map(({ pk, sk }) => ({ pk: { S: pk }, sk: { S: sk } }));
        const command = new BatchGetItemCommand({ RequestItems: { [table.name]: { Keys, ConsistentRead: true } } });
        const { Responses, UnprocessedKeys } = await retryTransient(table, (options) => table.client.send(command, options), retryUntil);
        for (const attributes of Responses?.[table.name] ?? []) {
          const item = unmarshall(attributes);
          found.set(identity(item as Item & Key), item);
        }
        wanted = (UnprocessedKeys?.[table.name]?.Keys ?? []).map((key) => unmarshall(key) as Key);
      }
    }),
  );
  return keys.map((key) => found.get(identity(key)));
}

/** The pages of a query. Each page is read when the caller needs it. */
export async function* queryPages(table: Table, input: Omit<QueryCommandInput, 'TableName'>): AsyncGenerator<Item[]> {
  let ExclusiveStartKey: Item | undefined;
  do {
    const command = new QueryCommand({ ...input, TableName: table.name, ExclusiveStartKey });
    const page = await retryTransient(table, (options) => table.client.send(command, options));
    yield page.Items ?? [];
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
}

/** The next id of an entity. Ids increase. The id of a failed creation is not used again. */
export async function nextId(table: Table, key: Key): Promise<number> {
  const command = new UpdateCommand({
    TableName: table.name,
    Key: key,
    UpdateExpression: 'ADD last_id :one',
    ExpressionAttributeValues: { ':one': 1 },
    ReturnValues: 'UPDATED_NEW',
  });
  const { Attributes } = await retryTransient(table, (options) => table.client.send(command, options));
  return Attributes?.['last_id'] as number;
}
