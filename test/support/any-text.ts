import fc from 'fast-check';

/** The number of surrogates, which are code points but no characters. They are from U+D800 to U+DFFF. */
const SURROGATES = 0x800;

function placeOf(character: unknown): number {
  const code = typeof character === 'string' ? (character.codePointAt(0) ?? -1) : -1;
  if (code < 0 || String.fromCodePoint(code) !== character || (code >= 0xd800 && code < 0xd800 + SURROGATES))
    throw new Error('Not a single character');
  return code < 0xd800 ? code : code - SURROGATES;
}

/**
 * Any character, as unit for `fc.string`. The unit `binary` generates the same characters, but builds a map of a million characters in each
 * worker. This takes two seconds, and the map stays in memory.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES })
  .map((place) => String.fromCodePoint(place < 0xd800 ? place : place + SURROGATES), placeOf);
