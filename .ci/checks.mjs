/**
 * `npm run test:all`: all tests, the linter with the type check, and a deployment to an emulator of AWS. `.ci/run` runs the same checks on
 * a clean checkout. The end of the output shows the result and the duration of every check, after the end of the output of failed checks
 * and the names of tests that passed only on their second try.
 * The last line has the number of tests that passed, and of tests and checks that failed. Exits with 0 if all checks passed.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** How much of a failed check's output is shown at the end. */
const TAIL_LINES = 40;

/** Test clocks usually start at an ordinary time (`test/support/start.ts`). At each of these times, a wrong calculation is more likely. */
const specialTimes = ['now', '2031-06-18T21:30:00.321Z', '2031-12-31T23:59:50.321Z', '2031-02-28T12:00:00.321Z'];
const clockTests = [
  // The other files of events don't depend on the date.
  'test/events/(overview|portal-sign-in|reconcile|reminders|sales|sweeper|trial-removal)',
  'test/api/(downloads|releases|seats)',
  'test/store/(idempotency|leases|lists|time)',
  'test/client/(background|clock)',
];

const folder = mkdtempSync(join(tmpdir(), 'lks-checks-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** Runs jest, whose results count in the last line. */
const jest = (script) => {
  const results = join(folder, `${script.replace(':', '-')}.json`);
  return { name: `npm run ${script}`, command: ['npm', 'run', script, '--', '--json', `--outputFile=${results}`], results };
};
const npm = (script, env) => ({ name: `npm run ${script}`, command: ['npm', 'run', '--silent', script], env });

/** The checks of a step run at the same time, because at least one of them mostly waits, for example for the network. */
const steps = [
  [jest('test'), { name: '.ci/clients', command: ['.ci/clients'] }],
  [npm('test:production-node'), npm('lint'), npm('test:deploy'), npm('test:openapi')],
  [jest('test:whole')],
  ...specialTimes.map((time) => [
    { name: `clocks at ${time}`, command: ['npx', 'jest', '--silent', ...clockTests], env: { LKS_START: time } },
  ]),
];
if (process.argv.includes('--install')) steps.unshift([{ name: 'npm ci', command: ['npm', 'ci'] }]);

/** Shows a check's output and keeps the end of it. */
function run({ name, command: [program, ...parameters], results, env }) {
  return new Promise((resolve) => {
    console.log(`\n== ${name}`);
    const start = performance.now();
    let output = '';
    const child = spawn(program, parameters, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const [from, to] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ]) {
      from.on('data', (chunk) => {
        to.write(chunk);
        output = (output + chunk).slice(-100_000);
      });
    }
    child.on('error', (error) => (output += error.message));
    const end = (code) => {
      const counts = results === undefined ? { passed: 0, failed: 0, unstable: [] } : readResults(results);
      // A check that failed although no test failed counts as one failure.
      const failed = counts.failed || (code === 0 && (results === undefined || counts.passed > 0) ? 0 : 1);
      resolve({ name, ...counts, failed, seconds: Math.round((performance.now() - start) / 1000), output });
    };
    child.on('close', end);
    // A process that the check left behind may keep the output open.
    child.on('exit', (code) => setTimeout(end, 5000, code).unref());
  });
}

function readResults(file) {
  try {
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, testResults } = JSON.parse(readFileSync(file, 'utf8'));
    const unstable = testResults.flatMap(({ name, assertionResults }) =>
      assertionResults.filter((test) => test.status === 'passed' && test.invocations > 1).map((test) => `${name}: ${test.fullName}`),
    );
    return { passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites, unstable };
  } catch (error) {
    console.error(`There are no test results: ${error.message}`);
    return { passed: 0, failed: 0, unstable: [] };
  }
}

/** The tests of the clients need a Python with certain packages. */
function findPython() {
  try {
    return execFileSync('.ci/python', { encoding: 'utf8' }).trim() || 'python3';
  } catch {
    return 'python3';
  }
}

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
process.env.PYTHON = findPython();

const done = [];
for (const step of steps) {
  done.push(...(await Promise.all(step.map(run))));
  // Without the packages, all other checks would fail for the same reason.
  if (step[0].name === 'npm ci' && done[0].failed > 0) break;
}

for (const { name, failed, output } of done) {
  if (failed > 0) console.log(`\n== The end of the output of ${name}\n${output.trimEnd().split('\n').slice(-TAIL_LINES).join('\n')}`);
}
console.log('');
for (const test of done.flatMap(({ unstable }) => unstable)) console.log(`passed only on its second try  ${test}`);
for (const { name, failed, seconds } of done) console.log(`${failed > 0 ? 'FAILED' : 'passed'}  ${name} (${seconds} s)`);
const sum = (key) => done.reduce((total, check) => total + check[key], 0);
console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
process.exit(sum('failed') > 0 ? 1 : 0);
