const RFC3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

/**
 * Epoch milliseconds of an RFC 3339 timestamp with `T` and `Z` in upper case and without leap seconds. This function is stricter than
 * `Date.parse`, which also accepts other formats and impossible dates, and gives different results in different engines.
 *
 * @returns undefined for any other value
 */
export function parseTimestamp(text: unknown): number | undefined {
  const [, second = '', fraction = '', sign = '+', hours = 0, minutes = 0] = (typeof text === 'string' && RFC3339.exec(text)) || [];
  const local = Date.parse(`${second}.${fraction.slice(1, 4).padEnd(3, '0')}Z`);
  // `Date` would turn February 30 or hour 24 into another day.
  if (!second || Number.isNaN(local) || !new Date(local).toISOString().startsWith(second)) return undefined;
  return local - Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** The date of a text that is known to be a valid timestamp. */
export const dateOf = (timestamp: string): Date => new Date(parseTimestamp(timestamp) ?? 0);
