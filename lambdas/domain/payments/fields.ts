import { createHash } from 'node:crypto';
import { email as emailAddress } from '../../contract/resources';
import { depthExceeds } from '../../contract/resources/metadata';
import { LAST_INSTANT } from '../../contract/text';

/**
 * Functions that read the data that a payment processor sends. No field of this data is trusted: a missing, malformed or too long value is
 * never an error, but is read as null or as another default.
 */
export type Fields = Readonly<Record<string, unknown>>;

/** Maximum length of an id. A longer id would not fit into a key of the table. */
const MAX_ID = 255;
const LONE_SURROGATE = /\p{Surrogate}/u;
/** Maximum quantity of a line. In JavaScript, the multiplication of two such numbers has an exact result. */
const MAX_QUANTITY = 1_000_000;
const RFC3339 = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:?\d{2})$/;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value if it is an object; otherwise an empty object. */
export const fields = (value: unknown): Fields => (isFields(value) ? value : {});

/** The value at the end of a path of field names; undefined if there is no such value. */
export const at = (value: unknown, ...path: readonly string[]): unknown =>
  // Only own properties count, so that a path such as `constructor` finds nothing.
  path.reduce<unknown>((parent, name) => (Object.hasOwn(fields(parent), name) ? fields(parent)[name] : undefined), value);

/** The objects in a list; empty if the value is not a list. */
export const objects = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);

/**
 * Maximum nesting of a notification. Processors send about ten levels. `JSON.parse` could read thousands of levels, but `JSON.stringify`
 * could not write them again.
 */
export const MAX_LEVELS = 100;

/** The JSON object in a text. Undefined if the text is not a JSON object, or if the object has more than {@link MAX_LEVELS} levels. */
export function parseObject(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) && !depthExceeds(value, MAX_LEVELS) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The value if it is a text that is not empty; otherwise null. */
export const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** An id as text. The value may be a text, a number, or an object with an `id` field, because Stripe expands ids to objects. */
export function id(value: unknown): string | null {
  if (isFields(value)) return id(value['id']);
  const found = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : text(value);
  return found !== null && found.length <= MAX_ID && !LONE_SURROGATE.test(found) ? found : null;
}

export const number = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) ? value : null);

/** A whole number; the value may be a number or digits in a text. */
export const numeral = (value: unknown): number | null =>
  typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : number(value);

/** An amount of money in the smallest unit of its currency. The value may be a number or digits in a text. */
export function amount(value: unknown): number | null {
  const found = numeral(value);
  return found !== null && Number.isSafeInteger(found) && found >= 0 ? found : null;
}

const code = (value: unknown, pattern: RegExp): string | null =>
  typeof value === 'string' && pattern.test(value) ? value.toUpperCase() : null;

/** The code of a currency in upper case. Some processors send it in lower case. */
export const currency = (value: unknown): string | null => code(value, /^[A-Za-z]{3}$/);

/** The two-letter code of a country in upper case. */
export const country = (value: unknown): string | null => code(value, /^[A-Za-z]{2}$/);

/** Whether a refunded sum covers the whole payment. */
export function coversAll(refunded: unknown, paid: unknown): boolean {
  const [sum, total] = [numeral(refunded), numeral(paid)];
  return sum !== null && total !== null && total > 0 && sum >= total;
}

/** The quantity of a line; 1 if it is unknown. Nothing is issued for a quantity of 0. */
export const quantity = (value: unknown): number => Math.min(MAX_QUANTITY, Math.max(0, Math.floor(numeral(value) ?? 1)));

/** An e-mail address that is valid as the `customer_email` of a license; otherwise null. */
export function email(value: unknown): string | null {
  const { data } = emailAddress.safeParse(value);
  return data ?? null;
}

const instantOrNull = (ms: number): number | null => (ms > 0 && ms <= LAST_INSTANT ? Math.floor(ms) : null);

/** Converts Unix seconds to epoch milliseconds. */
export const fromSeconds = (value: unknown): number | null => instantOrNull((number(value) ?? Number.NaN) * 1000);

/** Converts an RFC 3339 timestamp to epoch milliseconds. */
export const fromTimestamp = (value: unknown): number | null =>
  typeof value === 'string' && RFC3339.test(value) ? instantOrNull(Date.parse(value.replace(' ', 'T'))) : null;

/**
 * The period that several lines pay: the one that ends last. Lines that bill usage afterwards have earlier periods, so their starts don't
 * count. A time that no line reports is null.
 */
export function paidPeriod(lines: readonly { readonly from: number | null; readonly until: number | null }[]): {
  readonly paidFrom: number | null;
  readonly paidUntil: number | null;
} {
  const ends = lines.flatMap(({ until }) => until ?? []);
  const paidUntil = ends.length > 0 ? Math.max(...ends) : null;
  const starts = lines.flatMap(({ from, until }) => (from !== null && until === paidUntil ? [from] : []));
  return { paidFrom: starts.length > 0 ? Math.min(...starts) : null, paidUntil };
}

/** A path with a query. Parameters that are null are left out. */
export function pathOf(path: string, query: Readonly<Record<string, string | number | null | readonly string[]>> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? (value as readonly string[]) : [value]) if (one !== null) search.append(name, String(one));
  }
  const encoded = search.toString();
  return encoded === '' ? path : `${path}?${encoded}`;
}

/** The path, with one parameter of its query set to a new value. */
export function withQuery(path: string, name: string, value: string): string {
  const [location = '', query] = path.split('?');
  const search = new URLSearchParams(query);
  search.set(name, value);
  return `${location}?${search.toString()}`;
}

export const sha256 = (body: string): string => createHash('sha256').update(body).digest('hex');
