/** One day, in ms. */
export const DAY_MS = 86_400_000;

/** One hour, in ms. */
export const HOUR_MS = 3_600_000;

/** One minute, in ms. */
export const MINUTE_MS = 60_000;

/**
 * Adds calendar months to a time, or subtracts them if `months` is negative. The day of the month and the time of day stay the same. If the
 * resulting month is too short, the result is its last day: one month after 31 January is the last day of February.
 */
export function monthsAfter(from: number, months: number): number {
  const end = new Date(from);
  const day = end.getUTCDate();
  end.setUTCDate(1);
  end.setUTCMonth(end.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1, 0)).getUTCDate();
  end.setUTCDate(Math.min(day, lastDay));
  return end.getTime();
}

/** A timestamp in the format of all responses: RFC 3339 in UTC with milliseconds. */
export const timestampOf = (ms: number): string => new Date(ms).toISOString();

/** A timestamp in the format of all responses; null if there is no time. */
export const timestampOrNull = (ms: number | null): string | null => (ms === null ? null : timestampOf(ms));

/** The UTC day of a time, such as `2026-11-20`. */
export const dateOf = (ms: number): string => timestampOf(ms).slice(0, 10);

/** The month of a time in UTC: `2026-11`. */
export const monthOf = (ms: number): string => dateOf(ms).slice(0, 7);

/** The `timestamp` of a webhook payload: date and time, separated by a space, with a UTC offset (docs/spec/events.md, Payload). */
export const payloadTimestampOf = (ms: number): string => timestampOf(ms).replace('T', ' ').replace('Z', '+00:00');
