import { createHmac, timingSafeEqual } from 'node:crypto';
import type { components } from './generated/openapi';

/** A webhook event, as the service sends it in the body of a POST request. */
export type WebhookEvent = components['schemas']['Event'];

/** The headers of a request: a `Headers` object, or the headers object of Node's HTTP server, in which a repeated header is an array. */
export type WebhookHeaders =
  | { readonly get: (name: string) => string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

/** Thrown if a delivery must not be trusted. The message contains the reason. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

const TOLERANCE_SECONDS = 300;
const PREFIX = 'whsec_';
const SCHEME = 'v1,';

function headerOf(headers: WebhookHeaders, name: string): string {
  if (typeof headers['get'] === 'function') return headers.get(name) ?? '';
  return Object.entries(headers as Readonly<Record<string, string | readonly string[] | undefined>>)
    .flatMap(([other, value]) => (other.toLowerCase() === name ? (value ?? []) : []))
    .join(' ');
}

/** Decodes a webhook secret. An empty secret is refused, because anybody could sign with it. */
function keyOf(secret: string): Buffer {
  const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
  if (key.length === 0) throw new WebhookVerificationError('The webhook secret is missing');
  return key;
}

const isSame = (given: string, expected: Buffer): boolean => {
  const bytes = Buffer.from(given, 'base64');
  return bytes.length === expected.length && timingSafeEqual(bytes, expected);
};

/**
 * Verifies a delivery and returns its event. One valid signature in `webhook-signature` is enough, because the header contains two
 * signatures while a secret is being rotated. The header `X-Svc-Signature` is ignored, because its signature does not cover the time of the
 * delivery.
 *
 * @param body the body exactly as it was received, not parsed and serialized again
 * @param headers the headers of the request
 * @param secret the product's webhook secret, `whsec_…`
 * @param nowMs current time, in milliseconds since 1970; the time of the delivery may be up to 5 minutes earlier or later
 * @throws WebhookVerificationError if the request is not a delivery of this service, if its time is more than 5 minutes earlier or later
 * than `nowMs`, or if it contains no event
 */
export function verifyWebhook(body: string | Uint8Array, headers: WebhookHeaders, secret: string, nowMs = Date.now()): WebhookEvent {
  const key = keyOf(secret);
  const [id, timestamp, signatures] = (['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const).map((name) => {
    const value = headerOf(headers, name).trim();
    if (value === '') throw new WebhookVerificationError(`The header ${name} is missing`);
    return value;
  }) as [string, string, string];
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError('The header webhook-timestamp is not a time');
  if (Math.abs(nowMs / 1000 - Number(timestamp)) > TOLERANCE_SECONDS)
    throw new WebhookVerificationError('The time of the delivery is more than 5 minutes in the past or in the future');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  const isValid = signatures
    .split(/\s+/)
    .filter((signature) => signature.startsWith(SCHEME))
    .some((signature) => isSame(signature.slice(SCHEME.length), expected));
  if (!isValid) throw new WebhookVerificationError('No signature is valid: the body was changed, or the secret is wrong');
  try {
    return JSON.parse(typeof body === 'string' ? body : Buffer.from(body).toString('utf8')) as WebhookEvent;
  } catch {
    throw new WebhookVerificationError('The body is not JSON');
  }
}
