/**
 * The form in which addresses are compared: each character in lower case. A character whose lower case has several
 * characters stays as it is, because otherwise two different addresses could become equal: `İ` would become `i` with a
 * combining dot.
 */
export const comparableEmail = (address: string): string =>
  Array.from(address.normalize('NFC'), (character) => {
    const lower = character.toLowerCase();
    return lower.length > character.length ? character : lower;
  }).join('');
