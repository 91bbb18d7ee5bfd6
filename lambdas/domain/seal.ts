import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';

/**
 * Encryption at rest: AES-256-GCM, bound to where the value belongs (the additional data), so that a sealed
 * value copied to another row cannot be opened there.
 */

/** Bytes of a fresh random nonce that each sealing needs. */
export const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Else a tag cut down to 4 bytes would do, which can be guessed. */
const WHOLE_TAG = { authTagLength: TAG_BYTES };

/** The AES key of the deployment's encryption secret. */
export const sealingKey = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** Seals a value as `base64url(nonce ‖ tag ‖ ciphertext)`. */
export function seal(key: Uint8Array, plain: Uint8Array | string, boundTo: string, nonce: Uint8Array): string {
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(boundTo));
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** Opens a sealed value; throws where the key, the place or the value is not what it was. */
export function open(key: Uint8Array, sealed: string, boundTo: string): Buffer {
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), WHOLE_TAG);
  decipher.setAAD(Buffer.from(boundTo));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
}
