import { isText } from './shape';
import type { InvalidInput } from './state';

/** Checks the input of the app's user before it is sent. The service would refuse invalid input (docs/spec/conventions.md, Strings). */

// oxlint-disable-next-line no-control-regex -- control characters are refused on purpose
const FORBIDDEN = /[\u0000-\u001f\u007f-\u009f\ud800-\udfff]/u;

/** Maximum length of each field, in characters. No license key of the service is longer than the limit for keys. */
const limits = { key: 200, name: 200, platform: 200, customerEmail: 254, replace: 100, ref: 100 } as const satisfies Record<
  InvalidInput['field'],
  number
>;

function problemOf(value: unknown, maximum: number, isRequired: boolean): string | undefined {
  if (value === undefined && !isRequired) return undefined;
  if (!isText(value)) return 'must be a text';
  const text = value.trim();
  if (text === '' && isRequired) return 'must not be empty';
  if (FORBIDDEN.test(text)) return 'must not contain control characters or lone surrogates';
  return [...text].length > maximum ? `must have at most ${maximum} characters` : undefined;
}

/** A text as it is sent: without white space at its ends; undefined if nothing is left. */
export const filledText = (text: string | undefined): string | undefined => text?.trim() || undefined;

/**
 * The first field that can't be sent; undefined if all fields are valid. The members `key` and `ref`, if they are there, must not be empty.
 */
export function invalidInput(fields: { readonly [Field in InvalidInput['field']]?: unknown }): InvalidInput | undefined {
  for (const field of Object.keys(limits) as (keyof typeof limits)[]) {
    const message = problemOf(fields[field], limits[field], (field === 'key' || field === 'ref') && field in fields);
    if (message) return { status: 'invalid_input', field, message };
  }
  return undefined;
}
