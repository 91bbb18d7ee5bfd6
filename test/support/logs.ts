/** Keeps the handlers' log lines of a test file out of the test report, and returns the lines to the test. */
export function captureLogs(): () => string[] {
  let lines: string[] = [];
  beforeEach(() => {
    lines = [];
    const keep = (...words: unknown[]): void => void lines.push(words.join(' '));
    for (const level of ['info', 'warn', 'error'] as const) jest.spyOn(console, level).mockImplementation(keep);
  });
  afterEach(() => jest.restoreAllMocks());
  return () => lines;
}
