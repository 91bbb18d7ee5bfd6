import { fromBase64Url } from './bytes';
import { isPublicKey, signatureCheck, type Ed25519 } from './ed25519';
import { isText } from './shape';

/** A product's Ed25519 public key as a JSON Web Key (RFC 7517, RFC 8037). */
export interface Jwk {
  readonly kty?: unknown;
  readonly crv?: unknown;
  readonly x?: unknown;
  readonly kid?: unknown;
  readonly use?: unknown;
  readonly alg?: unknown;
}

/** The response of `GET /v1/products/{id}/jwks.json`. */
export interface JwkSet {
  /** Entries that are not usable Ed25519 keys are ignored. */
  readonly keys: readonly (Jwk | null)[];
}

/** The product's `public_key` as PEM, or its JWK set. */
type KeySource = string | JwkSet;

/** One key, several keys, or a JWK set. Every given key is trusted, so that the service's signing key can be rotated. */
export type PublicKey = KeySource | readonly KeySource[];

/** A key that may have signed a token. */
export interface VerifyKey {
  /** The key's id; undefined for a key that is tried for every token, regardless of the key id in the token. */
  readonly kid: string | undefined;
  /** Whether this key has signed the content; undefined if neither the platform nor the app provides Ed25519. */
  readonly verifies: (content: Uint8Array, signature: Uint8Array) => Promise<boolean | undefined>;
}

/**
 * SubjectPublicKeyInfo of an Ed25519 key (RFC 8410) as PEM without white space. The 12 bytes before the key are always the same, and so are
 * the first 16 base64 characters.
 */
const PEM = /^-----BEGINPUBLICKEY-----MCowBQYDK2VwAyEA([\w+/]{43})=-----ENDPUBLICKEY-----$/;

const fromPem = (pem: string): Jwk => ({
  kty: 'OKP',
  crv: 'Ed25519',
  x: PEM.exec(pem.replace(/\s/g, ''))?.[1]?.replace(/\+/g, '-').replace(/\//g, '_'),
});

function fromJwk(jwk: Jwk | null, ed25519?: Ed25519): readonly VerifyKey[] {
  const { kty, crv, x, kid, use = 'sig', alg = 'EdDSA' } = jwk ?? {};
  const bytes = isText(x) ? fromBase64Url(x) : undefined;
  const isUsable = kty === 'OKP' && crv === 'Ed25519' && use === 'sig' && alg === 'EdDSA' && bytes && isPublicKey(bytes);
  return isUsable ? [{ kid: isText(kid) ? kid : undefined, verifies: signatureCheck(x as string, bytes, ed25519) }] : [];
}

function fromSource(source: KeySource, ed25519?: Ed25519): readonly VerifyKey[] {
  const jwks: JwkSet['keys'] = isText(source) ? [fromPem(source)] : source?.keys;
  const keys = Array.isArray(jwks) ? (jwks as JwkSet['keys']).flatMap((jwk) => fromJwk(jwk, ed25519)) : [];
  if (keys.length === 0) throw new TypeError('publicKey has no Ed25519 key as PEM or JWK set');
  return keys;
}

/**
 * The keys of PEMs and JWK sets. Keys of a set that are not Ed25519 signature keys are left out.
 *
 * @throws TypeError if a PEM is not an Ed25519 public key, or if a set has no usable key: a mistake in the app's configuration
 */
export function verifyKeys(publicKey: PublicKey, ed25519?: Ed25519): readonly VerifyKey[] {
  const sources = Array.isArray(publicKey) ? (publicKey as readonly KeySource[]) : [publicKey as KeySource];
  if (sources.length === 0) throw new TypeError('publicKey is empty');
  return sources.flatMap((source) => fromSource(source, ed25519));
}
