import { toHex } from './bytes';

/**
 * Verifies Ed25519 signatures (RFC 8032) with Node, with the browser, or with the implementation that the app provides (the entry point
 * `/fallback`). A verification takes 0.2 ms with the platform's implementation, and 10 ms with the fallback.
 */

const SIGNATURE_BYTES = 64;

/** Order of the Ed25519 group (RFC 8032, section 5.1). */
const GROUP_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

/** The prime of the field. */
const FIELD_PRIME = 2n ** 255n - 19n;

/**
 * Whether a point with this y-coordinate has a small order (1, 2, 4 or 8). Anyone can forge signatures for a public key that is such a
 * point. The orders 1, 2 and 4 have y = 1, -1 and 0. The double of a point of order 8 has y = 0, so x² = -y², and the equation of the
 * curve, -x² + y² = 1 + dx²y² with d = -121665/121666, becomes 121665y⁴ - 243332y² + 121666 = 0.
 */
const hasSmallOrder = (y: bigint): boolean => (y * (y * y - 1n) * (121665n * y ** 4n - 243332n * y ** 2n + 121666n)) % FIELD_PRIME === 0n;

/** The number that the bytes encode, lowest byte first. The bytes are copied, because `reverse` would change the caller's array. */
const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${toHex(Uint8Array.from(bytes).reverse())}`);

/** Whether 32 bytes can be trusted as a public key: the y-coordinate is below the prime, and the point is not of small order. */
export function isPublicKey(bytes: Uint8Array): boolean {
  if (bytes.length !== 32) return false;
  // The highest bit is the sign of the x-coordinate.
  const y = BigInt.asUintN(255, numberOf(bytes));
  return y < FIELD_PRIME && !hasSmallOrder(y);
}

/** Whether a signature (64 bytes) of a content is valid for a public key (32 bytes). */
export type Ed25519 = (content: Uint8Array, signature: Uint8Array, publicKey: Uint8Array) => boolean | Promise<boolean>;

type Verifier = (content: Uint8Array, signature: Uint8Array) => boolean | Promise<boolean>;

/** The platform's globals that may be missing. */
const platform = (): Partial<Pick<typeof globalThis, 'process' | 'crypto'>> => globalThis;

/**
 * A verifier for a public key, given as `x` (RFC 8037) and as bytes.
 *
 * @throws what the platform throws if it has no Ed25519
 */
async function platformVerifier(x: string, bytes: Uint8Array): Promise<Verifier | undefined> {
  const { process, crypto } = platform();
  const node = process?.getBuiltinModule?.('node:crypto');
  if (node) {
    const key = node.createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return (content, signature) => node.verify(null, content, key, signature);
  }
  const subtle = crypto?.subtle;
  // A Node version without `getBuiltinModule` would print a warning if its experimental WebCrypto were used.
  if (!subtle || process?.versions?.node) return undefined;
  const key = await subtle.importKey('raw', new Uint8Array(bytes), 'Ed25519', false, ['verify']);
  return (content, signature) => subtle.verify('Ed25519', key, new Uint8Array(signature), new Uint8Array(content));
}

/**
 * Returns a function that says whether a content's signature is valid for a public key; undefined if neither the platform nor the app can
 * verify. The key is prepared once, at the first use.
 */
export function signatureCheck(
  x: string,
  bytes: Uint8Array,
  fallback?: Ed25519,
): (content: Uint8Array, signature: Uint8Array) => Promise<boolean | undefined> {
  let verifier: Promise<Verifier | undefined> | undefined;
  return async (content, signature) => {
    if (signature.length !== SIGNATURE_BYTES) return false;
    // RFC 8032, section 5.1.7: S must be below the group's order. tweetnacl accepts any S, so a signature would have a second valid form.
    if (numberOf(signature.subarray(SIGNATURE_BYTES / 2)) >= GROUP_ORDER) return false;
    verifier ??= platformVerifier(x, bytes)
      .catch(() => undefined)
      .then((found) => found ?? (fallback && ((content, signature) => fallback(content, signature, bytes))));
    return (await verifier)?.(content, signature);
  };
}

/**
 * 256 random bits in hex, in the form of a fingerprint.
 *
 * @throws Error if the runtime has no source of random numbers
 */
export function randomId(): string {
  const { crypto } = platform();
  if (!crypto?.getRandomValues) throw new Error('there are no random numbers');
  return toHex(crypto.getRandomValues(new Uint8Array(32)));
}
