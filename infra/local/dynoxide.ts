import { createRequire } from 'node:module';
import { freePort, loopbackAddress } from './door';
import { StartError } from './errors';
import { start as startWatched, type WatchedProcess } from './watched-process';

/** Milliseconds in which the emulator must respond. */
const START_LIMIT = 10_000;

/** A running dynoxide (https://github.com/nubo-db/dynoxide): DynamoDB over SQLite. */
export interface Dynoxide extends WatchedProcess {
  readonly endpoint: string;
}

/**
 * Starts dynoxide on a loopback address that only this run knows, and waits until it responds. What it has
 * acknowledged is on disk.
 *
 * @param database file of the database, or undefined to keep everything in memory
 * @param onFailure called if it ends unexpectedly later on
 */
export async function start(database: string | undefined, onFailure: (error: Error) => void = () => undefined): Promise<Dynoxide> {
  const command = findBinary();
  if (command === undefined) throw new StartError(`There is no dynoxide for this platform (${PACKAGE} is not installed).`);
  for (let attempt = 1; ; attempt += 1) {
    const host = loopbackAddress();
    const port = await freePort(host);
    const endpoint = `http://${host}:${port}`;
    const args = ['--host', host, '--port', String(port), ...(database === undefined ? [] : ['--db-path', database])];
    try {
      const running = await startWatched({ command, args, endpoint, startLimit: START_LIMIT, name: 'The database emulator', onFailure });
      return { endpoint, ...running };
    } catch (error) {
      // Another process may take the port between our look and the child's start.
      if (attempt < 3 && error instanceof StartError && error.message.includes('already in use')) continue;
      throw error;
    }
  }
}

const PACKAGE = `@dynoxide/${process.platform}-${process.arch}`;

/** The emulator's executable for this platform, if it is installed. */
export function findBinary(): string | undefined {
  const from = createRequire(__filename);
  for (const file of ['dynoxide', 'dynoxide.exe']) {
    try {
      return from.resolve(`${PACKAGE}/${file}`);
    } catch {
      // Not this one.
    }
  }
  return undefined;
}
