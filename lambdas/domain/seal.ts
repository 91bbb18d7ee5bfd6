import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import type { SecretName } from '../contract/access';

/**
 * Encryption at rest ("sealing") with AES-256-GCM. A sealed value is bound to its place (the additional authenticated data): if the value
 * is copied to another row, it cannot be opened there. A sealed value is `v1.<key id>.<base64url(nonce ‖ tag ‖ ciphertext)>`.
 */

/**
 * The purposes of sealing. Each purpose names the secret from which its key is derived. A Lambda function that cannot read the secret can
 * neither seal nor open values of that purpose.
 */
export const purposes = {
  signing_seed: 'signingKey',
  api_key: 'encryptionKey',
  webhook_secret: 'encryptionKey',
  stored_response: 'encryptionKey',
  payment_secret: 'encryptionKey',
  payment_payload: 'encryptionKey',
  unsubscribe: 'encryptionKey',
} as const satisfies Record<string, SecretName>;
export type Purpose = keyof typeof purposes;

/** The names of the secrets that contain key rings. */
export type RingName = (typeof purposes)[Purpose];

/** Length of the random nonce in bytes. Each sealed value needs a new nonce. */
export const NONCE_BYTES = 12;
const KEY_BYTES = 32;
const TAG_BYTES = 16;
/** Requires the complete tag. Without this option, a tag that was cut to 4 bytes would be accepted, and 4 bytes can be guessed. */
const WHOLE_TAG = { authTagLength: TAG_BYTES };
const FORMAT = 'v1';

/** The sealed value cannot be opened with the keys of the ring. */
export class UnreadableSeal extends Error {
  override readonly name: string = 'UnreadableSeal';
}

/** The ring does not contain the key with which the value was sealed. */
export class UnknownSealingKey extends UnreadableSeal {
  override readonly name = 'UnknownSealingKey';
}

function encrypt(key: Uint8Array, plain: Uint8Array | string, boundTo: string, nonce: Uint8Array): string {
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(boundTo));
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
}

function decrypt(key: Uint8Array, sealed: string, boundTo: string): Buffer {
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), WHOLE_TAG);
  decipher.setAAD(Buffer.from(boundTo));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
}

/** One key of a ring. The key of each purpose is derived from it (HKDF with SHA-256, RFC 5869). */
class SealingKey {
  /** Identifies the key in the values that were sealed with it, and reveals nothing about the key. */
  readonly id: string;
  private readonly derived = new Map<string, Buffer>();

  constructor(private readonly secret: string) {
    this.id = this.derive('id').subarray(0, 6).toString('base64url');
  }

  of(purpose: Purpose): Buffer {
    const key = this.derived.get(purpose) ?? this.derive(`purpose/${purpose}`);
    this.derived.set(purpose, key);
    return key;
  }

  private derive(info: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.secret, 'license-key-service', info, KEY_BYTES));
  }
}

const keysOf = (ring: string): string[] =>
  ring
    .split('\n')
    .map((key) => key.trim())
    .filter(Boolean);

/**
 * The keys in one of the deployment's secrets, one per line, newest first. New values are sealed with the first key. Each key opens the
 * values that were sealed with it.
 */
export class KeyRing {
  private readonly keys: readonly SealingKey[];
  private readonly newest: SealingKey;

  constructor(secret: string) {
    this.keys = keysOf(secret).map((key) => new SealingKey(key));
    const [newest] = this.keys;
    if (!newest) throw new Error('The secret contains no key');
    this.newest = newest;
  }

  seal(purpose: Purpose, plain: Uint8Array | string, boundTo: string, nonce: Uint8Array): string {
    return `${FORMAT}.${this.newest.id}.${encrypt(this.newest.of(purpose), plain, boundTo, nonce)}`;
  }

  /** Whether the value was sealed with the newest key, so that it needs no older key. */
  isNewest(sealed: string): boolean {
    return sealed.startsWith(`${FORMAT}.${this.newest.id}.`);
  }

  /**
   * Opens a sealed value.
   *
   * @throws UnknownSealingKey if the ring does not contain the key with which the value was sealed
   * @throws UnreadableSeal if the purpose or the place is wrong, or if the value was changed
   */
  open(purpose: Purpose, sealed: string, boundTo: string): Buffer {
    const [format, id, value, ...more] = sealed.split('.');
    if (format !== FORMAT || id === undefined || value === undefined || more.length > 0)
      throw new UnreadableSeal('A sealed value has an unknown format');
    const key = this.keys.find((candidate) => candidate.id === id);
    if (!key) throw new UnknownSealingKey(`A value was sealed with the key ${id.slice(0, 16)}, which the secret does not contain`);
    try {
      return decrypt(key.of(purpose), value, boundTo);
    } catch (error) {
      throw new UnreadableSeal('A sealed value was changed, or belongs to another place or purpose', { cause: error });
    }
  }
}

/** Adds a new key at the front of a ring. The new key seals new values, and the older keys still open the values that they sealed. */
export const withNewKey = (ring: string, key: Uint8Array): string => [Buffer.from(key).toString('hex'), ...keysOf(ring)].join('\n');

/** Removes all keys except the newest. Values that were sealed with older keys can then no longer be opened. */
export const newestKeyOnly = (ring: string): string => keysOf(ring)[0] ?? '';
