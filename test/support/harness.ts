import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { randomBytes } from 'node:crypto';
import { endpoints } from '../../lambdas/contract';
import { fileName, type Endpoint } from '../../lambdas/contract/endpoint';
import { createApp, setAppForTests, type App, type AppParts } from '../../lambdas/runtime/app';
import { parseConfig } from '../../lambdas/runtime/config';
import { fileStore } from '../../lambdas/runtime/files';
import { oneAtATime } from '../../lambdas/store/turns';
import { holdToDeclarations, runAs } from './declared-access';
import { clockStart } from './start';

/** The real handlers and store in this process, on the embedded DynamoDB, with time in the test's hands. */
export interface Harness {
  readonly app: App;
  readonly client: DynamoDBDocumentClient;
  /** Epoch ms that the service sees. */
  now(): number;
  advance(ms: number): void;
  /** Messages that were put into the event queue. */
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
  /** Milliseconds that the function has left; without it, there is no limit. */
  readonly remainingMs?: number;
}

export interface CallResult {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // A test knows what it asked for.
  readonly body: Record<string, never> & { readonly [field: string]: unknown };
  /** The body as it was sent. */
  readonly text: string;
}

export const ADMIN_TOKEN = 'test-admin-token';

/** What the test run's local stack left in the environment (see `global-setup.ts`). */
function fromStack(name: 'LKS_DYNAMODB' | 'LKS_SESSION_TOKEN' | 'LKS_STACK_TABLE' | 'LKS_TABLE'): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: jest's global setup starts the stack`);
  return value;
}

/** The table of the harnesses. */
export const tableName = (): string => fromStack('LKS_TABLE');

/** The table of the stack that answers over HTTP. Its secrets are sealed with another key than the harness's. */
export const stackTableName = (): string => fromStack('LKS_STACK_TABLE');

/** The emulators read who signs a request, and don't check it. To sign would take a quarter of a call's processor time. */
const signer = (sessionToken: string): DynamoDBClientConfig['signer'] => ({
  sign: (request) => {
    request.headers['Authorization'] =
      'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0';
    request.headers['X-Amz-Date'] = '20260101T000000Z';
    request.headers['X-Amz-Security-Token'] = sessionToken;
    return Promise.resolve(request);
  },
});

/** @param sessionToken the credential of the local run whose database it is */
export function connect(
  endpoint: string = fromStack('LKS_DYNAMODB'),
  sessionToken: string = fromStack('LKS_SESSION_TOKEN'),
): DynamoDBDocumentClient {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials, signer: signer(sessionToken), maxAttempts: 3 });
  // As in the service's client.
  client.middlewareStack.remove('loggerMiddleware');
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  // The library leaves the client within to its maker: its connections would stay open.
  return Object.assign(documents, { destroy: () => client.destroy() });
}

export function startHarness(parts: Partial<AppParts> = {}): Harness {
  const client = connect();
  holdToDeclarations(client);
  let now = clockStart();
  const sent: string[] = [];
  const app = createApp({
    // Warnings before an expiry have tests of their own; they would come with every short license.
    config: { ...parseConfig({ TABLE_NAME: tableName() }), expiringDays: 0 },
    client,
    fetchSecret: (name) => Promise.resolve(name === 'adminToken' ? ADMIN_TOKEN : `test-${name}`),
    send: (messages) => Promise.resolve(void sent.push(...messages.map(({ body }) => body))),
    // Tests of releases give it one: see files.ts.
    files: fileStore({ fileBucket: undefined }),
    clock: () => now,
    random: randomBytes,
    sleep: (ms) => {
      now += ms;
      return new Promise((resolve) => setImmediate(resolve));
    },
    // Nothing hangs but in the tests of that; what waits for its turn, or died, is not to be made again by real time.
    callLimitMs: Number.POSITIVE_INFINITY,
    inTurn: oneAtATime(),
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
    call: (name, request = {}) => {
      setAppForTests(app);
      return callHandler(name, request);
    },
    close: () => client.destroy(),
  };
}

/** What a row's handler makes of an event, with the app that was set last. */
export async function handle(row: Endpoint, event: APIGatewayProxyEvent, context: object = {}): Promise<APIGatewayProxyResult> {
  const { handler } = (await import(`../../lambdas/api/${fileName(row)}`)) as {
    handler: (event: APIGatewayProxyEvent, context: object) => Promise<APIGatewayProxyResult>;
  };
  return runAs(row, () => handler(event, context));
}

async function callHandler(
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
    // Those that the path has, as the gateway passes them.
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
  const result = await handle(row, event, remainingMs === undefined ? {} : { getRemainingTimeInMillis: () => remainingMs });
  return {
    status: result.statusCode,
    headers: (result.headers ?? {}) as Record<string, string>,
    body: parsed(result.body),
    text: result.body,
  };
}

/** The JSON of a body; empty for a redirect or a feed. */
function parsed(body: string): CallResult['body'] {
  try {
    return JSON.parse(body) as CallResult['body'];
  } catch {
    return {};
  }
}
