import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { LicenseClient, verifyToken, type LicenseClientOptions, type PublicKey } from '../../client/src';
import type { TokenVectors } from '../../client/vectors/generate';

const { defaults, tokens } = JSON.parse(readFileSync(resolve(__dirname, '../../client/vectors/tokens.json'), 'utf8')) as TokenVectors;
const [{ token: good } = { token: '' }] = tokens;
const problemOf = (token: string, publicKey: PublicKey = defaults.public_key_pem): string | undefined =>
  verifyToken(token, { publicKey, now: defaults.now * 1000, fingerprint: defaults.fingerprint, audience: defaults.audience }).problem;

describe('nobody gets in with', () => {
  test('a good token in which any one character is another', () => {
    expect(problemOf(good)).toBeUndefined();
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.constantFrom(...'ABCabc012-_.=+/ é😀'), (place, character) => {
        fc.pre(good[place] !== character);
        expect(problemOf(good.slice(0, place) + character + good.slice(place + 1))).toBeDefined();
      }),
      { numRuns: 300 },
    );
  });

  test('anything else, which never throws either', () => {
    const part = fc.oneof(fc.base64String(), fc.json().map((json) => Buffer.from(json).toString('base64url')), fc.constantFrom(...good.split('.')));
    fc.assert(fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.array(part, { maxLength: 4 }).map((parts) => parts.join('.'))), (token) => token === good || problemOf(token) !== undefined));
  });
});

describe('the product key', () => {
  const pem = defaults.public_key_pem;

  test.each([
    ['with the line breaks of Windows', pem.replace(/\n/g, '\r\n')],
    ['in one line', pem.replace(/\n/g, '')],
    ['indented', pem.replace(/^/gm, '  ')],
    ['as a JWK set', defaults.jwks],
    ['as a JWK without a name', { keys: defaults.jwks.keys.map((key) => ({ ...key, kid: undefined })) }],
    ['as a JWK set beside keys of other kinds', { keys: [{ kty: 'RSA', n: 'AQAB', e: 'AQAB' }, { kty: 'OKP', crv: 'X25519', x: 'AAAA' }, ...defaults.jwks.keys] }],
  ] satisfies [string, PublicKey][])('may be given %s', (_form, publicKey) => expect(problemOf(good, publicKey)).toBeUndefined());

  const [jwk] = defaults.jwks.keys as [Record<string, string>];
  test.each([
    ['empty', ''],
    ['the text of a private key', pem.replaceAll('PUBLIC', 'PRIVATE')],
    ['of another algorithm', '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VuAyEAP/J5JENb604swTUki5l94NJkg1plNStuMjHQ+wOSK5Q=\n-----END PUBLIC KEY-----\n'],
    ['cut off', pem.replace(/.=\n/, '=\n')],
    ['two in one', pem + pem],
    ['a set without keys', { keys: [] }],
    ['a key for encryption', { keys: [{ ...jwk, use: 'enc' }] }],
    ['a key of another alg', { keys: [{ ...jwk, alg: 'ES256' }] }],
    ['a key that is too short', { keys: [{ ...jwk, x: jwk['x']?.slice(4) }] }],
  ] satisfies [string, PublicKey][])('that is %s fails when the app is written, not at its users', (_what, publicKey) => expect(() => problemOf(good, publicKey)).toThrow(TypeError));
});

describe('a client cannot be made with', () => {
  const options: LicenseClientOptions = { baseUrl: 'https://licenses.example.com/', productId: 1, apiKey: 'pk', publicKey: defaults.public_key_pem };
  test.each([
    ['baseUrl', { baseUrl: 'licenses.example.com' }],
    ['baseUrl', { baseUrl: 'file:///etc' }],
    ['productId', { productId: 0 }],
    ['productId', { productId: Number.NaN }],
    ['apiKey', { apiKey: '' }],
    ['apiKey', { apiKey: 'a\nb' }],
    ['graceDays', { graceDays: -1 }],
    ['graceDays', { graceDays: Number.NaN }],
    ['publicKey', { publicKey: 'no key' }],
  ] satisfies [string, Partial<LicenseClientOptions>][])('a bad %s: %j', (option, change) => {
    expect(() => new LicenseClient(options)).not.toThrow();
    expect(() => new LicenseClient({ ...options, ...change })).toThrow(option);
  });
});
