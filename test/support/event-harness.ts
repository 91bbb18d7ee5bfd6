import { ScanCommand } from '@aws-sdk/client-dynamodb';
import type { SQSEvent } from 'aws-lambda';
import { randomBytes } from 'node:crypto';
import type { LicenseView, ProductView } from '../../lambdas/contract/resources';
import type { DeliveryView } from '../../lambdas/contract/webhooks';
import { handler as deliverHandler } from '../../lambdas/events/deliver';
import { handler as sweepHandler } from '../../lambdas/events/sweep';
import type { AppParts } from '../../lambdas/runtime/app';
import { harnessConfig, startHarness, type CallResult, type Harness } from './harness';

/** Runs everything between a change and its webhook in one process: the real handlers, and a queue whose time the test controls. */

/** A message in the queue, which becomes visible at the time `at`. */
export interface Message {
  readonly body: string;
  readonly at: number;
}

export interface EventHarness extends Harness {
  /** The messages in the queue. A test may change this list, for example to lose, duplicate or delay messages. */
  readonly queue: Message[];
  /**
   * Passes messages to the delivery function as one batch. Returns true for each finished message, and false for each message that will be
   * retried.
   */
  deliver(...messages: readonly Message[]): Promise<boolean[]>;
  sweep(): Promise<void>;
  /** Handles messages in the order of their times and moves the clock, until the queue is empty. */
  run(): Promise<void>;
  /** Like {@link run}, but also runs the sweeper until nothing is pending, even if messages were lost. */
  recover(): Promise<void>;
  /** Calls an endpoint, and throws an error if the call doesn't succeed. */
  ok<Body>(name: string, request?: Parameters<Harness['call']>[1]): Promise<Body>;
  newProduct(webhook?: string): Promise<Product>;
}

export interface Product extends ProductView {
  readonly secret: string;
  readonly typeId: number;
  license(fields?: object): Promise<LicenseView>;
  activate(key: string, fingerprint: string): Promise<CallResult>;
  deactivate(key: string, fingerprint: string): Promise<CallResult>;
  validate(key: string, fingerprint: string): Promise<CallResult>;
  setWebhook(url: string): Promise<void>;
  deliveries(query?: Readonly<Record<string, string>>): Promise<DeliveryView[]>;
}

export const messageOf = (id: string, at = 0): Message => ({ body: JSON.stringify({ event_id: id }), at });

/** @param table the test's own table; {@link ownTable} creates it */
export function startEventHarness(table: string, parts: Partial<AppParts> = {}): EventHarness {
  const queue: Message[] = [];
  const base = startHarness({
    config: harnessConfig(table, { webhookAllowPrivate: true }),
    send: async (messages) =>
      void queue.push(...messages.map(({ body, delaySeconds }) => ({ body, at: base.now() + delaySeconds * 1000 }))),
    ...parts,
  });

  const isAnythingPending = async (): Promise<boolean> => {
    const { Count = 0 } = await base.client.send(new ScanCommand({ TableName: table, IndexName: 'pending', Limit: 1 }));
    return Count > 0;
  };

  const ok: EventHarness['ok'] = async <Body>(name: string, request = {}) => {
    const { status, body } = await base.call(name, request);
    if (status >= 300) throw new Error(`${name} answered ${status}: ${JSON.stringify(body)}`);
    return body as Body;
  };

  const harness: EventHarness = {
    ...base,
    queue,
    deliver: async (...messages) => {
      const Records = messages.map(({ body }, place) => ({ body, messageId: String(place) }));
      const { batchItemFailures } = await deliverHandler({ Records } as unknown as SQSEvent, { app: base.app });
      return Records.map(({ messageId }) => !batchItemFailures.some(({ itemIdentifier }) => itemIdentifier === messageId));
    },
    sweep: () => sweepHandler({}, { app: base.app }),
    run: async () => {
      while (queue.length > 0) {
        const [next] = queue.splice(queue.indexOf(queue.reduce((first, message) => (message.at < first.at ? message : first))), 1);
        base.advance(Math.max(0, next!.at - base.now()));
        await harness.deliver(next!);
      }
    },
    recover: async () => {
      // The pause is longer than a lease and the sweeper's two waiting times together (LEASE_MS, GRACE_MS and PATIENCE_MS). Therefore the
      // sweep puts every overdue event into the queue, and if the queue is empty after the sweep, no event is overdue. A sweep takes at
      // least 17 queries, so it is left out if nothing is pending.
      do {
        await harness.run();
        base.advance(120_000);
        if (await isAnythingPending()) await harness.sweep();
      } while (queue.length > 0);
    },
    ok,
    newProduct: async (webhook = '') => {
      const slug = `p-${randomBytes(6).toString('hex')}`;
      const product = await ok<ProductView>('createProduct', { body: { name: slug, slug } });
      const params = { id: product.id };
      const { id: typeId } = await ok<{ id: number }>('createLicenseType', {
        params,
        body: { name: 'Yearly', kind: 'subscription', duration_days: 365 },
      });
      const setWebhook = async (url: string): Promise<void> => void (await ok('setWebhook', { params, body: { url } }));
      if (webhook !== '') await setWebhook(webhook);
      const { secret } = await ok<{ secret: string }>('getWebhook', { params });
      const client = (name: string, key: string, fingerprint: string) =>
        base.call(name, {
          params,
          apiKey: product.api_key,
          ...(name === 'validate' ? { query: { key, fingerprint } } : { body: { key, fingerprint } }),
        });
      return {
        ...product,
        secret,
        typeId,
        license: (fields = {}) => ok<LicenseView>('createLicense', { params, body: { license_type_id: typeId, ...fields } }),
        activate: (key, fingerprint) => client('activate', key, fingerprint),
        deactivate: (key, fingerprint) => client('deactivate', key, fingerprint),
        validate: (key, fingerprint) => client('validate', key, fingerprint),
        setWebhook,
        deliveries: (query = {}) => ok<DeliveryView[]>('listDeliveries', { params, query }),
      };
    },
  };
  return harness;
}
