const RFC3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

/** The last second of the year 9999, in seconds since 1970. RFC 3339 can represent no later time. */
const LAST_SECOND = 253_402_300_799;
/** The first millisecond of the year 1, in milliseconds since 1970. */
const FIRST_MS = -62_135_596_800_000;

/**
 * Epoch milliseconds of an RFC 3339 timestamp with `T` and `Z` in upper case and without leap seconds, from the
 * year 1 to the year 9999 in UTC. This function is stricter than
 * `Date.parse`, which also accepts other formats and impossible dates, and gives different results in different engines.
 *
 * @returns undefined for any other value
 */
export function parseTimestamp(text: unknown): number | undefined {
  const [, second = '', fraction = '', sign = '+', hours = 0, minutes = 0] = (typeof text === 'string' && RFC3339.exec(text)) || [];
  const local = Date.parse(`${second}.${fraction.slice(1, 4).padEnd(3, '0')}Z`);
  // `Date` would turn February 30 or hour 24 into another day.
  if (!second || Number.isNaN(local) || !new Date(local).toISOString().startsWith(second)) return undefined;
  const time = local - Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  return time >= FIRST_MS && time < (LAST_SECOND + 1) * 1000 ? time : undefined;
}

/** Whether a claim is a time: seconds since 1970 (RFC 7519, "NumericDate"), maybe with a fraction, until the end of the year 9999. */
export const isNumericDate = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value <= LAST_SECOND;

/** The date of a text that is known to be a valid timestamp. */
export const dateOf = (timestamp: string): Date => new Date(parseTimestamp(timestamp) ?? 0);
