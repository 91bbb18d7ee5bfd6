import { isDeepStrictEqual } from 'node:util';
import { isNativeError } from 'node:util/types';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import { arn, AwsError, callAws } from './aws';
import * as dynamodbLocal from './dynamodb-local';
import * as dynoxide from './dynoxide';
import * as emulator from './emulator';
import { messageOf, StartError } from './errors';
import type { Template } from './template';

/** A running DynamoDB endpoint. */
export interface Database {
  readonly endpoint: string;
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

/** Chooses the emulator: dynoxide if it is built for this platform, otherwise AWS's own, which needs Java. */
export function chooseEmulator(hasDynoxide: boolean, java: number | undefined): 'dynoxide' | 'dynamodb-local' {
  if (hasDynoxide) return 'dynoxide';
  if (java !== undefined && java >= dynamodbLocal.OLDEST_JAVA) return 'dynamodb-local';
  throw new StartError(
    `There is no DynamoDB emulator for this computer: dynoxide is not built for ${process.platform}-${process.arch}, and DynamoDB Local needs Java ${dynamodbLocal.OLDEST_JAVA} or later (found: ${java ?? 'none'}). Install Java, or start a DynamoDB yourself and set DYNAMODB_ENDPOINT to its address.`,
  );
}

/**
 * Uses the given endpoint, or starts an emulator that this computer can run.
 *
 * @throws {StartError}
 */
export async function start({ endpoint, path, onFailure }: DatabaseOptions): Promise<Database> {
  if (endpoint !== undefined) {
    await requireSharedData(endpoint);
    return { endpoint, name: endpoint, stop: async () => undefined };
  }
  const hasDynoxide = dynoxide.findBinary() !== undefined;
  const chosen = chooseEmulator(hasDynoxide, hasDynoxide ? undefined : dynamodbLocal.javaVersion());
  const program = chosen === 'dynoxide' ? dynoxide.program(path?.('dynamodb.sqlite')) : dynamodbLocal.program(path?.('dynamodb-local'));
  const { isAlone, ...running } = await emulator.start(program, onFailure);
  return { ...running, name: nameOf(chosen, isAlone) };
}

/** The emulator's name, which the local run prints at the start. It includes a warning if other users can connect to the emulator. */
export function nameOf(chosen: ReturnType<typeof chooseEmulator>, isAlone: boolean): string {
  const name = chosen === 'dynoxide' ? 'dynoxide' : 'DynamoDB Local (Java)';
  return isAlone
    ? name
    : `${name}, not isolated: other users of this computer can connect to it (docs/configuration.md, Who can reach a local run)`;
}

/**
 * Checks that all credentials share the same tables. By default DynamoDB Local has separate tables for each credential, and every function
 * has its own credential.
 */
async function requireSharedData(endpoint: string): Promise<void> {
  const list = (accessKeyId: string) => callAws<{ TableNames: string[] }>(endpoint, target('ListTables'), {}, { accessKeyId });
  const probe = { ...keySchema('lks-shared-data-probe'), BillingMode: 'PAY_PER_REQUEST' };
  try {
    await callAws(endpoint, target('CreateTable'), probe, { accessKeyId: 'probeone' }).catch(unless('ResourceInUseException'));
    const shared = (await list('probetwo')).TableNames.includes(probe.TableName);
    await callAws(endpoint, target('DeleteTable'), { TableName: probe.TableName }, { accessKeyId: 'probeone' });
    if (!shared) {
      throw new StartError(`The DynamoDB at ${endpoint} keeps separate data for each credential; start it with -sharedDb.`);
    }
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`DYNAMODB_ENDPOINT=${endpoint} does not respond like DynamoDB: ${describe(error)}.`);
  }
}

/**
 * The message of an error. If the host name of a failed connection has several IP addresses, the error has no message and contains one
 * error for each address. The result then combines the messages of these errors.
 */
const describe = (error: unknown): string =>
  isNativeError(error) && 'errors' in error && Array.isArray(error.errors) ? error.errors.map(messageOf).join(', ') : messageOf(error);

const keySchema = (TableName: string) => ({
  TableName,
  AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
});

const index = z.object({
  IndexName: z.string(),
  KeySchema: z.array(z.object({ AttributeName: z.string(), KeyType: z.string() })),
  Projection: z.object({ ProjectionType: z.string(), NonKeyAttributes: z.optional(z.array(z.string())) }),
});
type Index = z.infer<typeof index>;

const tableProperties = z.object({
  TableName: z.optional(z.string()),
  AttributeDefinitions: z.array(z.object({ AttributeName: z.string(), AttributeType: z.string() })),
  KeySchema: index.shape.KeySchema,
  GlobalSecondaryIndexes: z._default(z.array(index), []),
  LocalSecondaryIndexes: z.optional(z.array(index)),
  TimeToLiveSpecification: z.optional(z.object({ AttributeName: z.optional(z.string()), Enabled: z.union([z.stringbool(), z.boolean()]) })),
  StreamSpecification: z.optional(z.object({ StreamViewType: z.string() })),
});
type TableProperties = z.infer<typeof tableProperties>;

