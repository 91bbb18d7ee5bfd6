import type { Ed25519 } from './ed25519';
import { openJws, type JwsProblem } from './jws';
import { verifyKeys, type PublicKey, type VerifyKey } from './keys';
import { firstTrue, fits, isCount, isObject, isText, isTimestamp, listOf, matching, nullable, optional, type Rule } from './shape';

import { isNumericDate } from './timestamp';

/** Verifies offline tokens without a network. */

/** Maximum tolerated difference between a device's clock and the service's clock, in milliseconds. */
export const CLOCK_SKEW_MS = 300_000;

/**
 * How far a device's clock may be behind the latest time seen, in milliseconds. A day is allowed, because a wrong time zone can set a
 * clock back by several hours, and wrong time zones are more common than clocks that were set back on purpose.
 */
export const CLOCK_BEHIND_MS = 86_400_000;

/** The issuer in all tokens and verdicts of the service. */
export const TOKEN_ISSUER = 'license-key-service';

/** Names of limits, each with a number that the app reads, such as the maximum number of projects. */
export type Limits = Readonly<Record<string, number>>;

/** The claims of a token. Times are seconds since 1970 (RFC 7519, "NumericDate"). */
export interface TokenClaims {
  readonly iss: string;
  /** The product's slug. */
  readonly aud: string;
  /** The license's id: a decimal integer from 1 to 2^53 - 1. */
  readonly sub: string;
  readonly iat: number;
  readonly exp: number;
  readonly nbf?: number;
  /** The fingerprint of the device to which the token is bound; absent in a token that is bound to no device. */
  readonly fingerprint?: string;
  readonly kind: string;
  /** Names of the features that were bought; absent in tokens of an older service. */
  readonly features?: readonly string[];
  /** The limits that were bought, by name; absent if there are none. */
  readonly limits?: Limits;
  /** When the license expires, as RFC 3339 text; null if it never expires. */
  readonly license_expires_at: string | null;
  /** The last release date that the license covers, as RFC 3339 text; absent if the license covers releases of any date. */
  readonly updates_until?: string;
  /** When the lease of the device's seat ends, as RFC 3339 text; absent if the seat has no lease. */
  readonly lease_expires_at?: string;
  /** The highest major version that the license covers; absent if it covers every major version. */
  readonly max_major?: number;
  /** True if the service signs its refusals. In that case a refusal without a verdict does not come from the service. */
  readonly verdicts?: boolean;
}

/**
 * Why a token is not accepted. The checks of {@link JwsProblem} are made first, and then these checks, in this order:
 * - `claims`: a claim is missing or of another type
 * - `issuer`: another service issued the token
 * - `audience`: the token is for another product
 * - `fingerprint`: the token is for another device
 * - `unbound`: the token is bound to no device, and the app does not allow such tokens
 * - `from_the_future`: the token's time of issue is in the future, or the token is not valid yet
 * - `expired`
 */
export type TokenProblem = JwsProblem | 'claims' | 'issuer' | 'audience' | 'fingerprint' | 'unbound' | 'from_the_future' | 'expired';

/** The problems that depend on the time: the token is not valid yet, or it is no longer valid. */
type TimeProblem = 'from_the_future' | 'expired';

/**
 * The result of verifying a token: the claims if all checks except those of the times have passed, and the first check that failed, if any.
 */
export type Verification =
  | { readonly claims: TokenClaims; readonly problem: undefined | TimeProblem }
  | { readonly claims?: undefined; readonly problem: Exclude<TokenProblem, TimeProblem> };

/** The expected values of a token's claims, except the times. */
export interface Expectation {
  /** This device's fingerprint. */
  readonly fingerprint: string;
  /** The product's slug; not compared if it is undefined. */
  readonly audience?: string | undefined;
  /** Whether a token that is bound to no device is accepted. Default: no. */
  readonly allowUnboundTokens?: boolean | undefined;
}

/** The form of a license id in `sub`: a positive decimal integer without sign or leading zero. */
const hasIdForm = matching(/^[1-9]\d{0,15}$/);
const isLicenseId: Rule = (sub) => hasIdForm(sub) && isCount(Number(sub));

const claimRules: { readonly [Claim in Exclude<keyof TokenClaims, 'verdicts'>]-?: Rule } = {
  iss: isText,
  aud: isText,
  sub: isLicenseId,
  iat: isNumericDate,
  exp: isNumericDate,
  nbf: optional(isNumericDate),
  fingerprint: optional(isText),
  kind: isText,
  features: optional(listOf(isText)),
  limits: optional((value) => isObject(value) && Object.values(value).every(isCount)),
  license_expires_at: nullable(isTimestamp),
  updates_until: optional(nullable(isTimestamp)),
  lease_expires_at: optional(nullable(isTimestamp)),
  max_major: optional(isCount),
};

/** Converts a fingerprint to the form in which it is compared. A hex string is converted to lower case, as in the service. */
export const canonicalFingerprint = (fingerprint: string): string => {
  const trimmed = fingerprint.trim();
  return /^[0-9a-f]+$/i.test(trimmed) ? trimmed.toLowerCase() : trimmed;
};

/** Verifies a token. `timeOf` returns the time of the verification (epoch ms), which may depend on the token's claims. */
export async function verifyWith(
  keys: readonly VerifyKey[],
  token: string,
  { fingerprint, audience, allowUnboundTokens }: Expectation,
  timeOf: (claims: TokenClaims) => number,
): Promise<Verification> {
  const opened = await openJws(keys, token, 'JWT');
  if (!opened.claims) return opened;
  const { claims } = opened;
  if (!fits<TokenClaims>(claims, claimRules)) return { problem: 'claims' };
  const { iss, aud, fingerprint: boundTo, iat, nbf = 0, exp } = claims;
  const problem = firstTrue<Exclude<TokenProblem, TimeProblem>>({
    issuer: iss !== TOKEN_ISSUER,
    audience: aud !== (audience ?? aud),
    fingerprint: boundTo !== undefined && boundTo !== canonicalFingerprint(fingerprint),
    unbound: boundTo === undefined && !allowUnboundTokens,
  });
  if (problem) return { problem };
  const now = timeOf(claims);
  return {
    claims,
    problem: firstTrue<TimeProblem>({
      from_the_future: Math.max(iat, nbf) * 1000 > now + CLOCK_SKEW_MS,
      expired: now >= exp * 1000 + CLOCK_SKEW_MS,
    }),
  };
}

/**
 * Verifies an offline token (docs/spec/activation.md, Offline tokens): its signature, the types of its claims, issuer, audience,
 * fingerprint, time of issue and expiry. Times are compared with a tolerance of {@link CLOCK_SKEW_MS}.
 *
 * @param expectation.ed25519 like the option `ed25519` of a client
 * @param expectation.now epoch milliseconds; default: now
 * @returns an object whose `problem` is undefined if the token is valid
 * @throws TypeError only for an invalid public key or time
 */
export async function verifyToken(
  token: string,
  {
    publicKey,
    ed25519,
    now = Date.now(),
    ...expectation
  }: Expectation & { readonly publicKey: PublicKey; readonly ed25519?: Ed25519; readonly now?: number },
): Promise<Verification> {
  if (!Number.isFinite(now)) throw new TypeError('now is not a time in epoch milliseconds');
  return verifyWith(verifyKeys(publicKey, ed25519), token, expectation, () => now);
}
