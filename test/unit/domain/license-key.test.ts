import fc from 'fast-check';
import { generateKey, KEY_RANDOM_BYTES, lookupKey, normalizeKey } from '../../../lambdas/domain/license-key';
import { prefixesOf } from '../../../lambdas/domain/search-term';
import { anyCharacter } from '../../support/any-text';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 25;

const randomBytes = fc.uint8Array({ minLength: KEY_RANDOM_BYTES, maxLength: KEY_RANDOM_BYTES });
const key = randomBytes.map(generateKey);
const place = fc.nat({ max: LENGTH - 1 });

const compact = (formatted: string): string => formatted.replaceAll('-', '');
const withSymbol = (text: string, at: number, symbol: string): string => text.slice(0, at) + symbol + text.slice(at + 1);

describe('an issued key can be used', () => {
  test('every key is 5 groups of 5 unambiguous symbols, and is its own canonical form', () => {
    fc.assert(
      fc.property(key, (issued) => {
        expect(issued).toMatch(/^[0-9A-HJKMNP-TV-Z]{5}(-[0-9A-HJKMNP-TV-Z]{5}){4}$/);
        expect(normalizeKey(issued)).toBe(issued);
      }),
    );
  });

  test('a key of an earlier release stays the key of the same license', () => {
    expect(generateKey(new Uint8Array(KEY_RANDOM_BYTES))).toBe('00000-00000-00000-00000-00000');
    expect(generateKey(Uint8Array.from({ length: KEY_RANDOM_BYTES }, (_, index) => index * 17))).toBe('008J4-CT4AN-K7F24-SNAXW-SQFEW');
  });
});

describe('keys cannot be guessed', () => {
  test('all 120 random bits are in the key: the key can be converted back to its bytes', () => {
    fc.assert(
      fc.property(randomBytes, (bytes) => {
        const bits = Array.from(compact(generateKey(bytes)).slice(0, -1), (symbol) =>
          ALPHABET.indexOf(symbol).toString(2).padStart(5, '0'),
        ).join('');
        expect(bits).toHaveLength(120);
        expect(bits).toBe(Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join(''));
      }),
    );
  });

  test('each single random bit gives another key', () => {
    const keys = new Set([generateKey(new Uint8Array(KEY_RANDOM_BYTES))]);
    for (let bit = 0; bit < 8 * KEY_RANDOM_BYTES; bit += 1) {
      const bytes = new Uint8Array(KEY_RANDOM_BYTES);
      bytes[bit >> 3] = 1 << (bit & 7);
      keys.add(generateKey(bytes));
    }
    expect(keys.size).toBe(8 * KEY_RANDOM_BYTES + 1);
  });
});

describe('a key is accepted in any way a person types it', () => {
  /** All spellings of one symbol of a license key. */
  const spellings = (symbol: string): string[] => [
    symbol,
    symbol.toLowerCase(),
    String.fromCharCode(symbol.charCodeAt(0) + 0xfee0),
    ...(symbol === '0' ? ['O', 'o'] : symbol === '1' ? ['I', 'i', 'L', 'l'] : []),
  ];
  /** Spaces, hyphens, what word processors and mail programs put in their places, and the quotation marks around a pasted key. */
  const separator = [
    ' ',
    '-',
    '"',
    "'",
    '\u201c',
    '\u201d',
    '\u201e',
    '\u2019',
    '\u00ab',
    '\u203a',
    '\uff0d',
    '\uff02',
    '\u3000',
    '\t',
    '\u00a0',
    '\u00ad',
    '\u200b',
    '\u2010',
    '\u2011',
    '\u2013',
    '\u2014',
    '\u2060',
    '\u2212',
    '\ufeff',
  ];
  const separators = fc.string({ unit: fc.constantFrom(...separator), maxLength: 2 });
  const typed = key.chain((issued) =>
    fc
      .tuple(...Array.from(compact(issued), (symbol) => fc.tuple(separators, fc.constantFrom(...spellings(symbol)))), separators)
      .map((parts) => ({ issued, input: parts.flat().join('') })),
  );

  test('a buyer may type it in any case, with spaces and hyphens anywhere or nowhere, O for 0, and I or L for 1', () => {
    fc.assert(
      fc.property(typed, ({ issued, input }) => expect(normalizeKey(input)).toBe(issued)),
      { numRuns: 300 },
    );
  });

  test('a key of another system is found in any spelling too, by a request and by a search', () => {
    for (const between of separator) {
      const pasted = `acme${between}2021${between}o1l`;
      expect(lookupKey(pasted)).toBe('ACME2021O1L');
      expect(prefixesOf(pasted)).toContainEqual({ kind: 'key', prefix: 'ACME2021O1L' });
    }
  });

  test('a key that a mail program broke into lines can be pasted', () => {
    fc.assert(fc.property(key, (issued) => expect(normalizeKey(`\r\n${issued.replace('-', '\n')}\n`)).toBe(issued)));
  });
});

