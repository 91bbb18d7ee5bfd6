import { toHex } from './bytes';

/**
 * Ed25519 (RFC 8032) by what the platform has: Node's own, the browser's own, or else what the app gives (the entry point `/fallback`). The
 * platform's verifies in 0.2 ms, the fallback in 10.
 */

const SIGNATURE_BYTES = 64;

/** Order of the Ed25519 group (RFC 8032, section 5.1), big-endian. */
const GROUP_ORDER = '1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed';

/** The prime of the field, 2^255 - 19, big-endian. */
const FIELD_PRIME = '7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed';

/** The points of small order by their y-coordinate, big-endian: signatures of such a "key" can be forged. */
const SMALL_ORDER = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0000000000000000000000000000000000000000000000000000000000000001',
  '7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffec',
  '05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826',
  '7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7',
];

/** A copy: `slice` of a Node buffer would reverse the original. */
const bigEndian = (bytes: Uint8Array): Uint8Array => Uint8Array.from(bytes).reverse();

/** Whether 32 bytes can be trusted as a public key: the y-coordinate is below the prime, and the point not of small order. */
export function isPublicKey(bytes: Uint8Array): boolean {
  if (bytes.length !== 32) return false;
  const coordinate = bigEndian(bytes);
  coordinate[0] = (coordinate[0] ?? 0) & 0x7f;
  const hex = toHex(coordinate);
  return hex < FIELD_PRIME && !SMALL_ORDER.includes(hex);
}

/** Says whether a signature of 64 bytes is that of a content, by a public key of 32 bytes. */
export type Ed25519 = (content: Uint8Array, signature: Uint8Array, publicKey: Uint8Array) => boolean | Promise<boolean>;

type Verifier = (content: Uint8Array, signature: Uint8Array) => boolean | Promise<boolean>;

/** What of the platform's globals may be missing. */
const platform = (): Partial<Pick<typeof globalThis, 'process' | 'crypto'>> => globalThis;

/**
 * A verifier for a public key (RFC 8037's `x`, and its bytes).
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
  // A Node too old for the above prints a warning when its experimental WebCrypto is used.
  if (!subtle || process?.versions?.node) return undefined;
  const key = await subtle.importKey('raw', new Uint8Array(bytes), 'Ed25519', false, ['verify']);
  return (content, signature) => subtle.verify('Ed25519', key, new Uint8Array(signature), new Uint8Array(content));
}

/**
 * Makes a function that says whether a signature of a content is that of a public key; undefined if neither the platform nor the app can
 * tell. The key is prepared once, when first used.
 */
export function signatureCheck(
  x: string,
  bytes: Uint8Array,
  fallback?: Ed25519,
): (content: Uint8Array, signature: Uint8Array) => Promise<boolean | undefined> {
  let verifier: Promise<Verifier | undefined> | undefined;
  return async (content, signature) => {
    if (signature.length !== SIGNATURE_BYTES) return false;
    // RFC 8032, section 5.1.7: S must be below the group's order. tweetnacl takes any, which gives a signature twins.
    if (toHex(bigEndian(signature.subarray(SIGNATURE_BYTES / 2))) >= GROUP_ORDER) return false;
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
