/** A scheme, an authority without user info and braces, and a rest without backslashes. */
const PLAIN = /^[a-z]+:\/\/[^\s/?#@\\{}]+(?:[/?#][^\\]*)?$/i;

/**
 * Whether a text is an absolute URL with the given protocol, such as `https:`, and its host is the same for every program that reads the
 * URL, and for all values of its placeholders. Only some programs read a backslash as a slash, and `https:host` as `https://host`.
 */
export const isPlainUrl = (text: string, protocol: string): boolean =>
  PLAIN.test(text) && URL.canParse(text) && new URL(text).protocol === protocol;
