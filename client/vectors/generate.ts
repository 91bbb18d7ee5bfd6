/**
 * `npm run vectors --workspace @license-key-service/client`: writes the test vectors, which the tests of all client libraries use. Every run
 * writes the same bytes.
 */
import { createHmac, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeOfflineRequest, type OfflineRequest } from '../src/offline-request';
import { runCase, type BehaviourVectors, type GivenCase } from './behaviour';
import { behaviourCases } from './behaviour-cases';
import { coverageVectors } from './coverage-cases';
import { metersCases } from './meters-cases';
import { settings } from './parts';
import { signInCases } from './sign-in-cases';
import {
  AUDIENCE,
  claims,
  DAY,
  encode,
  FINGERPRINT,
  header,
  NOW,
  other,
  ours,
  sha256,
  signed,
  signedVerdict,
  SKEW,
  without,
} from './signing';

export interface TokenVector {
  /** What distinguishes this token from a valid one. */
  readonly name: string;
  readonly token: string;
  /** null if verification must accept the token. Otherwise the first check that must fail. */
  readonly problem: string | null;
  /** The values that replace `defaults` when this token is verified. */
  readonly given?: Partial<TokenContext>;
}

/** The values with which a token is verified. */
export interface TokenContext {
  readonly public_key_pem: string;
  readonly jwks: { readonly keys: readonly (object | null)[] };
  readonly audience: string;
  readonly fingerprint: string;
  /** Seconds since 1970. */
  readonly now: number;
  readonly allow_unbound_tokens: boolean;
}

export interface TokenVectors {
  readonly about: string;
  /** Maximum difference between the clocks of device and service, in seconds. */
  readonly clock_skew: number;
  readonly defaults: TokenContext;
  readonly tokens: readonly TokenVector[];
}

export interface FingerprintVector {
  readonly name: string;
  /** `linux`, `darwin` or `win32`. */
  readonly platform: string;
  /**
   * The text that contains the machine id: the content of /etc/machine-id, the output of `ioreg`, or the value `MachineGuid` of the
   * registry.
   */
  readonly shown: string;
  readonly machine_id: string | null;
  readonly fingerprint: string | null;
  /** The fingerprint of this machine for one app, whose slug is `FingerprintVectors.app`. */
  readonly app_fingerprint: string | null;
}

export interface FingerprintVectors {
  readonly about: string;
  /** The product's slug from which every `app_fingerprint` is computed. */
  readonly app: string;
  readonly fingerprints: readonly FingerprintVector[];
}

export const defaults: TokenContext = {
  public_key_pem: ours.pem,
  jwks: { keys: [ours.jwk] },
  audience: AUDIENCE,
  fingerprint: FINGERPRINT,
  now: NOW,
  allow_unbound_tokens: false,
};

const claiming = (changes: object): string => signed(header, { ...claims, ...changes });
const headed = (changes: object): string => signed({ ...header, ...changes }, claims);

const good = signed(header, claims);
const [goodHeader = '', goodClaims = '', goodSignature = ''] = good.split('.');

/** A second form of a signature: S plus the order of the group. A verifier that doesn't check the range of S accepts this form as well. */
function unreduced(signature: string): string {
  const bytes = Buffer.from(signature, 'base64url');
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + order;
  return Buffer.concat([bytes.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse()]).toString('base64url');
}

/** The same bytes in another base64url spelling. The last character of 64 encoded bytes has four unused bits, which are changed. */
const respelled = (signature: string): string => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return `${signature.slice(0, -1)}${alphabet[alphabet.indexOf(signature.slice(-1)) + 1] ?? ''}`;
};

const withMac = (secret: string | Buffer): string => {
  const content = `${encode({ ...header, alg: 'HS256' })}.${encode(claims)}`;
  return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
};

/** The last second of the year 9999: RFC 3339 can represent no later time. */
const LAST_SECOND = 253_402_300_799;

/** Nested lists with this number of levels. */
const nested = (levels: number): unknown => (levels === 1 ? [] : [nested(levels - 1)]);
const withoutName = (jwk: object): object => without({ ...jwk }, 'kid');

