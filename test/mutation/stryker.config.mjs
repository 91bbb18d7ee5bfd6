import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What is changed on purpose, in groups that have tests of their own (`<group>.suite.ts`). */
const groups = {
  domain: ['lambdas/domain/*.ts', '!lambdas/domain/{delivery,tally,webhook-signature}.ts'],
  // And the domain's part in deliveries, which is tested by the way of an event through the store.
  store: ['lambdas/store/**/*.ts', 'lambdas/domain/{delivery,tally,webhook-signature}.ts'],
};

const group = process.env.LKS_MUTATION_GROUP;
/** Git ignores it; a run continues from the results of the previous one. */
const results = 'coverage/mutation';

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  mutate: groups[group],
  plugins: [new URL('./runner.mjs', import.meta.url).href],
  testRunner: 'in-process',
  coverageAnalysis: 'perTest',
  // What runs while modules load would need a process of its own for every change.
  ignoreStatic: true,
  concurrency: 2,
  // Endless loops are caught by counting; the clock is for those that wait, not for a busy machine.
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
