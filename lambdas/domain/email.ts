/**
 * The form in which two addresses are compared: each character in lower case. A character whose lower case is several
 * stays as it is, for else one address would be another's: `İ` becomes `i` with a combining dot.
 */
export const comparableEmail = (address: string): string =>
  Array.from(address.normalize('NFC'), (character) => {
    const lower = character.toLowerCase();
    return lower.length > character.length ? character : lower;
  }).join('');