function signedBytes(bytes: Buffer): string {
  const content = `${encode(header)}.${bytes.toString('base64url')}`;
  return `${content}.${sign(null, Buffer.from(content), ours.privateKey).toString('base64url')}`;
}

const vectors: readonly TokenVector[] = [
  { name: 'a device token', token: good, problem: null },
  { name: 'verified with the JWK set of two keys', token: good, problem: null, given: { jwks: { keys: [other.jwk, ours.jwk] } } },
  { name: 'verified with a JWK set that contains null', token: good, problem: null, given: { jwks: { keys: [null, ours.jwk] } } },
  { name: 'without a key name', token: signed(without(header, 'kid'), claims), problem: null },
  { name: 'of a license that never expires', token: claiming({ kind: 'lifetime', license_expires_at: null }), problem: null },
  { name: 'with claims that nobody knows', token: claiming({ note: 'später', nested: { a: [1] } }), problem: null },
  { name: 'with features', token: claiming({ features: ['export', 'sync'] }), problem: null },
  { name: 'nested as deeply as is allowed', token: claiming({ note: nested(31) }), problem: null },
  { name: 'times with fractions', token: claiming({ iat: NOW - 0.5, exp: NOW + 0.5 }), problem: null },
  {
    name: 'an end of the license with an offset and a fraction',
    token: claiming({ license_expires_at: '2027-06-01T02:00:00.5+02:00' }),
    problem: null,
  },
  { name: 'an end of the license in the last year', token: claiming({ license_expires_at: '9999-12-31T23:59:59.999Z' }), problem: null },
  {
    name: 'an end of the license in the first year',
    token: claiming({ license_expires_at: '0001-01-01T00:00:00Z', exp: NOW + DAY }),
    problem: null,
  },
  { name: 'an end of the token in the last second of the last year', token: claiming({ exp: LAST_SECOND }), problem: null },
  { name: 'issued in 1970', token: claiming({ iat: 0 }), problem: null },
  { name: 'of a leased seat', token: claiming({ kind: 'floating', lease_expires_at: '2027-06-01T00:00:00.000Z' }), problem: null },
  { name: 'an end of the lease that is no time', token: claiming({ lease_expires_at: 'soon' }), problem: 'claims' },
  { name: 'with limits of updates', token: claiming({ updates_until: '2027-11-20T13:54:00.000Z', max_major: 3 }), problem: null },
  { name: 'the largest license id', token: claiming({ sub: '9007199254740991' }), problem: null },
  {
    name: 'a claim that is there twice, of which the last counts',
    token: signed(header, `{"exp":1,${JSON.stringify(claims).slice(1)}`),
    problem: null,
  },
  {
    name: 'byte order marks before the header and the claims',
    token: signed(`\ufeff${JSON.stringify(header)}`, `\ufeff${JSON.stringify(claims)}`),
    problem: null,
  },
  {
    name: 'a kid that is in no key of the set, verified with keys that have no name',
    token: headed({ kid: 'unknown' }),
    problem: null,
    given: { jwks: { keys: [withoutName(ours.jwk)] } },
  },
  {
    name: 'a fingerprint that the device spells in upper case',
    token: good,
    problem: null,
    given: { fingerprint: defaults.fingerprint.toUpperCase() },
  },
  { name: 'expired, within the tolerance', token: claiming({ exp: NOW - SKEW + 1 }), problem: null },
  { name: 'issued ahead of the clock, within the tolerance', token: claiming({ iat: NOW + SKEW }), problem: null },
  {
    name: 'bound to no device, where that is allowed',
    token: signed(header, without(claims, 'fingerprint')),
    problem: null,
    given: { allow_unbound_tokens: true },
  },
  { name: 'bound to this device, where unbound tokens are allowed', token: good, problem: null, given: { allow_unbound_tokens: true } },

  { name: 'empty', token: '', problem: 'malformed' },
  { name: 'no token at all', token: 'not a token', problem: 'malformed' },
  { name: 'truncated by a character', token: good.slice(0, -1), problem: 'malformed' },
  {
    name: 'truncated to a shorter signature',
    token: `${goodHeader}.${goodClaims}.${Buffer.from(goodSignature, 'base64url').subarray(0, 60).toString('base64url')}`,
    problem: 'signature',
  },
  { name: 'truncated after the claims', token: `${goodHeader}.${goodClaims}`, problem: 'malformed' },
  { name: 'with a fourth part', token: `${good}.${goodSignature}`, problem: 'malformed' },
  { name: 'with padding', token: `${good}==`, problem: 'malformed' },
  { name: 'with a line break', token: `${good}\n`, problem: 'malformed' },
  {
    name: 'in the alphabet of plain base 64',
    token: `${goodHeader}.${Buffer.from(JSON.stringify({ ...claims, note: '>>>???' }))
      .toString('base64')
      .replace(/=+$/, '')}.${goodSignature}`,
    problem: 'malformed',
  },
  { name: 'a signature spelled in another way', token: `${goodHeader}.${goodClaims}.${respelled(goodSignature)}`, problem: 'malformed' },
  ...[LAST_SECOND + 0.5, 1e16, 1e300].map(
    (exp): TokenVector => ({ name: `an end of the token at ${exp}`, token: claiming({ exp }), problem: 'claims' }),
  ),
  ...[-1, -1e300, LAST_SECOND + 1].map((iat): TokenVector => ({ name: `issued at ${iat}`, token: claiming({ iat }), problem: 'claims' })),
  { name: 'an end of the license in the year 0', token: claiming({ license_expires_at: '0000-12-31T23:59:59Z' }), problem: 'claims' },
  { name: 'not valid before 1970', token: claiming({ nbf: -1 }), problem: 'claims' },
  {
    name: 'an end of the license after the last year, by its offset',
    token: claiming({ license_expires_at: '9999-12-31T23:59:59-00:01' }),
    problem: 'claims',
  },
  {
    name: 'an end of the license before the first year, by its offset',
    token: claiming({ license_expires_at: '0001-01-01T00:00:00+00:01' }),
    problem: 'claims',
  },
  { name: 'an end of updates that is no time', token: claiming({ updates_until: 'soon' }), problem: 'claims' },
  { name: 'a limit by version that is no integer', token: claiming({ max_major: 3.5 }), problem: 'claims' },
  { name: 'a limit by version that is negative', token: claiming({ max_major: -1 }), problem: 'claims' },
  { name: 'a header that is no object', token: signed([header], claims), problem: 'malformed' },
  { name: 'claims that are no JSON', token: signed(header, 'claims'), problem: 'malformed' },
  { name: 'nested too deeply', token: claiming({ note: nested(32) }), problem: 'malformed' },
  {
    name: 'claims that are not UTF-8',
    token: signedBytes(Buffer.from([...Buffer.from(JSON.stringify({ ...claims, note: '' }).slice(0, -2)), 0xff, 0x22, 0x7d])),
    problem: 'malformed',
  },
  { name: 'longer than any token', token: claiming({ note: 'x'.repeat(8192) }), problem: 'malformed' },

  { name: 'alg none, without a signature', token: `${encode({ ...header, alg: 'none' })}.${goodClaims}.`, problem: 'algorithm' },
  { name: 'alg None, with the signature', token: headed({ alg: 'None' }), problem: 'algorithm' },
  { name: 'HS256 with the PEM as secret', token: withMac(ours.pem), problem: 'algorithm' },
  { name: 'HS256 with the raw key as secret', token: withMac(Buffer.from(ours.jwk.x, 'base64url')), problem: 'algorithm' },
  { name: 'without alg', token: signed(without(header, 'alg'), claims), problem: 'algorithm' },
  { name: 'alg in lower case', token: headed({ alg: 'eddsa' }), problem: 'algorithm' },
  { name: 'alg in a list', token: headed({ alg: ['EdDSA'] }), problem: 'algorithm' },
  { name: 'wrong typ', token: headed({ typ: 'at+jwt' }), problem: 'type' },
  { name: 'without typ', token: signed(without(header, 'typ'), claims), problem: 'type' },
  { name: 'unknown crit', token: headed({ crit: ['exp-policy'], 'exp-policy': 'never' }), problem: 'critical' },
  { name: 'unencoded payload (RFC 7797)', token: headed({ crit: ['b64'], b64: false }), problem: 'critical' },

  { name: 'altered claims', token: `${goodHeader}.${encode({ ...claims, exp: NOW + 3650 * DAY })}.${goodSignature}`, problem: 'signature' },
  { name: 'altered header', token: `${encode({ ...header, kid: 'x' })}.${goodClaims}.${goodSignature}`, problem: 'signature' },
  {
    name: 'altered signature',
    token: `${goodHeader}.${goodClaims}.${goodSignature.startsWith('A') ? 'B' : 'A'}${goodSignature.slice(1)}`,
    problem: 'signature',
  },
  {
    name: 'a signature that is not reduced (RFC 8032, 5.1.7)',
    token: `${goodHeader}.${goodClaims}.${unreduced(goodSignature)}`,
    problem: 'signature',
  },
  { name: 'without a signature', token: `${goodHeader}.${goodClaims}.`, problem: 'signature' },
  { name: 'a signature of zeros', token: `${goodHeader}.${goodClaims}.${Buffer.alloc(64).toString('base64url')}`, problem: 'signature' },
  { name: "signed with another product's key", token: signed(header, claims, other), problem: 'signature' },
  {
    name: 'names a key that is not in the set',
    token: signed({ ...header, kid: 'unknown' }, claims),
    problem: 'signature',
    given: { public_key_pem: other.pem },
  },
  {
    name: 'names one key and is signed by another of the set',
    token: signed({ ...header, kid: other.jwk.kid }, claims),
    problem: 'signature',
    given: { public_key_pem: other.pem, jwks: { keys: [ours.jwk, other.jwk] } },
  },
  { name: 'brings its own key', token: signed({ ...header, jwk: other.jwk }, claims, other), problem: 'signature' },
  {
    name: "another product's token",
    token: signed({ ...header, kid: other.jwk.kid }, { ...claims, aud: 'borealis' }, other),
    problem: 'signature',
  },

  { name: 'without an expiry', token: signed(header, without(claims, 'exp')), problem: 'claims' },
  { name: 'an expiry in words', token: claiming({ exp: 'never' }), problem: 'claims' },
  { name: 'without a time of issue', token: signed(header, without(claims, 'iat')), problem: 'claims' },
  { name: 'a subject that is no license id', token: claiming({ sub: 'everybody' }), problem: 'claims' },
  { name: 'a subject that is a number', token: claiming({ sub: 42 }), problem: 'claims' },
  { name: 'a subject with a leading zero', token: claiming({ sub: '042' }), problem: 'claims' },
  { name: 'a subject over 2^53 - 1', token: claiming({ sub: '9007199254740992' }), problem: 'claims' },
  { name: 'a time that is a truth value', token: claiming({ nbf: true }), problem: 'claims' },
  { name: 'features that are a text', token: claiming({ features: 'export' }), problem: 'claims' },
  { name: 'features that are not all texts', token: claiming({ features: ['export', 1] }), problem: 'claims' },
  {
    name: 'an end of the license in another format',
    token: claiming({ license_expires_at: 'Tue, 01 Jun 2027 00:00:00 GMT' }),
    problem: 'claims',
  },
  { name: 'an end of the license without a time zone', token: claiming({ license_expires_at: '2027-06-01T00:00:00' }), problem: 'claims' },
  {
    name: 'an end of the license on a day that does not exist',
    token: claiming({ license_expires_at: '2027-02-29T00:00:00Z' }),
    problem: 'claims',
  },
  { name: 'an end of the license in lower case', token: claiming({ license_expires_at: '2027-06-01t00:00:00z' }), problem: 'claims' },
  { name: 'a fingerprint of null', token: claiming({ fingerprint: null }), problem: 'claims' },
  { name: 'several fingerprints', token: claiming({ fingerprint: [defaults.fingerprint] }), problem: 'claims' },
  { name: 'several audiences', token: claiming({ aud: [defaults.audience] }), problem: 'claims' },
  { name: 'an end of the license that is no time', token: claiming({ license_expires_at: 'never' }), problem: 'claims' },

  { name: 'another issuer', token: claiming({ iss: 'somebody-else' }), problem: 'issuer' },
  { name: 'another audience', token: claiming({ aud: 'borealis' }), problem: 'audience' },
  { name: "another device's", token: claiming({ fingerprint: sha256('another device').toString('hex') }), problem: 'fingerprint' },
  { name: 'an empty fingerprint', token: claiming({ fingerprint: '' }), problem: 'fingerprint' },
  {
    name: "another device's, where unbound tokens are allowed",
    token: claiming({ fingerprint: sha256('another device').toString('hex') }),
    problem: 'fingerprint',
    given: { allow_unbound_tokens: true },
  },
  { name: 'bound to no device', token: signed(header, without(claims, 'fingerprint')), problem: 'unbound' },
  { name: 'from the future', token: claiming({ iat: NOW + SKEW + 1 }), problem: 'from_the_future' },
  { name: 'not valid yet', token: claiming({ nbf: NOW + SKEW + 1 }), problem: 'from_the_future' },
  { name: 'expired', token: claiming({ iat: NOW - 8 * DAY, exp: NOW - DAY }), problem: 'expired' },
  { name: 'expired at the end of the tolerance', token: claiming({ exp: NOW - SKEW }), problem: 'expired' },
];

