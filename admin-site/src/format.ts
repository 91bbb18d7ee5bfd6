/** Times and numbers in words. */

const dates = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const moments = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const exactMoments = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'long' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const numbers = new Intl.NumberFormat('en');

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The unit in which a distance is said, and from which distance on. */
const steps: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, ms: number, from: number])[] = [
  ['year', 365 * DAY, 548 * DAY],
  ['month', 30.44 * DAY, 60 * DAY],
  ['day', DAY, 36 * HOUR],
  ['hour', HOUR, 90 * MINUTE],
  ['minute', MINUTE, 90 * SECOND],
];

/** `in 3 months`, `2 days ago`, `just now`. */
export function fromNow(iso: string, now = Date.now()): string {
  const distance = Date.parse(iso) - now;
  const step = steps.find(([, , from]) => Math.abs(distance) >= from);
  if (step) return relative.format(Math.round(distance / step[1]), step[0]);
  if (Math.abs(distance) < 10 * SECOND) return 'just now';
  return relative.format(Math.round(distance / SECOND), 'second');
}

export const date = (iso: string): string => dates.format(Date.parse(iso));
export const moment = (iso: string): string => moments.format(Date.parse(iso));
export const exactMoment = (iso: string): string => exactMoments.format(Date.parse(iso));
export const number = (value: number): string => numbers.format(value);

/** `1 seat`, `3 seats`. */
export const plural = (count: number, one: string, many = `${one}s`): string => `${number(count)} ${count === 1 ? one : many}`;

/** `1 year`, `6 months`, `45 days`. */
export function duration(days: number): string {
  if (days % 365 === 0) return plural(days / 365, 'year');
  return plural(days, 'day');
}

export interface Expiry {
  readonly words: string;
  readonly date?: string;
  readonly past: boolean;
}

/** When a license ends, said as an operator would. */
export function expiry(expiresAt: string | null, now = Date.now()): Expiry {
  if (expiresAt === null) return { words: 'Never expires', past: false };
  const past = Date.parse(expiresAt) <= now;
  return { words: past ? `Expired ${fromNow(expiresAt, now)}` : `Expires ${fromNow(expiresAt, now)}`, date: moment(expiresAt), past };
}

const INVISIBLE = /[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** JSON to look at. Marks that turn the direction of text, or can't be seen, are shown as escapes: still the same JSON. */
export const json = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(INVISIBLE, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The claims of a token. It comes from the service itself: its signature is not checked here. */
export function decodeToken(token: string): Readonly<Record<string, unknown>> {
  const [, claims = ''] = token.split('.');
  const bytes = Uint8Array.from(atob(claims.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
}
