import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/mini';
import { comparableEmail } from '../email';
import { MINUTE_MS } from '../time';
import { number, string, type Stored } from '../stored';

/** Codes of the portal: 8 digits that are sent in a mail. Only a hash of the code is stored (docs/spec/portal.md, Signing in). */

/** Lifetime of a code, and of the link in the same mail, in ms. */
export const CODE_MS = 10 * MINUTE_MS;
const DIGITS = 8;

/**
 * Number of random bytes that a code needs. With 6 bytes, all codes are almost equally likely: their probabilities differ by less than one
 * in a million.
 */
export const CODE_RANDOM_BYTES = 6;

export const codeOf = (random: Uint8Array): string =>
  String(Buffer.from(random).readUIntBE(0, CODE_RANDOM_BYTES) % 10 ** DIGITS).padStart(DIGITS, '0');

/** The purpose of a code. The code is refused for any other purpose. */
export interface CodePlace {
  readonly product_id: number;
  readonly address: string;
  /** The hash of the session that may confirm a new e-mail address; undefined if the code is for signing in. */
  readonly session?: string;
}

/** A code as it is stored. The attempts to enter a sign-in code are counted in a row of their own. */
export const codeHashSchema = z.object({
  hash: string,
  /** When the code expires, in epoch ms. */
  until: number,
  /** Number of attempts to enter the code, including correct attempts. */
  tries: number,
});
export interface CodeHash extends Stored<typeof codeHashSchema> {}

/** The hash of a code. Without the deployment's key, nobody can find the code of a hash by trying all 10⁸ codes. */
export const hashCode = (key: string, code: string, { product_id, address, session = '' }: CodePlace): string =>
  createHmac('sha256', key)
    .update(JSON.stringify([product_id, comparableEmail(address), session, code]))
    .digest('base64url');

/** If no code is stored, the entered code is compared with this hash. The refusal then takes the same time as for a wrong code. */
const NO_HASH = Buffer.alloc(32).toString('base64url');

/** Whether the hash equals the stored hash of a code. The comparison takes constant time. */
export const isCode = (hash: string, stored: Pick<CodeHash, 'hash'> | null | undefined): boolean =>
  timingSafeEqual(Buffer.from(hash, 'base64url'), Buffer.from(stored?.hash ?? NO_HASH, 'base64url')) && stored != null;
