import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto';

/**
 * Responses in a comparable form: tokens are verified as in a client library (RFC 7515, RFC 8037, RFC 7638) and replaced by their claims.
 */

export interface PublicKey {
  readonly key: KeyObject;
  readonly jwk: {
    readonly kty: 'OKP';
    readonly crv: 'Ed25519';
    readonly x: string;
    readonly kid: string;
    readonly use: 'sig';
    readonly alg: 'EdDSA';
  };
}
type Json = Readonly<Record<string, unknown>>;

function readPublicKey(pem: string): PublicKey {
  const key = createPublicKey(pem);
  const { x = '' } = key.export({ format: 'jwk' });
  const kid = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url');
  return { key, jwk: { kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', alg: 'EdDSA' } };
}

const parse = (part: string | undefined): Json => JSON.parse(Buffer.from(part ?? '', 'base64url').toString()) as Json;

export class Responses {
  private readonly keys = new Map<string, PublicKey>();
  private readonly tokenIds = new Set<unknown>();

  /** @param pemOf returns the public key of the product that has the given slug */
  constructor(private readonly pemOf: (slug: string) => string | undefined) {}

  publicKey(slug: string): PublicKey {
    const known = this.keys.get(slug) ?? readPublicKey(this.pemOf(slug) ?? `no public key of "${slug}"`);
    this.keys.set(slug, known);
    return known;
  }

  /** The response with claims instead of tokens. The text of an error is replaced, because only its existence is compared. */
  readable(body: unknown): unknown {
    if (Array.isArray(body)) return body.map((one) => this.readable(one));
    if (typeof body !== 'object' || body === null) return body;
    return Object.fromEntries(
      Object.entries(body).map(([name, value]: [string, unknown]) => {
        if (name === 'offline_token' || name === 'token') return [name, this.claims(String(value))];
        if (name === 'last_error' || name === 'error') return [name, value !== null];
        return [name, name === 'history' ? this.readable(value) : value];
      }),
    );
  }

  /** The claims of a token without the token's id. Fails if the id is not new, or if the token's header or signature is wrong. */
  private claims(token: string): Json {
    const [header, content, signature = ''] = token.split('.');
    const { jti, ...claims } = parse(content);
    const { key, jwk } = this.publicKey(String(claims['aud']));
    if (!verify(null, Buffer.from(`${header}.${content}`), key, Buffer.from(signature, 'base64url')))
      throw new Error(`The signature of ${token} is wrong`);
    expect(parse(header)).toEqual({ alg: 'EdDSA', typ: 'JWT', kid: jwk.kid });
    if (typeof jti !== 'string' || jti === '' || this.tokenIds.has(jti)) throw new Error(`${String(jti)} is no new token id`);
    this.tokenIds.add(jti);
    return claims;
  }
}
