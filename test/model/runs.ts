import fc from 'fast-check';
import { clockStart } from '../support/start';

/**
 * Random runs that can be repeated.
 *
 * `npm test` executes a few runs with a fixed seed. `npm run test:long` executes many runs with a new seed each time, which it prints. A
 * failing run is shrunk and printed step by step, with the variables that repeat it.
 *
 * | variable | | |---|---|
 * | `LKS_SEQUENCES` | the number of runs in each suite, instead of its default |
 * | `LKS_SEED` | the seed to start from |
 * | `LKS_START` | the time at which the clocks of the runs start |
 * | `LKS_PATH` | together with the seed, selects exactly one run; a failure message contains both values |
 */

export interface Runs {
  readonly count: number;
  readonly seed: number;
  readonly path?: string;
}

/** `jest.long.config.js` sets this variable, with which `npm run test:long` repeats the random tests of `npm test`. */
const isLong = process.env['LKS_LONG'] !== undefined;

/** The runs of a random test, in `npm test` and in `npm run test:long`. */
export const runsOf = (short: number, long: number): Runs => (isLong ? longRun(long) : { count: short, seed: 20_261_120 });

/** How many requests are sent at once, in `npm test` and in `npm run test:long`. */
export const crowdOf = (short: number, long: number): number => (isLong ? long : short);

export function longRun(count: number): Runs {
  const { LKS_SEQUENCES = count, LKS_SEED, LKS_PATH } = process.env;
  const seed = Number(LKS_SEED ?? Math.floor(Math.random() * 2 ** 31));
  return { count: Number(LKS_SEQUENCES), seed, ...(LKS_PATH !== undefined && { path: LKS_PATH }) };
}

/** Time limit for shrinking a failed run, in ms. After that time, the smallest failing run found so far is reported. */
const PATIENCE = 100_000;

/** Checks a property in random runs. `show` describes a run as lines of text. */
export async function hold<Run>(
  suite: string,
  { count, seed, path }: Runs,
  arbitrary: fc.Arbitrary<Run>,
  show: (run: Run) => readonly string[],
  predicate: (run: Run) => Promise<void>,
): Promise<void> {
  let failedAt: number | undefined;
  const began = performance.now();
  if (isLong) print(`${suite}: ${count} runs with LKS_SEED=${seed}`);
  const property = fc.asyncProperty(arbitrary, async (run) => {
    // The time for shrinking is over: every further run counts as passed, so that the search ends with its current result.
    if (failedAt !== undefined && performance.now() - failedAt > PATIENCE) return;
    try {
      await predicate(run);
    } catch (error) {
      failedAt ??= performance.now();
      throw error;
    }
  });
  const outcome = await fc.check(property, { numRuns: count, seed, ...(path !== undefined && { path, endOnFailure: true }) });
  if (isLong) print(`${suite}: ${Math.round((performance.now() - began) / 1000)} s`);
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

/** Prints a line directly, because jest's report would delay it. */
export const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** In a long run, prints what was done, and how often each outcome occurred. */
export function report(played: object): void {
  if (!isLong) return;
  const { outcomes = new Map<string, number>(), ...counts }: { readonly outcomes?: ReadonlyMap<string, number> } = played;
  print(JSON.stringify(counts));
  for (const [outcome, count] of [...outcomes].sort()) print(`  ${outcome}: ${count}`);
}
