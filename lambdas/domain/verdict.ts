import { sign } from 'node:crypto';
import type { RefusedStatus } from '../contract/statuses';
import type { License } from './license';
import { encodeJwsPart, seconds, TOKEN_ISSUER, type TokenSigner } from './offline-token';

/**
 * Signed refusals (docs/spec/activation.md, Signed refusals). A signed refusal is a compact JWS. The signature lets a client app
 * distinguish a refusal by the service from a response that somebody on the network forged.
 */

/** How long a verdict is valid, in seconds. */
export const VERDICT_SECONDS = 600;

/**
 * Signs a refusal for a device. With the status `unbound`, the refusal says that the device is not bound to the license. Any other status
 * is the reason why the license was refused. `now` is in epoch ms.
 */
export function signVerdict(
  signer: TokenSigner,
  license: License,
  status: RefusedStatus | 'unbound',
  fingerprint: string,
  now: number,
): string {
  const header = encodeJwsPart({ alg: 'EdDSA', typ: 'verdict+jwt', kid: signer.kid });
  const claims = encodeJwsPart({
    iss: TOKEN_ISSUER,
    aud: license.product_slug,
    sub: String(license.id),
    status,
    fingerprint,
    iat: seconds(now),
    exp: seconds(now) + VERDICT_SECONDS,
  });
  const content = `${header}.${claims}`;
  return `${content}.${sign(null, Buffer.from(content), signer.key).toString('base64url')}`;
}
