const swc = ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript', tsx: true } }, module: { type: 'commonjs' } }];

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: '<rootDir>/test/support/jest/environment.js',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testSequencer: '<rootDir>/test/support/jest/sequencer.js',
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  transform: {
    // Packages that ship as ES modules only.
    '/node_modules/(@middy|jose)/': swc,
    '/node_modules/.*\\.c?js$': '<rootDir>/test/support/jest/transform-packages.js',
    '\\.[cm]?[jt]sx?$': swc,
  },
  // Jest itself.
  transformIgnorePatterns: ['/node_modules/(@?jest|expect|pretty-format)', '/test/support/jest/'],
  // What the service logs in the tests' own process costs more to print than to serve. `npx jest --silent=false FILE` shows it.
  silent: true,
  // Three, also where jest would take one for two cores: many tests wait more than they compute.
  maxWorkers: 3,
  // For a test that hangs, not for one that is slow: machines are busy at times.
  testTimeout: 600_000,
};