export const tokenVectors: TokenVectors = {
  about:
    'Valid and invalid offline tokens. Verify each with `defaults`, overridden by its `given`, once with the PEM and once with the JWK set. `problem` names the first check that fails, in the order of docs/client.md; null: the token is valid.',
  clock_skew: SKEW,
  defaults,
  tokens: vectors,
};

const fingerprintVector = (name: string, platform: string, shown: string, id: string | null): FingerprintVector => ({
  name,
  platform,
  shown,
  machine_id: id,
  fingerprint: id === null ? null : sha256(id).toString('hex'),
  app_fingerprint: id === null ? null : createHmac('sha256', id).update(AUDIENCE).digest('hex'),
});

const linuxId = '8f2d7a61c4b94e0f9a3d5c7e1b2f4a60';
const macId = '6f1c2b3a-4d5e-5f60-8172-93a4b5c6d7e8';
const windowsId = '2c9a1f04-7be3-4d6a-8f51-0e9d8c7b6a53';
const ioreg = (
  id: string,
): string => `+-o J314sAP  <class IOPlatformExpertDevice, id 0x100000227, registered, matched, active, busy 0 (3 ms), retain 38>
    {
      "manufacturer" = <"Apple Inc.">
      "IOPlatformSerialNumber" = "C02XXXXXXXXX"
      "IOPlatformUUID" = "${id}"
    }
`;