describe('a typing mistake never reaches another license', () => {
  test('any one wrong symbol is noticed', () => {
    const wrong = fc.tuple(key, place, fc.constantFrom(...ALPHABET)).filter(([issued, at, symbol]) => compact(issued)[at] !== symbol);
    fc.assert(
      fc.property(wrong, ([issued, at, symbol]) => expect(normalizeKey(withSymbol(compact(issued), at, symbol))).toBeUndefined()),
      { numRuns: 1000 },
    );
  });

  test('any two different symbols swapped, next to each other or not, are noticed', () => {
    const swapped = fc
      .tuple(key.map(compact), place, place)
      .filter(([symbols, a, b]) => symbols[a] !== symbols[b])
      .map(([symbols, a, b]) => withSymbol(withSymbol(symbols, a, symbols[b]!), b, symbols[a]!));
    fc.assert(
      fc.property(swapped, (input) => expect(normalizeKey(input)).toBeUndefined()),
      { numRuns: 1000 },
    );
  });

  test('of one key, every single wrong symbol and every swap are noticed', () => {
    const symbols = compact(generateKey(Uint8Array.from({ length: KEY_RANDOM_BYTES }, (_, index) => index * 17 + 5)));
    for (let at = 0; at < LENGTH; at += 1) {
      for (const symbol of ALPHABET) {
        if (symbol !== symbols[at]) expect(normalizeKey(withSymbol(symbols, at, symbol))).toBeUndefined();
      }
      for (let other = 0; other < at; other += 1) {
        if (symbols[at] === symbols[other]) continue;
        expect(normalizeKey(withSymbol(withSymbol(symbols, at, symbols[other]!), other, symbols[at]!))).toBeUndefined();
      }
    }
  });

  test('a symbol too few or too many is noticed', () => {
    fc.assert(
      fc.property(key.map(compact), place, fc.constantFrom(...ALPHABET), (symbols, at, symbol) => {
        expect(normalizeKey(symbols.slice(0, at) + symbols.slice(at + 1))).toBeUndefined();
        expect(normalizeKey(symbols.slice(0, at) + symbol + symbols.slice(at))).toBeUndefined();
      }),
    );
  });
});

describe('any text that is sent as a key gets a response, never a fault', () => {
  const garbage = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 80 }),
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.string({
      unit: fc.constantFrom(...ALPHABET, 'U', 'u', '\ud800', '\u{1f511}', 'ı', 'ſ', '０', '\u0000'),
      minLength: LENGTH,
      maxLength: LENGTH,
    }),
    fc.constantFrom('__proto__', 'constructor', '', '-', ' '.repeat(70_000), '0'.repeat(70_000)),
  );

  test('any text is read as a key in canonical form, or as no key', () => {
    fc.assert(
      fc.property(garbage, (input) => {
        const canonical = normalizeKey(input);
        if (canonical !== undefined) expect(normalizeKey(canonical)).toBe(canonical);
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    ['U, which is in no key', 'U0000-00000-00000-00000-00000'],
    ['a dotless i, which upper-cases to I elsewhere', '\u013100000000000000000000000'],
    ['a long s, which upper-cases to S elsewhere', `\u017f${'0'.repeat(24)}`],
    ['Arabic digits', '\u0660'.repeat(25)],
    ['an emoji that takes two units', `\u{1f511}${'0'.repeat(23)}`],
  ])('%s is not a symbol', (_what, input) => expect(normalizeKey(input)).toBeUndefined());
});
