/** The time at which the test clocks start. No test may depend on the time of day or of the year. */

const DAY = 86_400_000;

/** An ordinary time. It is in the future, because the embedded DynamoDB expires rows by the real time. */
const ORDINARY = '2031-06-18T10:15:30.321Z';

/** The start of a test clock, in epoch ms: the time in the variable `LKS_START`, where `now` is the real time, or else an ordinary time. */
export function clockStart(): number {
  const { LKS_START = ORDINARY } = process.env;
  const start = LKS_START === 'now' ? Date.now() : Date.parse(LKS_START);
  if (Number.isNaN(start)) throw new Error(`LKS_START is neither a timestamp nor "now": ${LKS_START}`);
  return start;
}

/** Milliseconds from `now` (epoch ms) to the next noon (UTC), for a test whose times must be on the same day. */
export const untilNoon = (now: number): number => DAY - ((now + DAY / 2) % DAY);
