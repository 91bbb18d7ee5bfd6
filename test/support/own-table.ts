import { CreateTableCommand, DescribeTableCommand, waitUntilTableExists, type DescribeTableCommandOutput } from '@aws-sdk/client-dynamodb';
import { randomUUID } from 'node:crypto';
import { connect, stackTableName } from './harness';

/** The description of the stack's table, which is read once. */
let model: Promise<DescribeTableCommandOutput> | undefined;

/**
 * Creates a table like the stack's table and returns its name. Tests that run the sweeper need a separate table, because in the common
 * table the sweeper would find the events of all tests.
 */
export async function ownTable(): Promise<string> {
  const client = connect();
  model ??= client.send(new DescribeTableCommand({ TableName: stackTableName() }));
  const { Table } = await model;
  const name = `test-${randomUUID()}`;
  const { TableDescription } = await client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: Table?.KeySchema,
      AttributeDefinitions: Table?.AttributeDefinitions,
      GlobalSecondaryIndexes: Table?.GlobalSecondaryIndexes?.map(({ IndexName, KeySchema, Projection }) => ({
        IndexName,
        KeySchema,
        Projection,
      })),
    }),
  );
  if (TableDescription?.TableStatus !== 'ACTIVE') await waitUntilTableExists({ client, maxWaitTime: 10, minDelay: 1 }, { TableName: name });
  client.destroy();
  return name;
}
