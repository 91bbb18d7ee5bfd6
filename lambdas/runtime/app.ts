import { randomBytes } from 'node:crypto';
import type { Event } from '../domain/event';
import type { Table } from '../store/table';
import { documentClient } from '../store/client';
import { eventQueue, secretsManager } from './aws';
import { parseConfig, type Config } from './config';
import { log } from './observability/log';
import { ProductCache } from './product-cache';
import { Secrets, type FetchSecret } from './secrets';

/** What operations work with: the composition root builds it once per function instance. */
export interface App {
  readonly config: Config;
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
}

/** The queue of events to look at. */
export interface EventQueue {
  /** Sends the id of an event, to arrive after `delayMs` and never sooner. */
  send(eventId: string, delayMs: number): Promise<void>;
}

/** The parts that a test replaces to control time, chance and faults. */
export interface AppParts {
  readonly config: Config;
  readonly client: Table['client'];
  readonly fetchSecret: FetchSecret;
  /** Puts a message into the event queue, to arrive after so many seconds. */
  readonly send: (body: string, delaySeconds: number) => Promise<void>;
  readonly clock: () => number;
  readonly random: (bytes: number) => Uint8Array;
  readonly sleep: (ms: number) => Promise<void>;
}

export function createApp({ config, client, fetchSecret, send, clock, random, sleep }: AppParts): App {
  const secrets = new Secrets(fetchSecret, clock);
  const queue: EventQueue = {
    send: (eventId, delayMs) => send(JSON.stringify({ event_id: eventId }), Math.max(0, Math.ceil(delayMs / 1000))),
  };
  return {
    config,
    table: { client, name: config.tableName, clock, random, sleep },
    secrets,
    products: new ProductCache(secrets, clock),
    clock,
    random,
    queue,
    notify: async ({ id }) => {
      try {
        await queue.send(id, 0);
      } catch (error) {
        log.warn('EVENT_NOT_QUEUED', { event_id: id }, error);
      }
    },
  };
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
