import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import * as z from 'zod/mini';
import { number, string, type Stored } from './stored';

/** The Ed25519 keys of products. Creating a key object takes 15 times as long as a signature, so callers reuse the object. */

/**
 * A key with status `next` is published but does not sign yet. A `current` key signs. A `previous` key no longer signs, but still verifies.
 */
export const signingKeyStatuses = ['current', 'next', 'previous'] as const;
export type SigningKeyStatus = (typeof signingKeyStatuses)[number];

/** The public part of a product's signing key. */
export const signingKeySchema = z.object({
  /** RFC 7638 thumbprint of the public key. */
  kid: string,
  /** SubjectPublicKeyInfo PEM. */
  public_key: string,
  status: z.enum(signingKeyStatuses),
  /** When the key was created, in epoch ms. */
  created_at: number,
});
export interface SigningKey extends Stored<typeof signingKeySchema> {}

/** The sealed seeds of a product's signing keys, by the ids (`kid`) of the keys. */
export type SigningSeeds = Readonly<Record<string, string>>;

/**
 * The name of the place where a signing key's seed is stored. A sealed seed is bound to this name: it can't be opened with the name of
 * another place.
 */
export const seedPlace = (productId: number, kid: string): string => `product/${productId}/signing_key/${kid}`;

/** Length of a signing seed in bytes (RFC 8032). */
export const SEED_BYTES = 32;

/** The PKCS#8 encoding of an Ed25519 private key, without the seed at its end (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

export const privateKeyOf = (seed: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });

/** The public key that belongs to a seed, as SubjectPublicKeyInfo PEM. */
export const publicKeyPem = (seed: Uint8Array): string =>
  createPublicKey(privateKeyOf(seed)).export({ format: 'pem', type: 'spki' }).toString();

/** A public key as a JWK (RFC 8037) with its thumbprint (RFC 7638) as `kid`. */
export function publicJwk(pem: string): { kty: 'OKP'; crv: 'Ed25519'; x: string; kid: string; use: 'sig'; alg: 'EdDSA' } {
  const { x = '' } = createPublicKey(pem).export({ format: 'jwk' });
  const kid = createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');
  return { kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', alg: 'EdDSA' };
}

/** The id of a public key: its RFC 7638 thumbprint. */
export const kidOf = (pem: string): string => publicJwk(pem).kid;
