import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { bundle } from '../../infra/bundle';

const entry = 'test/fixtures/fault.ts';
const folder = bundle([entry], { sourceMaps: true }).get(entry) ?? '';

/** The stack trace that a deployed function logs. */
async function loggedStack(): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', 'require(process.argv[1]).handler()', join(folder, 'index.js')], {
    env: { ...process.env, AWS_LAMBDA_FUNCTION_NAME: 'fault', LOG_LEVEL: 'INFO' },
  });
  return (JSON.parse(stdout) as { error: { stack: string } }).error.stack;
}

// Without source maps, a stack trace in CloudWatch names only columns of a single minified line.
test('the log of a fault names the file and line of the TypeScript source', async () => {
  const lines = readFileSync(resolve(__dirname, '../..', entry), 'utf8').split('\n');
  const line = lines.findIndex((text) => text.includes('new Error')) + 1;
  const stack = await loggedStack();
  expect(stack).toMatch(new RegExp(`^Error: out of paper\n +at .*test/fixtures/fault\\.ts:${line}:`));
  expect(stack).not.toContain(folder);
});

// A missing source map must not prevent the log line.
test('a fault is logged even if the source map is missing or broken', async () => {
  rmSync(join(folder, 'index.js.map'));
  expect(await loggedStack()).toContain(join(folder, 'index.js'));
});
