import { sign } from 'node:crypto';
import type { CheckStatus } from '../contract/statuses';
import { encodeJwsPart, seconds, TOKEN_ISSUER, type TokenSigner } from './offline-token';

/**
 * Signed refusals (docs/spec/activation.md, Signed refusals). A signed refusal is a compact JWS. The signature lets a client app
 * distinguish a refusal by the service from a response that somebody on the network forged.
 */

/** How long a verdict is valid, in seconds. */
export const VERDICT_SECONDS = 600;

/**
 * What a verdict says: the status for which a request is refused, or
 * - `unbound`: the device is not bound to the license
 * - `reissued`: the license received another key, and the key of the request no longer works
 * - `unknown`: the license does not exist
 */
export type VerdictStatus = CheckStatus | 'unbound' | 'reissued' | 'unknown';

/** Signs a refusal for a device. `now` is in epoch ms. */
export function signVerdict(
  signer: TokenSigner,
  { licenseId, slug }: { readonly licenseId: number; readonly slug: string },
  status: VerdictStatus,
  fingerprint: string,
  now: number,
): string {
  const header = encodeJwsPart({ alg: 'EdDSA', typ: 'verdict+jwt', kid: signer.kid });
  const claims = encodeJwsPart({
    iss: TOKEN_ISSUER,
    aud: slug,
    sub: String(licenseId),
    status,
    fingerprint,
    iat: seconds(now),
    exp: seconds(now) + VERDICT_SECONDS,
  });
  const content = `${header}.${claims}`;
  return `${content}.${sign(null, Buffer.from(content), signer.key).toString('base64url')}`;
}
