import { asciiAddress, readableAddress } from '../contract/mail-address';

/**
 * The form in which e-mail addresses are compared: the domain as it is shown (see `mail-address.ts`), and each character in lower case. A
 * character remains unchanged if its lower case has several characters. Otherwise two different addresses could become equal: an address
 * with `İ`, and the address with `i` and a combining dot instead.
 */
export const comparableEmail = (address: string): string => lowerCase(readableAddress(address.normalize('NFC')));

const lowerCase = (text: string): string =>
  Array.from(text, (character) => {
    const lower = character.toLowerCase();
    return lower.length > character.length ? character : lower;
  }).join('');

/**
 * The forms of an address under which rows may be stored: the form in which addresses are compared, and, if it differs, the form with an
 * ASCII domain. Earlier versions stored an address as it was given.
 */
export function storedForms(address: string): readonly [string, ...string[]] {
  const comparable = comparableEmail(address);
  const ascii = asciiAddress(comparable);
  return ascii === comparable ? [comparable] : [comparable, ascii];
}

/**
 * The e-mail address in a text such as `Ada Lovelace <ada@example.com>`, as mail programs copy it. Undefined if the text does not end with
 * an address in brackets.
 */
export function addressInBrackets(text: string): string | undefined {
  const trimmed = text.trim();
  const start = trimmed.lastIndexOf('<');
  return start !== -1 && trimmed.endsWith('>') ? trimmed.slice(start + 1, -1).trim() || undefined : undefined;
}
