import { connectionView, type Connection } from '../../domain/payments/connection';
import { timestampOf, timestampOrNull } from '../../domain/time';
import type { App } from '../../runtime/app';
import { header, type RequestEvent } from '../../runtime/http/request';
import { basePath } from '../../runtime/http/response';
import type { Payment } from '../../store/payments/log';
import { payloadPlace, tokenOf } from './connections';

/** Where processors reach the service: the deployment's address, or the one that this request came to. */
function serviceUrl(app: App, event: RequestEvent): string {
  const { publicUrl } = app.config;
  if (publicUrl !== undefined) return publicUrl;
  const protocol = header(event, 'x-forwarded-proto') ?? 'http';
  return `${protocol}://${header(event, 'host') ?? 'localhost'}${basePath(event)}`;
}

/** A connection as the operator sees it. */
export const showConnection = async (app: App, event: RequestEvent, connection: Connection): Promise<ReturnType<typeof connectionView>> =>
  connectionView(connection, `${serviceUrl(app, event)}/v1/payments/${await tokenOf(app, connection)}`);

/** What was sent as an object: JSON, or the fields of a form. Adapters read nothing else. */
function payloadOf(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return Object.fromEntries(new URLSearchParams(text));
  }
}

/** A row of the payments log as the operator sees it. */
export async function showPayment(app: App, { order_uid: _, payload, ...payment }: Payment) {
  const text = payload === null ? null : (await app.secrets.open('payment_payload', payload, payloadPlace(payment.id))).toString();
  return {
    ...payment,
    license_ids: [...payment.license_ids],
    occurred_at: timestampOrNull(payment.occurred_at),
    received_at: timestampOf(payment.received_at),
    processed_at: timestampOrNull(payment.processed_at),
    payload: text === null ? null : payloadOf(text),
  };
}
