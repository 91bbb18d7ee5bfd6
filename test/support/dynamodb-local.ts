/**
 * `npm run test:dynamodb-local`: runs the tests of the table against AWS's own emulator, because the embedded emulator may accept what
 * DynamoDB refuses. It needs Java; without Java it prints a message and tests nothing.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { javaVersion, OLDEST_JAVA, program } from '../../infra/local/dynamodb-local';
import { startProgram } from '../../infra/local/emulator';

const SUITES = ['test/store', 'test/api', 'test/events'];
/** The tests that are left out, because DynamoDB Local charges differently from DynamoDB for indexes and missing items (test/README.md). */
const CAPACITY = 'test/store/budgets';

async function main(): Promise<number> {
  const java = javaVersion();
  if (java === undefined || java < OLDEST_JAVA) {
    console.log(
      `SKIPPED: DynamoDB Local needs Java ${OLDEST_JAVA} or later, and this machine has ${java === undefined ? 'none' : `Java ${java}`}. Nothing was tested.`,
    );
    return 0;
  }
  const database = await startProgram(program(undefined), (error) => console.error(error.message));
  try {
    // Ctrl-C also reaches the tests, which stop their stack first. The database stops last.
    process.on('SIGINT', () => undefined);
    const tests = spawn(
      process.execPath,
      [require.resolve('jest/bin/jest'), ...SUITES, '--testPathIgnorePatterns', CAPACITY, ...process.argv.slice(2)],
      {
        stdio: 'inherit',
        env: { ...process.env, DYNAMODB_ENDPOINT: database.endpoint },
      },
    );
    const [code] = (await once(tests, 'exit')) as [number | null];
    return code ?? 1;
  } finally {
    await database.stop();
  }
}

void main().then((code) => process.exit(code));
