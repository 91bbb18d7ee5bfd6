const swc = [
  '@swc/jest',
  {
    jsc: { target: 'es2022', parser: { syntax: 'typescript', tsx: true }, transform: { react: { runtime: 'automatic' } } },
    module: { type: 'commonjs' },
  },
];

/**
 * A group of test folders, which `jest --selectProjects NAME` runs.
 *
 * @type {(displayName: string, folders: readonly string[], setup?: object) => import('jest').ProjectConfig}
 */
const group = (displayName, folders, setup = {}) => ({
  displayName,
  testMatch: folders.map((folder) => `<rootDir>/test/${folder}/**/*.test.ts`),
  testEnvironment: '<rootDir>/test/support/jest/environment.js',
  transform: {
    // These packages contain only ES modules.
    '/node_modules/(@middy|jose)/': swc,
    '/node_modules/.*\\.c?js$': '<rootDir>/test/support/jest/transform-packages.js',
    '\\.[cm]?[jt]sx?$': swc,
  },
  // The package is not built. tsconfig.json names the same source.
  moduleNameMapper: { '^@license-key-service/admin$': '<rootDir>/client/admin/src/index.ts' },
  // Jest's own packages are not transformed.
  transformIgnorePatterns: ['/node_modules/(@?jest|expect|pretty-format)', '/test/support/jest/'],
  ...setup,
});

const stack = { globalSetup: '<rootDir>/test/support/global-setup.ts', globalTeardown: '<rootDir>/test/support/global-teardown.ts' };

/**
 * Components of the admin page, in a DOM without a browser.
 *
 * @type {(displayName: string, folder: string) => import('jest').ProjectConfig}
 */
const page = (displayName, folder) => ({
  displayName,
  testMatch: [`<rootDir>/test/${folder}/*.test.tsx`],
  testEnvironment: '<rootDir>/test/support/jest/page-environment.js',
  // The values that the build of the page inserts.
  setupFiles: ['<rootDir>/test/support/site-values.ts'],
  // The package @noble/hashes contains only ES modules.
  transform: { '\\.tsx?$': swc, '/node_modules/@noble/': swc },
  transformIgnorePatterns: ['/node_modules/(?!@noble/)'],
  moduleNameMapper: { '\\.css$': '<rootDir>/test/support/jest/styles.js' },
  ...stack,
});

/** @type {import('jest').Config} */
module.exports = {
  projects: [
    // `npm test` runs the groups `unit`, `service` and `page`.
    group('unit', ['unit']),
    group('service', ['api', 'client', 'events', 'fuzz', 'model', 'store'], stack),
    page('page', 'admin'),
    // Whole pages of the admin page; templates, bundles, processes and browsers: `npm run test:all` runs these groups as well.
    page('pages', 'admin/pages'),
    group('whole', ['infra', 'e2e'], {
      ...stack,
      globalSetup: '<rootDir>/test/support/browser-setup.ts',
      setupFilesAfterEnv: ['<rootDir>/test/support/jest/second-try.js'],
    }),
  ],
  // Printing the service's log lines would take longer than serving the requests. `npx jest --silent=false FILE` prints them.
  silent: true,
  // Many tests wait more than they compute, so four workers are faster even on two cores, where jest would use one.
  maxWorkers: 4,
  // This limit stops a test that hangs. It is long enough for a slow test on a busy computer.
  testTimeout: 300_000,
};
