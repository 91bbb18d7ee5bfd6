import { CreateTableCommand, DescribeTableCommand, DescribeTimeToLiveCommand, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { localClient } from '../../../infra/local/database-client';
import { chooseEmulator, start, TABLE, type Database } from '../../../infra/local/database';
import * as dynoxide from '../../../infra/local/dynoxide';
import { startProgram } from '../../../infra/local/emulator';
import { indexes } from '../../../lambdas/contract/access';
import { synthesizedStage } from '../../support/stages';
import { at, only } from '../../support/template';
import { stopBeforeRemoval, temporaryFolder } from './support';

/** Tests the table of the local run: it must be like the deployed table, and must keep data that earlier versions wrote. */

const open: { stop(): Promise<void> }[] = [];
stopBeforeRemoval(async () => {
  for (const one of open) await one.stop();
});
const started = async (options: Parameters<typeof start>[0]): Promise<Database> => {
  const database = await start(options);
  open.push(database);
  return database;
};
const describeTable = async ({ client }: Pick<Database, 'client'>) =>
  (await client.send(new DescribeTableCommand({ TableName: TABLE }))).Table ?? {};

test('the table has the keys and indexes of the deployed table, and rows expire', async () => {
  const database = await started({});
  const { template } = await synthesizedStage('plain');
  const [, { Properties: deployed }] = only(template, 'AWS::DynamoDB::Table');
  const { KeySchema, GlobalSecondaryIndexes = [] } = await describeTable(database);
  expect(KeySchema).toEqual(deployed['KeySchema']);
  const shapes = (of: readonly unknown[]): unknown[] =>
    of.map((index) => [at(index, 'IndexName'), at(index, 'KeySchema'), at(index, 'Projection')]).sort();
  expect(shapes(GlobalSecondaryIndexes)).toEqual(shapes(deployed['GlobalSecondaryIndexes'] as unknown[]));
  const { TimeToLiveDescription } = await database.client.send(new DescribeTimeToLiveCommand({ TableName: TABLE }));
  expect(TimeToLiveDescription).toMatchObject({ TimeToLiveStatus: 'ENABLED', AttributeName: 'ttl' });
});

test('a table of an earlier version keeps its rows and gets the current indexes', async () => {
  const file = join(temporaryFolder(), 'dynamodb.sqlite');
  const earlier = await startProgram(dynoxide.program(file), () => undefined);
  const client = localClient(earlier.endpoint);
  const key = (name: string) => [
    { AttributeName: name, KeyType: 'HASH' as const },
    { AttributeName: 'sk', KeyType: 'RANGE' as const },
  ];
  const index = (IndexName: string) => ({ IndexName, KeySchema: key('old'), Projection: { ProjectionType: 'ALL' as const } });
  await client.send(
    new CreateTableCommand({
      TableName: TABLE,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: ['pk', 'sk', 'old'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: key('pk'),
      // One index is removed, and one has other keys now.
      GlobalSecondaryIndexes: [index('removed'), index('list')],
    }),
  );
  await client.send(new PutItemCommand({ TableName: TABLE, Item: { pk: { S: 'a' }, sk: { S: 'b' } } }));
  client.destroy();
  await earlier.stop();

  const database = await started({ path: () => file });
  const { GlobalSecondaryIndexes = [] } = await describeTable(database);
  expect(GlobalSecondaryIndexes.map(({ IndexName }) => IndexName).sort()).toEqual(Object.keys(indexes).sort());
  expect((await database.client.send(new ScanCommand({ TableName: TABLE }))).Items).toEqual([{ pk: { S: 'a' }, sk: { S: 'b' } }]);
});

test('a given address is used, and an address that does not belong to DynamoDB ends the start with one sentence', async () => {
  const { endpoint } = await started({});
  expect((await started({ endpoint })).name).toBe(endpoint);
  const other = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi').on('error', () => undefined)).listen(
    0,
  );
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  await expect(start({ endpoint: `http://127.0.0.1:${port}` })).rejects.toThrow(/^DYNAMODB_ENDPOINT=.* does not respond like DynamoDB: /);
  other.close();
});

test('DynamoDB Local is used if dynoxide is not installed and Java is, and otherwise the start says what to install', () => {
  expect(chooseEmulator(true, undefined)).toBe('dynoxide');
  expect(chooseEmulator(false, 17)).toBe('dynamodb-local');
  for (const java of [undefined, 11]) expect(() => chooseEmulator(false, java)).toThrow(/Install Java, or start a DynamoDB yourself/);
});

test('an emulator that does not start ends the start with its own reason', async () => {
  const folder = temporaryFolder();
  await expect(start({ path: () => join(folder, 'missing', 'dynamodb.sqlite') })).rejects.toThrow(
    /^The database emulator with the file ".*dynamodb\.sqlite" did not start: \S/,
  );
});
