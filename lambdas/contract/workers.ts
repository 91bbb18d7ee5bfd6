import type { FunctionAccess } from './access';
import { commitPaymentStore } from './payment-access';

/** A function that is started by messages or a schedule instead of requests. */
export interface Worker extends FunctionAccess {
  /** The name of the worker. Its file is `lambdas/events/<name>.ts`. */
  readonly name: string;
  readonly description: string;
  /** What starts the worker: messages in the event queue, or a schedule. */
  readonly trigger: 'queue' | { readonly everyMinutes: number };
  readonly timeoutSeconds: number;
}

/** Posts events to webhooks. One run makes one attempt of up to 10 s, with reads and writes before and after it. */
export const deliver: Worker = {
  name: 'deliver',
  description: "Posts events to the products' webhooks, and mails keys, codes and reminders to buyers",
  trigger: 'queue',
  timeoutSeconds: 30,
  store: {
    GetItem: ['product', 'licenseId', 'license', 'portal', 'portalBuyer', 'unsubscribed', 'limit'],
    BatchGetItem: ['metadata', 'payment'],
    PutItem: ['portalBuyer', 'portalLink'],
    UpdateItem: ['event', 'stats', 'limit', 'portalSession'],
    DeleteItem: ['portalLink'],
    indexes: ['email'],
  },
  secrets: ['encryptionKey', 'portalKey'],
  settings: ['webhookAllowPrivate', 'publicUrl', 'mailsPerSecond'],
  mail: 'send',
  queue: true,
};

/** Finds events that are still pending because of a crash or a lost message. A run ends before the next run starts. */
export const sweep: Worker = {
  name: 'sweep',
  description: 'Closes events that are not posted, and puts overdue events into the queue again',
  trigger: { everyMinutes: 1 },
  timeoutSeconds: 50,
  store: { BatchGetItem: ['event', 'product', 'redelivery'], UpdateItem: ['event', 'stats', 'redelivery'], indexes: ['pending', 'list'] },
  queue: true,
};

/** Removes rows of freed devices, continues erasures, and updates rows of earlier versions. A run ends before the next run starts. */
export const maintain: Worker = {
  name: 'maintain',
  description: 'Removes rows of freed devices, continues erasures, and adapts rows of earlier versions',
  trigger: { everyMinutes: 5 },
  timeoutSeconds: 240,
  store: {
    GetItem: ['licenseId', 'license', 'payment', 'counter'],
    BatchGetItem: ['payment', 'licenseId', 'metadata', 'product'],
    Query: ['license', 'note', 'refusal', 'freedDevices', 'event', 'erasure', 'stats'],
    PutItem: ['erasure', 'licenseId'],
    UpdateItem: ['license', 'licenseId', 'event', 'payment', 'counter', 'stats'],
    DeleteItem: ['license', 'note', 'refusal', 'freedDevices', 'metadata', 'idempotency', 'payment', 'erasure', 'stats'],
    indexes: ['list', 'lookup'],
  },
};

/**
 * Reads missed notifications from payment processors. It runs every few minutes and handles the connections that are due. Each connection
 * is due every hour and on demand.
 */
export const reconcile: Worker = {
  name: 'reconcile',
  description: 'Reads from payment processors the notifications that were missed',
  trigger: { everyMinutes: 5 },
  timeoutSeconds: 240,
  store: {
    ...commitPaymentStore,
    Query: ['payment'],
    PutItem: [...commitPaymentStore.PutItem],
    UpdateItem: [...commitPaymentStore.UpdateItem],
  },
  secrets: ['encryptionKey'],
  settings: ['processorApis'],
  queue: true,
};

/**
 * Records the reminders that are due. It runs several times an hour, so that reminders are mailed within the hour even if a run ends early.
 */
export const remind: Worker = {
  name: 'remind',
  description: 'Records the mails that remind buyers of the expiry of a license or the end of its updates',
  trigger: { everyMinutes: 15 },
  timeoutSeconds: 240,
  store: {
    Query: ['reminder'],
    GetItem: ['licenseId', 'license', 'limit'],
    BatchGetItem: ['product', 'licenseId', 'license', 'reminded', 'unsubscribed', 'payment'],
    PutItem: ['event', 'reminded'],
    UpdateItem: ['reminder', 'licenseId', 'limit'],
    indexes: ['lookup'],
  },
  settings: ['mailsPerSecond'],
  mail: 'status',
  queue: true,
};

/** Every worker of the service. */
export const workers: readonly Worker[] = [deliver, sweep, maintain, reconcile, remind];
