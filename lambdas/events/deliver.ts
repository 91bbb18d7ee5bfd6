import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type * as z from 'zod/mini';
import type { loggedPayload } from '../contract/payload';
import { deliveryHeaders } from '../domain/webhook-signature';
import { settle, settleFault, skip, type DeliveryRecord } from '../domain/delivery';
import { isPortalMail, REMINDED } from '../contract/events';
import { MAILTO } from '../domain/event';
import { renderKeyMail } from '../domain/key-mail';
import { hasAddress } from '../domain/license';
import { PRODUCT_LIMIT_WAIT_MS } from '../domain/portal/mail';
import { isPosted, type Product } from '../domain/product';
import { getApp, type App, type Invocation } from '../runtime/app';
import { batched } from '../runtime/batched';
import { mailFrom } from '../runtime/mail/from';
import { MailFailed, type Mail } from '../runtime/mail/mail';
import { sendMail } from '../runtime/mail/mailer';
import { log } from '../runtime/observability/log';
import { count } from '../runtime/observability/metrics';
import { createSender, type Sender } from '../runtime/webhooks/sender';
import { queueOf } from '../runtime/queue';
import { completeBody } from '../store/events/bodies';
import { claimEvent, MAX_SETTLEMENTS, settleEvents, type Settlement } from '../store/events/attempts';
import { getLicense } from '../store/licenses/read';
import { getProduct } from '../store/products';
import { isSuppressed } from '../store/suppressions';
import { preparePortalMail, withoutAddress } from '../use-cases/portal/mail';
import { portalInMail, prepareReminder } from '../use-cases/reminders/prepare';
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

/** The result of an attempt, and the fields for its line in the log. */
interface Attempted {
  readonly delivery: DeliveryRecord;
  readonly log?: { readonly http_status: number | null; readonly duration_ms: number; readonly reason: string | null };
}

/**
 * Makes one attempt to post an event, unless the filter of its product's webhook excludes the event.
 *
 * @throws only if the service itself has a fault
 */
async function attempt(app: App, delivery: DeliveryRecord, readProduct: ReadProduct): Promise<Attempted> {
  const { event, product_id, body } = delivery;
  if (body === undefined) throw new Error('the event cannot be read');
  const product = await readProduct(product_id);
  if (!product) throw new Error(`product ${product_id} does not exist`);
  if (!isPosted(product, event)) return { delivery: skip(delivery) };

  const secrets = await webhookSecrets(app, product, app.clock());
  const complete = await completeBody(app.table, { ...delivery, body });
  const result = await dispatchOf(app).sender.post(product.webhook_url, deliveryHeaders(complete, secrets, app.realClock()), complete.body);
  return {
    delivery: settle(delivery, product.webhook_url, result),
    log: { http_status: result.status, duration_ms: result.durationMs, reason: result.error },
  };
}

/** Sends a mail of the portal once, if mail is configured and the mail has not expired. */
async function attemptPortalMail(app: App, delivery: DeliveryRecord, readProduct: ReadProduct): Promise<Attempted> {
  const from = mailFrom(app);
  if (from === null) return { delivery: withoutAddress(skip(delivery)) };
  const product = await readProduct(delivery.product_id);
  if (!product) throw new Error(`product ${delivery.product_id} does not exist`);
  const prepared = await preparePortalMail(app, delivery, product, app.clock());
  if (prepared === 'skipped') return { delivery: withoutAddress(skip(delivery)) };
  if ('waits' in prepared) return { delivery: { ...delivery, mail: prepared.waits, due_at: app.realClock() + PRODUCT_LIMIT_WAIT_MS } };
  const url = delivery.url ?? MAILTO;
  const sent =
    'dropped' in prepared
      ? settled(app, delivery, url, app.realClock(), prepared.dropped, null, true)
      : await sendOnce(app, delivery, url, from, { to: prepared.to, ...prepared.mail });
  return { ...sent, delivery: withoutAddress(sent.delivery) };
}

/** The result of an attempt to send a mail. The attempt began at `at` (epoch ms). */
function settled(
  app: App,
  delivery: DeliveryRecord,
  url: string,
  at: number,
  reason: string | null,
  status: number | null,
  isFinal: boolean,
): Attempted {
  const result = { at, durationMs: Math.max(0, app.realClock() - at), status, error: reason, isFinal };
  return { delivery: settle(delivery, url, result), log: { http_status: status, duration_ms: result.durationMs, reason } };
}

