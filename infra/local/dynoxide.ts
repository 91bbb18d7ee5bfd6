import { createRequire } from 'node:module';
import type { Program } from './emulator';
import { StartError } from './errors';

/**
 * Starts dynoxide (https://github.com/nubo-db/dynoxide), an emulator of DynamoDB that stores its data in SQLite. Acknowledged writes are on
 * disk.
 */

/**
 * Describes how to start dynoxide.
 *
 * @param database the path of the database file; undefined keeps the data in memory
 */
export function program(database: string | undefined): Program {
  const command = findBinary();
  if (command === undefined) throw new StartError(`There is no dynoxide for this platform (${PACKAGE} is not installed).`);
  return {
    command,
    // With the default of one thread for each processor, the threads compete for the database's only lock. Simultaneous transactions then
    // take three times as much processor time.
    env: { TOKIO_WORKER_THREADS: '1' },
    name: database === undefined ? 'The database emulator' : `The database emulator with the file "${database}"`,
    args: (host, port) => ['--host', host, '--port', String(port), ...(database === undefined ? [] : ['--db-path', database])],
  };
}

/** The npm package for this platform. */
export const PACKAGE = `@dynoxide/${process.platform}-${process.arch}`;

/** The emulator's executable for this platform, if it is installed. */
export function findBinary(): string | undefined {
  const from = createRequire(__filename);
  for (const file of ['dynoxide', 'dynoxide.exe']) {
    try {
      return from.resolve(`${PACKAGE}/${file}`);
    } catch {
      // The npm package for this platform is not installed, or does not contain this file.
    }
  }
  return undefined;
}
