import fc from 'fast-check';
import { encodeCursor, pageBy, pageById } from '../../../lambdas/contract/paging';
import {
  email,
  fingerprint,
  idempotencyKey,
  license,
  licenseKey,
  MAX_METADATA_BYTES,
  MAX_METADATA_DEPTH,
  metadata,
  pathId,
} from '../../../lambdas/contract/resources';
import { licenseExample } from '../../../lambdas/contract/examples';

describe('each id has only one form in a path', () => {
  test.each<[string, number]>([
    ['1', 1],
    ['10', 10],
    ['999', 999],
    [String(Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER],
  ])('%p is the id %p', (given, expected) => expect(pathId.parse(given)).toBe(expected));

  test.each([
    '',
    '0',
    '-1',
    '+1',
    '01',
    '1.0',
    '1e3',
    '0x1',
    ' 1',
    '1 ',
    '1\n',
    '\u0661',
    'abc',
    'null',
    '1,2',
    String(Number.MAX_SAFE_INTEGER + 1),
    '9999999999999999',
    '1'.repeat(17),
    '1'.repeat(10_000),
  ])('%p is not an id', (given) => expect(pathId.safeParse(given).success).toBe(false));
});

describe('each fingerprint has only one stored form', () => {
  const sha256 = 'b445ee19bfe194f3a68519763147dfb40caadac8841b9a6de282dbcfa0614f31';

  test.each<[string, string, string]>([
    ['a SHA-256 in hex', sha256, sha256],
    ['hex in capitals is the same machine', sha256.toUpperCase(), sha256],
    ['hex in mixed case is the same machine', 'ABCDef0123', 'abcdef0123'],
    ['digits only', '01234567', '01234567'],
    ['other text keeps its case', 'Machine-XYZ', 'Machine-XYZ'],
    ['all printable characters', '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~', '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'],
    ['spaces around are dropped', '  abcdefgh  ', 'abcdefgh'],
    ['the shortest', '12345678', '12345678'],
    ['the longest', 'x'.repeat(128), 'x'.repeat(128)],
  ])('%s', (_case, given, expected) => expect(fingerprint.parse(given)).toBe(expected));

  test.each<[string, unknown]>([
    ['too short', '1234567'],
    ['too long', 'x'.repeat(129)],
    ['a space inside', 'abcd efgh'],
    ['a tab inside', 'abcd\tefgh'],
    ['a line end inside', 'abcdefgh\nabcdefgh'],
    ['NUL', 'abcdefgh\u0000'],
    ['letters beyond ASCII', 'm\u00e4chine-1'],
    ['an emoji', 'machine-\u{1f511}'],
    ['nothing', ''],
    ['a number', 12_345_678],
    ['null', null],
  ])('%s is refused', (_case, given) => expect(fingerprint.safeParse(given).success).toBe(false));

  test('is stable: a stored fingerprint that is sent back stays the same', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (given) => {
        const result = fingerprint.safeParse(given);
        if (result.success) expect(fingerprint.parse(result.data)).toBe(result.data);
      }),
    );
  });
});

describe('metadata is returned unchanged', () => {
  /** An object with `levels` levels of nested objects. */
  const nested = (levels: number): Record<string, unknown> => (levels === 1 ? {} : { a: nested(levels - 1) });
  /** An object whose JSON has exactly `bytes` bytes. */
  const sized = (bytes: number): Record<string, unknown> => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) });

  test.each<[string, Record<string, unknown>]>([
    ['nothing', {}],
    ['every JSON type', { s: 'a', n: 1.5, t: true, z: null, l: [1, [2]], o: { p: {} } }],
    ['text is not trimmed or normalised', { ' a ': ' e\u0301\u0001\n' }],
    ['empty names and values', { '': '' }],
    [
      'names that mean something to JavaScript',
      JSON.parse('{"__proto__": {"x": 1}, "constructor": 1, "toString": 2}') as Record<string, unknown>,
    ],
    ['as deep as is allowed', nested(MAX_METADATA_DEPTH)],
    ['as large as is allowed', sized(MAX_METADATA_BYTES)],
    ['as large as is allowed, in characters of several bytes', { a: '\u00e9'.repeat((MAX_METADATA_BYTES - 8) / 2) }],
  ])('%s', (_case, given) => expect(JSON.stringify(metadata.parse(given))).toBe(JSON.stringify(given)));

  test.each<[string, unknown]>([
    ['a list', []],
    ['null', null],
    ['text', '{}'],
    ['a number', 1],
    ['NUL in a text', { a: [{ b: 'x\u0000' }] }],
    ['NUL in a name', { a: { '\u0000': 1 } }],
    ['a lone surrogate in a text', { a: '\ud800x' }],
    ['a lone surrogate in a name', { '\udc00': 1 }],
    ['one level too deep', nested(MAX_METADATA_DEPTH + 1)],
    ['one list too deep', { a: JSON.parse(`${'['.repeat(MAX_METADATA_DEPTH)}${']'.repeat(MAX_METADATA_DEPTH)}`) as unknown }],
    ['as deep as a body can be, without exhausting the stack', { a: JSON.parse(`${'['.repeat(30_000)}${']'.repeat(30_000)}`) as unknown }],
    ['one byte too large', sized(MAX_METADATA_BYTES + 1)],
    ['few characters but too many bytes', { a: '\u{1f511}'.repeat(MAX_METADATA_BYTES / 4) }],
  ])('%s is refused', (_case, given) => expect(metadata.safeParse(given).success).toBe(false));

  test('any JSON object within the limits', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 })), (given) => {
        const sent = JSON.parse(JSON.stringify(given)) as Record<string, unknown>;
        expect(JSON.stringify(metadata.parse(sent))).toBe(JSON.stringify(sent));
      }),
    );
  });
});

