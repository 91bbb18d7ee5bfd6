import type { License, LicenseType } from './api';
import { language, number, plural, t } from './texts';

/** Times and numbers in words. */

/** Dates and times are formatted in the browser's language; words are in the page's language. */
const dates = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const utcDates = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const utcMonths = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' });
const moments = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const exactMoments = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The units of relative times. `from` is the minimum distance for which a unit is used: hours are used from 90 minutes. */
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
  if (Math.abs(distance) < 10 * SECOND) return t('just now');
  return relative.format(Math.round(distance / SECOND), 'second');
}

/** A UTC day such as `2026-11-20` in the browser's date format. */
export const dayName = (day: string): string => utcDates.format(Date.parse(day));

/** The name of a month such as `2026-11` in the browser's language. */
export const monthName = (month: string): string => utcMonths.format(Date.parse(`${month}-01`));

/** A UTC day in relation to today: `today`, `yesterday`, `3 days ago`, `4 months ago`. */
export function daysAgo(day: string, now = Date.now()): string {
  const days = Math.round((Date.parse(day) - Math.floor(now / DAY) * DAY) / DAY);
  return Math.abs(days) < 60 ? relative.format(days, 'day') : fromNow(`${day}T12:00:00Z`, now);
}

export const date = (iso: string): string => dates.format(Date.parse(iso));
export const moment = (iso: string): string => moments.format(Date.parse(iso));
export const exactMoment = (iso: string): string => exactMoments.format(Date.parse(iso));
/** A time in the format of a `datetime-local` field: the operator's local time with seconds. */
export function localTime(iso: string): string {
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * MINUTE).toISOString().slice(0, 19);
}

/** Returns the text if it is a day: `2026-11-20` (in the operator's time zone) or `2026-11-20Z` (UTC). Otherwise undefined. */
export const dayOf = (text: string | null): string | undefined =>
  text !== null && /^\d{4}-\d\d-\d\dZ?$/.test(text) && !Number.isNaN(Date.parse(text.slice(0, 10))) ? text : undefined;

export const isUtcDay = (day: string | undefined): boolean => day?.endsWith('Z') ?? false;

/** When a day starts, in epoch ms. @param later the number of days to add to the day */
export function dayStart(day: string, later = 0): number {
  const [year = 0, month = 1, date = 1] = day.slice(0, 10).split('-').map(Number);
  return isUtcDay(day) ? Date.UTC(year, month - 1, date + later) : new Date(year, month - 1, date + later).getTime();
}

/** The time of day with its seconds. */
export const timeOfDay = (iso: string): string => clock.format(Date.parse(iso));
/** `512 bytes`, `1.5 KB`, `104 MB`; 1 KB is 1,024 bytes. */
export function bytes(count: number): string {
  if (count < 1024) return plural(count, '{count} byte', '{count} bytes');
  const power = Math.min(3, Math.floor(Math.log2(count) / 10));
  const value = count / 1024 ** power;
  return `${number(value < 10 ? Math.round(value * 10) / 10 : Math.round(value))} ${['', 'KB', 'MB', 'GB'][power] ?? ''}`;
}

/** A number of days in words: `45 days`. 365 days are not called a year, because a calendar year may have 366 days. */
export const duration = (days: number): string => plural(days, '{count} day', '{count} days');

/** The releases that a license or a type covers, in words. @param ends when updates end, in words; undefined if updates never end */
function covered(ends: string | undefined, major: number | null): string {
  const shown = major === null ? undefined : number(major);
  if (shown === undefined) return ends ?? t('All releases');
  return ends === undefined
    ? t('All versions up to {major}.x', { major: shown })
    : t('{coverage}, and all versions up to {major}.x', { coverage: ends, major: shown });
}

/** The releases that licenses of a type cover: `365 days of updates`, `All versions up to 3.x`. */
export const typeCoverage = ({ updates_days: days, max_major: major }: Pick<LicenseType, 'updates_days' | 'max_major'>): string =>
  covered(days === null ? undefined : t('{duration} of updates', { duration: duration(days) }), major);

