import { openJws, type JwsProblem } from './jws';
import type { VerifyKey } from './keys';
import { isStatusName, type RefusalName } from './refusals';
import { firstTrue, isText } from './shape';
import { isNumericDate } from './timestamp';
import { TOKEN_ISSUER } from './token';

/**
 * Verifies verdicts. A verdict is a refusal that the service has signed (docs/spec/activation.md, Signed refusals). It is in the response
 * header `X-Svc-Verdict`. A server between app and service can't create a verdict, so it can't take a license away.
 */

/** The expected values of a verdict's claims. */
export interface VerdictExpectation {
  /** The product's slug, from the app's options or from the current token; not compared if it is undefined. */
  readonly audience: string | undefined;
  /** The current license's id, as in the token's `sub`; not compared if there is no token. */
  readonly licenseId: string | undefined;
  /** The fingerprint of this device in its canonical form. */
  readonly fingerprint: string;
  /** The `iat` of the current token, if there is one. A verdict that is older than the token no longer applies. */
  readonly tokenIssuedAt: number | undefined;
}

/** The reasons why a verdict is not accepted, in the order of the checks. */
export type VerdictProblem = JwsProblem | 'claims' | 'issuer' | 'audience' | 'license' | 'fingerprint' | 'older_than_token';

export type VerdictVerification =
  | { readonly problem?: undefined; readonly status: RefusalName /** Seconds since 1970. */; readonly issuedAt: number }
  | { readonly problem: VerdictProblem };

/**
 * Verifies a verdict in a response to a request of this client. The verdict's times are not compared with this device's clock, because a
 * revoked license must not stay valid on a device whose clock is behind or ahead. Instead, a verdict that is older than the current token
 * is not accepted. This is enough, because the service issues a new token when a license becomes valid again.
 */
export async function verifyVerdict(
  keys: readonly VerifyKey[],
  verdict: string,
  expected: VerdictExpectation,
): Promise<VerdictVerification> {
  const opened = await openJws(keys, verdict, 'verdict+jwt');
  if (!opened.claims) return opened;
  const { iss, aud, sub, status, fingerprint, iat } = opened.claims;
  const problem = firstTrue<VerdictProblem>({
    claims: ![iss, aud, sub, fingerprint].every(isText) || !isStatusName(status) || !isNumericDate(iat),
    issuer: iss !== TOKEN_ISSUER,
    audience: aud !== (expected.audience ?? aud),
    license: sub !== (expected.licenseId ?? sub),
    fingerprint: fingerprint !== expected.fingerprint,
    older_than_token: Number(iat) < (expected.tokenIssuedAt ?? 0),
  });
  return problem ? { problem } : { status: String(status), issuedAt: Number(iat) };
}
