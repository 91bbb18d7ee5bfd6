import fc from 'fast-check';
import { calculateJwkThumbprint, compactVerify, errors, importSPKI, jwtVerify } from 'jose';
import nacl from 'tweetnacl';
import type { License } from '../../../lambdas/domain/license';
import { mintToken, tokenSigner, type TokenOptions } from '../../../lambdas/domain/offline-token';
import { publicJwk, publicKeyPem, SEED_BYTES } from '../../../lambdas/domain/signing-key';
import { DAY, device, license, NOW } from './fixtures';

const seed = new Uint8Array(SEED_BYTES).fill(7);
const pem = publicKeyPem(seed);
const signer = tokenSigner(seed, pem);
const { fingerprint } = device();

const mint = (facts: Partial<License> = {}, options: Partial<TokenOptions> = {}): string =>
  mintToken(signer, license(facts), { id: 'token-1', fingerprint, ttlDays: 7, now: NOW, ...options });

const part = (token: string, index: number): string => token.split('.')[index]!;
const json = (encoded: string): unknown => JSON.parse(Buffer.from(encoded, 'base64url').toString());
const claims = (token: string): Record<string, unknown> => json(part(token, 1)) as Record<string, unknown>;

/** A verifier that shares no code with node:crypto or jose. */
const naclAccepts = (token: string): boolean => {
  const signature = Buffer.from(part(token, 2), 'base64url');
  return (
    signature.length === nacl.sign.signatureLength &&
    nacl.sign.detached.verify(Buffer.from(`${part(token, 0)}.${part(token, 1)}`), signature, nacl.sign.keyPair.fromSeed(seed).publicKey)
  );
};
const joseAccepts = async (token: string): Promise<boolean> => {
  try {
    await compactVerify(token, await importSPKI(pem, 'EdDSA'));
    return true;
  } catch (error) {
    if (error instanceof errors.JOSEError) return false;
    throw error;
  }
};

describe('a client without a network can trust a token', () => {
  test('jose accepts it as a JWT of this service for this product', async () => {
    const { payload, protectedHeader } = await jwtVerify(mint(), await importSPKI(pem, 'EdDSA'), {
      issuer: 'license-key-service',
      audience: 'photo-studio',
      subject: '7',
      typ: 'JWT',
      currentDate: new Date(NOW),
    });
    expect(protectedHeader.alg).toBe('EdDSA');
    expect(payload['fingerprint']).toBe(fingerprint);
  });

  test('tweetnacl, the verifier of the client library, accepts it', () => expect(naclAccepts(mint())).toBe(true));

  test('a client that checks the time refuses it from its expiry on', async () => {
    const key = await importSPKI(pem, 'EdDSA');
    const token = mint();
    const end = NOW + 7 * DAY;
    await jwtVerify(token, key, { currentDate: new Date(end - 1000) });
    await expect(jwtVerify(token, key, { currentDate: new Date(end) })).rejects.toThrow(errors.JWTExpired);
  });

  test('the header names the algorithm and the key by its thumbprint, which the JWK set shows too', async () => {
    const { kid, ...jwk } = publicJwk(pem);
    expect(json(part(mint(), 0))).toEqual({ alg: 'EdDSA', typ: 'JWT', kid: await calculateJwkThumbprint(jwk) });
    expect(json(part(mint(), 0))).toMatchObject({ kid });
  });

  test('it is compact JWS: three parts of unpadded base64url', () => {
    expect(mint({ product_slug: 'any.slug-1_2' })).toMatch(/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{86}$/);
  });
});