/** True if the term and the updates of a license start with the first activation, and the license has not been activated yet. */
export const updatesWait = ({ updates, term, license_type: type }: License): boolean =>
  term !== null && updates.until === null && type.updates_days !== null;

/** The releases that a license covers: `Releases until Nov 20, 2027`. A license whose updates have ended is still valid. */
export function coverage(license: License): string {
  const { updates, license_type: type } = license;
  if (updatesWait(license))
    return covered(t('{duration} of updates from the first activation', { duration: duration(type.updates_days ?? 0) }), updates.max_major);
  return covered(updates.until === null ? undefined : t('Releases until {date}', { date: date(updates.until) }), updates.max_major);
}

/** What a license covers, for a column: `until Nov 20, 2027, up to 3.x`. Empty if it covers all releases. */
export const shortCoverage = (license: License): string =>
  [
    ...(updatesWait(license) ? [t('{duration} from activation', { duration: duration(license.license_type.updates_days ?? 0) })] : []),
    ...(license.updates.until === null ? [] : [t('until {date}', { date: date(license.updates.until) })]),
    ...(license.updates.max_major === null ? [] : [t('up to {major}.x', { major: number(license.updates.max_major) })]),
  ].join(', ');

/** True if a license does not cover all releases. */
export const isLimited = (license: License): boolean =>
  license.updates.until !== null || license.updates.max_major !== null || updatesWait(license);

/** The status to show. A license past its expiry is expired, even if the service has not stored that status yet. */
export const shownStatus = ({ status, expires_at: at }: Pick<License, 'status' | 'expires_at'>, now = Date.now()): License['status'] =>
  status === 'active' && at !== null && Date.parse(at) <= now ? 'expired' : status;

/** An expiry within this number of days is highlighted. */
const SOON = 30;

export interface Expiry {
  /** `Expires in 3 months`. */
  readonly words: string;
  /** A short form for a column: `in 3 months`, `7 days ago`, `Never`. */
  readonly short: string;
  readonly date?: string;
  /** `past`; `soon`; `calm` for a later expiry or none; `void` for a revoked license, because its expiry no longer matters. */
  readonly tone: 'past' | 'soon' | 'calm' | 'void';
}

/** When a license expires, in words. */
export function expiry({ expires_at: at, status, term }: Pick<License, 'status' | 'expires_at' | 'term'>, now = Date.now()): Expiry {
  if (term)
    return {
      words: t('Starts with the first activation, for {duration}', { duration: duration(term.days) }),
      short: t('{duration} from activation', { duration: duration(term.days) }),
      tone: status === 'revoked' ? 'void' : 'calm',
    };
  if (at === null) return { words: t('Never expires'), short: t('Never'), tone: status === 'revoked' ? 'void' : 'calm' };
  const past = Date.parse(at) <= now;
  const time = fromNow(at, now);
  if (status === 'revoked')
    return {
      words: past ? t('Would have expired {time}', { time }) : t('Would expire {time}', { time }),
      short: date(at),
      date: moment(at),
      tone: 'void',
    };
  if (past) return { words: t('Expired {time}', { time }), short: t('Expired {time}', { time }), date: moment(at), tone: 'past' };
  return {
    words: t('Expires {time}', { time }),
    short: time,
    date: moment(at),
    tone: Date.parse(at) - now < SOON * DAY ? 'soon' : 'calm',
  };
}

/** The name of the actor who made a change: the name of a token, or the word for the deployment's own token or for a buyer. */
export const actorName = (name: string): string => (name === 'deployment' ? t('deployment') : name === 'buyer' ? t('buyer') : name);

const INVISIBLE = /[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** JSON for display. Invisible characters, and those that change the text direction, are escaped; the value stays the same. */
export const json = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(INVISIBLE, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The claims of a token. The signature is not checked, because the token comes directly from the service. */
export function decodeToken(token: string): Readonly<Record<string, unknown>> {
  const [, claims = ''] = token.split('.');
  const bytes = Uint8Array.from(atob(claims.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
}
