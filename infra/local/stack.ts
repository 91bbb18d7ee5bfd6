import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RUN_TOKEN } from './aws';
import * as bounces from './bounces';
import * as clock from './clock';
import { accessKeyOf } from './credentials';
import * as dataDir from './data-dir';
import * as dynamodb from './dynamodb';
import * as edge from './edge';
import * as eventSources from './event-sources';
import type { LocalRoute } from './gateway';
import * as gateway from './gateway';
import * as lambda from './lambda';
import * as logs from './logs';
import { functionStatements } from './roles';
import * as s3 from './s3/server';
import * as schedules from './schedules';
import * as secretsManager from './secrets-manager';
import * as ses from './ses';
import * as sqs from './sqs';
import { loadTemplate } from './template';
import * as toolEnvironment from './tool-environment';

/** The value of `dataDir` that keeps all data in memory, so that the data is lost when the stack stops. */
export const MEMORY = ':memory:';
/**
 * When the stack stops, the gateway waits up to this number of milliseconds for requests in progress. Then the stack waits up to the same
 * time again for functions that run in the background.
 */
const FINISH_LIMIT = 2000;
/** The stack output with the ARN of the admin token's secret. */
const ADMIN_TOKEN_OUTPUT = 'AdminTokenSecret';
/** The stack output with the ARN of the secret that contains the SMTP server's URL. */
const SMTP_URL_OUTPUT = 'SmtpUrlSecret';

export interface StackOptions {
  /**
   * The folder of the synthesized cloud assembly, or a function that creates the folder. The function receives the path of the data folder
   * (undefined for {@link MEMORY}). Services that don't need the template are started while the function runs.
   */
  readonly assembly: string | ((dataDir: string | undefined) => Promise<string>);
  /** The folder of all data, or {@link MEMORY}. */
  readonly dataDir: string;
  readonly host?: string;
  /** The port; 0, the default, takes any free port. */
  readonly port?: number;
  /** Replaces the generated admin token. */
  readonly adminToken?: string;
  /** The value of the secret with the SMTP server's URL, if the template has that secret. */
  readonly smtpUrl?: string;
  /** Whether to run a local SES and serve its mailbox. */
  readonly mailbox?: boolean;
  /** The URL of a running DynamoDB, which is used instead of the emulator. */
  readonly dynamodbEndpoint?: string;
  /** Called with a short description of each step. */
  readonly onProgress?: (step: string) => void;
  /** Prints lines of the functions' output: warnings and errors, or all lines with `printAll`. */
  readonly print?: (line: string) => void;
  readonly printAll?: boolean;
  /** Maximum period of a schedule, in milliseconds. */
  readonly longestPeriod?: number;
  readonly routes?: gateway.GatewayOptions['routes'];
  readonly allowedHosts?: readonly string[];
  /** Whether the stage's request limits apply, as on AWS; true by default. */
  readonly throttle?: boolean;
  /** Called when a service ends unexpectedly, which means that the stack no longer works. */
  readonly onFailure?: (error: Error) => void;
}

/** A running stack. */
export interface Stack {
  readonly baseUrl: string;
  /** The admin token; undefined if the template has no output for it. */
  readonly adminToken: string | undefined;
  /** The URL that opens the mailbox in a browser; undefined if there is no mailbox. */
  readonly mailboxUrl: string | undefined;
  /** The name of the database, which is printed at the start. */
  readonly database: string;
  /** The base URLs of the local AWS services. They serve only callers with {@link sessionToken}. */
  readonly endpoints: lambda.Endpoints;
  /** This run's credential, which AWS clients send as their session token. */
  readonly sessionToken: string;
  /** The physical table names by logical id. */
  readonly tableNames: Readonly<Record<string, string>>;
  readonly queueUrls: Readonly<Record<string, string>>;
  /** The environment of each function by its logical id. */
  readonly env: lambda.Functions['env'];
  /** Invokes a function by its logical id. */
  readonly invoke: lambda.Functions['invoke'];
  /** Finishes requests in progress within seconds, then ends all services. It may be called repeatedly. */
  stop(): Promise<void>;
}

export type { LocalRoute };

