import { createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { startedUpdates, type CoverageLimits } from './coverage';
import { addDays, effectiveFeatures, effectiveLimits, type License } from './license';
import { privateKeyOf, publicJwk, type SigningKey } from './signing-key';
import { timestampOf } from './time';

/** Offline tokens: compact JWS (RFC 7515) with EdDSA (RFC 8037). Client apps verify them without a network. */

export const TOKEN_ISSUER = 'license-key-service';

/** The key object and the encoded header with which a product's tokens are signed. A signer is created once and reused. */
export interface TokenSigner {
  readonly key: KeyObject;
  /** The id of the key: its RFC 7638 thumbprint. */
  readonly kid: string;
  /** The header of the tokens, in base64url. */
  readonly header: string;
}

/** A part of a compact JWS: JSON in base64url. */
export const encodeJwsPart = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

export function tokenSigner(seed: Uint8Array, publicKeyPem: string): TokenSigner {
  const { kid } = publicJwk(publicKeyPem);
  return { key: privateKeyOf(seed), kid, header: encodeJwsPart({ alg: 'EdDSA', typ: 'JWT', kid }) };
}

export interface TokenOptions {
  /** Unique id of the token (`jti`). */
  readonly id: string;
  /** The device to which the token is bound; missing in a token that is not bound to a device. */
  readonly fingerprint?: string;
  readonly ttlDays: number;
  /**
   * The end of the device's lease in epoch ms. The token expires at this time at the latest. Null or missing if the device has no lease.
   */
  readonly leaseEnd?: number | null;
  /** The current time, in epoch ms. */
  readonly now: number;
}

/** NumericDate (RFC 7519). */
export const seconds = (ms: number): number => Math.floor(ms / 1000);

/** Signs a token for a license. The token expires after `ttlDays`, but never later than the license or the lease of the device. */
export function mintToken(signer: TokenSigner, license: License, { id, fingerprint, ttlDays, leaseEnd, now }: TokenOptions): string {
  // If the license's term has not started, the expiry and the end of updates are computed as if the term started now.
  const expiry = license.expires_at ?? (license.term ? addDays(now, license.term.days) : Number.POSITIVE_INFINITY);
  const updatesUntil = startedUpdates(license, now);
  const limits = effectiveLimits(license);
  const end = Math.min(addDays(now, ttlDays), expiry, leaseEnd ?? Number.POSITIVE_INFINITY);
  const claims = {
    iss: TOKEN_ISSUER,
    aud: license.product_slug,
    sub: String(license.id),
    jti: id,
    iat: seconds(now),
    exp: seconds(end),
    ...(fingerprint !== undefined && { fingerprint }),
    kind: license.license_type.kind,
    features: effectiveFeatures(license),
    ...(Object.keys(limits).length > 0 && { limits }),
    license_expires_at: license.expires_at === null ? null : timestampOf(license.expires_at),
    ...(updatesUntil !== null && { updates_until: timestampOf(updatesUntil) }),
    ...(license.max_major !== null && { max_major: license.max_major }),
    // A client gives a leased seat no grace period, because another device may take the seat when the lease has ended.
    ...(leaseEnd != null && { lease_expires_at: timestampOf(leaseEnd) }),
    // Tells a client that the service signs its refusals. A client with such a token ignores unsigned refusals.
    verdicts: true,
  };
  const content = `${signer.header}.${encodeJwsPart(claims)}`;
  return `${content}.${sign(null, Buffer.from(content), signer.key).toString('base64url')}`;
}

/** The statements of a token about its license. */
export interface TokenClaims {
  readonly license_id: number;
  /** The fingerprint of the device to which the token is bound; null if it is bound to no device. */
  readonly fingerprint: string | null;
  readonly features: readonly string[];
  readonly limits: CoverageLimits;
}

/** The JSON object in a part of a compact JWS; empty if the part is not a JSON object. */
function decodePart(part = ''): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** The license id in a token. The token is not verified: use the id only to read the license, and then call {@link verifyToken}. */
export function licenseOfToken(token: string): number | undefined {
  const { sub } = decodePart(token.split('.')[1]);
  return typeof sub === 'string' && /^[1-9]\d{0,15}$/.test(sub) ? Number(sub) : undefined;
}

/**
 * The claims of an offline token of a product. Undefined if none of the product's keys signed the token, or if the token expired before
 * `now` (epoch ms). A signed verdict does not count as a token.
 */
export function verifyToken(
  token: string,
  { slug, signing_keys }: { readonly slug: string; readonly signing_keys: readonly SigningKey[] },
  now: number,
): TokenClaims | undefined {
  const [head = '', body = '', signature, ...rest] = token.split('.');
  const { alg, typ, kid } = decodePart(head);
  const key = signing_keys.find((candidate) => candidate.kid === kid);
  if (!key || alg !== 'EdDSA' || typ !== 'JWT' || signature === undefined || rest.length > 0) return undefined;
  const content = Buffer.from(`${head}.${body}`);
  if (!verify(null, content, createPublicKey(key.public_key), Buffer.from(signature, 'base64url'))) return undefined;
  const { iss, aud, exp, fingerprint, features, updates_until, max_major } = decodePart(body);
  const license_id = licenseOfToken(token);
  if (iss !== TOKEN_ISSUER || aud !== slug || license_id === undefined || typeof exp !== 'number' || exp <= seconds(now)) return undefined;
  return {
    license_id,
    fingerprint: typeof fingerprint === 'string' ? fingerprint : null,
    features: Array.isArray(features) ? features.filter((name) => typeof name === 'string') : [],
    limits: {
      updates_until: typeof updates_until === 'string' ? Date.parse(updates_until) : null,
      max_major: typeof max_major === 'number' ? max_major : null,
    },
  };
}
