/**
 * License keys: 5 groups of 5 symbols of Crockford's base 32. The first 24 symbols are random (120 bits). A device key has 6 groups, of
 * which the first 29 symbols are random (145 bits; docs/spec/sign-in.md, Device keys). The last symbol of both is a check symbol, with
 * which an app can recognize a typing mistake. The check symbol is a weighted sum over GF(32) with a different power of the generator for
 * every position. It therefore detects any one wrong symbol, and any swap of two symbols.
 */

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LICENSE_KEY_LENGTH = 25;
const DEVICE_KEY_LENGTH = 30;

/** Number of random bytes that a license key needs. */
export const KEY_RANDOM_BYTES = ((LICENSE_KEY_LENGTH - 1) * 5) / 8;

/** Multiplies by the generator in GF(32), modulo the primitive polynomial x⁵ + x² + 1. */
const timesGenerator = (value: number): number => {
  const doubled = value << 1;
  return doubled & 0b100000 ? doubled ^ 0b100101 : doubled;
};

const checkSymbol = (symbols: readonly number[]): number => symbols.reduce((sum, symbol) => timesGenerator(sum ^ symbol), 0);

const format = (symbols: readonly number[]): string => textOf(symbols).replace(/.{5}(?=.)/g, '$&-');

/** The first `count` groups of 5 bits of random bytes, each as the number of a symbol. */
export function symbolsOf(random: Uint8Array, count: number): readonly number[] {
  let bits = 0n;
  for (const byte of random) bits = (bits << 8n) | BigInt(byte);
  const length = random.length * 8;
  return Array.from({ length: count }, (_, index) => Number((bits >> BigInt(length - 5 * (index + 1))) & 31n));
}

/** The text of symbols, without separators. */
export const textOf = (symbols: readonly number[]): string => symbols.map((symbol) => ALPHABET[symbol]).join('');

function keyFrom(random: Uint8Array, length: number): string {
  const symbols = symbolsOf(random, length - 1);
  return format([...symbols, checkSymbol(symbols)]);
}

/** Generates a key from {@link KEY_RANDOM_BYTES} random bytes. */
export const generateKey = (random: Uint8Array): string => keyFrom(random.subarray(0, KEY_RANDOM_BYTES), LICENSE_KEY_LENGTH);

/** Generates the key of a device from at least 19 random bytes. */
export const generateDeviceKey = (random: Uint8Array): string => keyFrom(random, DEVICE_KEY_LENGTH);

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
 * The symbols of a text that a person typed. Case, spaces, hyphens and quotation marks are ignored; `O` is read as `0`, and `I` and `L` as
 * `1`. Undefined if the text does not consist of `length` symbols.
 */
export function readSymbols(input: string, length: number): readonly number[] | undefined {
  const compact = withoutSeparators(input)
    .replace(/[a-z]/g, (letter) => letter.toUpperCase())
    .replace(/O/g, '0')
    .replace(/[IL]/g, '1');
  if (compact.length !== length) return undefined;
  const symbols = Array.from(compact, (symbol) => ALPHABET.indexOf(symbol));
  return symbols.includes(-1) ? undefined : symbols;
}

function normalize(input: string, length: number): string | undefined {
  const symbols = readSymbols(input, length);
  return symbols && checkSymbol(symbols.slice(0, -1)) === symbols.at(-1) ? format(symbols) : undefined;
}

/**
 * The canonical form of a license key that a person typed (see {@link readSymbols}). Undefined if the text is not a license key of this
 * service.
 */
export const normalizeKey = (input: string): string | undefined => normalize(input, LICENSE_KEY_LENGTH);

/** The canonical form of a device key. Undefined if the text does not have the format of a device key. */
export const normalizeDeviceKey = (input: string): string | undefined => normalize(input, DEVICE_KEY_LENGTH);

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
