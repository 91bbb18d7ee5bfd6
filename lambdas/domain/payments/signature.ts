import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Headers } from './model';

/** Functions that several adapters use to verify signatures. The processors send an HMAC-SHA256 in a header, often together with a time. */

/** Maximum difference between the time in a signature and the current time, in seconds (docs/spec/payments.md, Receiving). */
export const TOLERANCE_SECONDS = 300;

/** Builds a check that refuses secrets with fewer characters than a minimum. */
export const shorterThan =
  (characters: number) =>
  (secret: string): string | undefined =>
    secret.length < characters ? `must have at least ${characters} characters` : undefined;

/** The HMAC-SHA256 of the concatenated parts. */
export function hmac(key: string | Uint8Array, ...parts: readonly (string | Uint8Array)[]): Buffer {
  const code = createHmac('sha256', key);
  for (const part of parts) code.update(part);
  return code.digest();
}

/** Whether any of the codes equals any of the expected codes. Every pair is compared in constant time. */
export function anyMatches(codes: readonly Buffer[], expected: readonly Buffer[]): boolean {
  let matched = false;
  for (const code of codes) {
    for (const other of expected) if (code.length === other.length && timingSafeEqual(code, other)) matched = true;
  }
  return matched;
}

/** Whether a time, given as digits of Unix seconds, is within the tolerance. */
export const isTimely = (seconds: string, now: number): boolean =>
  /^\d{1,12}$/.test(seconds) && Math.abs(Math.floor(now / 1000) - Number(seconds)) <= TOLERANCE_SECONDS;

/** The bytes of a digest in lower-case hex. A malformed digest becomes an empty buffer, which matches nothing. */
export const fromHex = (digest: string): Buffer => (/^[0-9a-f]{64}$/.test(digest) ? Buffer.from(digest, 'hex') : Buffer.alloc(0));

/** The bytes of a digest in padded base64. A malformed digest becomes an empty buffer, which matches nothing. */
export const fromBase64 = (digest: string): Buffer =>
  /^[A-Za-z0-9+/]{43}=$/.test(digest) ? Buffer.from(digest, 'base64') : Buffer.alloc(0);

/**
 * Whether a signature of Standard Webhooks is valid: `v1,<base64>[ v1,<base64>]` over `id.timestamp.body`, with one of the keys. The
 * timestamp must be within the tolerance. (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md)
 */
export function isStandardWebhook(body: Uint8Array, headers: Headers, keys: readonly (string | Uint8Array)[], now: number): boolean {
  const [messageId = '', time = ''] = [headers['webhook-id'], headers['webhook-timestamp']];
  const expected = keys.map((key) => hmac(key, `${messageId}.${time}.`, body));
  const codes = (headers['webhook-signature'] ?? '')
    .split(' ')
    .filter((entry) => entry.startsWith('v1,'))
    .map((entry) => fromBase64(entry.slice('v1,'.length)));
  return anyMatches(codes, expected) && messageId !== '' && isTimely(time, now);
}

/** The values with a given name in a header such as `t=1,v1=ab,v1=cd`. */
export const valuesOf = (header: string, separator: string, name: string): readonly string[] =>
  header
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${name}=`))
    .map((part) => part.slice(name.length + 1));
