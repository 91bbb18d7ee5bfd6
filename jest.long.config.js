const { projects, ...config } = require('./jest.config');
const whole = projects.find(({ displayName }) => displayName === 'whole');

/**
 * The tests that take minutes: random runs with new seeds, and long series. `npm run test:long` runs them; a name as argument selects some.
 *
 * @type {import('jest').Config}
 */
module.exports = {
  ...config,
  projects: [{ ...whole, displayName: 'long', testMatch: ['<rootDir>/test/**/*.long.ts'] }],
  testTimeout: 3_600_000,
};
