import { createLocalJWKSet, importSPKI, jwtVerify, type JSONWebKeySet } from 'jose';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CLOCK_SKEW_MS, readOfflineRequest, verifyToken, type Fault, type LicenseState, type PublicKey } from '../../client/src';
import { coversRelease } from '../../client/src/coverage';
import { verifyKeys } from '../../client/src/keys';
import { appFingerprint, appFingerprintOf, fingerprint, fingerprintOf, parseMachineId } from '../../client/src/node';
import { verifyVerdict } from '../../client/src/verdict';
import { runCase, type BehaviourVectors } from '../../client/vectors/behaviour';
import type { CoverageVectors } from '../../client/vectors/coverage-cases';
import {
  files,
  type FingerprintVectors,
  type RequestVectors,
  type TokenContext,
  type TokenVectors,
  type VerdictVectors,
} from '../../client/vectors/generate';
import { activate } from '../../lambdas/contract/activations';
import { productExample } from '../../lambdas/contract/examples';
import type { License } from '../../lambdas/domain/license';
import { mintToken, tokenSigner } from '../../lambdas/domain/offline-token';

const folder = resolve(__dirname, '../../client/vectors');
const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'));
const { defaults, tokens, clock_skew: clockSkew } = read('tokens.json') as TokenVectors;
const { fingerprints, app } = read('fingerprints.json') as FingerprintVectors;

test('the published test vectors are equal to the vectors that the script writes', async () => {
  const published = readdirSync(folder).filter((name) => name.endsWith('.json'));
  expect(Object.fromEntries(published.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))).toEqual(await files());
});

describe('the client behaves as the behaviour vectors require', () => {
  const { settings, cases } = read('behaviour.json') as BehaviourVectors;
  const further = ['meters.json', 'sign-in.json'].flatMap((name) => (read(name) as BehaviourVectors).cases);

  test.each([...cases, ...further].map((expected) => [expected.name, expected] as const))(
    'the client behaves as required: %s',
    async (_name, expected) => {
      expect(await runCase(settings, expected)).toEqual(expected);
    },
  );

  test('the vectors contain every state and every kind of fault', () => {
    const text = JSON.stringify([...cases, ...further].flatMap(({ steps }) => steps.flatMap(({ result, state }) => [result, state])));
    const states = [
      'licensed',
      'expired',
      'revoked',
      'suspended',
      'reissued',
      'sign_in_required',
      'denied',
      'request_expired',
      'refused',
      'no_seats',
      'too_many_devices',
      'unknown_key',
      'no_trial',
      'not_covered',
      'unbound',
      'offline_without_token',
    ] satisfies LicenseState['status'][];
    for (const status of states) expect(text).toContain(`"status":"${status}"`);
    // The kinds `timeout` and `closed` are left out, because they need time to pass.
    for (const kind of [
      'unreachable',
      'busy',
      'rejected',
      'malformed',
      'untrusted',
      'clock',
      'device',
      'storage',
    ] satisfies Fault['kind'][])
      expect(text).toContain(`"kind":"${kind}"`);
  });
});

describe('the client verifies signed refusals', () => {
  const { defaults: context, verdicts } = read('verdicts.json') as VerdictVectors;

  test.each(verdicts.map((vector) => [vector.name, vector.problem ?? 'accepted', vector] as const))(
    'a signed refusal that is %s: %s',
    async (_name, _problem, { verdict, problem, status, given }) => {
      const {
        public_key_pem: pem,
        audience,
        license_id: licenseId,
        fingerprint: device,
        token_issued_at: tokenIssuedAt,
      } = { ...context, ...given };
      const verified = await verifyVerdict(verifyKeys(pem), verdict, { audience, licenseId, fingerprint: device, tokenIssuedAt });
      expect(verified).toMatchObject(problem === null ? { status } : { problem });
    },
  );
});

describe('the client decides whether a license covers a release', () => {
  const { cases } = read('coverage.json') as CoverageVectors;
  test.each(cases.map((vector) => [vector.name, vector] as const))('the coverage of a release: %s', (_name, vector) => {
    const until = vector.updates_until === undefined ? null : new Date(vector.updates_until);
    const { version, released_at: releasedAt, max_major: maxMajor = null } = vector;
    expect(coversRelease({ until, maxMajor }, { version, releasedAt })).toBe(vector.covered);
  });
});

describe('requests of devices that are never online', () => {
  const { requests } = read('requests.json') as RequestVectors;
  test.each(requests.map((vector) => [vector.name, vector] as const))(
    'a request is read as the vector requires: %s',
    (_name, { text, request }) => expect(readOfflineRequest(text) ?? null).toEqual(request),
  );
});

describe('the client verifies tokens', () => {
  const verify = async (
    token: string,
    { now, audience, fingerprint: device, allow_unbound_tokens: allowUnboundTokens }: TokenContext,
    publicKey: PublicKey,
  ) => (await verifyToken(token, { now: now * 1000, audience, fingerprint: device, allowUnboundTokens, publicKey })).problem ?? null;

  test.each(tokens.map((vector) => [vector.name, vector.problem ?? 'accepted', vector] as const))(
    'a token that is %s: %s',
    async (_name, _problem, { token, problem, given }) => {
      const context = { ...defaults, ...given };
      expect(await verify(token, context, context.public_key_pem)).toBe(problem);
      expect(await verify(token, context, context.jwks)).toBe(problem);
    },
  );

  test('the vectors contain every problem of a token, and the client uses their clock tolerance', () => {
    expect(clockSkew * 1000).toBe(CLOCK_SKEW_MS);
    const problems = new Set(tokens.map(({ problem }) => problem));
    // Each problem must have at least one vector.
    expect([...problems].sort()).toEqual(
      [
        null,
        'algorithm',
        'audience',
        'claims',
        'critical',
        'expired',
        'fingerprint',
        'from_the_future',
        'issuer',
        'malformed',
        'signature',
        'type',
        'unbound',
      ].sort(),
    );
  });
});

