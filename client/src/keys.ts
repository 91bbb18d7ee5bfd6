import { fromBase64Url } from './bytes';

/** A product's Ed25519 public key as a JSON Web Key (RFC 7517, RFC 8037). */
export interface Jwk {
  readonly kty?: unknown;
  readonly crv?: unknown;
  readonly x?: unknown;
  readonly kid?: unknown;
  readonly use?: unknown;
  readonly alg?: unknown;
}

/** What `GET /v1/products/{id}/jwks.json` answers. */
export interface JwkSet {
  readonly keys: readonly Jwk[];
}

/** The product's `public_key` as PEM, or its JWK set. */
export type PublicKey = string | JwkSet;

/** A key that may have signed a token. */
export interface VerifyKey {
  /** 32 bytes (RFC 8032). */
  readonly bytes: Uint8Array;
  /** The key's name; undefined for a key from a PEM, which is tried whatever name a token calls. */
  readonly kid: unknown;
}

/** Bytes of an Ed25519 public key. */
const KEY_BYTES = 32;

/**
 * SubjectPublicKeyInfo of an Ed25519 key (RFC 8410) as PEM, white space left out: what stands before the key are 12
 * bytes, and so 16 characters of base 64, that are always the same.
 */
const PEM = /^-----BEGINPUBLICKEY-----MCowBQYDK2VwAyEA([\w+/]{43})=-----ENDPUBLICKEY-----$/;

const fromPem = (pem: string): Jwk => ({
  kty: 'OKP',
  crv: 'Ed25519',
  x: PEM.exec(pem.replace(/\s/g, ''))?.[1]?.replace(/\+/g, '-').replace(/\//g, '_'),
});

function fromJwk({ kty, crv, x, kid, use = 'sig', alg = 'EdDSA' }: Jwk): readonly VerifyKey[] {
  const bytes = typeof x === 'string' ? fromBase64Url(x) : undefined;
  const isUsable = kty === 'OKP' && crv === 'Ed25519' && use === 'sig' && alg === 'EdDSA' && bytes?.length === KEY_BYTES;
  return isUsable ? [{ bytes, kid }] : [];
}

/**
 * The keys of a PEM or a JWK set. Keys of a set that are not Ed25519 signature keys are left out.
 *
 * @throws TypeError where none is left: a mistake in the app's configuration
 */
export function verifyKeys(publicKey: PublicKey): readonly VerifyKey[] {
  const keys = (typeof publicKey === 'string' ? [fromPem(publicKey)] : publicKey.keys).flatMap(fromJwk);
  if (keys.length === 0) throw new TypeError('publicKey is no Ed25519 key: neither PEM nor JWK set');
  return keys;
}
