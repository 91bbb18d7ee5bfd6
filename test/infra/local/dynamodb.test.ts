import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { callAws } from '../../../infra/local/aws';
import * as dynamodb from '../../../infra/local/dynamodb';
import { freePort } from '../../../infra/local/door';
import * as dynoxide from '../../../infra/local/dynoxide';
import * as emulators from '../../../infra/local/emulator';
import * as watched from '../../../infra/local/watched-process';
import { connect } from '../../support/harness';
import { templateOf, temporaryFolder, until, type Resources } from './support';

const call = <Answer>(endpoint: string, action: string, input: object) => callAws<Answer>(endpoint, `DynamoDB_20120810.${action}`, input);

const keys = (hash: string, range: string) => [
  { AttributeName: hash, KeyType: 'HASH' },
  { AttributeName: range, KeyType: 'RANGE' },
];
const index = (IndexName: string, Projection: object = { ProjectionType: 'KEYS_ONLY' }) => ({
  IndexName,
  KeySchema: keys(`${IndexName}_pk`, `${IndexName}_sk`),
  Projection,
});
const table = (indexes: readonly ReturnType<typeof index>[], more: object = {}): Resources => ({
  Data: {
    Type: 'AWS::DynamoDB::Table',
    Properties: {
      AttributeDefinitions: ['pk', 'sk', ...indexes.flatMap(({ IndexName }) => [`${IndexName}_pk`, `${IndexName}_sk`])].map(
        (AttributeName) => ({
          AttributeName,
          AttributeType: 'S',
        }),
      ),
      KeySchema: keys('pk', 'sk'),
      ...(indexes.length > 0 && { GlobalSecondaryIndexes: indexes }),
      BillingMode: 'PAY_PER_REQUEST',
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
      ...more,
    },
  },
});

interface Description {
  readonly GlobalSecondaryIndexes?: readonly { readonly IndexName: string; readonly Projection: { readonly ProjectionType: string } }[];
}
const indexesOf = async (endpoint: string) =>
  (await call<{ Table: Description }>(endpoint, 'DescribeTable', { TableName: 'Data' })).Table.GlobalSecondaryIndexes?.map(
    ({ IndexName, Projection }) => [IndexName, Projection.ProjectionType],
  );

test("the local run creates the template's tables, finds them with their data at the next start, and updates their indexes", async () => {
  const file = join(temporaryFolder(), 'data.sqlite');
  const run = async <Result>(resources: Resources, then: (endpoint: string) => Promise<Result>): Promise<Result> => {
    const database = await dynamodb.start({ path: () => file });
    try {
      const template = templateOf(resources);
      expect(await dynamodb.createTables(template, database)).toEqual({ Data: 'Data' });
      expect(template.resolve({ 'Fn::GetAtt': ['Data', 'Arn'] }, '')).toBe('arn:aws:dynamodb:us-east-1:000000000000:table/Data');
      return await then(database.endpoint);
    } finally {
      await database.stop();
      await database.stop();
    }
  };
  const item = { pk: { S: 'a' }, sk: { S: 'b' }, new_pk: { S: 'n' }, new_sk: { S: '1' }, name: { S: 'kept' } };

  await run(table([index('old'), index('changed')]), async (endpoint) => {
    await call(endpoint, 'PutItem', { TableName: 'Data', Item: item });
    expect(await call(endpoint, 'DescribeTimeToLive', { TableName: 'Data' })).toMatchObject({
      TimeToLiveDescription: { TimeToLiveStatus: 'ENABLED', AttributeName: 'ttl' },
    });
  });
  const indexes = [index('new'), index('changed', { ProjectionType: 'ALL' })];
  await run(table(indexes), async (endpoint) => {
    expect((await indexesOf(endpoint))?.sort()).toEqual([
      ['changed', 'ALL'],
      ['new', 'KEYS_ONLY'],
    ]);
    const query = {
      TableName: 'Data',
      IndexName: 'new',
      KeyConditionExpression: 'new_pk = :p',
      ExpressionAttributeValues: { ':p': { S: 'n' } },
    };
    expect(await call(endpoint, 'Query', query)).toMatchObject({ Count: 1 });
  });
  await run(table(indexes), async (endpoint) => {
    expect(await call(endpoint, 'GetItem', { TableName: 'Data', Key: { pk: item.pk, sk: item.sk } })).toEqual({ Item: item });
  });
  await expect(run(table([], { KeySchema: keys('pk', 'other') }), async () => undefined)).rejects.toThrow(
    'The primary key of table Data has changed',
  );
});

test('without a data file the table is empty at every start', async () => {
  const database = await dynamodb.start({});
  await dynamodb.createTables(templateOf(table([])), database);
  expect(await indexesOf(database.endpoint)).toBeUndefined();
  await database.stop();
});

test('the local run can use another DynamoDB endpoint, and names an endpoint that does not respond', async () => {
  const emulator = await emulators.start(dynoxide.program(undefined));
  const database = await dynamodb.start({ endpoint: emulator.endpoint });
  expect(database.endpoint).toBe(emulator.endpoint);
  expect(await dynamodb.createTables(templateOf(table([])), database)).toEqual({ Data: 'Data' });
  expect(await call(emulator.endpoint, 'ListTables', {})).toEqual({ TableNames: ['Data'] });
  await emulator.stop();
  await expect(dynamodb.start({ endpoint: emulator.endpoint })).rejects.toThrow(
    `DYNAMODB_ENDPOINT=${emulator.endpoint} does not respond like DynamoDB: connect ECONNREFUSED`,
  );
});

