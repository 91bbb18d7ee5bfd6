import fc from 'fast-check';
import { slug } from '../../../lambdas/contract/resources';
import { nameText, text } from '../../../lambdas/contract/text';
import { anyCharacter } from '../../support/any-text';

const name = text(1, 200);
const optionalName = text(0, 200);

/** The reasons why a value is refused. */
const problems = (schema: typeof name, value: unknown): string[] => {
  const result = schema.safeParse(value);
  return result.success ? [] : result.error.issues.map(({ message }) => message);
};

describe('a text that a person entered is stored in one Unicode form', () => {
  test.each<[string, string, string]>([
    ['spaces at the ends are dropped', '  Ada  ', 'Ada'],
    ['tabs and line ends at the ends are dropped', '\tAda\r\n', 'Ada'],
    ['no-break and ideographic spaces at the ends are dropped', '\u00a0Ada\u3000', 'Ada'],
    ['inner spaces stay', 'Ada  Lovelace', 'Ada  Lovelace'],
    ['a decomposed accent becomes one character', 'Zoe\u0308', 'Zo\u00eb'],
    ['a composed accent stays', 'Zo\u00eb', 'Zo\u00eb'],
    ['Hangul jamo become a syllable', '\u1112\u1161\u11ab', '\ud55c'],
    ['compatibility forms are not folded', '\ufb01', '\ufb01'],
    ['an emoji of several code points stays', '\u{1f469}\u200d\u{1f4bb}', '\u{1f469}\u200d\u{1f4bb}'],
    ['right-to-left text stays', '\u05e9\u05dc\u05d5\u05dd', '\u05e9\u05dc\u05d5\u05dd'],
  ])('%s', (_case, given, expected) => expect(name.parse(given)).toBe(expected));
});

describe('a text that would break logs, keys or receivers is refused', () => {
  test.each<[string, string, string]>([
    ['NUL inside', 'a\u0000b', 'must not contain control characters'],
    ['NUL at the end', 'ab\u0000', 'must not contain control characters'],
    ['a line end inside', 'a\nb', 'must not contain control characters'],
    ['escape', 'a\u001b[31m', 'must not contain control characters'],
    ['delete', 'a\u007f', 'must not contain control characters'],
    ['a C1 control', 'a\u0085b', 'must not contain control characters'],
    ['a lone high surrogate', 'a\ud800', 'must not contain lone surrogates'],
    ['a lone low surrogate', '\udc00a', 'must not contain lone surrogates'],
    ['surrogates in the wrong order', '\udc00\ud800', 'must not contain lone surrogates'],
    ['nothing', '', 'must be 1 to 200 characters'],
    ['only spaces', ' \t ', 'must be 1 to 200 characters'],
  ])('%s', (_case, given, problem) => expect(problems(name, given)).toEqual([problem]));

  test.each([[1], [true], [null], [undefined], [['a']], [{}]])('a value of another type: %p', (given) =>
    expect(problems(name, given)).toHaveLength(1),
  );
});

