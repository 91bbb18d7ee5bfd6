import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { LicenseClient, verifyToken, type LicenseClientOptions, type PublicKey } from '../../client/src';
import type { TokenVectors } from '../../client/vectors/generate';
import { anyCharacter } from '../support/any-text';

const { defaults, tokens } = JSON.parse(readFileSync(resolve(__dirname, '../../client/vectors/tokens.json'), 'utf8')) as TokenVectors;
const [{ token: good } = { token: '' }] = tokens;
const problemOf = async (token: string, publicKey: PublicKey = defaults.public_key_pem): Promise<string | undefined> =>
  (await verifyToken(token, { publicKey, now: defaults.now * 1000, fingerprint: defaults.fingerprint, audience: defaults.audience }))
    .problem;

describe('tokens that must be refused', () => {
  test('a valid token is refused if any single character is changed', async () => {
    expect(await problemOf(good)).toBeUndefined();
    await fc.assert(
      fc.asyncProperty(fc.nat(good.length - 1), fc.constantFrom(...'ABCabc012-_.=+/ é😀'), async (place, character) => {
        fc.pre(good[place] !== character);
        expect(await problemOf(good.slice(0, place) + character + good.slice(place + 1))).toBeDefined();
      }),
      { numRuns: 300 },
    );
  });

  test('any other text is refused, and never causes an exception', async () => {
    const part = fc.oneof(
      fc.base64String(),
      fc.json().map((json) => Buffer.from(json).toString('base64url')),
      fc.constantFrom(...good.split('.')),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string({ unit: anyCharacter }),
          fc.array(part, { maxLength: 4 }).map((parts) => parts.join('.')),
        ),
        async (token) => token === good || (await problemOf(token)) !== undefined,
      ),
    );
  });
});

describe("the product's public key", () => {
  const pem = defaults.public_key_pem;

  test.each([
    ['with the line breaks of Windows', pem.replace(/\n/g, '\r\n')],
    ['in one line', pem.replace(/\n/g, '')],
    ['indented', pem.replace(/^/gm, '  ')],
    ['as a JWK set', defaults.jwks],
    ['as a JWK without a key id', { keys: defaults.jwks.keys.map((key) => ({ ...key, kid: undefined })) }],
    [
      'in a list of old and new keys',
      ['-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAP/J5JENb604swTUki5l94NJkg1plNStuMjHQ+wOSK5Q=\n-----END PUBLIC KEY-----\n', pem],
    ],
    ['as several JWK sets', [{ keys: defaults.jwks.keys.map((key) => ({ ...key, kid: 'old' })) }, defaults.jwks]],
    [
      'as a JWK set beside keys of other kinds',
      { keys: [{ kty: 'RSA', n: 'AQAB', e: 'AQAB' }, { kty: 'OKP', crv: 'X25519', x: 'AAAA' }, ...defaults.jwks.keys] },
    ],
  ] satisfies [string, PublicKey][])('the public key is accepted %s', async (_form, publicKey) =>
    expect(await problemOf(good, publicKey)).toBeUndefined(),
  );

  const [jwk] = defaults.jwks.keys as [Record<string, string>];
  /** The encodings of all points of small order (RFC 8032, section 5.1): one with y = 1, one with y = -1, two with y = 0, four others. */
  const SMALL_ORDER = [
    `01${'00'.repeat(31)}`,
    `ec${'ff'.repeat(30)}7f`,
    '00'.repeat(32),
    `${'00'.repeat(31)}80`,
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  ];
  test.each([
    ['empty', ''],
    ['the text of a private key', pem.replaceAll('PUBLIC', 'PRIVATE')],
    [
      'of another algorithm',
      '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VuAyEAP/J5JENb604swTUki5l94NJkg1plNStuMjHQ+wOSK5Q=\n-----END PUBLIC KEY-----\n',
    ],
    ['cut off', pem.replace(/.=\n/, '=\n')],
    ['two keys in one text', pem + pem],
    ['a set without keys', { keys: [] }],
    ['a list without keys', []],
    ['a list with an empty text', [pem, '']],
    ...SMALL_ORDER.map((x): [string, PublicKey] => [
      `the point ${x} of small order`,
      { keys: [{ ...jwk, x: Buffer.from(x, 'hex').toString('base64url') }] },
    ]),
    ['a coordinate over the prime', { keys: [{ ...jwk, x: Buffer.from(`ee${'ff'.repeat(30)}7f`, 'hex').toString('base64url') }] }],
    ['a key for encryption', { keys: [{ ...jwk, use: 'enc' }] }],
    ['a key of another alg', { keys: [{ ...jwk, alg: 'ES256' }] }],
    ['a key that is too short', { keys: [{ ...jwk, x: jwk['x']?.slice(4) }] }],
  ] satisfies [string, PublicKey][])('a public key that is %s throws an error for the developer of the app', async (_what, publicKey) =>
    expect(problemOf(good, publicKey)).rejects.toThrow(TypeError),
  );
});

describe("options that the client's constructor refuses", () => {
  const options: LicenseClientOptions = {
    baseUrl: 'https://licenses.example.com/',
    productId: 1,
    apiKey: 'pk',
    publicKey: defaults.public_key_pem,
  };
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
  ] satisfies [string, Partial<LicenseClientOptions>][])('an invalid %s is refused: %j', (option, change) => {
    expect(() => new LicenseClient(options)).not.toThrow();
    expect(() => new LicenseClient({ ...options, ...change })).toThrow(option);
  });
});
