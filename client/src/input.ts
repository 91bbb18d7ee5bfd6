import { isText } from './shape';
import type { InvalidInput } from './state';

/** Checks the input of the app's user before it is sent. The service would refuse invalid input (docs/spec/conventions.md, Strings). */

// oxlint-disable-next-line no-control-regex -- control characters are refused on purpose
const FORBIDDEN = /[\u0000-\u001f\u007f-\u009f\ud800-\udfff]/u;

/** Maximum length of each field, in characters. No license key of the service is longer than the limit for keys. */
const limits = { key: 200, name: 200, platform: 200, customerEmail: 254, replace: 100, ref: 100 } as const;

/** Maximum absolute value of an amount. */
const MAX_AMOUNT = 1_000_000_000;

function problemOf(value: unknown, maximum: number, isRequired: boolean): string | undefined {
  if (value === undefined && !isRequired) return undefined;
  if (!isText(value)) return 'must be a text';
  const text = value.trim();
  if (text === '' && isRequired) return 'must not be empty';
  if (FORBIDDEN.test(text)) return 'must not contain control characters or lone surrogates';
  return [...text].length > maximum ? `must have at most ${maximum} characters` : undefined;
}

/** Whether an option can be sent as the version of the app. Otherwise the service would refuse every request that contains it. */
export const isVersion = (value: unknown): boolean => problemOf(value, 200, false) === undefined;

/** Characters that change the direction of text, with which a name could be shown as another one (UAX #9, section 2). */
const BIDIRECTIONAL_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A label that another person reads in the browser: without characters that change its direction, and at most 200 characters. */
export const shownLabel = (label: string | undefined): string | undefined =>
  isText(label) ? [...label.replace(BIDIRECTIONAL_CONTROLS, '').trim()].slice(0, limits.name).join('') : label;

/** A text as it is sent: without white space at its ends; undefined if nothing is left. */
export const filledText = (text: string | undefined): string | undefined => text?.trim() || undefined;

/**
 * The first field that can't be sent; undefined if all fields are valid. The members `key` and `ref`, if they are there, must not be empty.
 */
export function invalidInput(fields: { readonly [Field in keyof typeof limits]?: unknown }): InvalidInput | undefined {
  for (const field of Object.keys(limits) as (keyof typeof limits)[]) {
    const message = problemOf(fields[field], limits[field], (field === 'key' || field === 'ref') && field in fields);
    if (message) return { status: 'invalid_input', field, message };
  }
  return undefined;
}

/** The first argument of `consume` that can't be sent; undefined if all are valid. */
export function invalidUse({
  meter,
  amount,
  id,
}: {
  readonly meter: unknown;
  readonly amount: unknown;
  readonly id: unknown;
}): InvalidInput | undefined {
  const problems = {
    meter: problemOf(meter, 64, true),
    amount:
      Number.isInteger(amount) && amount !== 0 && Math.abs(Number(amount)) <= MAX_AMOUNT
        ? undefined
        : 'must be an integer from -1000000000 to 1000000000, and not 0',
    id:
      isText(id) && (id !== id.trim() || [...id].length < 8)
        ? 'must have at least 8 characters, and no white space at its ends'
        : problemOf(id, 64, true),
  };
  for (const [field, message] of Object.entries(problems))
    if (message) return { status: 'invalid_input', field: field as keyof typeof problems, message };
  return undefined;
}
