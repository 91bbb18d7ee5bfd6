import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';

/** Ed25519 keys of products. Creating a key object costs 15 times a signature: callers keep what they get. */

/** Bytes of a signing seed (RFC 8032). */
export const SEED_BYTES = 32;

/** PKCS#8 of an Ed25519 private key up to the seed (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

export const privateKeyOf = (seed: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });

/** The public key of a seed as SubjectPublicKeyInfo PEM. */
export const publicKeyPem = (seed: Uint8Array): string =>
  createPublicKey(privateKeyOf(seed)).export({ format: 'pem', type: 'spki' }).toString();

/** A public key as a JWK (RFC 8037) with its thumbprint (RFC 7638) as `kid`. */
export function publicJwk(pem: string): { kty: 'OKP'; crv: 'Ed25519'; x: string; kid: string; use: 'sig'; alg: 'EdDSA' } {
  const { x = '' } = createPublicKey(pem).export({ format: 'jwk' });
  const kid = createHash('sha256').update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x })).digest('base64url');
  return { kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', alg: 'EdDSA' };
}
