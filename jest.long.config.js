const { projects, ...config } = require('./jest.config');
const whole = projects.find(({ displayName }) => displayName === 'whole');
process.env.LKS_LONG = '1';

/**
 * The tests that take minutes: the random tests of `npm test` with new seeds and higher counts (test/model/runs.ts), and long series. `npm run test:long` runs them; a name as argument selects some.
 *
 * @type {import('jest').Config}
 */
module.exports = {
  ...config,
  projects: [{ ...whole, displayName: 'long', testMatch: ['**/*.long.ts', '**/model/*.test.ts', '**/any-order.property.test.ts'] }],
  testTimeout: 3_600_000,
};
