import { createHash, timingSafeEqual } from 'node:crypto';

/** Secrets are compared by their hash: equal lengths, constant time, and nothing to steal from a comparison. */

export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** True where the presented secret has this hash. */
export const matchesHash = (presented: string, hash: Uint8Array): boolean => timingSafeEqual(hashSecret(presented), hash);

/** Bytes of randomness that an API key and a webhook secret need. */
export const API_KEY_BYTES = 24;
export const WEBHOOK_SECRET_BYTES = 32;

/** A product's API key. The prefix lets people and secret scanners tell what it is. */
export const apiKeyOf = (random: Uint8Array): string => `pk_${Buffer.from(random).toString('base64url')}`;

/** A webhook secret in the form of Standard Webhooks; as a whole it is the key of `X-Svc-Signature`. */
export const webhookSecretOf = (random: Uint8Array): string => `whsec_${Buffer.from(random).toString('base64')}`;