describe("a name can't use invisible characters to look like another name", () => {
  const problem = 'must not contain invisible characters or characters that change the direction of text';
  test.each<[string, string]>([
    ['text turned around', 'invoice\u202efdp.exe'],
    ['an isolate', 'a\u2066b\u2069'],
    ['a left-to-right mark', 'a\u200eb'],
    ['an Arabic letter mark', 'a\u061cb'],
    ['a zero-width space', 'Ac\u200bme'],
    ['a zero-width joiner between letters', 'Ac\u200dme'],
    ['a zero-width non-joiner between letters', 'Ac\u200cme'],
    ['a joiner that joins nothing', '\u{1f469}\u200d'],
    ['a word joiner', 'Ac\u2060me'],
    ['a byte order mark inside', 'Ac\ufeffme'],
    ['a soft hyphen', 'Ac\u00adme'],
    ['a Hangul filler, which is a letter that shows as nothing', '\u3164'],
    ['a tag letter', 'Ac\u{e0041}me'],
    ['tag letters after an emoji that is no flag', '\u{1f511}\u{e0067}\u{e007f}'],
    ['a flag of tag letters without its end', '\u{1f3f4}\u{e0067}\u{e0062}'],
    ['a variation selector after a letter', 'Acme\ufe0f'],
    ['a variation selector after a digit that is no keycap', 'Acme 2\ufe0f'],
    ['two variation selectors', '\u2764\ufe0f\ufe0f'],
    ['a supplementary variation selector after a letter', 'Acme\u{e0100}'],
    ['a Mongolian variation selector after a letter', 'Acme\u180b'],
    ['an interlinear annotation', 'Ac\ufff9me'],
    ['a musical control', 'Ac\u{1d173}me'],
    ['a line separator', 'Ac\u2028me'],
  ])('%s is refused', (_case, given) => expect(problems(nameText(1, 200), given)).toEqual([problem]));

  test.each<[string, string]>([
    ['an emoji of several', "\u{1f469}\u{1f3fd}\u200d\u{1f4bb}'s Mac"],
    ['a family', '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}'],
    ['a heart on fire, with its variation selector', '\u2764\ufe0f\u200d\u{1f525}'],
    ['a keycap', 'Mac 2\ufe0f\u20e3'],
    ['the flag of Scotland, which consists of tag letters', '\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}'],
    ['a Japanese name, with the variant of its first character', '\u845b\u{e0100}\u57ce'],
    ['a Mongolian word, with its variation selector', '\u182d\u180b'],
    ['a Persian word', '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645'],
    ['a Sinhala word', '\u0dc1\u0dca\u200d\u0dbb\u0dd3'],
    ['Hebrew', '\u05e9\u05dc\u05d5\u05dd'],
  ])('%s is a name', (_case, given) => expect(nameText(1, 200).parse(given)).toBe(given));
});

describe('lengths count Unicode characters, not bytes or UTF-16 units', () => {
  test.each<[string, string, boolean]>([
    ['200 letters fit', 'a'.repeat(200), true],
    ['201 letters do not', 'a'.repeat(201), false],
    ['200 emoji of two UTF-16 units each fit', '\u{1f511}'.repeat(200), true],
    ['201 emoji do not', '\u{1f511}'.repeat(201), false],
    ['200 decomposed letters fit: they are counted as stored', 'e\u0301'.repeat(200), true],
    ['spaces at the ends do not count', `${' '.repeat(50)}${'a'.repeat(200)}${' '.repeat(50)}`, true],
  ])('%s', (_case, given, fits) => expect(problems(name, given)).toEqual(fits ? [] : ['must be 1 to 200 characters']));

  test('an optional text may be empty', () => expect(optionalName.parse('   ')).toBe(''));
});

describe('every accepted text is safe to store and to compare', () => {
  const anyText = fc.string({
    unit: fc.oneof(fc.constantFrom(' ', '\t', '\u00a0', '\u0301', '\u0000', '\ud800', '\u2126'), anyCharacter),
  });

  test('trimmed, NFC, within its length, without control characters or lone surrogates', () => {
    fc.assert(
      fc.property(anyText, (given) => {
        const result = name.safeParse(given);
        if (!result.success) return;
        const value = result.data;
        const { length } = [...value];
        // There is a single call of `expect`, because each call takes longer than checking the text.
        expect([value, length >= 1 && length <= 200, /[\p{Cc}\p{Cs}]/u.test(value)]).toEqual([value.trim().normalize('NFC'), true, false]);
      }),
      { numRuns: 2000 },
    );
  });

  test('sending back a value that was read changes nothing', () => {
    fc.assert(
      fc.property(anyText, (given) => {
        const result = name.safeParse(given);
        if (result.success) expect(name.parse(result.data)).toBe(result.data);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a slug works in URLs and as a token audience', () => {
  test.each(['a', '0', 'Photo-Studio', 'a.b_c-d', 'a'.repeat(64), ' padded '])('%p is accepted', (given) =>
    expect(slug.parse(given)).toBe(given.trim()),
  );
  test.each(['', '-a', '.a', '_a', 'a b', 'a/b', 'a#b', '%61', 'a%2fb', 'caf\u00e9', 'a'.repeat(65), 'a\nb', '\u0430bc'])(
    '%p is refused',
    (given) => expect(problems(slug, given).length).toBeGreaterThan(0),
  );
});
