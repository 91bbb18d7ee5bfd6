import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { deliveryHeaders } from '../domain/webhook-signature';
import { settle, skip } from '../domain/delivery';
import { openSecret } from '../domain/product';
import { theApp, type App } from '../runtime/app';
import { log } from '../runtime/log';
import { count } from '../runtime/metrics';
import { createSender, type Sender } from '../runtime/webhook-sender';
import { claimEvent, settleEvent } from '../store/events';
import { getProduct } from '../store/products';

/**
 * Delivers events. A message says only "look at this event": what is to be done is in the event's row, so
 * that a message that comes twice, late or not at all changes nothing but the time.
 */

/** One sender for as long as the function lives: its connections are used again. */
const senders = new WeakMap<App, Sender>();
function senderOf(app: App): Sender {
  const sender = senders.get(app) ?? createSender({ allowPrivate: app.config.webhookAllowPrivate, clock: app.clock });
  senders.set(app, sender);
  return sender;
}

/** Makes the attempt that is due, if one is, and sees to the next. Throws on faults only: the message then comes again. */
export async function deliverEvent(app: App, id: string): Promise<void> {
  const claim = await claimEvent(app.table, id);
  if (claim === 'settled' || claim === 'leased') return;
  if ('dueAt' in claim) return app.queue.send(id, claim.dueAt - app.clock());

  const { delivery, token } = claim;
  const product = await getProduct(app.table, delivery.product_id);
  if (!product) throw new Error(`Event ${id} is of product ${delivery.product_id}, which is not there`);
  if (product.webhook_url === '') {
    if (await settleEvent(app.table, token, skip(delivery))) count('delivery.skipped');
    return;
  }

  const secret = openSecret(await app.secrets.sealingKey(), product, 'webhook_secret').toString();
  const result = await senderOf(app).post(product.webhook_url, deliveryHeaders(delivery, secret, app.clock()), delivery.body);
  const settled = settle(delivery, product.webhook_url, result);
  const recorded = await settleEvent(app.table, token, settled);
  const fields = { event_id: id, product_id: delivery.product_id, attempt: settled.attempts, http_status: result.status, duration_ms: result.durationMs };
  if (recorded) count(settled.status === 'pending' ? 'delivery.retried' : `delivery.${settled.status}`);
  if (!recorded) log.warn('ATTEMPT_OUTLIVED_ITS_LEASE', fields);
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
  const app = theApp();
  const outcomes = await Promise.allSettled(Records.map(async (record) => deliverEvent(app, eventIdOf(record))));
  const batchItemFailures = outcomes.flatMap((outcome, place) => {
    const messageId = Records[place]?.messageId;
    if (outcome.status === 'fulfilled' || messageId === undefined) return [];
    log.error('DELIVERY_FAULT', { message_id: messageId }, outcome.reason);
    return [{ itemIdentifier: messageId }];
  });
  return { batchItemFailures };
};
