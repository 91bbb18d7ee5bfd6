import { fail } from '../contract/errors';
import { CONNECTION_TOKEN, MAX_NOTIFICATION_BYTES, receivePayment } from '../contract/payments';
import { adapters } from '../domain/payments';
import { MAX_LEVELS } from '../domain/payments/fields';
import { preferredType } from '../runtime/http/formats';
import { refuseCredential } from '../runtime/http/refuse-credential';
import { PlainText } from '../runtime/http/response';
import { checkedByOperation, serve } from '../runtime/http';
import { bodyBytes, lowerCaseHeaders } from '../runtime/http/request';
import { originOf } from '../runtime/http/request-origin';
import { clearRejected, countRejected, findConnectionByToken, getConnection, recordTime } from '../store/payments/connections';
import { issuedLicenses } from '../use-cases/payments/issued-licenses';
import { readBack } from '../use-cases/payments/read-back';
import { newPaymentId, receive } from '../use-cases/payments/receive';
import { payloadPlace, signingSecrets, tokenHashOf } from '../use-cases/payments/secrets';

/** Minimum time between two updates of a connection's `last_received_at`, in ms. */
const RECORDED_EVERY_MS = 10_000;

/**
 * A cache of connection ids: each key is the hash of a connection's token. Entries never become outdated, because a token always belongs to
 * the same connection.
 */
const connectionIds = new Map<string, number>();
const MAX_TOKENS = 1000;

export const handler = serve(receivePayment, checkedByOperation, async ({ event, app, now }) => {
  const headers = lowerCaseHeaders(event);
  // The signature is verified over the unchanged bytes, so they must not be parsed before.
  const bytes = bodyBytes(event);
  const origin = await originOf(app, event);
  const refuse = () => refuseCredential('refused.payment', receivePayment.path, origin);
  const token = event.pathParameters?.['payment'] ?? '';
  if (!CONNECTION_TOKEN.test(token)) return refuse();
  const hash = tokenHashOf(token);
  const id = connectionIds.get(hash) ?? (await findConnectionByToken(app.table, hash));
  const connection = id === undefined ? undefined : await getConnection(app.table, id);
  if (!connection?.enabled) return refuse();
  if (connectionIds.size >= MAX_TOKENS) connectionIds.clear();
  connectionIds.set(hash, connection.id);

  const adapter = adapters[connection.processor];
  if (adapter.signs && !adapter.verify(bytes, headers, await signingSecrets(app, connection, now), now)) {
    await countRejected(app.table, connection, now);
    return refuse();
  }
  if (bytes.length > MAX_NOTIFICATION_BYTES) return fail('invalid_request', `body must be at most ${MAX_NOTIFICATION_BYTES} bytes`);
  // This also removes a byte order mark.
  const text = new TextDecoder().decode(bytes);
  const refusal = adapter.refusal?.(text, now);
  if (refusal !== undefined) return fail('invalid_request', refusal);
  const read = adapter.read(text, headers);
  if (!read) return fail('invalid_request', `body must be a notification of the processor, nested at most ${MAX_LEVELS} levels deep`);

  const notification = await readBack(app, connection, read);
  if (notification === 'unproven') return fail('unavailable', "The processor's API did not respond, try again");
  const paymentId = newPaymentId(app);
  const seal = await app.secrets.sealer('payment_payload');
  const payload = seal('payment_payload', text, payloadPlace(paymentId));
  const receipt = await receive(app, connection, { notification, source: 'webhook', payload, paymentId, origin }, now);
  if (now - (connection.last_received_at ?? 0) >= RECORDED_EVERY_MS) await recordTime(app.table, connection.id, 'last_received_at', now);
  if (connection.rejected_count > 0) await clearRejected(app.table, connection.id);
  const { status } = receipt;
  if (status === 'mismatch') return fail('idempotency_mismatch', 'The id was already used in a notification with another body');
  if (!adapter.respondsWithLicenses || read.actions[0].kind !== 'sale') return { ...receipt, status };
  const licenses = await issuedLicenses(app, connection, read, now);
  if (preferredType(headers['accept'], ['text/plain']) === undefined) return { ...receipt, status, licenses };
  return licenses.length > 0 ? new PlainText(licenses.map(({ key }) => `${key}\n`).join('')) : fail('not_issued');
});
