import { inspect } from 'node:util';

/**
 * The output of the commands. Texts from files, the service or other programs may contain control characters, with which they could move
 * the cursor, hide other output or imitate it. Commands print only with these functions, which show such characters as escapes.
 */

/** Matches control characters, line separators, and characters that change the direction of the text around them. */
// oxlint-disable-next-line no-control-regex -- the pattern must match control characters
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** A text as one line: a control character is shown as an escape such as `\u001b`. */
export const oneLine = (text: string): string =>
  text.replace(INVISIBLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The lines of a text, each without control characters. */
export const lines = (text: string): string => text.split(/\r?\n/).map(oneLine).join('\n');

/** Prints one line to standard output. */
export const print = (line: string): void => console.log(oneLine(line));

/** Prints one line to standard error. */
export const printError = (line: string): void => console.error(oneLine(line));

/** Prints a text of several lines to standard output. The text must not contain foreign values that could contain line breaks. */
export const printText = (text: string): void => console.log(lines(text));

/** Prints a text of several lines to standard error, like {@link printText}. */
export const printErrorText = (text: string): void => console.error(lines(text));

/** Prints an unexpected error with its stack trace to standard error. */
export const printFault = (error: unknown): void => printErrorText(inspect(error));