export const fingerprintVectors: FingerprintVectors = {
  about:
    'Fingerprints: lower-case hex of SHA-256 over the machine id, which is read from a file, from the output of a command or from the registry, depending on the platform, and converted to lower case (ASCII). `app_fingerprint` is HMAC-SHA256 with the machine id as key and `app` as message. null: the platform has no machine id, so the client stores a random id.',
  app: AUDIENCE,
  fingerprints: [
    fingerprintVector('Linux', 'linux', `${linuxId}\n`, linuxId),
    fingerprintVector('Linux, without a line break', 'linux', linuxId, linuxId),
    fingerprintVector('Linux, in upper case', 'linux', `${linuxId.toUpperCase()}\n`, linuxId),
    fingerprintVector('macOS', 'darwin', ioreg(macId.toUpperCase()), macId),
    fingerprintVector('Windows', 'win32', windowsId, windowsId),
    fingerprintVector('Windows, in upper case', 'win32', windowsId.toUpperCase(), windowsId),
    fingerprintVector('an image that was never set up', 'linux', 'uninitialized\n', null),
    fingerprintVector('an empty file, as in containers', 'linux', '', null),
    fingerprintVector('zeros', 'linux', `${'0'.repeat(32)}\n`, null),
    fingerprintVector('too short', 'linux', `${linuxId.slice(1)}\n`, null),
    fingerprintVector('firmware without an id', 'darwin', ioreg('00000000-0000-0000-0000-000000000000'), null),
    fingerprintVector('firmware with a placeholder', 'darwin', ioreg('FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF'), null),
    fingerprintVector('an empty value in the registry', 'win32', '', null),
    fingerprintVector('a system without a machine id', 'freebsd', linuxId, null),
  ],
};

