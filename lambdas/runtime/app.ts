import { randomBytes } from 'node:crypto';
import type { Context } from 'aws-lambda';
import type { Event } from '../domain/event';
import { RETRY_BUDGET_MS, type Table, type TimeLimits } from '../store/table';
import { documentClient } from '../store/client';
import { eventQueue, secretsManager } from './aws';
import { parseConfig, type Config } from './config';
import { log } from './observability/log';
import { ProductCache } from './product-cache';
import { Secrets, type FetchSecret } from './secrets';

/** What operations work with: the composition root builds it once per function instance. */
export interface App {
  readonly config: Config;
  /** @throws Error where the function's environment names no table */
  readonly table: Table;
  readonly secrets: Secrets;
  readonly products: ProductCache;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly random: (bytes: number) => Uint8Array;
  readonly queue: EventQueue;
  /**
   * Wakes the delivery of an event that was committed. Never fails: the event is in the table, and what
   * gets no message now is found by the sweeper.
   */
  readonly notify: (event: Pick<Event, 'id'>) => Promise<void>;
  /** The same app with a table that keeps to a request's limits. */
  readonly within: (limits: TimeLimits) => App;
}

/** The queue of events to look at. */
export interface EventQueue {
  /**
   * Sends the id of an event, to arrive after `delayMs` and never sooner.
   *
   * @param timeoutMs maximum time that the sending may take
   */
  send(eventId: string, delayMs: number, timeoutMs?: number): Promise<void>;
}

/** The parts that a test replaces to control time, chance and faults. */
export interface AppParts {
  readonly config: Config;
  readonly client: Table['client'];
  readonly fetchSecret: FetchSecret;
  /** Puts a message into the event queue, to arrive after so many seconds; sending it may take `timeoutMs`. */
  readonly send: (body: string, delaySeconds: number, timeoutMs?: number) => Promise<void>;
  readonly clock: () => number;
  readonly random: (bytes: number) => Uint8Array;
  readonly sleep: (ms: number) => Promise<void>;
}

/** How long a request waits for the queue after its commit, in ms. */
const NOTIFY_LIMIT_MS = 1000;

export function createApp({ config, client, fetchSecret, send, clock, random, sleep }: AppParts): App {
  const secrets = new Secrets(fetchSecret, clock, random);
  const products = new ProductCache(secrets, clock);
  const queue: EventQueue = {
    send: (eventId, delayMs, timeoutMs) => send(JSON.stringify({ event_id: eventId }), Math.max(0, Math.ceil(delayMs / 1000)), timeoutMs),
  };
  const within = (limits?: TimeLimits): App => ({
    config,
    get table() {
      if (config.tableName === undefined) throw new Error('TABLE_NAME is not set');
      return { client, name: config.tableName, clock, random, sleep, ...(limits && { limits }) };
    },
    secrets,
    products,
    clock,
    random,
    queue,
    notify: async ({ id }) => {
      try {
        await queue.send(id, 0, NOTIFY_LIMIT_MS);
      } catch (error) {
        log.warn('EVENT_NOT_QUEUED', { event_id: id }, error);
      }
    },
    within,
  });
  return within();
}

/** What a request needs after its last call to the table, in ms: it wakes the delivery and renders the response. */
const RESERVE_MS = 2000;

/** The limits of a request that begins at `now` (epoch ms), from the time that its function has left. */
export function timeLimits(now: number, context: Pick<Context, 'getRemainingTimeInMillis'>): TimeLimits {
  const left = context.getRemainingTimeInMillis() - RESERVE_MS;
  return { retryUntil: now + Math.min(RETRY_BUDGET_MS, left), deadline: now + left };
}

let app: App | undefined;

/** The function's app, built from its environment when the first request needs it. */
export function getApp(): App {
  if (!app) {
    const config = parseConfig(process.env);
    app = createApp({
      config,
      client: documentClient(),
      fetchSecret: secretsManager(config),
      send: eventQueue(config),
      clock: Date.now,
      random: randomBytes,
      sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    });
  }
  return app;
}

/** Makes handlers in this process work with another app. */
export function setAppForTests(replacement: App): void {
  app = replacement;
}
