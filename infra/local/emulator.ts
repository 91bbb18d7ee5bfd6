import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { start, type WatchedOptions, type WatchedProcess } from './watched-process';

/** Maximum milliseconds until an emulator responds. DynamoDB Local starts slowly on a busy computer. */
const START_LIMIT = 60_000;

/** A program that serves DynamoDB over HTTP. */
export interface Program extends Pick<WatchedOptions, 'command' | 'cwd' | 'env' | 'name'> {
  /**
   * Returns the program's arguments. With these arguments the program listens on the given port and, if it has an option for the host, on
   * the given host.
   */
  readonly args: (host: string, port: number) => readonly string[];
}

/** Starts an emulator on a free port of a loopback address. On Linux the address is random in 127.0.0.0/8. */
export async function startProgram(
  { args, ...program }: Program,
  onFailure: (error: Error) => void,
): Promise<WatchedProcess & { readonly endpoint: string }> {
  const host = process.platform === 'linux' ? `127.${randomInt(1, 255)}.${randomInt(0, 256)}.${randomInt(1, 255)}` : '127.0.0.1';
  const port = await freePort(host);
  const endpoint = `http://${host}:${port}`;
  const running = await start({ ...program, args: args(host, port), endpoint, startLimit: START_LIMIT, onFailure });
  return { ...running, endpoint };
}

async function freePort(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