describe('the library jose gives the same results for tokens', () => {
  /** Problems that violate only this service's rules. A JOSE library accepts such tokens. */
  const ownRules = new Set(['fingerprint', 'unbound']);
  const ownRuleNames = new Set([
    'from the future',
    'longer than any token',
    'a signature spelled in another way',
    'with padding',
    'with a line break',
    'in the alphabet of plain base 64',
    'a subject that is no license id',
    'a subject that is a number',
    'a subject with a leading zero',
    'a subject over 2^53 - 1',
    'nested too deeply',
    'an end of updates that is no time',
    'an end of the lease that is no time',
    'verified with a JWK set that contains null',
    'a limit by version that is no integer',
    'a limit by version that is negative',
    'features that are a text',
    'features that are not all texts',
    'an end of the license in another format',
    'an end of the license without a time zone',
    'an end of the license on a day that does not exist',
    'an end of the license in lower case',
    'a kid that is in no key of the set, verified with keys that have no name',
    'names a key that is not in the set',
    'names one key and is signed by another of the set',
    'a fingerprint of null',
    'several fingerprints',
    'several audiences',
    'an end of the license that is no time',
    'without a time of issue',
    'without an expiry',
    // Times before 1970 or after the year 9999.
    'an end of the license after the last year, by its offset',
    'an end of the license before the first year, by its offset',
    'an end of the license in the year 0',
    'an end of the token at 10000000000000000',
    'an end of the token at 1e+300',
    'an end of the token at 253402300799.5',
    'issued at -1',
    'issued at -1e+300',
    'issued at 253402300800',
    'not valid before 1970',
  ]);
  const shared = tokens.filter(({ name, problem }) => !ownRules.has(problem ?? '') && !ownRuleNames.has(name));

  test.each(shared.map((vector) => [vector.name, vector] as const))(
    'jose agrees about a token that is %s',
    async (_name, { token, problem, given }) => {
      const { public_key_pem: pem, jwks, audience, now } = { ...defaults, ...given };
      const options = {
        algorithms: ['EdDSA'],
        issuer: 'license-key-service',
        audience,
        typ: 'JWT',
        clockTolerance: clockSkew,
        currentDate: new Date(now * 1000),
      };
      const key = await importSPKI(pem, 'EdDSA');
      for (const verification of [
        () => jwtVerify(token, key, options),
        () => jwtVerify(token, createLocalJWKSet(jwks as JSONWebKeySet), options),
      ]) {
        expect(
          await verification().then(
            () => 'accepted',
            () => 'refused',
          ),
        ).toBe(problem === null ? 'accepted' : 'refused');
      }
    },
  );

  test('jose checks most of the vectors', () => expect(shared.length).toBeGreaterThan(tokens.length * 0.5));
});

test('the service signs tokens like those in the vectors', async () => {
  const seed = createHash('sha256').update('license-key-service test key: our product').digest();
  const [, claims = ''] = tokens[0]!.token.split('.');
  const { iat, exp, jti, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as {
    iat: number;
    exp: number;
    jti: string;
    sub: string;
  };
  const license = {
    id: Number(sub),
    product_slug: defaults.audience,
    expires_at: Date.parse('2027-06-01T00:00:00.000Z'),
    updates_until: null,
    max_major: null,
    license_type: { kind: 'subscription', limits: {} },
  } as License;
  const token = mintToken(tokenSigner(seed, defaults.public_key_pem), license, {
    id: jti,
    fingerprint: defaults.fingerprint,
    now: iat * 1000,
    ttlDays: (exp - iat) / 86_400,
  });
  const decode = (part: string | undefined): unknown => JSON.parse(Buffer.from(part ?? '', 'base64url').toString());
  expect(decode(token.split('.')[0])).toEqual(decode(tokens[0]!.token.split('.')[0]));
  // The service may add claims.
  expect(decode(token.split('.')[1])).toMatchObject(decode(claims) as object);
  expect(
    (
      await verifyToken(token, {
        publicKey: defaults.public_key_pem,
        fingerprint: defaults.fingerprint,
        audience: defaults.audience,
        now: defaults.now * 1000,
      })
    ).problem,
  ).toBeUndefined();
});

test('the example token in the documentation is valid', async () => {
  const { offline_token: token, device } = activate.examples.response;
  const { claims, problem } = await verifyToken(token, {
    publicKey: productExample.public_key,
    fingerprint: device.fingerprint,
    audience: productExample.slug,
    now: Date.parse('2026-11-21T00:00:00Z'),
  });
  expect([problem, claims?.sub]).toEqual([undefined, '1']);
});

describe('fingerprints that are derived from machine ids', () => {
  test.each(fingerprints.map((vector) => [vector.name, vector] as const))('the fingerprint of a device: %s', async (_name, vector) => {
    const id = parseMachineId(vector.platform, vector.shown);
    expect(id ?? null).toBe(vector.machine_id);
    if (id !== undefined) expect([fingerprintOf(id), appFingerprintOf(app, id)]).toEqual([vector.fingerprint, vector.app_fingerprint]);
    const system = { platform: vector.platform, readFile: () => Promise.resolve(vector.shown), run: () => Promise.resolve(vector.shown) };
    expect((await fingerprint(system)) ?? null).toBe(vector.fingerprint);
    expect((await appFingerprint(app)(system)) ?? null).toBe(vector.app_fingerprint);
  });
});