export interface VerdictVector {
  readonly name: string;
  readonly verdict: string;
  /** null if verification must accept the verdict. Otherwise the first check that must fail. */
  readonly problem: string | null;
  /** The refusal that an accepted verdict proves; absent if the verdict must not be accepted. */
  readonly status?: string;
  readonly given?: Partial<VerdictContext>;
}

/** The values with which a verdict is verified. */
export interface VerdictContext {
  readonly public_key_pem: string;
  readonly audience: string;
  /** The license id: `sub` of the device's current token. */
  readonly license_id: string;
  readonly fingerprint: string;
  /** The time of issue: `iat` of the device's current token. */
  readonly token_issued_at: number;
}

export interface VerdictVectors {
  readonly about: string;
  readonly defaults: VerdictContext;
  readonly verdicts: readonly VerdictVector[];
}

const verdict = signedVerdict();
const [verdictHeader = '', verdictClaims = '', verdictSignature = ''] = verdict.split('.');

export const verdictVectors: VerdictVectors = {
  about:
    'Valid and invalid signed refusals (the response header X-Svc-Verdict). Verify each with `defaults`, overridden by its `given`. `problem` names the first check that fails, in the order of docs/client.md; null: the refusal is valid, and `status` is the status that it contains.',
  defaults: { public_key_pem: ours.pem, audience: AUDIENCE, license_id: claims.sub, fingerprint: FINGERPRINT, token_issued_at: claims.iat },
  verdicts: [
    { name: 'revoked', verdict, problem: null, status: 'revoked' },
    { name: 'suspended', verdict: signedVerdict({ status: 'suspended' }), problem: null, status: 'suspended' },
    { name: 'a status that nobody knows yet', verdict: signedVerdict({ status: 'on_hold' }), problem: null, status: 'on_hold' },
    {
      name: 'from the same second as the token',
      verdict: signedVerdict({ iat: claims.iat, exp: NOW + 1 }),
      problem: null,
      status: 'revoked',
    },
    {
      name: 'from the far future: clocks are not compared',
      verdict: signedVerdict({ iat: NOW + 3650 * DAY, exp: NOW + 3650 * DAY + 600 }),
      problem: null,
      status: 'revoked',
    },
    {
      name: 'over for a long time: clocks are not compared',
      verdict: signedVerdict({ iat: claims.iat, exp: claims.iat }),
      problem: null,
      status: 'revoked',
    },
    { name: 'without an expiry', verdict: signedVerdict({ exp: undefined }), problem: null, status: 'revoked' },
    { name: 'with claims that nobody knows', verdict: signedVerdict({ note: [1] }), problem: null, status: 'revoked' },
    { name: 'empty', verdict: '', problem: 'malformed' },
    { name: 'reissued', verdict: signedVerdict({ status: 'reissued' }), problem: null, status: 'reissued' },
    { name: 'with a space at its end', verdict: `${verdict} `, problem: 'malformed' },
    { name: 'cut off', verdict: `${verdictHeader}.${verdictClaims}`, problem: 'malformed' },
    { name: 'alg none', verdict: `${encode({ alg: 'none', typ: 'verdict+jwt' })}.${verdictClaims}.`, problem: 'algorithm' },
    { name: 'a token in place of a verdict', verdict: good, problem: 'type' },
    { name: 'with crit', verdict: signedVerdict({}, { crit: ['b64'], b64: false }), problem: 'critical' },
    { name: "signed with another product's key", verdict: signedVerdict({}, {}, other), problem: 'signature' },
    {
      name: 'altered',
      verdict: `${verdictHeader}.${encode({ ...(JSON.parse(Buffer.from(verdictClaims, 'base64url').toString()) as object), status: 'expired' })}.${verdictSignature}`,
      problem: 'signature',
    },
    { name: 'without a status', verdict: signedVerdict({ status: undefined }), problem: 'claims' },
    { name: 'a status that is no name', verdict: signedVerdict({ status: 'Not Today' }), problem: 'claims' },
    { name: 'without a fingerprint', verdict: signedVerdict({ fingerprint: undefined }), problem: 'claims' },
    { name: 'issued after the year 9999', verdict: signedVerdict({ iat: 1e300 }), problem: 'claims' },
    { name: 'without a time of issue', verdict: signedVerdict({ iat: undefined }), problem: 'claims' },
    { name: 'of another issuer', verdict: signedVerdict({ iss: 'somebody-else' }), problem: 'issuer' },
    { name: 'of another product', verdict: signedVerdict({ aud: 'borealis' }), problem: 'audience' },
    { name: 'about another license', verdict: signedVerdict({ sub: '43' }), problem: 'license' },
    {
      name: 'about another device',
      verdict: signedVerdict({ fingerprint: sha256('another device').toString('hex') }),
      problem: 'fingerprint',
    },
    { name: 'older than the token', verdict: signedVerdict({ iat: claims.iat - 1 }), problem: 'older_than_token' },
  ],
};

