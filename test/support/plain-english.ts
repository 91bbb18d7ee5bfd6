/** Phrases that are hard to understand, with a replacement for each. */

export const habits: readonly { readonly phrase: RegExp; readonly instead: string }[] = [
  { phrase: /\bthe one before\b/gi, instead: 'the previous one' },
  { phrase: /\bso many\b/gi, instead: 'n, or this number of' },
  { phrase: /\bgoes on\b/gi, instead: 'continues' },
  { phrase: /\bmay pass\b/gi, instead: 'temporary' },
  { phrase: /\bwhat is of\b/gi, instead: "the possessive: the product's rows" },
  { phrase: /\bby itself\b/gi, instead: 'automatically, on its own, alone' },
  // The phrase "There is none" is plain English, and `is None` is Python code.
  { phrase: /(?<!\b[Tt]here )\bis none\b/g, instead: 'is not one' },
  { phrase: /\bwhatever\b/gi, instead: 'regardless of, any, all that' },
  { phrase: /\bis met with\b/gi, instead: 'meets, gets' },
];

/** A text with each comment joined into one line, so that a phrase or a citation across two lines is found. */
export const unwrapped = (text: string): string => text.replace(/\n[ \t]*(?:\*(?!\/)|\/\/[/!]?|#)[ \t]*/g, ' ');

/** Each listed phrase in a text, with its replacement. */
export function lapses(text: string): readonly string[] {
  const whole = unwrapped(text).replace(/[ \t]*\n[ \t]*/g, ' ');
  return habits.flatMap(({ phrase, instead }) =>
    [...whole.matchAll(phrase)].map(
      ({ 0: found, index }) => `"…${whole.slice(Math.max(0, index - 30), index + found.length + 20)}…": ${instead}`,
    ),
  );
}
