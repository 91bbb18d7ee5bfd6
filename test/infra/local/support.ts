import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until as poll } from '../../support/until';

const folders: string[] = [];
const users: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const stop of users) await stop();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Creates a folder that is deleted after the tests of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lks-local-test-'));
  folders.push(folder);
  return folder;
}

/**
 * Registers a function that stops everything that uses a temporary folder. It is called after the tests of the file, before the folders are
 * deleted.
 */
export const stopBeforeRemoval = (stop: () => Promise<void>): void => void users.push(stop);

/** Polls until the condition is true. Fails after a time limit in ms, with the source of the condition. */
export const until = (condition: () => boolean | Promise<boolean>, limit = 10_000): Promise<boolean> =>
  poll(condition.toString(), condition, limit);

/** Sends bytes to a server, and returns everything that the server sends until it closes the connection. */
export function rawExchange(baseUrl: string, ...parts: readonly (string | Buffer)[]): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => {
      for (const part of parts) socket.write(part);
    });
    socket.setEncoding('latin1').on('data', (text: string) => {
      answer += text;
    });
    socket.once('close', () => resolve(answer));
    socket.once('error', (error) => (answer === '' ? reject(error) : undefined));
    socket.setTimeout(10_000, () => socket.destroy(new Error(`The connection hung after: ${answer}`)));
  });
}
