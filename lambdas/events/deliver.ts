import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { deliveryHeaders } from '../domain/webhook-signature';
import { settle, skip } from '../domain/delivery';
import type { Product } from '../domain/product';
import { getApp, type App } from '../runtime/app';
import { batched } from '../runtime/batched';
import { log } from '../runtime/observability/log';
import { count } from '../runtime/observability/metrics';
import { createSender, type Sender } from '../runtime/webhooks/sender';
import { completeBody } from '../store/events/bodies';
import { claimEvent, MAX_SETTLEMENTS, settleEvents, type Settlement } from '../store/events/attempts';
import { getProduct } from '../store/products';
import { openSecret } from '../use-cases/product-secrets';

/**
 * Delivers events. A message says only "look at this event": what is to be done is in the event's row, so
 * that a message that comes twice, late or not at all changes nothing but the time.
 */

/** What deliveries share for as long as the function lives. */
interface Dispatch {
  /** Its connections are used again. */
  readonly sender: Sender;
  /** Records what an attempt came to, together with others that end meanwhile. */
  readonly settle: (settlement: Settlement) => Promise<boolean>;
}

const dispatches = new WeakMap<App, Dispatch>();
function dispatchOf(app: App): Dispatch {
  const dispatch = dispatches.get(app) ?? {
    sender: createSender({ allowPrivate: app.config.webhookAllowPrivate, clock: app.clock }),
    settle: batched(MAX_SETTLEMENTS, (settlements: readonly Settlement[]) => settleEvents(app.table, settlements)),
  };
  dispatches.set(app, dispatch);
  return dispatch;
}

/** Gives a product as it is at its first event of a batch. */
type ReadProduct = (id: number) => Promise<Product | undefined>;

function readOnce({ table }: App): ReadProduct {
  const products = new Map<number, Promise<Product | undefined>>();
  return (id) => {
    const product = products.get(id) ?? getProduct(table, id);
    products.set(id, product);
    return product;
  };
}

/** Makes the attempt that is due, if one is, and sees to the next. Throws on faults only: the message then comes again. */
async function deliverEvent(app: App, id: string, readProduct: ReadProduct): Promise<void> {
  const { sender, settle: record } = dispatchOf(app);
  const claim = await claimEvent(app.table, id);
  if (claim === 'settled' || claim === 'leased') return;
  if ('dueAt' in claim) return app.queue.send(id, claim.dueAt - app.clock());

  const { delivery, token } = claim;
  const product = await readProduct(delivery.product_id);
  if (!product) throw new Error(`Event ${id} is of product ${delivery.product_id}, which is not there`);
  if (product.webhook_url === '') {
    if (await record({ delivery: skip(delivery), token })) count('delivery.skipped');
    return;
  }

  const secret = await openSecret(app, product, 'webhook_secret');
  const complete = await completeBody(app.table, delivery);
  const result = await sender.post(product.webhook_url, deliveryHeaders(complete, secret, app.clock()), complete.body);
  const settled = settle(delivery, product.webhook_url, result);
  const recorded = await record({ delivery: settled, token });
  const fields = { event_id: id, product_id: delivery.product_id, attempt: settled.attempts, http_status: result.status, duration_ms: result.durationMs };
  if (recorded) count(settled.status === 'pending' ? 'delivery.retried' : `delivery.${settled.status}`);
  if (!recorded) log.warn('LEASE_LOST', fields);
  else if (settled.status === 'delivered') log.info('EVENT_DELIVERED', fields);
  else log.warn(settled.status === 'failed' ? 'EVENT_FAILED' : 'ATTEMPT_FAILED', { ...fields, reason: result.error });
  if (recorded && settled.due_at !== undefined) await app.queue.send(id, settled.due_at - app.clock());
}

const eventIdOf = ({ body }: SQSRecord): string => {
  const { event_id } = JSON.parse(body) as { event_id?: unknown };
  if (typeof event_id !== 'string') throw new Error('The message names no event');
  return event_id;
};

/** The queue's consumer: each message on its own, and only those that met a fault come again. */
export const handler = async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
  const app = getApp();
  const readProduct = readOnce(app);
  const outcomes = await Promise.allSettled(Records.map(async (record) => deliverEvent(app, eventIdOf(record), readProduct)));
  const batchItemFailures = outcomes.flatMap((outcome, index) => {
    const messageId = Records[index]?.messageId;
    if (outcome.status === 'fulfilled' || messageId === undefined) return [];
    log.error('DELIVERY_FAULT', { message_id: messageId, body: Records[index]?.body }, outcome.reason);
    return [{ itemIdentifier: messageId }];
  });
  return { batchItemFailures };
};
