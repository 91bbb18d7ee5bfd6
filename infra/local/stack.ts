import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SQSBatchResponse } from 'aws-lambda';
import { createApp, type App } from '../../lambdas/runtime/app';
import { parseConfig, type Config } from '../../lambdas/runtime/config';
import { outsideOfLambda } from '../../lambdas/runtime/observability/log';
import type { Ports } from '../../lambdas/runtime/ports';
import { hasProducts } from '../../lambdas/use-cases/reseal';
import { createApi } from './api';
import * as bounces from './bounces';
import * as clock from './clock';
import * as database from './database';
import * as dataDir from './data-dir';
import { MEMORY } from './data-dir';
import { messageOf, StartError } from './errors';
import * as files from './files';
import type { LocalRoute } from './http';
import * as logs from './logs';
import * as mailbox from './mailbox';
import { createPages } from './pages';
import * as queue from './queue';
import * as keys from './keys';
import * as reseal from './reseal';
import * as secrets from './secrets';
import * as server from './server';
import { startSchedules, workerHandler } from './workers';

/** When the local run stops, it waits up to this number of milliseconds for requests in progress. */
const FINISH_LIMIT = 2000;

/**
 * Maximum time, in ms, that a refused request waits until its refusal is recorded. It is longer than in a deployment, because the requests
 * of a local run share one process with everything else.
 */
const REFUSAL_WAIT_MS = 2000;

export interface StackOptions {
  /** The folder of all data, or {@link MEMORY}. */
  readonly dataDir: string;
  readonly host?: string;
  /** The port; 0, the default, takes any free port. */
  readonly port?: number;
  /** The settings of the functions. Other settings have the values of a deployment. */
  readonly config?: Partial<Config>;
  /** Replaces the generated admin token. */
  readonly adminToken?: string | undefined;
  readonly smtpUrl?: string | undefined;
  /** The URL of a running DynamoDB, which is used instead of the emulator. */
  readonly dynamodbEndpoint?: string | undefined;
  /** Prints log lines: warnings and errors, or all lines with `printAll`. */
  readonly print?: (line: string) => void;
  readonly printAll?: boolean;
  /** Maximum period of a schedule, in milliseconds. */
  readonly longestPeriod?: number;
  readonly allowedHosts?: readonly string[];
  /** Whether the request limits of a deployment apply; true by default. */
  readonly throttle?: boolean;
  /** Called when a part ends unexpectedly, which means that the local run no longer works. */
  readonly onFailure?: (error: Error) => void;
}

/** A running service. */
export interface Stack {
  readonly baseUrl: string;
  readonly adminToken: string;
  /** The URL that opens the mailbox in a browser; undefined if mail is not sent to the mailbox. */
  readonly mailboxUrl: string | undefined;
  /** The name of the database, which is printed at the start, and its URL. */
  readonly database: Pick<database.Database, 'name' | 'endpoint'>;
  readonly app: App;
  readonly fetchSecret: Ports['fetchSecret'];
  /** Finishes requests in progress within seconds, then ends everything. It may be called repeatedly. */
  stop(): Promise<void>;
}

type OnStop = (close: () => Promise<void> | void) => void;

/** Runs the whole service in this process, and the database emulator in a child process. If a part fails to start, the others are stopped. */
export async function start(options: StackOptions): Promise<Stack> {
  const closers: (() => Promise<void> | void)[] = [];
  const stopAll = async (): Promise<void> => {
    // The parts are stopped in the reverse order of their start, because a part may use parts that were started earlier.
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

async function startAll(options: StackOptions, onStop: OnStop): Promise<Omit<Stack, 'stop'>> {
  const { host = '127.0.0.1', port = 0, allowedHosts = [], throttle = true, longestPeriod = Infinity, print, printAll = false } = options;
  const folder = options.dataDir === MEMORY ? undefined : await dataDir.claim(options.dataDir);
  if (folder) onStop(folder.release);
  const { receive: log, stop: stopLogs } = logs.start({
    folder: folder?.path('logs'),
    print,
    ...(printAll && { show: () => true }),
  });
  onStop(stopLogs);
  outsideOfLambda.write = (_level, line) => log(line);

  const table = await database.start({ endpoint: options.dynamodbEndpoint, path: folder?.path, onFailure: options.onFailure });
  onStop(table.stop);
  const config = { ...parseConfig({ TABLE_NAME: database.TABLE, WEBHOOK_ALLOW_PRIVATE: 'true' }), ...options.config };
  const testClock = clock.start(folder?.path('clock.json'));
  const kept = secrets.open(folder?.path('secrets.json'), { adminToken: options.adminToken, smtpUrl: options.smtpUrl });
  const mails = config.mail.transport === 'ses' ? mailbox.open() : undefined;
  const release = files.open(folder?.path('files') ?? temporaryFolder(onStop), testClock.now, () => running.baseUrl);
  const events = queue.start((batch) => workerHandler<typeof batch, SQSBatchResponse>('deliver')(batch, { app }), log);
  const ports: Ports = {
    config,
    client: table.client,
    fetchSecret: kept.fetch,
    send: events.send,
    files: release.store,
    sendMail: mails?.send,
    clock: testClock.now,
    realClock: Date.now,
    random: randomBytes,
    sleep,
  };
  const app = createApp({ ...ports, refusalWaitMs: REFUSAL_WAIT_MS });
  // With generated keys, the service would hide the products, and encrypt further data with other keys.
  if (folder && options.dynamodbEndpoint === undefined && !kept.has('signingKey') && (await hasProducts(app)))
    throw new StartError(
      `DATA_DIR "${options.dataDir}" contains products, but secrets.json has no key to decrypt them. Restore secrets.json from a backup, or set DATA_DIR to another folder.`,
    );
  const adminToken = kept.value('adminToken');
  const stopSchedules = startSchedules(app, { longestPeriod, report: log });
  onStop(() =>
    Promise.race([Promise.all([stopSchedules(), events.stop()]).then(() => undefined), sleep(FINISH_LIMIT, undefined, { ref: false })]),
  );

  const local: Readonly<Record<string, LocalRoute | undefined>> = {
    [clock.CLOCK_PATH]: clock.route(testClock, adminToken),
    [reseal.RESEAL_PATH]: reseal.route(kept, () => createApp(ports), adminToken),
    [keys.KEYS_PATH]: keys.route(() => createApp(ports), adminToken),
    [mailbox.MAILBOX_PATH]: mails?.route(adminToken),
    [bounces.BOUNCES_PATH]: mails && bounces.route(app, adminToken),
  };
  const pages = createPages();
  const running = await server.start({
    host,
    port,
    allowedHosts,
    api: createApi({ app, throttle }),
    routeOf: (method, path) => (Object.hasOwn(local, path) ? local[path] : undefined) ?? release.routeOf(path) ?? pages(method, path),
    report: (error) => log(`ERROR ${messageOf(error)}`),
  });
  onStop(() => running.stop(FINISH_LIMIT));
  const { baseUrl } = running;
  return { baseUrl, adminToken, mailboxUrl: mails && baseUrl + mails.link, database: table, app, fetchSecret: kept.fetch };
}

/** Creates a folder that is deleted when the local run stops, for a run that keeps no data. */
function temporaryFolder(onStop: OnStop): string {
  const folder = mkdtempSync(join(tmpdir(), 'license-key-service-files-'));
  onStop(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
