import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The files that Stryker changes, for each group with its own tests (`<group>.suite.ts`). */
const groups = {
  domain: ['lambdas/domain/*.ts', '!lambdas/domain/{delivery,tally,webhook-signature}.ts'],
  // This group also changes the domain's code for deliveries, because this group's tests record and deliver events.
  store: ['lambdas/store/**/*.ts', 'lambdas/domain/{delivery,tally,webhook-signature}.ts'],
};

const group = process.env.LKS_MUTATION_GROUP;
/** The folder for results, which Git ignores. A run continues from the results of the previous run. */
const results = 'coverage/mutation';

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  mutate: groups[group],
  plugins: [new URL('./runner.mjs', import.meta.url).href],
  testRunner: 'in-process',
  coverageAnalysis: 'perTest',
  // Code that runs while a module loads is not changed, because each change would need a separate process.
  ignoreStatic: true,
  concurrency: 2,
  // The timeout ends tests that wait forever, and must be long enough for a busy computer. The timeout is not needed for endless loops,
  // which Stryker detects by counting how often the changed code runs.
  timeoutMS: 120_000,
  dryRunTimeoutMinutes: 30,
  ignorePatterns: ['**', '!lambdas/**', '!test/**', '!docs/**', '!package.json', '!jest.config.js'],
  tempDirName: join(tmpdir(), `lks-mutation-${group}`),
  incremental: true,
  incrementalFile: `${results}/${group}.json`,
  reporters: ['clear-text', 'html', 'progress-append-only'],
  htmlReporter: { fileName: `${results}/${group}.html` },
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  checkers: [],
  tsconfigFile: 'none',
};