/** The reason why no mail is sent to an address after a bounce. */
const SUPPRESSED = 'No mail is sent to this address, because a mail bounced or was reported as spam';

async function sendOnce(app: App, delivery: DeliveryRecord, url: string, from: string, mail: Mail): Promise<Attempted> {
  const at = app.realClock();
  if (await isSuppressed(app.table, delivery.product_id, mail.to)) return settled(app, delivery, url, at, SUPPRESSED, null, true);
  const attempted = await sendMail(app, from, { ...mail, eventId: delivery.id }).then(
    () => settled(app, delivery, url, at, null, null, false),
    (error: unknown) => {
      if (!(error instanceof MailFailed)) throw error;
      return settled(app, delivery, url, at, error.message, error.code, error.isFinal);
    },
  );
  const { status } = attempted.delivery;
  if (status === 'delivered' || status === 'failed') count(`mail.${status}`);
  return attempted;
}

/**
 * Makes one attempt to send a mail: a portal mail, a reminder, or a mail with keys. The text of a mail with keys is generated from the
 * current state of the licenses. If mail is not configured, the mail is skipped.
 */
async function attemptMail(app: App, delivery: DeliveryRecord, readProduct: ReadProduct): Promise<Attempted> {
  if (isPortalMail(delivery.event)) return attemptPortalMail(app, delivery, readProduct);
  if (delivery.event === REMINDED) return attemptReminder(app, delivery, readProduct);
  const { product_id, body, url = '' } = delivery;
  if (body === undefined) throw new Error('the mail cannot be read');
  const from = mailFrom(app);
  if (from === null) return { delivery: skip(delivery) };
  const product = await readProduct(product_id);
  if (!product) throw new Error(`product ${product_id} does not exist`);
  const { license_ids = [] } = (JSON.parse(body) as z.infer<typeof loggedPayload>).data;
  const to = url.slice(MAILTO.length);
  const refuse = (reason: string): Attempted => settled(app, delivery, url, app.realClock(), reason, null, true);
  if (to === '') return refuse('The address was erased');
  const licenses = (await Promise.all(license_ids.map((id) => getLicense(app.table, id)))).filter((license) => license !== undefined);
  if (licenses.length === 0) throw new Error('its licenses are gone');
  // The address may have been corrected since the mail was recorded. The previous address must not get the key of another buyer.
  const own = licenses.filter((license) => hasAddress(license, to));
  if (own.length === 0) return refuse('The licenses have another buyer now');
  return sendOnce(app, delivery, url, from, { to, ...renderKeyMail(product, own, await portalInMail(app, product)) });
}

/** Sends a reminder once, unless it is no longer needed. */
async function attemptReminder(app: App, delivery: DeliveryRecord, readProduct: ReadProduct): Promise<Attempted> {
  const from = mailFrom(app);
  if (from === null) return { delivery: skip(delivery) };
  const product = await readProduct(delivery.product_id);
  if (!product) throw new Error(`product ${delivery.product_id} does not exist`);
  const prepared = await prepareReminder(app, delivery, product);
  if (prepared === 'skipped') return { delivery: skip(delivery) };
  // A redelivery starts a round whose `due_at` is ignored until `faults` is recorded (see `claimEvent`). This `due_at` must not be ignored.
  if ('waitsUntil' in prepared) return { delivery: { ...delivery, due_at: prepared.waitsUntil, faults: delivery.faults ?? 0 } };
  return sendOnce(app, delivery, `${MAILTO}${prepared.to}`, from, prepared);
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
  const attempted = await (claim.delivery.channel === 'mail' ? attemptMail : attempt)(app, claim.delivery, readProduct).catch(
    (fault: unknown): Attempted => {
      count('delivery.fault');
      log.error('DELIVERY_FAULT', { event_id: id, product_id: claim.delivery.product_id }, fault);
      return { delivery: settleFault(claim.delivery, fault instanceof Error ? fault.message : String(fault), app.realClock()) };
    },
  );
  dispatch.underWay -= 1;
  const recorded = await dispatch.settle({ delivery: attempted.delivery, token: claim.token });
  if (!recorded) return log.warn('LEASE_LOST', { event_id: id, product_id: claim.delivery.product_id });
  report(attempted);
  const { due_at } = attempted.delivery;
  if (due_at !== undefined) await queueOf(app).send([attempted.delivery], due_at - app.realClock());
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
