/**
 * The form in which e-mail addresses are compared: each character is in lower case. A character remains unchanged if its lower case has
 * several characters. Otherwise two different addresses could become equal: an address with `İ`, and the address with `i` and a combining
 * dot instead.
 */
export const comparableEmail = (address: string): string =>
  Array.from(address.normalize('NFC'), (character) => {
    const lower = character.toLowerCase();
    return lower.length > character.length ? character : lower;
  }).join('');

/**
 * The e-mail address in a text such as `Ada Lovelace <ada@example.com>`, as mail programs copy it. Undefined if the text does not end with
 * an address in brackets.
 */
export function addressInBrackets(text: string): string | undefined {
  const trimmed = text.trim();
  const start = trimmed.lastIndexOf('<');
  return start !== -1 && trimmed.endsWith('>') ? trimmed.slice(start + 1, -1).trim() || undefined : undefined;
}
