import * as z from 'zod/mini';
import { hashSecret } from './credentials';
import { readSymbols, symbolsOf, textOf } from './license-key';
import { number, orNull, string, type Stored } from './stored';
import { HOUR_MS, MINUTE_MS } from './time';
import { ACTIVATION_REQUEST_MINUTES } from '../contract/limits';

/** Requests of apps to be activated by a buyer who signs in to the portal (docs/spec/sign-in.md). The model is RFC 8628. */

/** The buyer's decision about a request. `session` is the hash of the session that made the decision. */
const decisionSchema = z.discriminatedUnion('status', [
  z.object({ status: z.literal('denied'), session: string }),
  /** `license_key` is the key of the license at the time of the decision, as returned by `lookupKey`. */
  z.object({ status: z.literal('approved'), session: string, license_id: number, license_key: string }),
]);
export type RequestDecision = Stored<typeof decisionSchema>;

export const activationRequestSchema = z.object({
  product_id: number,
  fingerprint: string,
  /** The hash of the secret with which the app polls. */
  hash: string,
  /** The code in its canonical form, without a hyphen. */
  user_code: string,
  /** The hash of the device key that an approval creates. */
  key_hash: string,
  name: string,
  platform: string,
  release: orNull(z.object({ version: z.optional(z.nullable(string)), released_at: z.optional(z.nullable(number)) })),
  /** The country of the request's sender (ISO 3166-1 alpha-2); null: not known. */
  country: orNull(string),
  created_at: number,
  expires_at: number,
  /** Null until the buyer has decided. */
  decision: orNull(decisionSchema),
});
export interface ActivationRequest extends Stored<typeof activationRequestSchema> {}

const REQUEST_MS = ACTIVATION_REQUEST_MINUTES * MINUTE_MS;

/** Number of random bytes in the secret of a request. */
export const REQUEST_BYTES = 32;
/** Number of random bytes that a code needs. */
export const USER_CODE_BYTES = 5;
const USER_CODE_LENGTH = 8;

/** The hash under which the secret of a request is stored. */
export const requestHash = (request: string): string => hashSecret(request).toString('base64url');

/** A random code in its canonical form. */
export const userCodeOf = (random: Uint8Array): string => textOf(symbolsOf(random.subarray(0, USER_CODE_BYTES), USER_CODE_LENGTH));

/** The canonical form of a code that a person typed; undefined if the text cannot be a code. */
export function normalizeUserCode(input: string): string | undefined {
  const symbols = readSymbols(input, USER_CODE_LENGTH);
  return symbols && textOf(symbols);
}

/** A code as people see it. */
export const shownUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

export const newRequest = (facts: Omit<ActivationRequest, 'created_at' | 'expires_at' | 'decision'>, now: number): ActivationRequest => ({
  ...facts,
  created_at: now,
  expires_at: now + REQUEST_MS,
  decision: null,
});

export const isPending = (request: ActivationRequest | undefined, now: number): request is ActivationRequest =>
  request !== undefined && request.decision === null && now < request.expires_at;

/** The number of seconds between two polls. An app polls less often if its user takes long. */
export const pollInterval = ({ created_at }: Pick<ActivationRequest, 'created_at'>, now: number): number =>
  now - created_at < 2 * MINUTE_MS ? 5 : 10;

/** Maximum number of unknown codes that one buyer of a product may enter within an hour. Afterwards all codes are refused for an hour. */
const MAX_GUESSES = 20;

/** Whether a buyer has entered so many unknown codes that all codes are refused. `times` are the latest unknown codes, oldest first. */
export function isLocked(times: readonly number[], now: number): boolean {
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  return times.length >= MAX_GUESSES && last - first < HOUR_MS && now - last < HOUR_MS;
}

/** The times of the latest unknown codes, after another unknown code was entered. */
export const withGuess = (times: readonly number[], now: number): readonly number[] => [...times, now].slice(-MAX_GUESSES);