export interface RequestVectors {
  readonly about: string;
  readonly requests: readonly { readonly name: string; readonly text: string; readonly request: OfflineRequest | null }[];
}

const request: OfflineRequest = {
  product: 7,
  key: '9M0RP-TTE3D-2HVX8-KQ51N-4WZ7Z',
  fingerprint: FINGERPRINT,
  name: 'Zoë’s laptop',
  platform: 'linux',
};
const requestText = writeOfflineRequest(request);
const written = (value: unknown): string => `LKS1-REQUEST.${encode(value)}`;

export const requestVectors: RequestVectors = {
  about:
    'Requests of machines that are never online: `text` is what the client writes, and `request` is what a reader gets from this text; null: the text is not a request.',
  requests: [
    { name: 'with labels', text: requestText, request },
    {
      name: 'without labels',
      text: writeOfflineRequest({ product: 7, key: request.key, fingerprint: FINGERPRINT }),
      request: { product: 7, key: request.key, fingerprint: FINGERPRINT },
    },
    { name: 'broken into lines by a mail program', text: ` ${requestText.replace(/.{60}/g, '$&\r\n')}\n`, request },
    { name: 'with a field that nobody knows', text: written({ ...request, note: 1 }), request },
    { name: 'empty', text: '', request: null },
    { name: 'without the beginning', text: requestText.slice(5), request: null },
    { name: 'in lower case', text: requestText.toLowerCase(), request: null },
    { name: 'that is no JSON', text: written('request'), request: null },
    { name: 'without a fingerprint', text: written({ product: 7, key: request.key }), request: null },
    { name: 'with a product that is a text', text: written({ ...request, product: '7' }), request: null },
  ],
};

