import { isObject, type JsonObject } from './shape';

/** Converts bytes and text without Buffer, atob and TextDecoder, which some runtimes lack (React Native). */

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/**
 * Decodes base64url (RFC 4648) strictly, as RFC 7515 requires. It refuses characters outside the alphabet, padding, and nonzero unused bits
 * at the end. Each byte sequence thus has exactly one spelling, so a token whose characters were altered never decodes to the same bytes.
 *
 * @returns undefined if the text is not strict base64url
 */
export function fromBase64Url(text: string): Uint8Array | undefined {
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const character of text) {
    const value = ALPHABET.indexOf(character);
    if (value < 0) return undefined;
    bits = (bits << 6) | value;
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes.push(bits >> held);
      bits &= (1 << held) - 1;
    }
  }
  return held < 6 && bits === 0 ? Uint8Array.from(bytes) : undefined;
}

export const toHex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Encodes bytes as base64url without padding (RFC 7515, section 2). */
export function toBase64Url(bytes: Uint8Array): string {
  let text = '';
  for (let start = 0; start < bytes.length; start += 3) {
    const group = bytes.subarray(start, start + 3);
    const bits = ((group[0] ?? 0) << 16) | ((group[1] ?? 0) << 8) | (group[2] ?? 0);
    for (let place = 0; place <= group.length; place += 1) text += ALPHABET.charAt((bits >> (18 - 6 * place)) & 63);
  }
  return text;
}

/** The bytes of a text that consists of ASCII characters only. */
export const fromAscii = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));

/**
 * The bytes of a text in UTF-8.
 *
 * @throws URIError if the text has lone surrogates
 */
export const toUtf8 = (text: string): Uint8Array =>
  fromAscii(encodeURIComponent(text).replace(/%(..)/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))));

/** Decodes UTF-8 bytes; undefined if the bytes are not UTF-8. */
export function fromUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decodeURIComponent(toHex(bytes).replace(/../g, '%$&'));
  } catch {
    return undefined;
  }
}

/**
 * Maximum nesting of accepted JSON; the outermost object is level 1. A fixed limit makes clients in all languages accept the same texts.
 */
const MAX_LEVELS = 32;

const isNestedDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' && value !== null && (levels === 0 || Object.values(value).some((inner) => isNestedDeeper(inner, levels - 1)));

/**
 * Parses JSON; undefined if the text is no JSON or is nested too deeply. Byte order marks before the JSON are ignored (RFC 8259, section 8.1),
 * because some runtimes remove them from a response.
 */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF+/, ''));
    return isNestedDeeper(value, MAX_LEVELS) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Parses a JSON object; undefined if the text is anything else or is nested too deeply. */
export function parseObject(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

/** Parses a JSON object in UTF-8 bytes; undefined if the bytes contain anything else. */
export const decodeObject = (bytes: Uint8Array): JsonObject | undefined => parseObject(fromUtf8(bytes) ?? '');
