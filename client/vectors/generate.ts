/**
 * `npm run vectors --workspace client`: writes the test vectors, by which SDKs in other languages are checked too.
 * Everything comes from fixed seeds, so that two runs write the same bytes. The keys are for tests only.
 */
import { createHash, createHmac, createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface TokenVector {
  /** What is special about it. */
  readonly name: string;
  readonly token: string;
  /** Null: it must be accepted. Otherwise the first check that it must fail. */
  readonly problem: string | null;
  /** What differs from `defaults` while it is verified. */
  readonly given?: Partial<TokenContext>;
}

/** What a token is verified with. */
export interface TokenContext {
  readonly public_key_pem: string;
  readonly jwks: { readonly keys: readonly object[] };
  readonly audience: string;
  readonly fingerprint: string;
  /** Seconds since 1970. */
  readonly now: number;
  readonly allow_unbound_tokens: boolean;
}

export interface TokenVectors {
  readonly about: string;
  /** Seconds by which clocks may differ. */
  readonly clock_skew: number;
  readonly defaults: TokenContext;
  readonly tokens: readonly TokenVector[];
}

export interface FingerprintVector {
  readonly name: string;
  /** `linux`, `darwin` or `win32`. */
  readonly platform: string;
  /** What the platform shows: the content of /etc/machine-id, or what ioreg or reg print. */
  readonly shown: string;
  readonly machine_id: string | null;
  readonly fingerprint: string | null;
}

export interface FingerprintVectors {
  readonly about: string;
  readonly fingerprints: readonly FingerprintVector[];
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
const encode = (value: unknown): string => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

interface ProductKey {
  readonly privateKey: KeyObject;
  readonly pem: string;
  readonly jwk: { readonly kid: string; readonly x: string; readonly [field: string]: string };
}

function productKey(name: string): ProductKey {
  const seed = sha256(`license-key-service test key: ${name}`);
  const privateKey = createPrivateKey({ key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey);
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const kid = createHash('sha256').update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x })).digest('base64url');
  return { privateKey, pem: publicKey.export({ format: 'pem', type: 'spki' }).toString(), jwk: { kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', alg: 'EdDSA' } };
}

const ours = productKey('our product');
const other = productKey('another product');

const DAY = 86_400;
const NOW = 1_800_000_000;
const SKEW = 300;

export const defaults: TokenContext = {
  public_key_pem: ours.pem,
  jwks: { keys: [ours.jwk] },
  audience: 'aurora-notes',
  fingerprint: sha256('this device').toString('hex'),
  now: NOW,
  allow_unbound_tokens: false,
};

const header = { alg: 'EdDSA', typ: 'JWT', kid: ours.jwk.kid };
const claims = {
  iss: 'license-key-service',
  aud: defaults.audience,
  sub: '42',
  jti: 'AAECAwQFBgcICQoLDA0ODw',
  iat: NOW - DAY,
  exp: NOW + 6 * DAY,
  fingerprint: defaults.fingerprint,
  kind: 'subscription',
  license_expires_at: '2027-06-01T00:00:00.000Z',
};
const without = (object: object, ...names: readonly string[]): object => Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

function signed(head: unknown, body: unknown, key: ProductKey = ours): string {
  const content = `${encode(head)}.${encode(body)}`;
  return `${content}.${sign(null, Buffer.from(content), key.privateKey).toString('base64url')}`;
}
const claiming = (changes: object): string => signed(header, { ...claims, ...changes });
const headed = (changes: object): string => signed({ ...header, ...changes }, claims);

const good = signed(header, claims);
const [goodHeader = '', goodClaims = '', goodSignature = ''] = good.split('.');

/** A signature's twin: S plus the order of the group verifies too where nobody looks. */
function unreduced(signature: string): string {
  const bytes = Buffer.from(signature, 'base64url');
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + order;
  return Buffer.concat([bytes.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse()]).toString('base64url');
}

/** The same bytes, spelled differently: the last character of 64 bytes in base64url has four bits to spare. */
const respelled = (signature: string): string => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return `${signature.slice(0, -1)}${alphabet[alphabet.indexOf(signature.slice(-1)) + 1] ?? ''}`;
};

const withMac = (secret: string | Buffer): string => {
  const content = `${encode({ ...header, alg: 'HS256' })}.${encode(claims)}`;
  return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
};

const vectors: readonly TokenVector[] = [
  { name: 'a device token', token: good, problem: null },
  { name: 'verified with the JWK set of two keys', token: good, problem: null, given: { jwks: { keys: [other.jwk, ours.jwk] } } },
  { name: 'without a key name', token: signed(without(header, 'kid'), claims), problem: null },
  { name: 'of a license that never expires', token: claiming({ kind: 'lifetime', license_expires_at: null }), problem: null },
  { name: 'with claims that nobody knows', token: claiming({ note: 'später', nested: { a: [1] } }), problem: null },
  { name: 'a fingerprint that the device spells in upper case', token: good, problem: null, given: { fingerprint: defaults.fingerprint.toUpperCase() } },
  { name: 'expired, within the tolerance', token: claiming({ exp: NOW - SKEW + 1 }), problem: null },
  { name: 'issued ahead of the clock, within the tolerance', token: claiming({ iat: NOW + SKEW }), problem: null },
  { name: 'bound to no device, where that is allowed', token: signed(header, without(claims, 'fingerprint')), problem: null, given: { allow_unbound_tokens: true } },
  { name: 'bound to this device, where unbound tokens are allowed', token: good, problem: null, given: { allow_unbound_tokens: true } },

  { name: 'empty', token: '', problem: 'malformed' },
  { name: 'no token at all', token: 'not a token', problem: 'malformed' },
  { name: 'truncated by a character', token: good.slice(0, -1), problem: 'malformed' },
  { name: 'truncated to a shorter signature', token: `${goodHeader}.${goodClaims}.${Buffer.from(goodSignature, 'base64url').subarray(0, 60).toString('base64url')}`, problem: 'signature' },
  { name: 'truncated after the claims', token: `${goodHeader}.${goodClaims}`, problem: 'malformed' },
  { name: 'with a fourth part', token: `${good}.${goodSignature}`, problem: 'malformed' },
  { name: 'with padding', token: `${good}==`, problem: 'malformed' },
  { name: 'with a line break', token: `${good}\n`, problem: 'malformed' },
  { name: 'in the alphabet of plain base 64', token: `${goodHeader}.${Buffer.from(JSON.stringify({ ...claims, note: '>>>???' })).toString('base64').replace(/=+$/, '')}.${goodSignature}`, problem: 'malformed' },
  { name: 'a signature spelled in another way', token: `${goodHeader}.${goodClaims}.${respelled(goodSignature)}`, problem: 'malformed' },
  { name: 'a header that is no object', token: signed([header], claims), problem: 'malformed' },
  { name: 'claims that are no JSON', token: signed(header, 'claims'), problem: 'malformed' },
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
  { name: 'altered signature', token: `${goodHeader}.${goodClaims}.${goodSignature.startsWith('A') ? 'B' : 'A'}${goodSignature.slice(1)}`, problem: 'signature' },
  { name: 'a signature that is not reduced (RFC 8032, 5.1.7)', token: `${goodHeader}.${goodClaims}.${unreduced(goodSignature)}`, problem: 'signature' },
  { name: 'without a signature', token: `${goodHeader}.${goodClaims}.`, problem: 'signature' },
  { name: 'a signature of zeros', token: `${goodHeader}.${goodClaims}.${Buffer.alloc(64).toString('base64url')}`, problem: 'signature' },
  { name: "signed with another product's key", token: signed(header, claims, other), problem: 'signature' },
  { name: 'brings its own key', token: signed({ ...header, jwk: other.jwk }, claims, other), problem: 'signature' },
  { name: "another product's token", token: signed({ ...header, kid: other.jwk.kid }, { ...claims, aud: 'borealis' }, other), problem: 'signature' },

  { name: 'without an expiry', token: signed(header, without(claims, 'exp')), problem: 'claims' },
  { name: 'an expiry in words', token: claiming({ exp: 'never' }), problem: 'claims' },
  { name: 'without a time of issue', token: signed(header, without(claims, 'iat')), problem: 'claims' },
  { name: 'a subject that is no license id', token: claiming({ sub: 'everybody' }), problem: 'claims' },
  { name: 'a fingerprint of null', token: claiming({ fingerprint: null }), problem: 'claims' },
  { name: 'several fingerprints', token: claiming({ fingerprint: [defaults.fingerprint] }), problem: 'claims' },
  { name: 'several audiences', token: claiming({ aud: [defaults.audience] }), problem: 'claims' },
  { name: 'an end of the license that is no time', token: claiming({ license_expires_at: 'never' }), problem: 'claims' },

  { name: 'another issuer', token: claiming({ iss: 'somebody-else' }), problem: 'issuer' },
  { name: 'another audience', token: claiming({ aud: 'borealis' }), problem: 'audience' },
  { name: "another device's", token: claiming({ fingerprint: sha256('another device').toString('hex') }), problem: 'fingerprint' },
  { name: 'an empty fingerprint', token: claiming({ fingerprint: '' }), problem: 'fingerprint' },
  { name: "another device's, where unbound tokens are allowed", token: claiming({ fingerprint: sha256('another device').toString('hex') }), problem: 'fingerprint', given: { allow_unbound_tokens: true } },
  { name: 'bound to no device', token: signed(header, without(claims, 'fingerprint')), problem: 'unbound' },
  { name: 'from the future', token: claiming({ iat: NOW + SKEW + 1 }), problem: 'from_the_future' },
  { name: 'not valid yet', token: claiming({ nbf: NOW + SKEW + 1 }), problem: 'from_the_future' },
  { name: 'expired', token: claiming({ iat: NOW - 8 * DAY, exp: NOW - DAY }), problem: 'expired' },
  { name: 'expired at the end of the tolerance', token: claiming({ exp: NOW - SKEW }), problem: 'expired' },
];

export const tokenVectors: TokenVectors = {
  about: 'Offline tokens, good and bad. Verify each with `defaults`, overridden by its `given`, once with the PEM and once with the JWK set. `problem` names the first check that fails, in the order of docs/client.md; null: the token is good.',
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
});

