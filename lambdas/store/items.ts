import {
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
  type QueryCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { Condition, Delete, Put, Update } from './action';
import { chunks } from './chunks';
import { decode, encode, type Attributes, type Item } from './codec';
import type { Key } from './keys';
import { backoff, retryLimit, retryTransient, StoreUnavailable, type Table } from './table';
import { readRows, type Readable } from './row';

/**
 * Reads and writes items of the table. Each call is safe to repeat. The functions repeat calls of DynamoDB after temporary errors (see
 * {@link retryTransient}), and throw {@link StoreUnavailable} when the time for retries has ended.
 */

/** Reads one item consistently; undefined if it does not exist. */
export async function getItem(table: Table, key: Key): Promise<Item | undefined> {
  const command = new GetItemCommand({ TableName: table.name, Key: encode(key), ConsistentRead: true });
  const { Item } = await retryTransient(table, () => table.client.send(command));
  return Item && decode(Item);
}

/** DynamoDB's maximum number of keys in one BatchGetItem call. */
export const BATCH_SIZE = 100;

/**
 * Reads items by their keys, in the order of the keys; undefined for a key without an item.
 *
 * @param ConsistentRead false: the read costs half as much, and may return an item that is about a second old
 */
export async function getItems(table: Table, keys: readonly Key[], ConsistentRead = true): Promise<(Item | undefined)[]> {
  const identity = (key: { pk: string; sk: string }): string => `${key.pk}\n${key.sk}`;
  const found = new Map<string, Item>();

  await Promise.all(
    [...chunks(keys, BATCH_SIZE)].map(async (batch) => {
      const retryUntil = retryLimit(table);
      let wanted: Attributes[] = batch.map(({ pk, sk }) => ({ pk: { S: pk }, sk: { S: sk } }));
      for (let attempt = 0; wanted.length > 0; attempt += 1) {
        if (attempt > 0) {
          if (table.realClock() >= retryUntil) throw new StoreUnavailable('BatchGetItem left keys unprocessed');
          await backoff(table, attempt, retryUntil);
        }
        const command = new BatchGetItemCommand({ RequestItems: { [table.name]: { Keys: wanted, ConsistentRead } } });
        const { Responses, UnprocessedKeys } = await retryTransient(table, () => table.client.send(command), retryUntil);
        for (const attributes of Responses?.[table.name] ?? []) {
          const item = decode(attributes);
          found.set(identity(item as Item & Key), item);
        }
        wanted = UnprocessedKeys?.[table.name]?.Keys ?? [];
      }
    }),
  );
  return keys.map((key) => found.get(identity(key)));
}

/** A query of the table or of one of its indexes. */
export type Query = Omit<QueryCommandInput, 'TableName' | 'ExclusiveStartKey' | 'ExpressionAttributeValues'> & {
  readonly ExpressionAttributeValues: Item;
};

/**
 * If a query limits its first page, the limit grows from page to page: the limit of each page is `GROWTH` times the limit of the previous
 * page. After a limit of more than `LARGE_PAGE` items, the following pages are not limited.
 */
const GROWTH = 4;
const LARGE_PAGE = 10_000;

/** A page of a query. */
export interface QueryPage {
  readonly items: readonly Item[];
  /** Number of rows that DynamoDB read for this page. With a `FilterExpression` the page may have fewer items. */
  readonly rowsRead: number;
  /** The key of the last row that was read; undefined if the query has ended. */
  readonly last: Item | undefined;
}

/**
 * The pages of a query. Each page is read when the caller needs it.
 *
 * @param first maximum number of rows that are read for the first page. A caller that often needs only a few items sets it. The following
 * pages grow up to `Limit`. If `first` is not set, all pages are as large as `Limit` permits.
 */
export async function* readPages(table: Table, { Limit: largest = Infinity, ...query }: Query, first = largest): AsyncGenerator<QueryPage> {
  const input = { ...query, TableName: table.name, ExpressionAttributeValues: encode(query.ExpressionAttributeValues) };
  let ExclusiveStartKey: Attributes | undefined;
  let size = Math.min(first, largest);
  do {
    const command = new QueryCommand({ ...input, ...(size < Infinity && { Limit: size }), ExclusiveStartKey });
    const { Items = [], ScannedCount = Items.length, LastEvaluatedKey } = await retryTransient(table, () => table.client.send(command));
    yield { items: Items.map(decode), rowsRead: ScannedCount, last: LastEvaluatedKey && decode(LastEvaluatedKey) };
    ExclusiveStartKey = LastEvaluatedKey;
    size = Math.min(size > LARGE_PAGE ? Infinity : GROWTH * size, largest);
  } while (ExclusiveStartKey);
}

/** The items of each page of a query (see {@link readPages}). */
export async function* queryPages(table: Table, query: Query, first?: number): AsyncGenerator<readonly Item[]> {
  for await (const { items } of readPages(table, query, first)) yield items;
}

/** All items of a query. */
export async function queryAll(table: Table, query: Query): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of queryPages(table, query)) items.push(...page);
  return items;
}

