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

/** Runs a part of a test like a deployed function, and returns the log lines and metrics that are written in the meantime. */
export async function writtenBy(run: () => Promise<unknown>): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const lines: string[] = [];
  process.env['AWS_LAMBDA_FUNCTION_NAME'] = 'any';
  const output = jest.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  try {
    await run();
  } finally {
    output.mockRestore();
    delete process.env['AWS_LAMBDA_FUNCTION_NAME'];
  }
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}