const linuxId = '8f2d7a61c4b94e0f9a3d5c7e1b2f4a60';
const macId = '6f1c2b3a-4d5e-5f60-8172-93a4b5c6d7e8';
const windowsId = '2c9a1f04-7be3-4d6a-8f51-0e9d8c7b6a53';
const ioreg = (id: string): string => `+-o J314sAP  <class IOPlatformExpertDevice, id 0x100000227, registered, matched, active, busy 0 (3 ms), retain 38>
    {
      "manufacturer" = <"Apple Inc.">
      "IOPlatformSerialNumber" = "C02XXXXXXXXX"
      "IOPlatformUUID" = "${id}"
    }
`;
const reg = (id: string): string => `\r\nHKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Cryptography\r\n    MachineGuid    REG_SZ    ${id}\r\n\r\n`;

export const fingerprintVectors: FingerprintVectors = {
  about: 'Fingerprints: lower-case hex of SHA-256 over the machine id, which is taken from what the platform shows and put into lower case (ASCII). null: there is none, and the app keeps a random id of its own.',
  fingerprints: [
    fingerprintVector('Linux', 'linux', `${linuxId}\n`, linuxId),
    fingerprintVector('Linux, without a line break', 'linux', linuxId, linuxId),
    fingerprintVector('Linux, in upper case', 'linux', `${linuxId.toUpperCase()}\n`, linuxId),
    fingerprintVector('macOS', 'darwin', ioreg(macId.toUpperCase()), macId),
    fingerprintVector('Windows', 'win32', reg(windowsId), windowsId),
    fingerprintVector('Windows, in upper case', 'win32', reg(windowsId.toUpperCase()), windowsId),
    fingerprintVector('an image that was never set up', 'linux', 'uninitialized\n', null),
    fingerprintVector('an empty file, as in containers', 'linux', '', null),
    fingerprintVector('zeros', 'linux', `${'0'.repeat(32)}\n`, null),
    fingerprintVector('too short', 'linux', `${linuxId.slice(1)}\n`, null),
    fingerprintVector('firmware without an id', 'darwin', ioreg('00000000-0000-0000-0000-000000000000'), null),
    fingerprintVector('firmware with a placeholder', 'darwin', ioreg('FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF'), null),
    fingerprintVector('no such value in the registry', 'win32', '\r\nERROR: The system was unable to find the specified registry key or value.\r\n', null),
    fingerprintVector('a system without a machine id', 'freebsd', linuxId, null),
  ],
};

/** Every file of vectors by its name, as it is written. */
export const files: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({ tokens: tokenVectors, fingerprints: fingerprintVectors }).map(([name, content]) => [`${name}.json`, `${JSON.stringify(content, null, 2)}\n`]),
);

if (require.main === module) for (const [name, text] of Object.entries(files)) writeFileSync(join(__dirname, name), text);
