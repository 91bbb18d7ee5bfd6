import { randomBytes } from 'node:crypto';
import type { Context } from 'aws-lambda';
import { REFUSALS } from '../contract/limits';
import type { AuditTrail } from '../store/audit-trail';
import { CALL_LIMIT_MS, RETRY_BUDGET_MS, type Table, type TimeLimits } from '../store/table';
import { tableClient } from '../store/client';
import { createLocks, type WithLock } from '../store/locks';
import { secretsManager } from './aws/secrets';
import { parseConfig } from './config';
import { PortalCache } from './portal-cache';
import type { Ports } from './ports';
import { ProductCache } from './product-cache';
import { ReleaseCache } from './release-cache';
import { Secrets } from './secrets';
import { TokenCache } from './token-cache';

/**
 * The services that operations use: table, secrets, caches, queue, files and clock. A function instance creates its app once, and so does a
 * local run.
 */
export interface App extends Pick<Ports, 'config' | 'clock' | 'realClock' | 'random' | 'send' | 'files' | 'sendMail'> {
  /** @throws Error if the function's environment does not contain a table name */
  readonly table: Table;
  readonly secrets: Secrets;
  readonly products: ProductCache;
  readonly tokens: TokenCache;
  readonly releases: ReleaseCache;
  readonly portals: PortalCache;
  /**
   * The refused requests that are not recorded at present: all refusals of a group to which the maximum number of rows was written in this
   * minute, and single refusals that were counted within the last minute. The value is the time, in epoch ms, at which they are recorded
   * again.
   */
  readonly paused: Map<string, number>;
  /** Maximum time, in ms, that a refused request of an app waits until its refusal is recorded. */
  readonly refusalWaitMs: number;
  /** Returns the same app with a table that enforces the time limits of a request. */
  readonly within: (limits: TimeLimits) => App;
  /** Returns the same app with a table that records the request in the audit log. */
  readonly recording: (audit: AuditTrail) => App;
}

/** The ports of an app, and its time limits. */
export interface AppParts extends Ports {
  /** Maximum time of one call to the table, in ms. */
  readonly callLimitMs: number;
  readonly refusalWaitMs: number;
  /** Runs the changes of the same license in this process one after another. */
  readonly withLock: WithLock;
}

/** Creates the app of a process, with the time limits of a Lambda function unless others are given. */
export function createApp({
  client,
  fetchSecret,
  sleep,
  callLimitMs = CALL_LIMIT_MS,
  refusalWaitMs = REFUSALS.waitMs,
  withLock = createLocks(),
  ...ports
}: Ports & Partial<AppParts>): App {
  const { config, clock, realClock, random } = ports;
  const secrets = new Secrets(fetchSecret, clock, random);
  const caches = {
    products: new ProductCache(secrets, clock),
    tokens: new TokenCache(clock),
    releases: new ReleaseCache(clock),
    portals: new PortalCache(clock),
    paused: new Map<string, number>(),
  };
  const serving = (request: Pick<Table, 'limits' | 'audit'>): App => ({
    ...ports,
    ...caches,
    get table() {
      if (config.tableName === undefined) throw new Error('TABLE_NAME is not set');
      return { client, name: config.tableName, clock, realClock, random, sleep, callLimitMs, withLock, ...request };
    },
    secrets,
    refusalWaitMs,
    within: (limits) => serving({ ...request, limits }),
    recording: (audit) => serving({ ...request, audit }),
  });
  return serving({});
}

/**
 * Time, in ms, that is reserved at the end of a request. After its last call to the table, the request still starts the delivery of events
 * and renders the response.
 */
const RESERVE_MS = 2000;

/**
 * Returns the time limits of a request that begins at `now` (epoch ms of the real clock). The limits are computed from the time that Lambda
 * still gives the function. Outside of Lambda, a request has no deadline.
 */
export function timeLimits(now: number, context: Invocation): TimeLimits {
  const left = (context.getRemainingTimeInMillis?.() ?? Number.POSITIVE_INFINITY) - RESERVE_MS;
  return { retryUntil: now + Math.min(RETRY_BUDGET_MS, left), deadline: now + left };
}

/**
 * The second argument of a handler. A Lambda function gets Lambda's context. A local run passes its app, and so do tests, which can run
 * simultaneous requests in several apps like in several instances of a function.
 */
export interface Invocation extends Partial<Pick<Context, 'getRemainingTimeInMillis'>> {
  readonly app?: App;
}

let ofFunction: App | undefined;

/** The app that handles an invocation. A Lambda function creates its app from its environment when it handles the first event. */
export function getApp({ app }: Invocation = {}): App {
  return app ?? (ofFunction ??= createApp(awsPorts()));
}

function awsPorts(): Ports {
  const config = parseConfig(process.env);
  return {
    config,
    client: tableClient(),
    fetchSecret: secretsManager(config),
    clock: Date.now,
    realClock: Date.now,
    random: randomBytes,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  };
}
