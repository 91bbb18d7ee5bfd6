/**
 * What takes minutes: random runs with new seeds, long series. `npm run test:long`, or a part of it by name.
 *
 * @type {import('jest').Config}
 */
module.exports = { ...require('./jest.config'), testMatch: ['<rootDir>/test/**/*.long.ts'], testTimeout: 3_600_000 };
