import * as z from 'zod/mini';
import { checked, documented } from './schema';

/**
 * The formats of texts in requests (docs/spec/conventions.md, Strings). A text is trimmed and normalized to NFC. It must not contain NUL,
 * other control characters or lone surrogates. Lengths are counted in Unicode characters.
 */

/** Matches printable ASCII. Most texts match and need no further check. */
const PLAIN = /^[\x20-\x7e]*$/;
// oxlint-disable-next-line no-control-regex -- the pattern must match control characters
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
// oxlint-disable-next-line no-control-regex -- the pattern must match control characters, except tabs and line breaks
const CONTROL_WITHIN_LINES = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

/**
 * Whether a text contains NUL or lone surrogates, which some systems do not accept. The check is for free-form values, in which all other
 * characters are allowed.
 */
export const hasNulOrLoneSurrogate = (value: string): boolean => value.includes('\0') || !value.isWellFormed();

/** Whether a text contains NUL or another control character. */
export const hasControlCharacters = (value: string): boolean => CONTROL.test(value);

const characters = (text: string): number => {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
};

const textWithout = (control: RegExp, min: number, max: number) =>
  documented(
    z.pipe(
      z.string(),
      z.transform((raw, context) => {
        const value = raw.trim();
        const problem = !value.isWellFormed()
          ? 'must not contain lone surrogates'
          : control.test(value)
            ? 'must not contain control characters'
            : undefined;
        if (problem) {
          context.issues.push({ code: 'custom', message: problem, input: raw });
          return z.NEVER;
        }
        const normalized = value.normalize('NFC');
        const length = PLAIN.test(normalized) ? normalized.length : characters(normalized);
        if (length < min || length > max)
          context.issues.push({ code: 'custom', message: `must be ${min === 0 ? 'at most' : `${min} to`} ${max} characters`, input: raw });
        return normalized;
      }),
    ),
    { type: 'string', minLength: min, maxLength: max },
  );

/** A schema for a text of `min` to `max` characters. */
export const text = (min: number, max: number) => textWithout(CONTROL, min, max);

/** A schema for a {@link text} that may have several lines. */
export const multilineText = (min: number, max: number) => textWithout(CONTROL_WITHIN_LINES, min, max);

/**
 * Whether a text contains no invisible characters and no characters that change the direction of the text around them. A name with such
 * characters could look like another name. Some invisible characters are allowed where they are needed: the joiners (ZWJ, ZWNJ) within an
 * emoji and within words of Arabic and Indic scripts, variation selectors after a character that has variants, and tags in a flag. Compiling
 * patterns of Unicode properties takes a millisecond, so these patterns are compiled only when a name first needs them.
 */
