import { sign, type KeyObject } from 'node:crypto';
import { addDays, effectiveFeatures, type License } from './license';
import { privateKeyOf, publicJwk } from './signing-key';
import { timestampOf } from './time';

/** Offline tokens: compact JWS (RFC 7515) with EdDSA (RFC 8037), verified by clients without a network. */

export const TOKEN_ISSUER = 'license-key-service';

/** A product's signer, made once and kept: its key object and the encoded header. */
export interface TokenSigner {
  readonly key: KeyObject;
  /** The key's id: its RFC 7638 thumbprint. */
  readonly kid: string;
  /** The tokens' header, encoded. */
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
  /** The device it is bound to; absent for a token of no device. */
  readonly fingerprint?: string;
  readonly ttlDays: number;
  /** End of the device's lease in epoch ms, which the token does not outlive; null or absent: there is none. */
  readonly leaseEnd?: number | null;
  /** Epoch ms. */
  readonly now: number;
}

/** NumericDate (RFC 7519). */
export const seconds = (ms: number): number => Math.floor(ms / 1000);

/** Signs a token for a license. It expires after `ttlDays`, never past the license's own expiry or the end of the device's lease. */
export function mintToken(signer: TokenSigner, license: License, { id, fingerprint, ttlDays, leaseEnd, now }: TokenOptions): string {
  // Of a term that has not started, a token lasts no longer than if it started now.
  const expiry = license.expires_at ?? (license.term ? addDays(now, license.term.days) : Number.POSITIVE_INFINITY);
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
    license_expires_at: license.expires_at === null ? null : timestampOf(license.expires_at),
    ...(license.updates_until !== null && { updates_until: timestampOf(license.updates_until) }),
    ...(license.max_major !== null && { max_major: license.max_major }),
    // The service signs its refusals: a client that has a token believes no unsigned one.
    verdicts: true,
  };
  const content = `${signer.header}.${encodeJwsPart(claims)}`;
  return `${content}.${sign(null, Buffer.from(content), signer.key).toString('base64url')}`;
}
