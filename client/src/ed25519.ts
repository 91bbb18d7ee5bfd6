import nacl from 'tweetnacl';
import { toHex } from './bytes';

/** All that is used of tweetnacl, the one dependency. */

const SIGNATURE_BYTES = 64;

/** Order of the Ed25519 group (RFC 8032, section 5.1), big-endian. */
const GROUP_ORDER = '1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed';

/** Whether a signature of a content is that of a public key (32 bytes). */
export const isSignatureOf = (content: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean =>
  signature.length === SIGNATURE_BYTES &&
  // RFC 8032, section 5.1.7: S must be below the group's order. tweetnacl takes any, which gives a signature twins.
  toHex(signature.slice(SIGNATURE_BYTES / 2).reverse()) < GROUP_ORDER &&
  nacl.sign.detached.verify(content, signature, publicKey);

/**
 * 256 random bits in hex, which looks like a fingerprint.
 *
 * @throws Error where the runtime has no source of random numbers
 */
export const randomId = (): string => toHex(nacl.randomBytes(32));
