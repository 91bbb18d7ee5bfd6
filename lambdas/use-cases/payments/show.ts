import { depthExceeds } from '../../contract/resources/metadata';
import { connectionView, type Connection } from '../../domain/payments/connection';
import { MAX_LEVELS } from '../../domain/payments/fields';
import { UnreadableSeal } from '../../domain/seal';
import { timestampOf, timestampOrNull } from '../../domain/time';
import type { App } from '../../runtime/app';
import type { RequestEvent } from '../../runtime/http/request';
import { serviceUrl } from '../../runtime/http/service-url';
import { log } from '../../runtime/observability/log';
import type { Payment } from '../../store/payments/log';
import { openPayload, tokenOf } from './secrets';

/** The view of a connection for the operator. */
export const showConnection = async (app: App, event: RequestEvent, connection: Connection): Promise<ReturnType<typeof connectionView>> =>
  connectionView(connection, `${serviceUrl(app, event)}/v1/payments/${await tokenOf(app, connection)}`);

/**
 * The view of a connection in a list. If the secrets of the connection cannot be decrypted, the view is undefined and the error is logged,
 * so that the other connections are still shown.
 */
export async function showListedConnection(
  app: App,
  event: RequestEvent,
  connection: Connection,
): Promise<ReturnType<typeof connectionView> | undefined> {
  try {
    return await showConnection(app, event, connection);
  } catch (error) {
    if (!(error instanceof UnreadableSeal)) throw error;
    log.error('CONNECTION_NOT_OPENED', { product_id: connection.product_id, connection_id: connection.id }, error);
    return undefined;
  }
}

/** The object that replaces a payload which cannot be shown. */
const unreadable = (why: string): Record<string, unknown> => ({ unreadable: why });

/** The fields of a form. If a name is repeated, its value is the list of all values. */
function formFields(text: string): Record<string, unknown> {
  const fields = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const before = fields.get(name);
    if (Array.isArray(before)) before.push(value);
    else fields.set(name, before === undefined ? value : [before, value]);
  }
  return Object.fromEntries(fields);
}

/** The body of a notification as an object. The body is JSON or the fields of a form, because adapters accept no other format. */
function payloadOf(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return formFields(text);
  }
  // A response is serialized recursively, so deeply nested JSON could exhaust the stack.
  return depthExceeds(value, MAX_LEVELS)
    ? unreadable(`The payload is nested more than ${MAX_LEVELS} levels deep.`)
    : (value as Record<string, unknown>);
}

async function shownPayload(app: App, { id, product_id }: Payment, sealed: string): Promise<Record<string, unknown>> {
  try {
    return payloadOf(await openPayload(app, id, sealed));
  } catch (error) {
    if (!(error instanceof UnreadableSeal)) throw error;
    log.error('PAYLOAD_NOT_OPENED', { product_id, payment_id: id }, error);
    return unreadable("The payload cannot be decrypted with the deployment's keys.");
  }
}

/** The view of a row of the payments log for the operator. */
export async function showPayment(app: App, row: Payment) {
  const { order_uid: _, payload, order_link, subscription_link, ...payment } = row;
  return {
    ...payment,
    license_ids: [...payment.license_ids],
    links: { order: order_link, subscription: subscription_link },
    occurred_at: timestampOrNull(payment.occurred_at),
    received_at: timestampOf(payment.received_at),
    processed_at: timestampOrNull(payment.processed_at),
    payload: payload === null ? null : await shownPayload(app, row, payload),
  };
}
