const RFC3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

/**
 * Epoch milliseconds of an RFC 3339 timestamp, with `T` and `Z` in upper case and without leap seconds. Stricter than
 * `Date.parse`, which takes other formats and dates that don't exist, and differs between engines.
 *
 * @returns undefined if the text is anything else
 */
export function parseTimestamp(text: unknown): number | undefined {
  const [, second = '', fraction = '', sign = '+', hours = 0, minutes = 0] = (typeof text === 'string' && RFC3339.exec(text)) || [];
  const local = Date.parse(`${second}.${fraction.slice(1, 4).padEnd(3, '0')}Z`);
  // The 30th of February, or the hour 24, would otherwise become another day.
  if (!second || Number.isNaN(local) || !new Date(local).toISOString().startsWith(second)) return undefined;
  return local - Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** The moment of a text that is a timestamp. */
export const dateOf = (timestamp: string): Date => new Date(parseTimestamp(timestamp) ?? 0);
