import { openJws, type JwsProblem } from './jws';
import type { VerifyKey } from './keys';
import { isStatusName, type RefusalName } from './refusals';
import { CLOCK_SKEW_MS, TOKEN_ISSUER } from './token';

/**
 * Verdicts: refusals that the service signs (decisions.md, "Signed refusals"), in the response header `X-Svc-Verdict`,
 * so that nobody in between can take a license away.
 */

/** What a verdict is compared with. */
export interface VerdictExpectation {
  /** The product's slug. */
  readonly audience: string;
  /** The held license's id, as in the token's `sub`. */
  readonly licenseId: string;
  /** This device's, in its canonical form. */
  readonly fingerprint: string;
  /** `iat` of the token that is held: a verdict from before it is about the past. */
  readonly tokenIssuedAt: number;
  /** This machine's clock, in epoch milliseconds. */
  readonly now: number;
}

/** Why a verdict is not accepted, in the order of the checks. */
export type VerdictProblem = JwsProblem | 'claims' | 'issuer' | 'audience' | 'license' | 'fingerprint' | 'older_than_token' | 'expired';

export type VerdictVerification =
  | { readonly problem?: undefined; readonly status: RefusalName; /** Seconds since 1970. */ readonly issuedAt: number }
  | { readonly problem: VerdictProblem };

/**
 * Verifies a verdict. One that is ahead of this machine's clock is accepted: its signature proves that the clock is
 * behind, and a clock that is behind must not keep a revoked license alive.
 */
export async function verifyVerdict(keys: readonly VerifyKey[], verdict: string, expected: VerdictExpectation): Promise<VerdictVerification> {
  const opened = await openJws(keys, verdict, 'verdict+jwt');
  if (!opened.claims) return opened;
  const { iss, aud, sub, status, fingerprint, iat, exp } = opened.claims;
  const areTexts = [iss, aud, sub, fingerprint].every((claim) => typeof claim === 'string');
  if (!areTexts || !isStatusName(status) || !Number.isFinite(iat) || !Number.isFinite(exp)) return { problem: 'claims' };
  if (iss !== TOKEN_ISSUER) return { problem: 'issuer' };
  if (aud !== expected.audience) return { problem: 'audience' };
  if (sub !== expected.licenseId) return { problem: 'license' };
  if (fingerprint !== expected.fingerprint) return { problem: 'fingerprint' };
  if (Number(iat) < expected.tokenIssuedAt) return { problem: 'older_than_token' };
  if (expected.now >= Number(exp) * 1000 + CLOCK_SKEW_MS) return { problem: 'expired' };
  return { status, issuedAt: Number(iat) };
}