interface TableDescription {
  readonly KeySchema: Index['KeySchema'];
  readonly GlobalSecondaryIndexes?: readonly Index[];
}

const target = (action: string): string => `DynamoDB_20120810.${action}`;

/** Returns an error handler that ignores AWS errors with the code `code` and rethrows all others. */
const unless =
  (code: string) =>
  (error: unknown): undefined => {
    if (!(error instanceof AwsError) || error.code !== code) throw error;
  };

/**
 * Creates the template's tables, and updates existing tables to match the template. A table's name is derived from its logical id, so every
 * run finds the same data.
 *
 * @returns physical table names by logical id
 */
export async function createTables(template: Template, { endpoint }: Pick<Database, 'endpoint'>): Promise<Record<string, string>> {
  const names: Record<string, string> = {};
  for (const resource of template.resources('AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable')) {
    const properties = template.read(resource, tableProperties);
    const name = properties.TableName ?? resource.id;
    names[resource.id] = name;
    template.define(resource.id, { Ref: name, Arn: arn('dynamodb', `table/${name}`) });
    await createTable(endpoint, name, properties);
  }
  return names;
}

async function createTable(endpoint: string, TableName: string, properties: TableProperties): Promise<void> {
  const call = <Output>(action: string, input: object) => callAws<Output>(endpoint, target(action), { TableName, ...input });
  const existing = await call<{ Table: TableDescription }>('DescribeTable', {}).catch(unless('ResourceNotFoundException'));
  const { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes, LocalSecondaryIndexes, StreamSpecification } = properties;
  if (!existing) {
    await call('CreateTable', {
      AttributeDefinitions,
      KeySchema,
      ...(GlobalSecondaryIndexes.length > 0 && { GlobalSecondaryIndexes }),
      LocalSecondaryIndexes,
      StreamSpecification: StreamSpecification && { ...StreamSpecification, StreamEnabled: true },
      BillingMode: 'PAY_PER_REQUEST',
    });
  } else if (!isDeepStrictEqual(existing.Table.KeySchema, KeySchema)) {
    throw new StartError(
      `The primary key of table ${TableName} has changed, which is impossible for an existing table: start with another DATA_DIR.`,
    );
  } else {
    await updateIndexes(call, existing.Table.GlobalSecondaryIndexes ?? [], properties);
  }
  await updateTimeToLive(call, properties);
}

type Call = <Output>(action: string, input: object) => Promise<Output>;

/** Deletes removed or changed indexes, then creates missing ones. DynamoDB permits one index change at a time. */
async function updateIndexes(
  call: Call,
  existing: readonly Index[],
  { AttributeDefinitions, GlobalSecondaryIndexes: wanted }: TableProperties,
) {
  const unchanged = (one: Index) => wanted.some((other) => isDeepStrictEqual(shape(one), shape(other)));
  const kept = existing.filter(unchanged).map(({ IndexName }) => IndexName);
  const changes = [
    ...existing.filter((one) => !unchanged(one)).map(({ IndexName }) => ({ Delete: { IndexName } })),
    ...wanted.filter(({ IndexName }) => !kept.includes(IndexName)).map((Create) => ({ Create })),
  ];
  for (const change of changes) {
    await call('UpdateTable', { AttributeDefinitions, GlobalSecondaryIndexUpdates: [change] });
    await settled(call);
  }
}

const shape = ({ IndexName, KeySchema, Projection: { ProjectionType, NonKeyAttributes = [] } }: Index) => [
  IndexName,
  KeySchema.map(({ AttributeName, KeyType }) => [AttributeName, KeyType]),
  ProjectionType,
  [...NonKeyAttributes].sort(),
];

async function settled(call: Call): Promise<void> {
  for (;;) {
    const { Table } = await call<{ Table: { TableStatus: string; GlobalSecondaryIndexes?: { IndexStatus: string }[] } }>(
      'DescribeTable',
      {},
    );
    if (Table.TableStatus === 'ACTIVE' && (Table.GlobalSecondaryIndexes ?? []).every(({ IndexStatus }) => IndexStatus === 'ACTIVE')) return;
    await sleep(50);
  }
}

async function updateTimeToLive(call: Call, { TimeToLiveSpecification: wanted }: TableProperties): Promise<void> {
  if (!wanted) return;
  const { TimeToLiveDescription: current } = await call<{ TimeToLiveDescription: { TimeToLiveStatus: string } }>('DescribeTimeToLive', {});
  if ((current.TimeToLiveStatus === 'ENABLED') !== wanted.Enabled) {
    await call('UpdateTimeToLive', { TimeToLiveSpecification: wanted });
  }
}
