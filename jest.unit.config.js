/** Selects the tests that need no running stack and therefore start within a second. */
const { globalSetup, globalTeardown, ...config } = require('./jest.config');

/** @type {import('jest').Config} */
module.exports = { ...config, testMatch: ['<rootDir>/test/unit/**/*.test.ts'] };
