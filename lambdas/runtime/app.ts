import { randomBytes } from 'node:crypto';
import type { Context } from 'aws-lambda';
import { REFUSALS } from '../contract/limits';
import type { AuditTrail } from '../store/audit-trail';
import { CALL_LIMIT_MS, RETRY_BUDGET_MS, type Table, type TimeLimits } from '../store/table';
import { tableClient } from '../store/client';
import { oneAtATime, type InTurn } from '../store/turns';
import { secretsManager } from './aws';
import { parseConfig, type Config } from './config';
import type { SendMessages } from './queue';
import type { FileStore } from './file-store';
import { ProductCache } from './product-cache';
import { ReleaseCache } from './release-cache';
import { Secrets, type FetchSecret } from './secrets';
import { TokenCache } from './token-cache';

/** The services that operations use: table, secrets, caches, queue, files and clock. Each function instance creates the app once. */
export interface App {
  readonly config: Config;
  /** @throws Error if the function's environment does not contain a table name */
  readonly table: Table;
  readonly secrets: Secrets;
  readonly products: ProductCache;
  readonly tokens: TokenCache;
  readonly releases: ReleaseCache;
  /**
   * The partitions of refused requests to which no row is added at present, because the maximum number of rows was written in this minute.
   * The value is the time, in epoch ms, at which the partition accepts rows again.
   */
  readonly paused: Map<string, number>;
  /** Maximum time, in ms, that a refused request of an app waits until its refusal is recorded. */
  readonly refusalWaitMs: number;
  /** Returns the current time in epoch ms. */
  readonly clock: () => number;
  /**
   * The same app with a clock that shows the real time. The two apps have different times only if a test has moved the clock of this app
   * (see {@link AppParts.realClock}).
   */
  readonly inRealTime: App;
  readonly random: (bytes: number) => Uint8Array;
  /** Receives the messages to the event queue in a test, instead of SQS (see `queueOf`). */
  readonly send: SendMessages | undefined;
  /** The store of release files that a test uses instead of the function's bucket (see `filesOf`). */
  readonly files: FileStore | undefined;
  /** Returns the same app with a table that enforces the time limits of a request. */
  readonly within: (limits: TimeLimits) => App;
  /** Returns the same app with a table that records the request in the audit log. */
  readonly recording: (audit: AuditTrail) => App;
}

/** The parts of an app that tests replace to control time, randomness and faults. */
export interface AppParts {
  readonly config: Config;
  readonly client: Table['client'];
  readonly fetchSecret: FetchSecret;
  readonly send?: SendMessages | undefined;
  readonly files?: FileStore | undefined;
  readonly clock: () => number;
  /** Returns the real time in epoch ms. The default is `clock`; this function is needed if a test may move `clock` to another time. */
  readonly realClock?: () => number;
  readonly random: (bytes: number) => Uint8Array;
  readonly sleep: (ms: number) => Promise<void>;
  /** Maximum time of one call to the table, in ms. */
  readonly callLimitMs: number;
  readonly refusalWaitMs: number;
  /** Runs the changes of the same license in this function instance one after another. */
  readonly inTurn: InTurn;
}

export function createApp({
  config,
  client,
  fetchSecret,
  send,
  files,
  clock: judging,
  realClock = judging,
  random,
  sleep,
  callLimitMs,
  refusalWaitMs,
  inTurn,
}: AppParts): App {
  const secrets = new Secrets(fetchSecret, judging, random);
  const products = new ProductCache(secrets, judging);
  const tokens = new TokenCache(judging);
  const releases = new ReleaseCache(judging);
  const paused = new Map<string, number>();
  let inRealTime: App | undefined;
  const serving = (request: Pick<Table, 'limits' | 'audit'>, clock = judging): App => ({
    config,
    get table() {
      if (config.tableName === undefined) throw new Error('TABLE_NAME is not set');
      return { client, name: config.tableName, clock, random, sleep, callLimitMs, inTurn, ...request };
    },
    secrets,
    products,
    tokens,
    releases,
    paused,
    refusalWaitMs,
    clock,
    get inRealTime() {
      return (inRealTime ??= serving({}, realClock));
    },
    random,
    send,
    files,
    within: (limits) => serving({ ...request, limits }, clock),
    recording: (audit) => serving({ ...request, audit }, clock),
  });
  return serving({});
}

/**
 * Time, in ms, that is reserved at the end of a request. After its last call to the table, the request still starts the delivery of events
 * and renders the response.
 */
const RESERVE_MS = 2000;

/**
 * Returns the time limits of a request that begins at `now` (epoch ms). The limits are computed from the time that Lambda still gives the
 * function. Outside of Lambda, a request has no deadline.
 */
export function timeLimits(now: number, context: Partial<Pick<Context, 'getRemainingTimeInMillis'>>): TimeLimits {
  const left = (context.getRemainingTimeInMillis?.() ?? Number.POSITIVE_INFINITY) - RESERVE_MS;
  return { retryUntil: now + Math.min(RETRY_BUDGET_MS, left), deadline: now + left };
}

let app: App | undefined;
/** The apps that tests have set for single requests, by the contexts of the requests. */
const appsOfRequests = new WeakMap<object, App>();

/**
 * The function's app. The first request creates it from the function's environment.
 *
 * @param context the context of a request that may have an app of its own
 */
export function getApp(context: object = {}): App {
  const ofRequest = appsOfRequests.get(context);
  if (ofRequest) return ofRequest;
  if (!app) {
    const config = parseConfig(process.env);
    app = createApp({
      config,
      client: tableClient(),
      fetchSecret: secretsManager(config),
      clock: Date.now,
      // `Date.now` would be wrong here, because the test clock of a local run replaces it.
      realClock: () => new Date().getTime(),
      random: randomBytes,
      sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      callLimitMs: CALL_LIMIT_MS,
      refusalWaitMs: REFUSALS.waitMs,
      inTurn: oneAtATime(),
    });
  }
  return app;
}

/**
 * Makes the handlers of this process use another app.
 *
 * @param context if it is given, only the request with this context uses the app. Thus a test can run simultaneous requests in several apps,
 *   like several instances of a function
 */
export function setAppForTests(replacement: App, context?: object): void {
  if (context) appsOfRequests.set(context, replacement);
  else app = replacement;
}
