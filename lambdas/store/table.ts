import { BatchGetItemCommand, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { unmarshall, type NativeAttributeValue } from '@aws-sdk/util-dynamodb';
import { GetCommand, QueryCommand, UpdateCommand, type DynamoDBDocumentClient, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Key } from './keys';

/** The table and what the store needs beside it; clock, randomness and waiting are the caller's. */
export interface Table {
  readonly client: DynamoDBDocumentClient;
  readonly name: string;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly random: (bytes: number) => Uint8Array;
  readonly sleep: (ms: number) => Promise<void>;
}

export type Item = Record<string, NativeAttributeValue>;

/** The table could not be reached or was too busy for as long as we may wait; nothing was changed, or it is not known. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/** How long an operation may go on retrying, in ms; past it the answer is 503. */
export const RETRY_BUDGET_MS = 5000;

/** Full-jitter exponential backoff: up to 10 ms, doubled with each try, at most 320 ms. */
export function backoff(table: Table, attempt: number): Promise<void> {
  const ceiling = 10 * 2 ** Math.min(attempt, 5);
  const [a = 0, b = 0] = table.random(2);
  return table.sleep(((a * 256 + b) / 65_536) * ceiling);
}

/** Names and codes of errors, and codes of cancellations, that say nothing about the data. */
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
]);

/** True for a fault that may pass when the same call is made again. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof TransactionCanceledException) {
    return (error.CancellationReasons ?? []).some(({ Code = '' }) => TRANSIENT.has(Code));
  }
  const { code = '', $metadata } = error as { code?: string; $metadata?: { httpStatusCode?: number } };
  return TRANSIENT.has(error.name) || TRANSIENT.has(code) || ($metadata?.httpStatusCode ?? 0) >= 500;
}

/**
 * Makes a call that is safe to make again, and again as long as only transient faults meet it, with jitter,
 * until `deadline` (epoch ms).
 *
 * @throws StoreUnavailable when the deadline passes
 */
export async function retryTransient<Result>(
  table: Table,
  call: () => Promise<Result>,
  deadline: number = table.clock() + RETRY_BUDGET_MS,
): Promise<Result> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (!isTransient(error)) throw error;
      if (table.clock() >= deadline) throw new StoreUnavailable('The table met us with nothing but faults', { cause: error });
      await backoff(table, attempt);
    }
  }
}

/** One item, read consistently. */
export async function getItem(table: Table, key: Key): Promise<Item | undefined> {
  const command = new GetCommand({ TableName: table.name, Key: key, ConsistentRead: true });
  const { Item } = await retryTransient(table, () => table.client.send(command));
  return Item;
}

/** DynamoDB's limit for one BatchGetItem. */
export const BATCH_SIZE = 100;

/**
 * Items by their keys, each read consistently, in the order of the keys; undefined where there is none.
 *
 * Every validation rests on it: so it talks to the table without the document client's translation, a tenth of
 * the processor time of a request.
 */
export async function getItems(table: Table, keys: readonly Key[]): Promise<(Item | undefined)[]> {
  const identity = (key: { pk: string; sk: string }): string => `${key.pk}\n${key.sk}`;
  const found = new Map<string, Item>();
  const batches: Key[][] = [];
  for (let start = 0; start < keys.length; start += BATCH_SIZE) batches.push(keys.slice(start, start + BATCH_SIZE));

  await Promise.all(
    batches.map(async (batch) => {
      const deadline = table.clock() + RETRY_BUDGET_MS;
      let wanted: Key[] = batch;
      for (let attempt = 0; wanted.length > 0; attempt += 1) {
        if (attempt > 0) {
          if (table.clock() >= deadline) throw new StoreUnavailable('BatchGetItem left keys unprocessed');
          await backoff(table, attempt);
        }
        const Keys = wanted.map(({ pk, sk }) => ({ pk: { S: pk }, sk: { S: sk } }));
        const command = new BatchGetItemCommand({ RequestItems: { [table.name]: { Keys, ConsistentRead: true } } });
        const { Responses, UnprocessedKeys } = await retryTransient(table, () => table.client.send(command), deadline);
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

/** The pages of a query, lazily. */
export async function* queryPages(table: Table, input: Omit<QueryCommandInput, 'TableName'>): AsyncGenerator<Item[]> {
  let ExclusiveStartKey: Item | undefined;
  do {
    const command = new QueryCommand({ ...input, TableName: table.name, ExclusiveStartKey });
    const page = await retryTransient(table, () => table.client.send(command));
    yield page.Items ?? [];
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
}

/** The next id of an entity. Ids rise; one that a failed creation drew is not used again. */
export async function nextId(table: Table, key: Key): Promise<number> {
  const command = new UpdateCommand({
    TableName: table.name,
    Key: key,
    UpdateExpression: 'ADD last_id :one',
    ExpressionAttributeValues: { ':one': 1 },
    ReturnValues: 'UPDATED_NEW',
  });
  const { Attributes } = await retryTransient(table, () => table.client.send(command));
  return Attributes?.['last_id'] as number;
}