async function behaviourVectors(givenCases: readonly GivenCase[]): Promise<BehaviourVectors> {
  const cases = [];
  for (const given of givenCases) cases.push(await runCase(settings, given));
  return {
    about:
      'A test of a client runs each case (docs/client.md, "Behaviour vectors"), and compares the `result`, `state`, `requests` and `stored` of every step with the expected ones.',
    settings,
    cases,
  };
}

/** JSON with one vector per line, so that a diff shows only the vectors that changed. */
function fileOf(content: object): string {
  const fields = Object.entries(content).map(([name, value]: [string, unknown]) => {
    const text = Array.isArray(value)
      ? `[\n${value.map((vector) => `    ${JSON.stringify(vector)}`).join(',\n')}\n  ]`
      : JSON.stringify(value);
    return `  ${JSON.stringify(name)}: ${text}`;
  });
  return `{\n${fields.join(',\n')}\n}\n`;
}

/** The contents of all vector files, by file name. */
export async function files(): Promise<Readonly<Record<string, string>>> {
  const contents = {
    tokens: tokenVectors,
    verdicts: verdictVectors,
    fingerprints: fingerprintVectors,
    requests: requestVectors,
    coverage: coverageVectors,
    behaviour: await behaviourVectors(behaviourCases),
    meters: await behaviourVectors(metersCases),
    'sign-in': await behaviourVectors(signInCases),
  };
  return Object.fromEntries(Object.entries(contents).map(([name, content]) => [`${name}.json`, fileOf(content)]));
}

async function write(): Promise<void> {
  for (const [name, text] of Object.entries(await files())) writeFileSync(join(__dirname, name), text);
}

if (require.main === module) void write();