/** The query of all items of a partition of the table. */
export const wholePartition = (pk: string): Query => ({
  ConsistentRead: true,
  KeyConditionExpression: 'pk = :pk',
  ExpressionAttributeValues: { ':pk': pk },
});

/** The key of an item in the table, also of an item that was read from an index. */
export const keyOf = ({ pk, sk }: Item): Key => ({ pk: String(pk), sk: String(sk) });

/** Reads the items with the given keys, and decodes them. Missing items are left out; items that cannot be read are counted. */
export const readItems = async <Entity extends object>(
  table: Table,
  keys: readonly Key[],
  decode: (item: Item) => Entity,
): Promise<Readable<Entity>> => {
  const items = await getItems(table, keys);
  return readRows(
    items.filter((item) => item !== undefined),
    decode,
  );
};

/** Adds the table's name to a condition. If the condition is false, the error contains the item that makes it false. */
export const conditionOn = (
  table: Table,
  { ConditionExpression, ExpressionAttributeNames, ExpressionAttributeValues: values }: Condition,
): Pick<UpdateItemCommand['input'], 'TableName' | 'ConditionExpression' | 'ExpressionAttributeNames'> & {
  readonly ExpressionAttributeValues: Attributes | undefined;
  readonly ReturnValuesOnConditionCheckFailure: 'ALL_OLD';
} => ({
  TableName: table.name,
  ConditionExpression,
  ExpressionAttributeNames,
  ExpressionAttributeValues: values && encode(values),
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
});

/** The result of a conditional write. */
export interface Written {
  /** False if nothing was written, because the condition was false. */
  readonly isWritten: boolean;
  /** The attributes that an update returns, or the item that made the condition false. Undefined if there is no such item. */
  readonly item?: Item | undefined;
}

async function write(call: Promise<{ readonly Attributes?: Attributes | undefined }>): Promise<Written> {
  try {
    const { Attributes } = await call;
    return { isWritten: true, item: Attributes && decode(Attributes) };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return { isWritten: false, item: error.Item && decode(error.Item) };
  }
}

export function putItem(table: Table, put: Put): Promise<Written> {
  const command = new PutItemCommand({ ...conditionOn(table, put), Item: encode(put.Item) });
  return write(retryTransient(table, () => table.client.send(command)));
}

export function deleteItem(table: Table, remove: Delete): Promise<Written> {
  const command = new DeleteItemCommand({ ...conditionOn(table, remove), Key: encode(remove.Key) });
  return write(retryTransient(table, () => table.client.send(command)));
}

/** @param returns the attributes that the result contains */
export function updateItem(table: Table, update: Update, returns: 'ALL_NEW' | 'UPDATED_NEW' | 'NONE' = 'NONE'): Promise<Written> {
  const { Key, UpdateExpression } = update;
  const command = new UpdateItemCommand({ ...conditionOn(table, update), Key: encode(Key), UpdateExpression, ReturnValues: returns });
  return write(retryTransient(table, () => table.client.send(command)));
}

/** The next id of an entity. Ids increase. If the creation of an entity fails, its id is not used again. */
export async function nextId(table: Table, key: Key): Promise<number> {
  const update = { Key: key, UpdateExpression: 'ADD last_id :one', ExpressionAttributeValues: { ':one': 1 } };
  const { item } = await updateItem(table, update, 'UPDATED_NEW');
  return item?.['last_id'] as number;
}
