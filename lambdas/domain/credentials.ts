import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Secrets are compared by their hashes in constant time, and the hashes have equal lengths. Therefore the duration of a comparison reveals
 * nothing about the secret.
 */

export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** Whether a secret has the given hash. */
export const matchesHash = (presented: string, hash: Uint8Array): boolean => timingSafeEqual(hashSecret(presented), hash);

/** Number of random bytes in an API key. */
export const API_KEY_BYTES = 24;
/** Number of random bytes in a webhook secret. */
export const WEBHOOK_SECRET_BYTES = 32;

/** A product's API key. People and secret scanners recognize it by its prefix. */
export const apiKeyOf = (random: Uint8Array): string => `pk_${Buffer.from(random).toString('base64url')}`;

/** Number of random bytes in an admin token. */
export const ADMIN_TOKEN_BYTES = 32;
const ADMIN_TOKEN = /^svc_[\w-]{49}$/;
const CHECK_LENGTH = 6;

/** The check part of an admin token. With the check part, the service refuses a mistyped or invented token without a read of the table. */
const checkOf = (unchecked: string): string => hashSecret(unchecked).toString('base64url').slice(0, CHECK_LENGTH);

/** An admin token: the prefix, 43 random characters, and the check part. (docs/spec/operator.md, Admin tokens) */
export function adminTokenOf(random: Uint8Array): string {
  const unchecked = `svc_${Buffer.from(random).toString('base64url')}`;
  return `${unchecked}${checkOf(unchecked)}`;
}

/** Whether the text has the format of an admin token with a correct check part. */
export const isAdminToken = (text: string): boolean => ADMIN_TOKEN.test(text) && text.endsWith(checkOf(text.slice(0, -CHECK_LENGTH)));

/** The hash under which an admin token is stored and found. */
export const adminTokenHash = (token: string): string => hashSecret(token).toString('hex');

/**
 * A webhook secret in the format of Standard Webhooks: a prefix and base64 text. The signature in `X-Svc-Signature` uses the whole text as
 * its key, including the prefix.
 */
export const webhookSecretOf = (random: Uint8Array): string => `whsec_${Buffer.from(random).toString('base64')}`;
