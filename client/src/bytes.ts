/** Bytes and text without Buffer, atob or TextDecoder, which not every runtime has (React Native). */

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/**
 * Decodes base64url (RFC 4648) as RFC 7515 has it, strictly: no character outside the alphabet, no padding, no stray
 * bits at the end. One sequence of bytes so has one spelling, and an altered token can't be an equal one in disguise.
 *
 * @returns undefined where the text is not that
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

/** Bytes of a text that is known to be ASCII. */
export const fromAscii = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));

export type JsonObject = Readonly<Record<string, unknown>>;

/** The JSON object in a text; undefined where there is anything else. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    return /^\s*\{/.test(text) ? (JSON.parse(text) as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/** The JSON object in UTF-8 bytes; undefined where there is anything else. */
export function decodeObject(bytes: Uint8Array): JsonObject | undefined {
  try {
    return parseObject(decodeURIComponent(toHex(bytes).replace(/../g, '%$&')));
  } catch {
    return undefined;
  }
}
