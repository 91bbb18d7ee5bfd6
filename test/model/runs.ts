import fc from 'fast-check';
import { clockStart } from '../support/start';

/**
 * Random runs that can be repeated.
 *
 * `npm test` takes a few with a fixed seed: only the start of their clocks varies (see `support/start.ts`).
 * `npm run test:long` takes many with a new seed each time, which it prints. A failing run is shrunk, printed step by step, and says how to
 * repeat it.
 *
 * | variable | |
 * |---|---|
 * | `LKS_SEQUENCES` | how many runs of each suite, if not as many as it says itself |
 * | `LKS_SEED` | the seed to start from |
 * | `LKS_START` | the time at which their clocks start |
 * | `LKS_PATH` | with the seed: exactly one run of it, as a failure names it |
 */

export interface Runs {
  readonly count: number;
  readonly seed: number;
  readonly path?: string;
}

export const shortRun = (count: number): Runs => ({ count, seed: 20_261_120 });

export function longRun(count: number): Runs {
  const { LKS_SEQUENCES = count, LKS_SEED, LKS_PATH } = process.env;
  const seed = Number(LKS_SEED ?? Math.floor(Math.random() * 2 ** 31));
  return { count: Number(LKS_SEQUENCES), seed, ...(LKS_PATH !== undefined && { path: LKS_PATH }) };
}

/** Past this, a failure is reported as far as it is shrunk, in ms. */
const PATIENCE = 100_000;

/** Holds a property in n runs. `show` describes a run in lines. */
export async function hold<Run>(
  suite: string,
  { count, seed, path }: Runs,
  arbitrary: fc.Arbitrary<Run>,
  show: (run: Run) => readonly string[],
  predicate: (run: Run) => Promise<void>,
): Promise<void> {
  let failedAt: number | undefined;
  const property = fc.asyncProperty(arbitrary, async (run) => {
    // Long enough shrunk: what is left counts as good, so that the search ends with what it has.
    if (failedAt !== undefined && performance.now() - failedAt > PATIENCE) return;
    try {
      await predicate(run);
    } catch (error) {
      failedAt ??= performance.now();
      throw error;
    }
  });
  const outcome = await fc.check(property, { numRuns: count, seed, ...(path !== undefined && { path, endOnFailure: true }) });
  if (!outcome.failed) return;
  const { counterexample, counterexamplePath, errorInstance, numRuns } = outcome;
  const lines = [
    `Run ${numRuns} of ${count} failed. To repeat it:`,
    `  LKS_START=${new Date(clockStart()).toISOString()} LKS_SEED=${seed} LKS_PATH=${counterexamplePath ?? ''} npm run test:long -- ${suite}`,
    'It is, shrunk:',
    ...(counterexample ? show(counterexample[0]).map((line) => `  ${line}`) : []),
    '',
    errorInstance instanceof Error ? errorInstance.message : String(errorInstance),
  ];
  throw new Error(lines.join('\n'), { cause: errorInstance });
}

/** Prints what was done, past jest's report. */
export const print = (line: string): void => void process.stdout.write(`${line}\n`);
