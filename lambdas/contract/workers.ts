import type { FunctionAccess } from './access';
import { commitPaymentStore } from './payment-access';

/** A function that no request calls. */
export interface Worker extends FunctionAccess {
  /** Its file is `lambdas/events/<name>.ts`. */
  readonly name: string;
  readonly description: string;
  /** What starts it: messages of the event queue, or the clock. */
  readonly trigger: 'queue' | { readonly everyMinutes: number };
  readonly timeoutSeconds: number;
}

/** Posts events to webhooks. One run makes an attempt of 10 s, with its reads and writes around it. */
export const deliver: Worker = {
  name: 'deliver',
  description: "Posts events to the products' webhooks, and mails keys to buyers",
  trigger: 'queue',
  timeoutSeconds: 30,
  store: { GetItem: ['product', 'licenseId', 'license'], BatchGetItem: ['metadata'], UpdateItem: ['event', 'stats'] },
  secrets: ['encryptionKey'],
  settings: ['webhookAllowPrivate'],
  mail: 'send',
  queue: true,
};

/** Finds the events that a crash or a lost message left pending. Ends before its next run starts. */
export const sweep: Worker = {
  name: 'sweep',
  description: 'Settles events that are not posted, and puts those that are overdue into the queue again',
  trigger: { everyMinutes: 1 },
  timeoutSeconds: 50,
  store: { BatchGetItem: ['event', 'product', 'redelivery'], UpdateItem: ['event', 'stats', 'redelivery'], indexes: ['pending', 'list'] },
  queue: true,
};

/** Removes rows of freed devices, and continues erasures. Ends before its next run starts. */
export const maintain: Worker = {
  name: 'maintain',
  description: 'Removes rows of freed devices, and continues erasures',
  trigger: { everyMinutes: 5 },
  timeoutSeconds: 240,
  store: {
    GetItem: ['licenseId', 'license', 'payment'],
    BatchGetItem: ['payment'],
    Query: ['license', 'freedDevices', 'event', 'erasure'],
    PutItem: ['erasure'],
    UpdateItem: ['license', 'event', 'payment'],
    DeleteItem: ['license', 'freedDevices', 'metadata', 'idempotency', 'payment', 'erasure'],
    indexes: ['list', 'lookup'],
  },
};

/** Reads from payment processors what was missed. Looks every few minutes for what is due; each connection is, every hour or on demand. */
export const reconcile: Worker = {
  name: 'reconcile',
  description: 'Reads from payment processors what they have, for what was missed',
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

/** Every worker of the service. */
export const workers: readonly Worker[] = [deliver, sweep, maintain, reconcile];