describe("a buyer's address", () => {
  test.each([
    'ada@example.com',
    'a.b+c@sub.example.co',
    "o'brien@example.com",
    ' ada@example.com ',
    'a&b@example.com',
    'x=y/z@example.com',
    '_@1.example',
    'ADA@EXAMPLE.COM',
    'jürgen@müller.example',
    '用户@例子.广告',
    `${'a'.repeat(64)}@${'b'.repeat(63)}.com`,
  ])('%p is accepted', (given) => expect(email.parse(given)).toBe(given.trim()));
  test.each([
    '',
    'ada',
    'ada@',
    '@example.com',
    'ada@example',
    'ada@example.c',
    'ada@127.0.0.1',
    'ada@[127.0.0.1]',
    'ada@.example.com',
    'ada@example..com',
    'ada@-example.com',
    'ada@example-.com',
    'ada@exam_ple.com',
    '.ada@example.com',
    'ada.@example.com',
    'a..da@example.com',
    'a b@example.com',
    'ada@exa mple.com',
    '"ada"@example.com',
    'Ada <ada@example.com>',
    'ada@example.com, bob@example.com',
    'a@b@example.com',
    'a,b@example.com',
    'ada@example.com\u0000',
    'ada@example.com\nBcc: x@y.z',
    `${'a'.repeat(65)}@example.com`,
    `a@${'b'.repeat(64)}.com`,
    `${'a'.repeat(250)}@example.com`,
    `${'a.'.repeat(120)}@`,
    null,
    1,
  ])('%p is refused', (given) => expect(email.safeParse(given).success).toBe(false));
});

describe('a license key is accepted as a person types it', () => {
  test.each(['9M0RP-TTE3D-2HVX8-KQ51N-4WZ7Z', '9m0rp tte3d 2hvx8 kq51n 4wz7z', 'not a key at all', 'x'.repeat(5000)])(
    '%p is looked up by the service, not refused as malformed',
    (given) => expect(licenseKey.safeParse(given).success).toBe(true),
  );
  test.each(['', '   ', 'a\u0000b', 5, null, undefined])('%p is malformed', (given) =>
    expect(licenseKey.safeParse(given).success).toBe(false),
  );
});

describe('paging stays within the limits of one response', () => {
  test.each<[string | undefined, number | undefined]>([
    [undefined, undefined],
    ['1', 1],
    ['1000', 1000],
  ])('limit %p is %p', (given, expected) => expect(pageById.limit.parse(given)).toBe(expected));
  test.each(['0', '-1', '1001', '9999', '10000', '', '1.5', '01', ' 1', 'all', '1e2'])('limit %p is refused', (given) =>
    expect(pageById.limit.safeParse(given).success).toBe(false),
  );
  test.each(['0', '17', '9'.repeat(16)])('the cursor of id %p is read as that id', (id) =>
    expect(pageById.cursor.parse(encodeCursor(id))).toBe(id),
  );
  test('a request without a cursor gets the first page', () => expect(pageById.cursor.parse(undefined)).toBeUndefined());
  test.each(['', 'a=', 'a b', 'a/b', '\u0000', encodeCursor('x'), encodeCursor('-1'), encodeCursor('9'.repeat(17)), 'x'.repeat(201)])(
    'cursor %p is refused',
    (given) => expect(pageById.cursor.safeParse(given).success).toBe(false),
  );
  test('a list refuses the cursor of another list', () =>
    expect(pageBy(/^[0-9a-f]{22}$/).cursor.safeParse(encodeCursor(17)).success).toBe(false));
});

describe('an idempotency key is short plain text', () => {
  test.each(['a', 'order-A-1001', '7f1c4a52-8d0e-4d8b-9c55-0a3b7c1e2f90', 'x'.repeat(255)])('%p is accepted', (given) =>
    expect(idempotencyKey.parse(given)).toBe(given),
  );
  test.each(['', 'x'.repeat(256), 'a b', 'a\nb', '\u00e9', '\u0000'])('%p is refused', (given) =>
    expect(idempotencyKey.safeParse(given).success).toBe(false),
  );
});

test('fields of a stored license that are not in its view never leave the service', () => {
  const stored = { ...licenseExample, epoch: 3, sequence: 9, pk: 'LICENSE#1#X', seats: { used: 1, max: 3, epoch: 3 } };
  expect(license.parse(stored)).toEqual(licenseExample);
});
