import { createHmac } from 'node:crypto';

/** The signatures with which a receiver verifies a delivery. Both signature schemes sign the body with the same secret. */

const PREFIX = 'whsec_';

/** The value of `X-Svc-Signature`: HMAC-SHA256 over the raw body in lower-case hex. The key is the whole text of the secret. */
export const svcSignature = (secret: string, body: string): string => createHmac('sha256', secret).update(body).digest('hex');

/**
 * The value of `webhook-signature` in Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`. The key is decoded from the base64 text
 * after the secret's prefix.
 */
export function standardSignature(secret: string, id: string, timestampSeconds: number, body: string): string {
  const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestampSeconds}.${body}`).digest('base64')}`;
}

/**
 * The headers of a delivery: the content type, the event, its id, the current time, and the signatures.
 *
 * @param secrets the product's secret and, during a rotation, the previous secret. The first secret signs `X-Svc-Signature`. Both secrets
 * sign `webhook-signature`.
 */
export const deliveryHeaders = (
  { id, event, body }: { readonly id: string; readonly event: string; readonly body: string },
  secrets: readonly [newest: string, ...before: string[]],
  now: number,
): Record<string, string> => {
  const seconds = Math.floor(now / 1000);
  return {
    'Content-Type': 'application/json',
    'X-Svc-Event': event,
    'X-Svc-Signature': svcSignature(secrets[0], body),
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': secrets.map((secret) => standardSignature(secret, id, seconds, body)).join(' '),
  };
};