test('the local run chooses dynoxide, or otherwise DynamoDB Local with Java; without Java it says what to install', () => {
  expect(dynamodb.chooseEmulator(true, undefined)).toBe('dynoxide');
  expect(dynamodb.chooseEmulator(true, 21)).toBe('dynoxide');
  expect(dynamodb.chooseEmulator(false, 17)).toBe('dynamodb-local');
  expect(() => dynamodb.chooseEmulator(false, 11)).toThrow(
    /needs Java 17 or later \(found: 11\)\. Install Java, or start a DynamoDB yourself and set DYNAMODB_ENDPOINT/,
  );
  expect(() => dynamodb.chooseEmulator(false, undefined)).toThrow(/found: none/);
});

test('on a system without a shell, a second process watches the emulator: it stops on request, and ends together with its parent', async () => {
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const options = {
    command: dynoxide.findBinary() ?? '',
    args: ['--port', String(port)],
    endpoint,
    startLimit: 10_000,
    name: 'It',
    watch: 'node' as const,
  };
  const isGone = () =>
    fetch(endpoint).then(
      () => false,
      () => true,
    );
  const running = await watched.start({ ...options, onFailure: () => undefined });
  await running.stop();
  expect(await isGone()).toBe(true);
  await expect(watched.start({ ...options, args: ['--nonsense'], onFailure: () => undefined })).rejects.toThrow(
    /^It did not start: .*nonsense/s,
  );
  await expect(watched.start({ ...options, command: '/nowhere/emulator', onFailure: () => undefined })).rejects.toThrow(
    /^It did not start: .*ENOENT/s,
  );

  const script = `
    const { start } = require(${JSON.stringify(resolve('infra/local/watched-process.ts'))});
    start({ ...${JSON.stringify(options)}, onFailure: () => undefined }).then(() => console.log('up'));
    setInterval(() => undefined, 1000);`;
  const parent = spawn(process.execPath, ['--import', 'tsx', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(parent.stdout, 'data');
  expect(await isGone()).toBe(false);
  parent.kill('SIGKILL');
  await until(isGone);
});

test.each([
  ['the emulator', (door: number) => Number(readFileSync(`/proc/${door}/task/${door}/children`, 'utf8').split(' ')[0])],
  ['its door', (door: number) => door],
])('if %s ends unexpectedly, the failure is reported, and neither process remains', async (_what, victim) => {
  let reported: Error | undefined;
  const emulator = await emulators.start(dynoxide.program(undefined), (error) => (reported = error));
  const child = Number(readFileSync(`/proc/${emulator.pid}/task/${emulator.pid}/children`, 'utf8').split(' ')[0]);
  process.kill(victim(emulator.pid), 'SIGKILL');
  await until(() => reported !== undefined);
  expect(reported!.message).toMatch(/ended unexpectedly/);
  await emulator.stop();
  await until(() => ![emulator.pid, child].some((pid) => existsSync(`/proc/${pid}`)));
});

test('a process that is killed under load leaves no emulator behind, and no acknowledged write is lost', async () => {
  const file = join(temporaryFolder(), 'data.sqlite');
  const module = (name: string) => JSON.stringify(resolve(`infra/local/${name}.ts`));
  const script = `
    const dynamodb = require(${module('dynamodb')});
    const { Template } = require(${module('template')});
    const { RUN_TOKEN } = require(${module('aws')});
    dynamodb.start({ path: () => ${JSON.stringify(file)} }).then(async (database) => {
      await dynamodb.createTables(new Template(${JSON.stringify({ Resources: table([]) })}, '/'), database);
      console.log(JSON.stringify({ endpoint: database.endpoint, token: RUN_TOKEN }));
    });
    setInterval(() => undefined, 1000);`;
  const parent = spawn(process.execPath, ['--import', 'tsx', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  const { endpoint, token } = JSON.parse(line.toString()) as { endpoint: string; token: string };
  const client = connect(endpoint, token);

  const acknowledged: string[] = [];
  let failed = false;
  const write = async (worker: number): Promise<void> => {
    for (let n = 0; ; n += 1) {
      const id = `${worker}-${n}`;
      const put = (sk: string) => ({ Put: { TableName: 'Data', Item: { pk: id, sk } } });
      await client.send(new TransactWriteCommand({ TransactItems: [put('one'), put('two')] }));
      acknowledged.push(id);
    }
  };
  const writers = Array.from({ length: 8 }, (_, worker) => write(worker).catch(() => (failed = true)));
  await until(() => acknowledged.length > 100);
  parent.kill('SIGKILL');
  await Promise.all(writers);
  expect(failed).toBe(true);
  client.destroy();
  await expect(fetch(endpoint)).rejects.toThrow();

  const again = await emulators.start(dynoxide.program(file));
  const found = new Map<string, number>();
  for (let start: object | undefined, more = true; more; more = start !== undefined) {
    const page: { Items: { pk: { S: string } }[]; LastEvaluatedKey?: object } = await call(again.endpoint, 'Scan', {
      TableName: 'Data',
      ExclusiveStartKey: start,
      ConsistentRead: true,
    });
    for (const { pk } of page.Items) found.set(pk.S, (found.get(pk.S) ?? 0) + 1);
    start = page.LastEvaluatedKey;
  }
  await again.stop();
  expect(acknowledged.filter((id) => !found.has(id))).toEqual([]);
  // A transaction must write both of its rows or none. So if one of the rows exists, the other must exist too.
  expect([...found.values()].every((rows) => rows === 2)).toBe(true);
});
