import fc from 'fast-check';
import { lines, oneLine } from '../../bin/terminal';
import { anyCharacter } from '../support/any-text';

test('a foreign text can neither control the terminal nor add a line to the output, and readable text is unchanged', () => {
  const invisible = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
  const character = fc.oneof(
    fc.constantFrom('\u001b', '\u009b', '\r', '\n', '\u007f', '\u2028', '\u202e', '\u2066', '\u061c'),
    anyCharacter,
  );
  fc.assert(
    fc.property(fc.string({ unit: character }), (text) => {
      expect(oneLine(text)).not.toMatch(invisible);
      expect(lines(text).replaceAll('\n', '')).not.toMatch(invisible);
      if (!invisible.test(text)) expect(oneLine(text)).toBe(text);
    }),
  );
  expect(lines('a\r\nb\u001b[2J')).toBe(String.raw`a
b\u001b[2J`);
});
