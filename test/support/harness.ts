import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { randomBytes } from 'node:crypto';
import { emulatorConfig, removeNeedless } from '../../infra/local/database-client';
import { endpoints } from '../../lambdas/contract';
import { fileName, type Endpoint } from '../../lambdas/contract/endpoint';
import { MINUTE_MS } from '../../lambdas/domain/time';
import { createApp, type App, type AppParts, type Invocation } from '../../lambdas/runtime/app';
import { parseConfig, type Config } from '../../lambdas/runtime/config';
import { runAs } from './declared-access';
import { clockStart } from './start';

/** Runs the real handlers and store in this process, on the embedded DynamoDB, with a clock that the test controls. */
export interface Harness {
  readonly app: App;
  readonly client: DynamoDBDocumentClient;
  /** The service's current time, in epoch ms. */
  now(): number;
  advance(ms: number): void;
  /** Messages that were sent to the event queue. */
  readonly sent: string[];
  /** Calls an endpoint by its name in the contract. */
  call(name: string, request?: CallRequest): Promise<CallResult>;
  close(): void;
}

export interface CallRequest {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly apiKey?: string;
  /** The time in ms until the function's timeout; without a value there is no timeout. */
  readonly remainingMs?: number;
}

export interface CallResult {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // The body's type is loose, because each test knows the shape of the response that it requested.
  readonly body: Record<string, never> & { readonly [field: string]: unknown };
  /** The response body as text. */
  readonly text: string;
}

export const ADMIN_TOKEN = 'test-admin-token';

/** Reads a value that the test run's local stack has put into the environment (see `global-setup.ts`). */
function fromStack(name: 'LKS_DYNAMODB' | 'LKS_STACK_TABLE' | 'LKS_TABLE'): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: jest's global setup starts the stack`);
  return value;
}

/** The table that the harnesses use. */
export const tableName = (): string => fromStack('LKS_TABLE');

/** The table of the stack that responds over HTTP. The stack and the harness encrypt secrets with different keys. */
export const stackTableName = (): string => fromStack('LKS_STACK_TABLE');

/** The settings with which a client connects to the database of the test run, or to another database. */
export const clientConfig = (endpoint: string = fromStack('LKS_DYNAMODB')): DynamoDBClientConfig => emulatorConfig(endpoint);

/**
 * Connects to the database of the test run, or to another database (see {@link clientConfig}). Like the service's client, it makes no
 * retries.
 */
export function connect(...address: Parameters<typeof clientConfig>): DynamoDBDocumentClient {
  const client = new DynamoDBClient(clientConfig(...address));
  removeNeedless(client);
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}

/**
 * The settings of the functions in a harness, with the given changes. Warnings before an expiry are off, because every license with a short
 * term would cause a warning. Other tests check these warnings.
 */
export const harnessConfig = (table: string = tableName(), changes: Partial<Config> = {}): Config => ({
  ...parseConfig({ TABLE_NAME: table }),
  expiringDays: 0,
  ...changes,
});

export function startHarness(parts: Partial<AppParts> = {}): Harness {
  const client = connect();
  let now = clockStart();
  const sent: string[] = [];
  const app = createApp({
    config: harnessConfig(),
    client,
    fetchSecret: (name) => Promise.resolve(name === 'adminToken' ? ADMIN_TOKEN : `test-${name}`),
    send: (messages) => Promise.resolve(void sent.push(...messages.map(({ body }) => body))),
    clock: () => now,
    realClock: parts.clock ?? (() => now),
    random: randomBytes,
    sleep: (ms) => {
      now += ms;
      return new Promise((resolve) => setImmediate(resolve));
    },
    // These time limits count real time, which does not follow the test's clock. On a busy machine they would end calls of a healthy table.
    // Therefore calls have no time limit here, and recording a refusal may take up to a minute. The tests of these limits set other limits.
    callLimitMs: Number.POSITIVE_INFINITY,
    refusalWaitMs: MINUTE_MS,
    ...parts,
  });
  return {
    app,
    client,
    now: () => app.clock(),
    advance: (ms) => {
      now += ms;
    },
    sent,
    call: (name, request = {}) => callHandler(app, name, request),
    close: () => client.destroy(),
  };
}

/** Passes an event to the handler of a contract row, which uses the given app. */
export async function handle(
  row: Endpoint,
  app: App,
  event: APIGatewayProxyEvent,
  context: Invocation = {},
): Promise<APIGatewayProxyResult> {
  const { handler } = (await import(`../../lambdas/api/${fileName(row)}`)) as {
    handler: (event: APIGatewayProxyEvent, context: Invocation) => Promise<APIGatewayProxyResult>;
  };
  return runAs(row, app, (restricted) => handler(event, { ...context, app: restricted }));
}

async function callHandler(
  app: App,
  name: string,
  { params = {}, query = {}, body, headers = {}, apiKey, remainingMs }: CallRequest,
): Promise<CallResult> {
  const row = endpoints.find((candidate) => candidate.name === name);
  if (!row) throw new Error(`There is no endpoint ${name}`);
  const path = row.path.replace(/\{(\w+)\}/g, (_, parameter: string) => String(params[parameter]));
  const event = {
    httpMethod: row.method,
    resource: row.path,
    path,
    // The parameters in the path, in the form in which the gateway passes them.
    pathParameters: Object.fromEntries(
      Object.entries(params)
        .filter(([key]) => row.path.includes(`{${key}}`))
        .map(([key, value]) => [key, String(value)]),
    ),
    queryStringParameters: Object.keys(query).length > 0 ? query : null,
    multiValueQueryStringParameters: Object.fromEntries(Object.entries(query).map(([key, value]) => [key, [value]])),
    headers: {
      'X-Svc-Admin-Token': row.credential === 'admin' ? ADMIN_TOKEN : undefined,
      'X-API-Key': apiKey,
      ...headers,
    },
    body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    isBase64Encoded: false,
    requestContext: { requestId: 'test-request', path },
  } as unknown as APIGatewayProxyEvent;
  const result = await handle(row, app, event, remainingMs === undefined ? {} : { getRemainingTimeInMillis: () => remainingMs });
  return {
    status: result.statusCode,
    headers: (result.headers ?? {}) as Record<string, string>,
    body: parsed(result.body),
    text: result.body,
  };
}

/** The parsed JSON of a body; empty for a redirect or a feed. */
function parsed(body: string): CallResult['body'] {
  try {
    return JSON.parse(body) as CallResult['body'];
  } catch {
    return {};
  }
}
