const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?(?:Z|([+-])(\d\d):(\d\d))$/;

/**
 * Epoch milliseconds of an RFC 3339 timestamp, with `T` and `Z` in upper case and without leap seconds. Stricter than
 * `Date.parse`, which takes other formats and dates that don't exist, and differs between engines.
 *
 * @returns undefined if the text is anything else
 */
export function parseTimestamp(text: unknown): number | undefined {
  const match = typeof text === 'string' ? RFC3339.exec(text) : null;
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const [, , , , , , , fraction = '', sign = '+', offsetHours = '0', offsetMinutes = '0'] = match;
  const local = new Date(0);
  local.setUTCFullYear(year, month - 1, day);
  // The 30th of February would otherwise become a day in March.
  if (local.getUTCMonth() !== month - 1 || local.getUTCDate() !== day) return undefined;
  if (hour > 23 || minute > 59 || second > 59 || Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return undefined;
  local.setUTCHours(hour, minute, second, Number(fraction.slice(1, 4).padEnd(3, '0')));
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000;
  return local.getTime() - (sign === '-' ? -offset : offset);
}
