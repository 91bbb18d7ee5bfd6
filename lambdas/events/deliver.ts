import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { deliveryHeaders } from '../domain/webhook-signature';
import { settleFault, skip, type DeliveryRecord } from '../domain/delivery';
import { isPosted, type Product } from '../domain/product';
import { getApp, type App, type Invocation } from '../runtime/app';
import { batched } from '../runtime/batched';
import { log } from '../runtime/observability/log';
import { count } from '../runtime/observability/metrics';
import { createSender, type Sender } from '../runtime/webhooks/sender';
import { queueOf } from '../runtime/queue';
import { completeBody } from '../store/events/bodies';
import { claimEvent, MAX_SETTLEMENTS, settleEvents, type Settlement } from '../store/events/attempts';
import { getProduct } from '../store/products';
import { attempted, attemptMail, type Attempted } from '../use-cases/attempt-mail';
import { webhookSecrets } from '../use-cases/product-secrets';

/**
 * Delivers events. A message only says that an event should be checked. The state of the event is in its row, and the sweeper finds events
 * whose messages were lost. Therefore a message that arrives twice, late or never can only change the time of the delivery.
 *
 * The delays, leases and signatures of deliveries use the real time (`realClock`), even if a tester has moved the clock of a local run.
 * Receivers compare the times in signatures with their own clocks.
 */

/** The parts that all deliveries of this function instance share. */
interface Dispatch {
  /** Sends requests, and reuses its connections. */
  readonly sender: Sender;
  /** Records the result of an attempt. Results of attempts that end at about the same time are recorded together. */
  readonly settle: (settlement: Settlement) => Promise<boolean>;
  /**
   * Number of attempts that have begun and not ended. While there are any, `settle` waits briefly for their results, so that it can record
   * them together.
   */
  underWay: number;
}

const dispatches = new WeakMap<App, Dispatch>();
function dispatchOf(app: App): Dispatch {
  const dispatch: Dispatch = dispatches.get(app) ?? {
    sender: createSender({ allowPrivate: app.config.webhookAllowPrivate, clock: app.realClock }),
    settle: batched(
      MAX_SETTLEMENTS,
      (settlements: readonly Settlement[]) => settleEvents(app.table, settlements),
      () => dispatch.underWay > 0,
    ),
    underWay: 0,
  };
  dispatches.set(app, dispatch);
  return dispatch;
}

/** Returns a product. Within a batch of messages, each product is read only once. */
type ReadProduct = (id: number) => Promise<Product | undefined>;

function readOnce({ table }: App): ReadProduct {
  const products = new Map<number, Promise<Product | undefined>>();
  return (id) => {
    const product = products.get(id) ?? getProduct(table, id);
    products.set(id, product);
    return product;
  };
}

/**
 * Makes one attempt to post an event or to send a mail.
 *
 * @throws only if the service itself has a fault
 */
async function attempt(app: App, delivery: DeliveryRecord, readProduct: ReadProduct): Promise<Attempted> {
  const product = await readProduct(delivery.product_id);
  if (!product) throw new Error(`product ${delivery.product_id} does not exist`);
  return delivery.channel === 'mail' ? attemptMail(app, delivery, product) : attemptPost(app, delivery, product);
}

/** Posts an event once, unless the filter of its product's webhook excludes the event. */
async function attemptPost(app: App, delivery: DeliveryRecord, product: Product): Promise<Attempted> {
  const { event, body } = delivery;
  if (body === undefined) throw new Error('the event cannot be read');
  if (!isPosted(product, event)) return { delivery: skip(delivery) };
  const secrets = await webhookSecrets(app, product, app.clock());
  const complete = await completeBody(app.table, { ...delivery, body });
  const result = await dispatchOf(app).sender.post(product.webhook_url, deliveryHeaders(complete, secrets, app.realClock()), complete.body);
  return attempted(delivery, product.webhook_url, result);
}

/** Counts and logs a delivery after it was recorded. */
function report({ delivery: { id, status, product_id, attempts }, log: details }: Attempted): void {
  count(status === 'pending' ? 'delivery.retried' : `delivery.${status}`);
  if (!details) return;
  const { reason, ...rest } = details;
  const fields = { event_id: id, product_id, attempt: attempts, ...rest };
  if (status === 'delivered') log.info('EVENT_DELIVERED', fields);
  else log.warn(status === 'failed' ? 'EVENT_FAILED' : 'ATTEMPT_FAILED', { ...fields, reason });
}

/**
 * Makes an attempt to deliver the event, if one is due, and schedules the next attempt. A fault of the service itself counts as a failed
 * attempt.
 *
 * @throws only if the table or the queue fails: SQS then delivers the message again
 */
async function deliverEvent(app: App, id: string, readProduct: ReadProduct): Promise<void> {
  const claim = await claimEvent(app.table, id, app.realClock());
  if (claim === 'settled' || claim === 'leased') return;
  if ('dueAt' in claim) return queueOf(app).send([claim], claim.dueAt - app.realClock());

  const dispatch = dispatchOf(app);
  dispatch.underWay += 1;
  const result = await attempt(app, claim.delivery, readProduct).catch((fault: unknown): Attempted => {
    count('delivery.fault');
    log.error('DELIVERY_FAULT', { event_id: id, product_id: claim.delivery.product_id }, fault);
    return { delivery: settleFault(claim.delivery, fault instanceof Error ? fault.message : String(fault), app.realClock()) };
  });
  dispatch.underWay -= 1;
  const recorded = await dispatch.settle({ delivery: result.delivery, token: claim.token });
  if (!recorded) return log.warn('LEASE_LOST', { event_id: id, product_id: claim.delivery.product_id });
  report(result);
  const { due_at } = result.delivery;
  if (due_at !== undefined) await queueOf(app).send([result.delivery], due_at - app.realClock());
}

/**
 * The event id in a message; undefined if the message contains no event id. Such a message is dropped, because receiving it again would not
 * help.
 */
function eventIdOf({ body, messageId }: SQSRecord): string | undefined {
  try {
    const { event_id } = JSON.parse(body) as { event_id?: unknown };
    if (typeof event_id !== 'string') throw new Error('The message has no event id');
    return event_id;
  } catch (error) {
    count('delivery.fault');
    log.error('MESSAGE_REFUSED', { message_id: messageId }, error);
    return undefined;
  }
}

/**
 * The consumer of the event queue. It handles each message separately. SQS delivers a message again only if the table or the queue failed
 * while the message was handled.
 */
export const handler = async ({ Records }: SQSEvent, context: Invocation): Promise<SQSBatchResponse> => {
  const app = getApp(context);
  const readProduct = readOnce(app);
  const settled = await Promise.allSettled(
    Records.map(async (record) => {
      const id = eventIdOf(record);
      if (id !== undefined) await deliverEvent(app, id, readProduct);
    }),
  );
  const batchItemFailures = settled.flatMap((one, index) => {
    const messageId = Records[index]?.messageId;
    if (one.status === 'fulfilled' || messageId === undefined) return [];
    log.error('DELIVERY_UNRECORDED', { message_id: messageId, body: Records[index]?.body }, one.reason);
    return [{ itemIdentifier: messageId }];
  });
  return { batchItemFailures };
};
