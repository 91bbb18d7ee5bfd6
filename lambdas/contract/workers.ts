import type { FunctionAccess } from './access';
import { commitPaymentStore } from './payment-access';

/** A Lambda function that is started by messages or a schedule, not by requests. */
export interface Worker extends FunctionAccess {
  /** The name of the worker. Its file is `lambdas/events/<name>.ts`. */
  readonly name: string;
  readonly description: string;
  /**
   * What starts the worker: messages in the event queue, notifications of Amazon SES about bounces, or a schedule. Only a stage that sends
   * mail through Amazon SES has the workers that `bounces` starts.
   */
  readonly trigger: 'queue' | 'bounces' | { readonly everyMinutes: number };
  readonly timeoutSeconds: number;
}

/**
 * Posts events to webhooks, and sends mails. One run makes one attempt to deliver each event that it gets. An attempt takes up to 10 s. The
 * worker reads and writes the table before and after each attempt.
 */
export const deliver: Worker = {
  name: 'deliver',
  description: "Posts events to the products' webhooks, and mails keys, codes and reminders to buyers",
  trigger: 'queue',
  timeoutSeconds: 30,
  store: {
    GetItem: ['product', 'licenseId', 'license', 'member', 'portal', 'portalBuyer', 'unsubscribed', 'suppressed', 'limit'],
    BatchGetItem: ['licenseId', 'member', 'metadata', 'payment'],
    Query: ['license'],
    PutItem: ['portalBuyer', 'portalLink'],
    UpdateItem: ['event', 'license', 'stats', 'limit', 'portalSession'],
    DeleteItem: ['portalLink'],
    indexes: ['email'],
  },
  secrets: ['encryptionKey', 'portalKey'],
  settings: ['webhookAllowPrivate', 'publicUrl', 'mailsPerSecond'],
  mail: 'send',
  queue: true,
};

/**
 * Adds skipped events and what changed in orders to the statistics. Also finds events that are still pending because of a crash or a lost
 * message, and puts them into the queue again. The timeout is shorter than the interval, so that a run ends before the next run starts.
 */
export const sweep: Worker = {
  name: 'sweep',
  description: 'Adds skipped events and orders to the statistics, and puts overdue events into the queue again',
  trigger: { everyMinutes: 1 },
  timeoutSeconds: 50,
  store: {
    BatchGetItem: ['event', 'redelivery', 'payment', 'meter'],
    UpdateItem: ['event', 'license', 'stats', 'redelivery', 'payment', 'meter'],
    indexes: ['pending', 'list'],
  },
  queue: true,
};

/**
 * Removes unused trials and rows of freed devices, continues erasures, and counts audiences. The timeout is shorter than the interval, so
 * that a run ends before the next run starts.
 */
export const maintain: Worker = {
  name: 'maintain',
  description: 'Removes unused trials and rows of freed devices, continues erasures, and counts the devices that are used',
  trigger: { everyMinutes: 5 },
  timeoutSeconds: 240,
  store: {
    GetItem: ['licenseId', 'license', 'payment'],
    BatchGetItem: ['payment', 'product', 'license', 'stats'],
    Query: ['license', 'note', 'refusal', 'freedDevices', 'event', 'erasure'],
    PutItem: ['erasure', 'freedDevices', 'stats'],
    UpdateItem: ['license', 'deviceKey', 'event', 'payment', 'unique', 'stats', 'metadata'],
    DeleteItem: ['license', 'licenseId', 'meter', 'note', 'refusal', 'freedDevices', 'metadata', 'idempotency', 'payment', 'erasure'],
    indexes: ['list', 'lookup'],
  },
};

/**
 * Reads missed notifications from payment processors. The worker runs every few minutes and handles the connections that are due. A
 * connection is due every hour, and when an operator requests its reconciliation.
 */
export const reconcile: Worker = {
  name: 'reconcile',
  description: 'Reads missed notifications from the APIs of the payment processors',
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
 * Records the reminders that are due. The worker runs several times an hour, so that each reminder is mailed within an hour after it is
 * due, even if a run ends early.
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

/** Records that a mail bounced or was reported as spam. */
export const bounces: Worker = {
  name: 'bounces',
  description: 'Records mails that bounced or were reported as spam, and stops further mails to their addresses',
  trigger: 'bounces',
  timeoutSeconds: 10,
  store: { GetItem: ['event'], UpdateItem: ['event', 'suppressed'] },
};

/** Every worker of the service. */
export const workers: readonly Worker[] = [deliver, sweep, maintain, reconcile, remind, bounces];
