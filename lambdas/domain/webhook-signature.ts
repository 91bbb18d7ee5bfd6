import { createHmac } from 'node:crypto';

/** The signatures by which a receiver verifies a delivery. Both schemes sign the body with the same secret. */

const PREFIX = 'whsec_';

/** `X-Svc-Signature`: lowercase hex of HMAC-SHA256 over the raw body, with the secret as it is shown as the key. */
export const svcSignature = (secret: string, body: string): string => createHmac('sha256', secret).update(body).digest('hex');

/**
 * The `webhook-signature` of Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`. The key is the base64 after the
 * secret's prefix, decoded.
 */
export function standardSignature(secret: string, id: string, timestampSeconds: number, body: string): string {
  const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestampSeconds}.${body}`).digest('base64')}`;
}

/**
 * The headers of a delivery, in addition to those of HTTP.
 *
 * @param secrets the product's secret and, during a rotation, the previous one: the first signs `X-Svc-Signature`, each
 * of them signs `webhook-signature`
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
