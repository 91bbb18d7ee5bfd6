import { createLocalJWKSet, importSPKI, jwtVerify, type JSONWebKeySet } from 'jose';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CLOCK_SKEW_MS, verifyToken } from '../../client/src';
import { fingerprint, fingerprintOf, parseMachineId } from '../../client/src/node';
import { files, type FingerprintVectors, type TokenContext, type TokenVectors } from '../../client/vectors/generate';
import { activate } from '../../lambdas/contract/activations';
import { productExample } from '../../lambdas/contract/examples';
import type { License } from '../../lambdas/domain/license';
import { mintToken, tokenSigner } from '../../lambdas/domain/offline-token';

const folder = resolve(__dirname, '../../client/vectors');
const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'));
const { defaults, tokens, clock_skew: clockSkew } = read('tokens.json') as TokenVectors;
const { fingerprints } = read('fingerprints.json') as FingerprintVectors;

test('the published vectors are those that the script writes', () => {
  const published = readdirSync(folder).filter((name) => name.endsWith('.json'));
  expect(Object.fromEntries(published.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))).toEqual(files);
});

describe('a token that is', () => {
  const verify = async (token: string, { now, audience, fingerprint: device, allow_unbound_tokens: allowUnboundTokens }: TokenContext, publicKey: string | { keys: readonly object[] }) =>
    (await verifyToken(token, { now: now * 1000, audience, fingerprint: device, allowUnboundTokens, publicKey })).problem ?? null;

  test.each(tokens.map((vector) => [vector.name, vector.problem ?? 'accepted', vector] as const))('%s: %s', async (_name, _problem, { token, problem, given }) => {
    const context = { ...defaults, ...given };
    expect(await verify(token, context, context.public_key_pem)).toBe(problem);
    expect(await verify(token, context, context.jwks)).toBe(problem);
  });

  test('good or bad by these vectors, within the tolerance that they name', () => {
    expect(clockSkew * 1000).toBe(CLOCK_SKEW_MS);
    const problems = new Set(tokens.map(({ problem }) => problem));
    // Every problem that there is has a vector.
    expect([...problems].sort()).toEqual(
      [null, 'algorithm', 'audience', 'claims', 'critical', 'expired', 'fingerprint', 'from_the_future', 'issuer', 'malformed', 'signature', 'type', 'unbound'].sort(),
    );
  });
});

describe('another library (jose) agrees on a token that is', () => {
  /** What only this service's rules forbid: to a JOSE library such tokens are fine. */
  const ownRules = new Set(['fingerprint', 'unbound']);
  const ownRuleNames = new Set([
    'from the future',
    'longer than any token',
    'a signature spelled in another way',
    'with padding',
    'with a line break',
    'in the alphabet of plain base 64',
    'a subject that is no license id',
    'a fingerprint of null',
    'several fingerprints',
    'several audiences',
    'an end of the license that is no time',
    'without a time of issue',
    'without an expiry',
  ]);
  const shared = tokens.filter(({ name, problem }) => !ownRules.has(problem ?? '') && !ownRuleNames.has(name));

  test.each(shared.map((vector) => [vector.name, vector] as const))('%s', async (_name, { token, problem, given }) => {
    const { public_key_pem: pem, jwks, audience, now } = { ...defaults, ...given };
    const options = { algorithms: ['EdDSA'], issuer: 'license-key-service', audience, typ: 'JWT', clockTolerance: clockSkew, currentDate: new Date(now * 1000) };
    const key = await importSPKI(pem, 'EdDSA');
    for (const verification of [() => jwtVerify(token, key, options), () => jwtVerify(token, createLocalJWKSet(jwks as JSONWebKeySet), options)]) {
      expect(await verification().then(() => 'accepted', () => 'refused')).toBe(problem === null ? 'accepted' : 'refused');
    }
  });

  test('nearly every vector is checked twice', () => expect(shared.length).toBeGreaterThan(tokens.length * 0.65));
});

test('the service signs what the vectors show', () => {
  const seed = createHash('sha256').update('license-key-service test key: our product').digest();
  const [, claims = ''] = tokens[0]!.token.split('.');
  const { iat, exp, jti, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iat: number; exp: number; jti: string; sub: string };
  const license = { id: Number(sub), product_slug: defaults.audience, expires_at: Date.parse('2027-06-01T00:00:00.000Z'), license_type: { kind: 'subscription' } } as License;
  const token = mintToken(tokenSigner(seed, defaults.public_key_pem), license, { id: jti, fingerprint: defaults.fingerprint, now: iat * 1000, ttlDays: (exp - iat) / 86_400 });
  expect(token).toBe(tokens[0]!.token);
});

test("the documentation's example token verifies", async () => {
  const { offline_token: token, device } = activate.examples.response;
  const { claims, problem } = await verifyToken(token, { publicKey: productExample.public_key, fingerprint: device.fingerprint, audience: productExample.slug, now: Date.parse('2026-11-21T00:00:00Z') });
  expect([problem, claims?.sub]).toEqual([undefined, '1']);
});

describe('the fingerprint of a machine that shows', () => {
  test.each(fingerprints.map((vector) => [vector.name, vector] as const))('%s', async (_name, vector) => {
    const id = parseMachineId(vector.platform, vector.shown);
    expect(id ?? null).toBe(vector.machine_id);
    if (id !== undefined) expect(fingerprintOf(id)).toBe(vector.fingerprint);
    const system = { platform: vector.platform, readFile: () => Promise.resolve(vector.shown), run: () => Promise.resolve(vector.shown) };
    expect((await fingerprint(system)) ?? null).toBe(vector.fingerprint);
  });
});
