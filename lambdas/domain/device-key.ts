import { createHash, createHmac } from 'node:crypto';
import * as z from 'zod/mini';
import { generateDeviceKey } from './license-key';
import { DAY_MS } from './time';
import { number, orNull, string, type Stored } from './stored';

/** Device keys: the keys of single devices, which approved sign-ins create (docs/spec/sign-in.md, Device keys). */

/**
 * The device key that an approval of an activation request creates. The key can be computed again from the request, so that a repeated poll
 * returns it. Without the deployment's secret, nobody can compute the key from the request.
 */
export const deviceKeyOf = (secret: string, productId: number, request: string): string =>
  generateDeviceKey(
    createHmac('sha256', secret)
      .update(JSON.stringify(['device-key', productId, request]))
      .digest(),
  );

/** The hash under which a device key is stored. A device key has 145 random bits, so the hash needs no secret. */
export const deviceKeyHash = (key: string): string => createHash('sha256').update(key).digest('base64url');

/** A device key as it is stored. */
export const deviceKeySchema = z.object({
  product_id: number,
  license_id: number,
  /** The key of the license when the device key was created, as returned by `lookupKey`. */
  license_key: string,
  fingerprint: string,
  /** When the device lost its seat or got another key, in epoch ms; null if that has not been recorded. */
  dead_at: orNull(number),
});
export interface DeviceKey extends Stored<typeof deviceKeySchema> {
  readonly hash: string;
}

/** Time, in ms, for which a key that no longer works is still recognized. Afterwards it is an unknown key. */
export const DEAD_KEY_MS = 30 * DAY_MS;

/**
 * Whether a request may use the stored key: the key belongs to the product and to the device, and is still recognized. If not, the key is
 * treated as an unknown key.
 *
 * @param fingerprint the fingerprint in the request; undefined if the request has none
 */
export const isRecognized = (key: DeviceKey, productId: number, fingerprint: string | undefined, now: number): boolean =>
  key.product_id === productId &&
  (fingerprint ?? key.fingerprint) === key.fingerprint &&
  (key.dead_at === null || now - key.dead_at < DEAD_KEY_MS);
