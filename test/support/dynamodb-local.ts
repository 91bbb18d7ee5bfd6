/**
 * `npm run test:dynamodb-local`: what rests on the table, tested against AWS's own emulator, so that one
 * emulator's leniency is not taken for DynamoDB's. Needs Java; without it nothing is tested, and that is said.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../infra/local/door';
import { javaVersion, OLDEST_JAVA, program } from '../../infra/local/dynamodb-local';
import { start } from '../../infra/local/watched-process';

const SUITES = ['test/store', 'test/api', 'test/events'];
/** It charges for indexes and missing items differently from DynamoDB (test/README.md). */
const CAPACITY = 'test/store/budgets';

async function main(): Promise<number> {
  const java = javaVersion();
  if (java === undefined || java < OLDEST_JAVA) {
    console.log(
      `SKIPPED: DynamoDB Local needs Java ${OLDEST_JAVA} or later, and this machine has ${java === undefined ? 'none' : `Java ${java}`}. Nothing was tested.`,
    );
    return 0;
  }
  const { args, ...options } = program(undefined);
  const [host, port] = ['127.0.0.1', await freePort()];
  const endpoint = `http://${host}:${port}`;
  const database = await start({ ...options, args: args(host, port), endpoint, onFailure: (error) => console.error(error.message) });
  try {
    // Ctrl-C reaches the tests as well: they stop their stack, and the database goes last.
    process.on('SIGINT', () => undefined);
    const tests = spawn(
      process.execPath,
      [require.resolve('jest/bin/jest'), ...SUITES, '--testPathIgnorePatterns', CAPACITY, ...process.argv.slice(2)],
      {
        stdio: 'inherit',
        env: { ...process.env, DYNAMODB_ENDPOINT: endpoint },
      },
    );
    const [code] = (await once(tests, 'exit')) as [number | null];
    return code ?? 1;
  } finally {
    await database.stop();
  }
}

void main().then((code) => process.exit(code));
