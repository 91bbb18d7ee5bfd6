/** The time at which the test clocks start. No test may depend on the time of day or of the year. */

const DAY = 86_400_000;
/**
 * A time in ms that is longer than any test run. When a test clock starts, it is ahead of the real time by at least this time. Therefore
 * the real time does not reach the start of a test clock during the run.
 */
const LONGEST_RUN = 3_600_000;

/** Ends of timestamps: in the late evening, shortly before the end of a year, and at the end of February. */
const ends = ['T21:30:00.321Z', '-12-31T23:59:50.321Z', '-02-28T12:00:00.321Z'];

/** The first time whose timestamp ends with `end` and which is at least an hour after `now`. Both times are in epoch ms. */
function next(end: string, now: number): number {
  const [date = '', time = ''] = end.split('T');
  for (let at = now; ; at += DAY) {
    const day = new Date(at).toISOString().slice(0, 10);
    const found = Date.parse(`${day}T${time}`);
    if (day.endsWith(date) && found >= now + LONGEST_RUN) return found;
  }
}

/**
 * The start time of the test clocks for a run that begins at `now` (epoch ms). The result changes from day to day: on the first of four
 * days it is undefined, which means the real time. On each of the other three days it is the next time that ends with a different one of
 * the `ends`. The start time is never in the past, because the embedded DynamoDB expires rows by the real time.
 */
export function startOfRun(now: number): string | undefined {
  const end = [undefined, ...ends][Math.floor(now / DAY) % (ends.length + 1)];
  return end && new Date(next(end, now)).toISOString();
}

/** The start of a test clock, in epoch ms: `LKS_START`, which `global-setup.ts` sets for the whole run, or otherwise the real time. */
export function clockStart(): number {
  const { LKS_START } = process.env;
  const start = LKS_START === undefined ? Date.now() : Date.parse(LKS_START);
  if (Number.isNaN(start)) throw new Error(`LKS_START is not a timestamp: ${LKS_START}`);
  return start;
}

/** Milliseconds from `now` (epoch ms) to the next noon (UTC), for a test whose times must be on the same day. */
export const untilNoon = (now: number): number => DAY - ((now + DAY / 2) % DAY);
