/**
 * In CI, a failed test of a browser or of processes gets a second try, so that one slow moment of the computer doesn't refuse a change.
 * The end of the output of `.ci/checks.mjs` names each such test: it has a fault that must be found.
 */
if (process.env.CI) jest.retryTimes(1, { logErrorsBeforeRetry: true });
