/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  transform: {
    '^.+\\.[cm]?[jt]sx?$': [
      '@swc/jest',
      { jsc: { target: 'es2022', parser: { syntax: 'typescript', tsx: true } }, module: { type: 'commonjs' } },
    ],
  },
  // Packages that ship as ES modules only.
  transformIgnorePatterns: ['/node_modules/(?!(@middy|jose)/)'],
  // Two, also where jest would take one for two cores: many tests wait more than they compute.
  maxWorkers: 2,
  // For a test that hangs, not for one that is slow: machines are busy at times.
  testTimeout: 600_000,
};
