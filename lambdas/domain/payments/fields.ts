import { createHash } from 'node:crypto';
import { email as emailAddress } from '../../contract/resources';
import { depthExceeds } from '../../contract/resources/metadata';
import { LAST_INSTANT } from '../../contract/text';

/** Reads data of a processor, in which no field is reliable. A missing, malformed or too long value is read as null, and nothing throws. */
export type Fields = Readonly<Record<string, unknown>>;

/** Longer ids are not accepted, because they would not fit into a key of the table. */
const MAX_ID = 255;
const LONE_SURROGATE = /\p{Surrogate}/u;
/** More than anybody buys at once. The product of two such numbers is still exact. */
const MAX_QUANTITY = 1_000_000;
const RFC3339 = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:?\d{2})$/;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object, or an empty one. */
export const fields = (value: unknown): Fields => (isFields(value) ? value : {});

/** The value at a path of names. */
export const at = (value: unknown, ...path: readonly string[]): unknown =>
  // Own properties only, so that a path such as `constructor` finds nothing.
  path.reduce<unknown>((parent, name) => (Object.hasOwn(fields(parent), name) ? fields(parent)[name] : undefined), value);

/** The objects of a list. */
export const objects = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);

/** Maximum nesting of a notification. Processors send ten levels; thousands of levels can be parsed, but not serialized again. */
export const MAX_LEVELS = 100;

/** The JSON object in a text; undefined if it is not an object or has more than {@link MAX_LEVELS}. */
export function parseObject(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) && !depthExceeds(value, MAX_LEVELS) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A text that is not empty. */
export const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** An id: a text, or a number as text. For an object it is the `id` field (Stripe expands ids to objects). */
export function id(value: unknown): string | null {
  if (isFields(value)) return id(value['id']);
  const found = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : text(value);
  return found !== null && found.length <= MAX_ID && !LONE_SURROGATE.test(found) ? found : null;
}

export const number = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) ? value : null);

/** A whole number that is given as text. */
export const numeral = (value: unknown): number | null =>
  typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : number(value);

/** An amount of money in the smallest unit: a whole number, also as text. */
export function amount(value: unknown): number | null {
  const found = numeral(value);
  return found !== null && Number.isSafeInteger(found) && found >= 0 ? found : null;
}

const code = (value: unknown, pattern: RegExp): string | null =>
  typeof value === 'string' && pattern.test(value) ? value.toUpperCase() : null;

/** The code of a currency, which some processors write in lower case. */
export const currency = (value: unknown): string | null => code(value, /^[A-Za-z]{3}$/);

/** The code of a country, of two letters. */
export const country = (value: unknown): string | null => code(value, /^[A-Za-z]{2}$/);

/** Whether the refunded sum covers the whole payment. */
export function coversAll(refunded: unknown, paid: unknown): boolean {
  const [sum, total] = [numeral(refunded), numeral(paid)];
  return sum !== null && total !== null && total > 0 && sum >= total;
}

/** The quantity, at least 1: a type with 0 seats would be unlimited. */
export const quantity = (value: unknown): number => Math.min(MAX_QUANTITY, Math.max(1, Math.floor(numeral(value) ?? 1)));

/** An address that is valid as the `customer_email` of a license. */
export function email(value: unknown): string | null {
  const { data } = emailAddress.safeParse(value);
  return data ?? null;
}

const instantOrNull = (ms: number): number | null => (ms > 0 && ms <= LAST_INSTANT ? Math.floor(ms) : null);

/** Epoch milliseconds of Unix seconds. */
export const fromSeconds = (value: unknown): number | null => instantOrNull((number(value) ?? Number.NaN) * 1000);

/** Epoch milliseconds of an RFC 3339 timestamp. */
export const fromTimestamp = (value: unknown): number | null =>
  typeof value === 'string' && RFC3339.test(value) ? instantOrNull(Date.parse(value.replace(' ', 'T'))) : null;

/** The latest of the known instants. */
export function latest(instants: readonly (number | null)[]): number | null {
  const known = instants.filter((instant) => instant !== null);
  return known.length > 0 ? Math.max(...known) : null;
}

/** A path with a query, without the parameters that are null. */
export function pathOf(path: string, query: Readonly<Record<string, string | number | null | readonly string[]>> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? (value as readonly string[]) : [value]) if (one !== null) search.append(name, String(one));
  }
  const encoded = search.toString();
  return encoded === '' ? path : `${path}?${encoded}`;
}

/** The path with one parameter of its query set. */
export function withQuery(path: string, name: string, value: string): string {
  const [location = '', query] = path.split('?');
  const search = new URLSearchParams(query);
  search.set(name, value);
  return `${location}?${search.toString()}`;
}

export const sha256 = (body: string): string => createHash('sha256').update(body).digest('hex');
