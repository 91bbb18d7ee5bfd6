/**
 * License keys: 5 groups of 5 symbols of Crockford's base 32. The first 24 symbols are random (120 bits). The last symbol is a check
 * symbol, with which an app can recognize a typing mistake. The check symbol is a weighted sum over GF(32) with a different power of the
 * generator for every position. It therefore detects any one wrong symbol, and any swap of two symbols.
 */

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const RANDOM_SYMBOLS = 24;

/** Number of random bytes that a license key needs. */
export const KEY_RANDOM_BYTES = (RANDOM_SYMBOLS * 5) / 8;

/** Multiplies by the generator in GF(32), modulo the primitive polynomial x⁵ + x² + 1. */
const timesGenerator = (value: number): number => {
  const doubled = value << 1;
  return doubled & 0b100000 ? doubled ^ 0b100101 : doubled;
};

const checkSymbol = (symbols: readonly number[]): number => symbols.reduce((sum, symbol) => timesGenerator(sum ^ symbol), 0);

const format = (symbols: readonly number[]): string =>
  symbols
    .map((symbol) => ALPHABET[symbol])
    .join('')
    .replace(/.{5}(?=.)/g, '$&-');

/** Generates a key from {@link KEY_RANDOM_BYTES} random bytes. */
export function generateKey(random: Uint8Array): string {
  let bits = 0n;
  for (const byte of random.subarray(0, KEY_RANDOM_BYTES)) bits = (bits << 8n) | BigInt(byte);
  const symbols = Array.from({ length: RANDOM_SYMBOLS }, (_, index) => Number((bits >> BigInt(5 * (RANDOM_SYMBOLS - 1 - index))) & 31n));
  return format([...symbols, checkSymbol(symbols)]);
}

/** The full-width forms of ASCII characters, which Chinese and Japanese keyboards type. */
const FULL_WIDTH = /[\uff01-\uff5e]/g;
const TO_ASCII = 0xff01 - 0x21;

/**
 * A key that a person typed or pasted, without spaces, hyphens and quotation marks, and with ASCII instead of full-width characters. Word
 * processors and mail programs replace a hyphen by another dash or a minus sign, and insert invisible characters, for example at places
 * where a line may break. Quotation marks are pasted with a key that a mail or a table shows in quotation marks.
 */
export const withoutSeparators = (input: string): string =>
  input
    .replace(FULL_WIDTH, (character) => String.fromCharCode(character.charCodeAt(0) - TO_ASCII))
    .replace(/[\s"'`\u00ab\u00ad\u00b4\u00bb\u200b-\u201f\u2032\u2033\u2039\u203a\u2060\u2212\u300c-\u300f-]/g, '');

/**
 * The canonical form of a key that a person typed. Case, spaces, hyphens and quotation marks are ignored; `O` is read as `0`, and `I` and `L` as `1`.
 * Undefined if the text is not a key of this service.
 */
export function normalizeKey(input: string): string | undefined {
  const compact = withoutSeparators(input)
    .replace(/[a-z]/g, (letter) => letter.toUpperCase())
    .replace(/O/g, '0')
    .replace(/[IL]/g, '1');
  if (compact.length !== RANDOM_SYMBOLS + 1) return undefined;
  const symbols = Array.from(compact, (symbol) => ALPHABET.indexOf(symbol));
  if (symbols.includes(-1)) return undefined;
  return checkSymbol(symbols.slice(0, -1)) === symbols.at(-1) ? format(symbols) : undefined;
}

/**
 * The form in which a key that a person typed is looked up. For a key of this service it is the canonical form. For a key that another
 * system issued, case, spaces, hyphens and quotation marks are ignored. Undefined if the text has neither format.
 */
export function lookupKey(input: string): string | undefined {
  const own = normalizeKey(input);
  if (own !== undefined) return own;
  const compact = withoutSeparators(input).toUpperCase();
  return /^[A-Z0-9]{8,64}$/.test(compact) ? compact : undefined;
}