/** Runs a synthesized template on this computer. If a service fails to start, the other services are stopped. */
export async function start(options: StackOptions): Promise<Stack> {
  const closers: (() => Promise<void> | void)[] = [];
  const stopAll = async (): Promise<void> => {
    // The services are stopped in the reverse order of their start, because a service may use services that were started earlier.
    for (let close = closers.pop(); close; close = closers.pop()) await close();
  };
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= stopAll());
  try {
    return { ...(await startAll(options, (close) => closers.push(close))), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startAll(options: StackOptions, onStop: (close: () => Promise<void> | void) => void): Promise<Omit<Stack, 'stop'>> {
  const { onProgress = () => undefined, onFailure, print } = options;
  const folder = options.dataDir === MEMORY ? undefined : await dataDir.claim(options.dataDir);
  if (folder) onStop(folder.release);

  onProgress(
    typeof options.assembly === 'string'
      ? 'starting the database and the queues'
      : 'synthesizing the stack; starting the database and the queues',
  );
  const started = <Service extends { stop(): Promise<void> }>(service: Service): Service => {
    onStop(() => service.stop());
    return service;
  };
  // If one of these three steps fails, the start still waits for the other two. Otherwise a service that starts after the failure would
  // not be stopped.
  const [assembly, database, queues] = await Promise.allSettled([
    typeof options.assembly === 'string' ? options.assembly : options.assembly(folder?.path()),
    dynamodb.start({ endpoint: options.dynamodbEndpoint, path: folder?.path, onFailure }).then(started),
    sqs.start().then(started),
  ]).then((results) => [value(results[0]), value(results[1]), value(results[2])] as const);

  const template = loadTemplate(assembly);
  onProgress('creating tables, queues and secrets');
  const secrets = started(
    await secretsManager.start(template, {
      file: folder?.path('secrets.json'),
      override: (arn) => {
        if (arn === template.output(ADMIN_TOKEN_OUTPUT)) return options.adminToken;
        return arn === template.output(SMTP_URL_OUTPUT) ? options.smtpUrl : undefined;
      },
    }),
  );
  const tableNames = await dynamodb.createTables(template, database);
  const queueUrls = await sqs.createQueues(template, queues);
  const mail = options.mailbox ? started(await ses.start()) : undefined;
  lambda.defineFunctions(template);
  edge.defineEdge(template);
  const testClock = clock.start(folder?.path('clock.json'));
  const fileFolder = folder?.path('files') ?? temporaryFolder(onStop);
  const statements = functionStatements(template);
  const roles = new Map([...statements].map(([id, list]) => [accessKeyOf(id), list]));
  const files = started(
    await s3.start({ folder: fileFolder, statementsOf: (accessKey) => roles.get(accessKey), advancedMs: testClock.advancedMs }),
  );
  const endpoints = {
    dynamodb: database.endpoint,
    sqs: queues.endpoint,
    secretsManager: secrets.endpoint,
    s3: files.endpoint,
    ...(mail && { ses: mail.endpoint }),
  };

  const functionLogs = logs.start({ folder: folder?.path('logs'), print, ...(options.printAll && { show: () => true }) });
  onStop(functionLogs.stop);
  const functions = lambda.start(template, {
    endpoints,
    statements,
    logs: functionLogs,
    advancedMs: testClock.advancedMs,
    instances: eventSources.concurrency(template),
  });
  const callers: { stop(): Promise<void> }[] = [];
  // The callers and the functions are stopped at the same time. Each caller waits for its invocations, and `functions.stop` ends
  // invocations that take too long.
  onStop(async () => void (await Promise.all([...callers.map((caller) => caller.stop()), functions.stop(FINISH_LIMIT)])));
  callers.push(
    eventSources.start(template, { functions, statements, queueUrls, endpoint: queues.endpoint, log: functionLogs.of('event-sources') }),
  );
  callers.push(schedules.start(template, { functions, longestPeriod: options.longestPeriod }));

  onProgress('opening the gateway');
  const { host = '127.0.0.1', port = 0 } = options;
  let distribution: gateway.GatewayOptions['routes'];
  const adminSecret = template.output(ADMIN_TOKEN_OUTPUT);
  const adminToken = adminSecret && secrets.value(adminSecret);
  const own: Record<string, LocalRoute | undefined> = {
    [ses.MAILBOX_PATH]: mail?.mailbox(adminToken),
    ...(adminToken !== undefined && {
      [clock.CLOCK_PATH]: clock.route(testClock, adminToken),
      [bounces.BOUNCES_PATH]: bounces.route(template, functions, adminToken),
      [toolEnvironment.ENVIRONMENT_PATH]: toolEnvironment.route(template, endpoints, adminToken),
    }),
  };
  const routes: gateway.GatewayOptions['routes'] = (request) => {
    const [path = ''] = (request.url ?? '').split('?');
    return (Object.hasOwn(own, path) ? own[path] : undefined) ?? options.routes?.(request) ?? distribution?.(request);
  };
  const { allowedHosts, throttle } = options;
  const { baseUrl, stop: stopGateway } = await gateway.start(template, { functions, host, port, routes, allowedHosts, throttle });
  onStop(() => stopGateway(FINISH_LIMIT));
  for (const origin of ownOrigins(baseUrl)) files.allowOrigin(origin);
  // The distribution is read last, because it refers to the API, which must be defined first.
  distribution = edge.readDistribution(template, files.endpoint);
  return {
    baseUrl,
    adminToken,
    mailboxUrl: mail && baseUrl + mail.link,
    database: database.name,
    endpoints,
    sessionToken: RUN_TOKEN,
    tableNames,
    queueUrls,
    env: functions.env,
    invoke: functions.invoke,
  };
}

/** Creates a folder that is deleted when the stack stops, for a run that keeps no data. */
function temporaryFolder(onStop: (close: () => void) => void): string {
  const folder = mkdtempSync(join(tmpdir(), 'license-key-service-files-'));
  onStop(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * The origins at which a browser can open the gateway's pages: the origin of the base URL, and its port at `localhost` and at `127.0.0.1`.
 */
function ownOrigins(baseUrl: string): readonly string[] {
  const { origin, port } = new URL(baseUrl);
  return [origin, `http://localhost:${port}`, `http://127.0.0.1:${port}`];
}

function value<Value>(result: PromiseSettledResult<Value>): Value {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}
