import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  ResourceNotFoundException,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  type AttributeDefinition,
  type DynamoDBClient,
  type GlobalSecondaryIndex,
  type KeySchemaElement,
} from '@aws-sdk/client-dynamodb';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { indexes, type Index } from '../../lambdas/contract/access';
import { projections } from '../projections';
import { localClient } from './database-client';
import * as dynamodbLocal from './dynamodb-local';
import * as dynoxide from './dynoxide';
import { messageOf, StartError } from './errors';
import { startProgram } from './emulator';

/** The name of the table. It has this name since the local run derived the name from the template. */
export const TABLE = 'DataTableFDBAD0F2';

/** A running DynamoDB. */
export interface Database {
  readonly endpoint: string;
  readonly client: DynamoDBClient;
  /** The database's name, which the local run prints at the start. */
  readonly name: string;
  stop(): Promise<void>;
}

export interface DatabaseOptions {
  /** The URL of a DynamoDB that is already running; undefined starts an emulator. */
  readonly endpoint?: string | undefined;
  /** Returns the path of a file or folder for the data. Without this function, the emulator keeps the data in memory. */
  readonly path?: ((name: string) => string) | undefined;
  /** Called if the emulator ends unexpectedly. */
  readonly onFailure?: ((error: Error) => void) | undefined;
}

/** Chooses the emulator: dynoxide if it is installed, otherwise AWS's own, which needs Java. */
export function chooseEmulator(hasDynoxide: boolean, java: number | undefined): 'dynoxide' | 'dynamodb-local' {
  if (hasDynoxide) return 'dynoxide';
  if (java !== undefined && java >= dynamodbLocal.OLDEST_JAVA) return 'dynamodb-local';
  throw new StartError(
    `There is no DynamoDB emulator for this computer: the package ${dynoxide.PACKAGE} is not installed, and DynamoDB Local needs Java ${dynamodbLocal.OLDEST_JAVA} or later (found: ${java ?? 'none'}). Install Java, or start a DynamoDB yourself and set DYNAMODB_ENDPOINT to its address.`,
  );
}

/**
 * Uses the given endpoint, or starts an emulator that this computer can run. Then creates the table, or updates it to the current indexes.
 *
 * @throws {StartError}
 */
export async function start({ endpoint, path, onFailure = () => undefined }: DatabaseOptions): Promise<Database> {
  const running = endpoint === undefined ? await startEmulator(path, onFailure) : { endpoint, name: endpoint, stop: async () => undefined };
  const client = localClient(running.endpoint);
  const database = {
    ...running,
    client,
    stop: async () => {
      client.destroy();
      await running.stop();
    },
  };
  try {
    await createTable(client);
  } catch (error) {
    await database.stop();
    if (endpoint === undefined || error instanceof StartError) throw error;
    throw new StartError(`DYNAMODB_ENDPOINT=${endpoint} does not respond like DynamoDB: ${messageOf(error)}.`);
  }
  return database;
}

async function startEmulator(path: DatabaseOptions['path'], onFailure: (error: Error) => void): Promise<Omit<Database, 'client'>> {
  const hasDynoxide = dynoxide.findBinary() !== undefined;
  const chosen = chooseEmulator(hasDynoxide, hasDynoxide ? undefined : dynamodbLocal.javaVersion());
  const program = chosen === 'dynoxide' ? dynoxide.program(path?.('dynamodb.sqlite')) : dynamodbLocal.program(path?.('dynamodb-local'));
  return { ...(await startProgram(program, onFailure)), name: chosen === 'dynoxide' ? 'dynoxide' : 'DynamoDB Local (Java)' };
}

const keys = (partitionKey: string, sortKey: string): KeySchemaElement[] => [
  { AttributeName: partitionKey, KeyType: 'HASH' },
  { AttributeName: sortKey, KeyType: 'RANGE' },
];
const KEY_SCHEMA = keys('pk', 'sk');
const wanted: readonly GlobalSecondaryIndex[] = Object.entries(indexes).map(([name, { partitionKey, sortKey }]) => {
  const { type, attributes } = projections[name as Index];
  const Projection = { ProjectionType: type, ...(attributes && { NonKeyAttributes: [...attributes] }) };
  return { IndexName: name, KeySchema: keys(partitionKey, sortKey), Projection };
});
const AttributeDefinitions = [KEY_SCHEMA, ...wanted.map(({ KeySchema }) => KeySchema)].flatMap((schema = []) =>
  schema.map(({ AttributeName }): AttributeDefinition => ({ AttributeName, AttributeType: 'S' })),
);

async function createTable(client: DynamoDBClient): Promise<void> {
  const TableName = TABLE;
  const existing = await client.send(new DescribeTableCommand({ TableName })).catch((error: unknown) => {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  });
  if (!existing)
    await client.send(
      new CreateTableCommand({
        TableName,
        AttributeDefinitions,
        KeySchema: KEY_SCHEMA,
        GlobalSecondaryIndexes: [...wanted],
        BillingMode: 'PAY_PER_REQUEST',
      }),
    );
  else await updateIndexes(client, existing.Table?.GlobalSecondaryIndexes ?? []);
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  if (TimeToLiveDescription?.TimeToLiveStatus !== 'ENABLED')
    await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true } }));
}

type AnyIndex = Partial<Pick<GlobalSecondaryIndex, 'IndexName' | 'KeySchema' | 'Projection'>>;

/** Deletes removed or changed indexes, then creates missing ones. DynamoDB permits one index change at a time. */
async function updateIndexes(client: DynamoDBClient, existing: readonly AnyIndex[]): Promise<void> {
  const unchanged = (one: AnyIndex) => wanted.some((other) => isDeepStrictEqual(shape(one), shape(other)));
  const kept = existing.filter(unchanged).map(({ IndexName }) => IndexName);
  const changes = [
    ...existing.filter((one) => !unchanged(one)).map(({ IndexName }) => ({ Delete: { IndexName } })),
    ...wanted.filter(({ IndexName }) => !kept.includes(IndexName)).map((Create) => ({ Create })),
  ];
  for (const change of changes) {
    await client.send(new UpdateTableCommand({ TableName: TABLE, AttributeDefinitions, GlobalSecondaryIndexUpdates: [change] }));
    for (;;) {
      const { Table } = await client.send(new DescribeTableCommand({ TableName: TABLE }));
      const statuses = [Table?.TableStatus, ...(Table?.GlobalSecondaryIndexes ?? []).map(({ IndexStatus }) => IndexStatus)];
      if (statuses.every((status) => status === 'ACTIVE')) break;
      await sleep(50);
    }
  }
}

const shape = ({ IndexName, KeySchema = [], Projection: { ProjectionType, NonKeyAttributes = [] } = {} }: AnyIndex) => [
  IndexName,
  KeySchema.map(({ AttributeName, KeyType }) => [AttributeName, KeyType]),
  ProjectionType,
  [...NonKeyAttributes].sort(),
];