function looksAsItIs(value: string): boolean {
  if (PLAIN.test(value)) return true;
  const invisible = /[\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\ufff9-\ufffb]/u;
  if (!invisible.test(value)) return true;
  // Joiners are allowed in Arabic, Syriac, Mongolian, Devanagari, Bengali, Gurmukhi, Gujarati, Oriya, Tamil, Telugu, Kannada, Malayalam,
  // Sinhala, Khmer and Myanmar.
  const joinedLetters =
    /(?<=[\p{sc=Arab}\p{sc=Syrc}\p{sc=Mong}\p{sc=Deva}\p{sc=Beng}\p{sc=Guru}\p{sc=Gujr}\p{sc=Orya}\p{sc=Taml}\p{sc=Telu}\p{sc=Knda}\p{sc=Mlym}\p{sc=Sinh}\p{sc=Khmr}\p{sc=Mymr}])[\u200c\u200d](?=[\p{sc=Arab}\p{sc=Syrc}\p{sc=Mong}\p{sc=Deva}\p{sc=Beng}\p{sc=Guru}\p{sc=Gujr}\p{sc=Orya}\p{sc=Taml}\p{sc=Telu}\p{sc=Knda}\p{sc=Mlym}\p{sc=Sinh}\p{sc=Khmr}\p{sc=Mymr}])/gu;
  const joinedEmoji = /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d(?=\p{Extended_Pictographic})/gu;
  // Emoji, other symbols and keycaps, Chinese characters, Myanmar letters and Mongolian letters have variants.
  const variants =
    /(?<=[\p{Extended_Pictographic}\p{So}])[\ufe0e\ufe0f]|(?<=[0-9#*])\ufe0f(?=\u20e3)|(?<=\p{sc=Han})[\ufe00-\ufe02\u{e0100}-\u{e01ef}]|(?<=\p{sc=Mymr})\ufe00|(?<=\p{sc=Mong})[\u180b-\u180d\u180f]/gu;
  const flags = /\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}/gu;
  return !invisible.test([joinedLetters, joinedEmoji, variants, flags].reduce((rest, allowed) => rest.replace(allowed, ''), value));
}

/** A schema for a name: a {@link text} without the characters that can make it look like another name. */
export const nameText = (min: number, max: number) =>
  documented(
    checked(
      text(min, max),
      z.refine(looksAsItIs, { error: 'must not contain invisible characters or characters that change the direction of text' }),
    ),
    { type: 'string', minLength: min, maxLength: max },
  );

/** A schema for a text that matches a pattern. `rule` completes the sentence "<field> must …". */
export const textLike = (pattern: RegExp, rule: string, max: number, min = 1) =>
  documented(
    checked(
      text(1, max),
      z.refine((value) => pattern.test(value), { error: `must ${rule}` }),
    ),
    { type: 'string', pattern: pattern.source, minLength: min, maxLength: max },
  );

// The pattern is stricter than Date.parse, which reads 24:00:00 as the next day.
const RFC3339 = /^\d{4}-(0[1-9]|1[0-2])-\d{2}[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** The latest time that an RFC 3339 timestamp can name, in epoch ms. */
export const LAST_INSTANT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** An RFC 3339 timestamp in a request, converted to epoch milliseconds. */
export const timestampInput = documented(
  z.pipe(
    z.string(),
    z.transform((raw, context) => {
      const value = raw.trim();
      const ms = RFC3339.test(value) ? Date.parse(value.toUpperCase()) : Number.NaN;
      // Date.parse converts 30 February to a day in March, so the day is checked separately.
      const day = Number(value.slice(8, 10));
      const exists = day <= new Date(Date.UTC(Number(value.slice(0, 4)), Number(value.slice(5, 7)), 0)).getUTCDate();
      if (Number.isNaN(ms) || !exists || ms < 0 || ms > LAST_INSTANT) {
        context.issues.push({ code: 'custom', message: 'must be an RFC 3339 timestamp such as 2027-01-31T00:00:00Z', input: raw });
        return z.NEVER;
      }
      return ms;
    }),
  ),
  { type: 'string', format: 'date-time', examples: ['2027-01-31T00:00:00Z'] },
);

/** An RFC 3339 timestamp in a response: UTC with milliseconds. */
export const timestamp = documented(z.string(), { format: 'date-time', examples: ['2026-11-20T13:52:00.123Z'] });

/** A UTC day in a response. */
export const date = documented(z.string(), { format: 'date', examples: ['2026-11-20'] });

/** A UTC day in a request. */
export const dateInput = documented(
  checked(
    z.string(),
    z.refine((raw) => /^\d{4}-\d{2}-\d{2}$/.test(raw) && timestampInput.safeParse(`${raw}T00:00:00Z`).success, {
      error: 'must be a date such as 2027-01-31',
    }),
  ),
  { type: 'string', format: 'date', examples: ['2027-01-31'] },
);

/** An integer from 1 to `maximum` in a query. */
export const countUpTo = (maximum: number) => {
  const error = `must be an integer from 1 to ${maximum}`;
  return documented(
    checked(
      z.pipe(checked(z.string(), z.regex(/^[1-9]\d{0,8}$/, { error })), z.transform(Number)),
      z.refine((value) => value <= maximum, { error }),
    ),
    { type: 'integer', minimum: 1, maximum },
  );
};
