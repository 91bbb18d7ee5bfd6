import { decodeObject, fromAscii, fromBase64Url, type JsonObject } from './bytes';
import { isSignatureOf } from './ed25519';
import { verifyKeys, type PublicKey, type VerifyKey } from './keys';

/** Offline tokens: compact JWS (RFC 7515) with EdDSA over Ed25519 (RFC 8037), verified without a network. */

/** Most that a machine's clock may differ from the service's, in milliseconds. */
export const CLOCK_SKEW_MS = 300_000;

/** What every token of the service names as its issuer. */
export const TOKEN_ISSUER = 'license-key-service';

/** What a token says. Times are seconds since 1970 (RFC 7519, "NumericDate"). */
export interface TokenClaims {
  readonly iss: string;
  /** The product's slug. */
  readonly aud: string;
  /** The license's id. */
  readonly sub: string;
  readonly iat: number;
  readonly exp: number;
  readonly nbf?: number;
  /** The device it is bound to; absent in a token that the operator minted for no device. */
  readonly fingerprint?: string;
  readonly kind: string;
  /** RFC 3339; null where the license never expires. */
  readonly license_expires_at: string | null;
}

/**
 * Why a token is not accepted, in the order of the checks:
 * - `malformed`: no compact JWS of JSON objects
 * - `algorithm`: `alg` is not `EdDSA` (RFC 8725, section 3.1)
 * - `type`: `typ` is not `JWT`
 * - `critical`: it demands an extension (`crit`, RFC 7515 section 4.1.11); none is known
 * - `signature`: not signed by the product's key
 * - `claims`: a claim is missing or of another type
 * - `issuer`: of another service
 * - `audience`: of another product
 * - `fingerprint`: of another device
 * - `unbound`: of no device, and the app did not allow such tokens
 * - `from_the_future`: issued later than now, or not valid yet
 * - `expired`
 */
export type TokenProblem =
  | 'malformed'
  | 'algorithm'
  | 'type'
  | 'critical'
  | 'signature'
  | 'claims'
  | 'issuer'
  | 'audience'
  | 'fingerprint'
  | 'unbound'
  | 'from_the_future'
  | 'expired';

/** A token that is good or merely expired, with its claims; or why it is neither. */
export type Verification =
  | { readonly claims: TokenClaims; readonly problem: undefined | 'expired' }
  | { readonly claims?: undefined; readonly problem: Exclude<TokenProblem, 'expired'> };

/** What claims are held against, besides the time. */
export interface Expectation {
  /** This device's. */
  readonly fingerprint: string;
  /** The product's slug; not compared where it is undefined. */
  readonly audience?: string | undefined;
  /** Whether a token of no device is accepted. Default: no. */
  readonly allowUnboundTokens?: boolean | undefined;
}

/** Longest token that is looked at, in characters. */
const MAX_LENGTH = 8192;

const readPart = (part: string): JsonObject | undefined => decodeObject(fromBase64Url(part) ?? new Uint8Array());

const isTime = Number.isFinite;
const isText = (value: unknown): value is string => typeof value === 'string';

const areClaims = (claims: object): claims is TokenClaims => {
  const { iss, aud, sub, iat, exp, nbf = 0, fingerprint = '', kind, license_expires_at: licenseEnd } = claims as JsonObject;
  return (
    [iss, aud, fingerprint, kind].every(isText) &&
    [iat, exp, nbf].every(isTime) &&
    /^[1-9]\d{0,15}$/.test(isText(sub) ? sub : '') &&
    (licenseEnd === null || (isText(licenseEnd) && isTime(Date.parse(licenseEnd))))
  );
};

/** The form in which fingerprints are compared: a hex string in lower case, as the service keeps it. */
export const canonicalFingerprint = (fingerprint: string): string => {
  const trimmed = fingerprint.trim();
  return /^[0-9a-f]+$/i.test(trimmed) ? trimmed.toLowerCase() : trimmed;
};

/** What speaks against the claims of a signed token at a time; undefined where nothing does. */
function problemOf(claims: TokenClaims, { fingerprint, audience, allowUnboundTokens }: Expectation, now: number): TokenProblem | undefined {
  if (claims.iss !== TOKEN_ISSUER) return 'issuer';
  if (audience !== undefined && claims.aud !== audience) return 'audience';
  if (claims.fingerprint === undefined) {
    if (!allowUnboundTokens) return 'unbound';
  } else if (claims.fingerprint !== canonicalFingerprint(fingerprint)) {
    return 'fingerprint';
  }
  if (Math.max(claims.iat, claims.nbf ?? 0) * 1000 > now + CLOCK_SKEW_MS) return 'from_the_future';
  return now >= claims.exp * 1000 + CLOCK_SKEW_MS ? 'expired' : undefined;
}

/** Verifies a token at a time (epoch ms) that may depend on what it claims. */
export function verifyWith(keys: readonly VerifyKey[], token: string, expectation: Expectation, timeOf: (claims: TokenClaims) => number): Verification {
  const parts = token.length > MAX_LENGTH ? [] : token.split('.');
  const [headerPart = '', claimsPart = '', signaturePart = ''] = parts;
  const header = readPart(headerPart);
  const claims = readPart(claimsPart);
  const signature = fromBase64Url(signaturePart);
  if (parts.length !== 3 || !header || !claims || !signature) return { problem: 'malformed' };
  // The algorithm is ours to choose: a token never says how it wants to be verified, nor with which key.
  const { alg, typ, crit, kid } = header;
  if (alg !== 'EdDSA') return { problem: 'algorithm' };
  if (typ !== 'JWT') return { problem: 'type' };
  if (crit !== undefined) return { problem: 'critical' };

  const content = fromAscii(`${headerPart}.${claimsPart}`);
  const isSigned = keys.some((key) => (key.kid === undefined || kid === undefined || key.kid === kid) && isSignatureOf(content, signature, key.bytes));
  if (!isSigned) return { problem: 'signature' };
  if (!areClaims(claims)) return { problem: 'claims' };
  const problem = problemOf(claims, expectation, timeOf(claims));
  return problem === undefined || problem === 'expired' ? { claims, problem } : { problem };
}

/**
 * Verifies an offline token: signature, expiry and fingerprint (service.md, "Offline token"), and issuer, audience,
 * form and time of issue beside them. Times are compared with a tolerance of {@link CLOCK_SKEW_MS}.
 *
 * @param expectation.now epoch milliseconds
 * @returns a `problem`, which is undefined for a good token
 * @throws TypeError only for a public key that is none
 */
export const verifyToken = (
  token: string,
  { publicKey, now, ...expectation }: Expectation & { readonly publicKey: PublicKey; readonly now: number },
): Verification => verifyWith(verifyKeys(publicKey), token, expectation, () => now);
