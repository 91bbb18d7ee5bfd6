import type { SecretName, StoreAccess } from './access';

/** A function that no request calls: what it may touch, as an endpoint's row says it. */
export interface Worker {
  /** Its file is `lambdas/events/<name>.ts`. */
  readonly name: 'deliver' | 'sweep';
  readonly description: string;
  readonly store: StoreAccess;
  readonly secrets: readonly SecretName[];
}

/** Posts events to webhooks, woken by the queue. */
export const deliver: Worker = {
  name: 'deliver',
  description: "Posts events to the products' webhooks",
  store: { GetItem: ['product'], UpdateItem: ['event', 'stats'] },
  secrets: ['encryptionKey'],
};

/** Finds the events that a crash or a lost message left pending, woken by the clock. */
export const sweep: Worker = {
  name: 'sweep',
  description: 'Puts events that are overdue into the queue again',
  store: { UpdateItem: ['event'], indexes: ['pending'] },
  secrets: [],
};
