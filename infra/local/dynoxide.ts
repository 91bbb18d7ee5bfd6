import { createRequire } from 'node:module';
import type { Program } from './emulator';
import { StartError } from './errors';

/** dynoxide (https://github.com/nubo-db/dynoxide): DynamoDB over SQLite. Acknowledged writes are on disk. */

/** Milliseconds in which the emulator must respond. */
const START_LIMIT = 10_000;

/** @param database the database's file; undefined keeps everything in memory */
export function program(database: string | undefined): Program {
  const command = findBinary();
  if (command === undefined) throw new StartError(`There is no dynoxide for this platform (${PACKAGE} is not installed).`);
  return {
    command,
    startLimit: START_LIMIT,
    name: 'The database emulator',
    args: (host, port) => ['--host', host, '--port', String(port), ...(database === undefined ? [] : ['--db-path', database])],
  };
}

const PACKAGE = `@dynoxide/${process.platform}-${process.arch}`;

/** The emulator's executable for this platform, if it is installed. */
export function findBinary(): string | undefined {
  const from = createRequire(__filename);
  for (const file of ['dynoxide', 'dynoxide.exe']) {
    try {
      return from.resolve(`${PACKAGE}/${file}`);
    } catch {
      // Another platform's package.
    }
  }
  return undefined;
}
