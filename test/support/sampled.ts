/** On how many days the rows of a matrix are divided. */
const DAYS = 4;

/**
 * The rows of a matrix that this run tests: in CI (variable `CI`) all rows, and otherwise a quarter of them, at least one. The quarter
 * depends on the seed `LKS_SAMPLE`, which by default is the number of the day, so that four days in a row test all rows.
 */
export function sampled<Row>(rows: readonly Row[], { CI, LKS_SAMPLE } = process.env): readonly Row[] {
  if (CI) return rows;
  const seed = Number(LKS_SAMPLE ?? Math.floor(Date.now() / 86_400_000));
  if (!Number.isInteger(seed)) throw new Error(`LKS_SAMPLE is not a whole number: ${LKS_SAMPLE}`);
  const parts = Math.min(DAYS, rows.length);
  return rows.filter((_, place) => (place + seed) % parts === 0);
}

/** How much of something a test uses: `inCi` with the variable `CI`, and otherwise `locally`, which finds nearly all mistakes. */
export const volume = (locally: number, inCi: number): number => (process.env['CI'] ? inCi : locally);
