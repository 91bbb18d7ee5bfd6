/** Keys, tokens and verdicts for the vectors. Their seeds are fixed, so that every run gives the same bytes. The keys are for tests only. */
import { createHash, createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';

export const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
export const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

export interface ProductKey {
  readonly privateKey: KeyObject;
  readonly pem: string;
  readonly jwk: { readonly kid: string; readonly x: string; readonly [field: string]: string };
}

export function productKey(name: string): ProductKey {
  const seed = sha256(`license-key-service test key: ${name}`);
  const privateKey = createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const publicKey = createPublicKey(privateKey);
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const kid = createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');
  return {
    privateKey,
    pem: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
    jwk: { kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', alg: 'EdDSA' },
  };
}

export const ours = productKey('our product');
export const other = productKey('another product');

/** A day, in seconds. */
export const DAY = 86_400;
/** The time at which the vectors are verified, in seconds since 1970. */
export const NOW = 1_800_000_000;
export const SKEW = 300;

/** The device and the product of the vectors. */
export const FINGERPRINT = sha256('this device').toString('hex');
export const AUDIENCE = 'aurora-notes';

export const header = { alg: 'EdDSA', typ: 'JWT', kid: ours.jwk.kid };
export const claims = {
  iss: 'license-key-service',
  aud: AUDIENCE,
  sub: '42',
  jti: 'AAECAwQFBgcICQoLDA0ODw',
  iat: NOW - DAY,
  exp: NOW + 6 * DAY,
  fingerprint: FINGERPRINT,
  kind: 'subscription',
  license_expires_at: '2027-06-01T00:00:00.000Z',
};
export const without = <Value>(
  object: { readonly [name: string]: Value },
  ...names: readonly string[]
): { readonly [name: string]: Value } => Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

export function signed(head: unknown, body: unknown, key: ProductKey = ours): string {
  const content = `${encode(head)}.${encode(body)}`;
  return `${content}.${sign(null, Buffer.from(content), key.privateKey).toString('base64url')}`;
}

/** A signed refusal for the license of {@link claims}, in the format of the header `X-Svc-Verdict`. */
export function signedVerdict(changes: object = {}, head: object = {}, key: ProductKey = ours): string {
  const verdict = {
    iss: claims.iss,
    aud: AUDIENCE,
    sub: claims.sub,
    status: 'revoked',
    fingerprint: FINGERPRINT,
    iat: NOW,
    exp: NOW + 600,
  };
  return signed({ alg: 'EdDSA', typ: 'verdict+jwt', kid: key.jwk.kid, ...head }, { ...verdict, ...changes }, key);
}
