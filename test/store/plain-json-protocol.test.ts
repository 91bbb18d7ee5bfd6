import { DynamoDBClient, GetItemCommand, PutItemCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { randomBytes } from 'node:crypto';
import { tableClient } from '../../lambdas/store/client';
import { clientConfig, tableName } from '../support/harness';

/** If these tests fail, the service writes rows that other DynamoDB clients read differently, or does not recognize DynamoDB's errors. */

const own = tableClient(clientConfig());
const sdk = new DynamoDBClient(clientConfig());
afterAll(() => {
  own.destroy();
  sdk.destroy();
});

/** An item with every type of value that the store uses. Some of its field names are also names of DynamoDB types, such as `B`. */
const item = () =>
  marshall({
    pk: `PLAIN#${randomBytes(8).toString('hex')}`,
    sk: 'ITEM',
    // `randomBytes` returns a part of a larger buffer.
    B: randomBytes(40),
    S: { B: 'text', S: { B: new Uint8Array([0, 255]) }, N: [new Uint8Array([1]), 'B', null, true, -1.5] },
    M: { M: {} },
    empty: '',
    text: '"\\ü😀\u2028',
  });

test.each([
  ['the service wrote', own, sdk],
  ['another client wrote', sdk, own],
])('an item that %s is read unchanged', async (_, writer, reader) => {
  const Item = item();
  await writer.send(new PutItemCommand({ TableName: tableName(), Item }));
  const read = await reader.send(
    new GetItemCommand({ TableName: tableName(), Key: { pk: Item['pk']!, sk: Item['sk']! }, ConsistentRead: true }),
  );
  expect(read.Item).toEqual(Item);
  expect(read.$metadata.httpStatusCode).toBe(200);
});

test('errors have the SDK’s classes, and contain the item that made the condition false', async () => {
  const Item = item();
  const Put = {
    TableName: tableName(),
    Item,
    ConditionExpression: 'attribute_not_exists(pk)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  } as const;
  await own.send(new PutItemCommand(Put));
  const [single, transaction] = await Promise.all([
    own.send(new PutItemCommand(Put)).catch((error: unknown) => error),
    own.send(new TransactWriteItemsCommand({ TransactItems: [{ Put }] })).catch((error: unknown) => error),
  ]);
  expect(single).toMatchObject({ name: 'ConditionalCheckFailedException', Item });
  expect(transaction).toMatchObject({
    name: 'TransactionCanceledException',
    CancellationReasons: [{ Code: 'ConditionalCheckFailed', Item }],
    $metadata: { httpStatusCode: 400 },
  });
});