describe('a token contains exactly what was decided, and nothing private', () => {
  const common = {
    iss: 'license-key-service',
    aud: 'photo-studio',
    sub: '7',
    jti: 'token-1',
    iat: Math.floor(NOW / 1000),
    exp: Math.floor((NOW + 7 * DAY) / 1000),
    kind: 'subscription',
    features: [],
    license_expires_at: '2027-11-20T13:52:00.123Z',
    verdicts: true,
  };

  test('bound to a device it contains the fingerprint', () => expect(claims(mint())).toEqual({ ...common, fingerprint }));

  test("with limits it contains them, the license's own or else those of its type", () => {
    const type = { ...license().license_type, limits: { cores: 8 } };
    expect(claims(mint({ license_type: type }))).toMatchObject({ limits: { cores: 8 } });
    expect(claims(mint({ license_type: type, limits: {} }))).not.toHaveProperty('limits');
  });

  test('without a device it contains no fingerprint', () => {
    const token = mintToken(signer, license(), { id: 'token-1', ttlDays: 7, now: NOW });
    expect(claims(token)).toEqual(common);
    expect(naclAccepts(token)).toBe(true);
  });

  test('a license without expiry is null, not the epoch', () => {
    expect(claims(mint({ expires_at: null }))).toEqual({ ...common, fingerprint, license_expires_at: null });
  });

  test('before the first activation, the limits are those of a term that starts now', () => {
    const waiting = { expires_at: null, term: { days: 30, updates_days: 365 }, max_major: 2 };
    expect(claims(mint(waiting))).toMatchObject({ max_major: 2, updates_until: new Date(NOW + 365 * DAY).toISOString() });
    expect(claims(mint({ ...waiting, term: { days: 30, updates_days: null } }))).not.toHaveProperty('updates_until');
  });

  test('key, e-mail, metadata and label of the device are not in it', () => {
    const decoded = JSON.stringify(claims(mint()));
    expect(decoded).not.toMatch(/9M0RP|ada@example|A-1001|Ada's laptop/);
  });
});

describe('a token never outlives the license', () => {
  test('it ends with the license if the license ends first', () => {
    expect(claims(mint({ expires_at: NOW + DAY }))['exp']).toBe(Math.floor((NOW + DAY) / 1000));
  });

  test('at any time, with any lifetime: never after the expiry, never after the lifetime, never with fractions', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: NOW * 2 }),
        fc.integer({ min: 1, max: 3650 }),
        fc.option(fc.integer({ min: 1, max: 4000 * DAY })),
        (now, ttlDays, left) => {
          const expires_at = left === null ? null : now + left;
          const { iat, exp } = claims(mint({ expires_at }, { now, ttlDays })) as { iat: number; exp: number };
          expect(Number.isInteger(iat) && Number.isInteger(exp)).toBe(true);
          expect(iat * 1000).toBeLessThanOrEqual(now);
          expect(exp).toBeGreaterThanOrEqual(iat);
          expect(exp * 1000).toBeLessThanOrEqual(now + ttlDays * DAY);
          if (expires_at !== null) expect(exp * 1000).toBeLessThanOrEqual(expires_at);
        },
      ),
    );
  });
});

describe('a token cannot be forged', () => {
  const token = mint();

  test('with any one character changed, jose refuses it', async () => {
    const places = [...token].flatMap((character, at) => (character === '.' ? [] : [at]));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), fc.constantFrom(...'AZaz09_-'), async (at, character) => {
        const forged = token.slice(0, at) + character + token.slice(at + 1);
        // The last character of a base64url part contains unused bits, so a change of these bits may give the same signature.
        fc.pre(!Buffer.from(part(forged, 2), 'base64url').equals(Buffer.from(part(token, 2), 'base64url')) || at < token.lastIndexOf('.'));
        fc.pre(forged !== token);
        expect(await joseAccepts(forged)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  test.each<[string, (claims: Record<string, unknown>) => Record<string, unknown>]>([
    ['a later expiry', (all) => ({ ...all, exp: Number(all['exp']) + 1 })],
    ['another fingerprint', (all) => ({ ...all, fingerprint: 'another-machine' })],
    ['no fingerprint', ({ fingerprint: _, ...all }) => all],
    ['another license', (all) => ({ ...all, sub: '8' })],
    ['another product', (all) => ({ ...all, aud: 'other' })],
  ])('with %s, both libraries refuse it', async (_what, change) => {
    const content = Buffer.from(JSON.stringify(change(claims(token)))).toString('base64url');
    const forged = `${part(token, 0)}.${content}.${part(token, 2)}`;
    expect([await joseAccepts(forged), naclAccepts(forged)]).toEqual([false, false]);
  });

  test("another product's key does not verify it", async () => {
    const other = await importSPKI(publicKeyPem(new Uint8Array(SEED_BYTES).fill(8)), 'EdDSA');
    await expect(compactVerify(token, other)).rejects.toThrow(errors.JWSSignatureVerificationFailed);
  });

  test('the signature is deterministic: another Ed25519 implementation creates the same one', () => {
    const content = Buffer.from(`${part(token, 0)}.${part(token, 1)}`);
    const signature = nacl.sign.detached(content, nacl.sign.keyPair.fromSeed(seed).secretKey);
    expect(part(token, 2)).toBe(Buffer.from(signature).toString('base64url'));
  });
});
