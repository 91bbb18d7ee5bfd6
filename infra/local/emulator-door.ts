/**
 * The entry point of a separate process, which is bundled separately. The process starts a database emulator and is a proxy in front of it.
 * The emulator does not check its callers, so the proxy checks each caller before it forwards the connection. The process and its
 * callers may be in different network namespaces (see emulator.ts).
 */
import { connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { accessDenied } from './access-denied';
import { refusal } from './door';
import { messageOf } from './errors';
import { start, type WatchedOptions } from './watched-process';

/**
 * The first message to the process. The handle of the message is the server that listens for callers. The parent process has created this
 * server.
 */
export interface OpenMessage {
  readonly emulator: Omit<WatchedOptions, 'onFailure'>;
  /** The credential that callers must send. */
  readonly token: string;
}

/** The message that makes the process stop the emulator. */
export type StopMessage = 'stop';
/** The message that the process sends when the emulator is ready. */
export type ReadyMessage = 'ready';

/**
 * Limits for the headers of a caller's first request: their maximum size in bytes, and the maximum milliseconds until they are complete.
 */
const HEAD_BYTES = 16 * 1024;
const HEAD_MS = 10_000;
const END_OF_HEAD = '\r\n\r\n';

const headersOf = (head: string): Record<string, string> =>
  Object.fromEntries(
    head
      .split('\r\n')
      .slice(1)
      .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );

/**
 * Checks the headers of a connection's first request only. All requests of a connection come from the same caller, so the proxy forwards
 * later bytes without reading them. Parsing every request would cost processor time with every database call of a function.
 */
function receive(caller: Socket, host: string, { token, emulator }: OpenMessage): void {
  const chunks: Buffer[] = [];
  const impatient = setTimeout(() => caller.destroy(), HEAD_MS);
  caller.on('error', () => caller.destroy()).once('close', () => clearTimeout(impatient));
  caller.on('data', function read(chunk: Buffer) {
    chunks.push(chunk);
    const received = Buffer.concat(chunks);
    const end = received.indexOf(END_OF_HEAD);
    if (end < 0 && received.length <= HEAD_BYTES) return;
    caller.off('data', read);
    const reason =
      end < 0 ? 'The headers of the request are too long' : refusal(headersOf(received.toString('latin1', 0, end)), host, token);
    if (reason !== undefined) return refuse(caller, reason);
    clearTimeout(impatient);
    passOn(caller, received, new URL(emulator.endpoint));
  });
}

function passOn(caller: Socket, received: Buffer, { hostname, port }: URL): void {
  const emulator = connect({ host: hostname, port: Number(port), noDelay: true });
  emulator.on('error', () => emulator.destroy()).once('close', () => caller.destroy());
  caller.setNoDelay().once('close', () => emulator.destroy());
  emulator.write(received);
  caller.pipe(emulator).pipe(caller);
}

function refuse(caller: Socket, reason: string): void {
  const { status, type, body } = accessDenied('dynamodb', reason);
  // The rest of the request is read and dropped. Otherwise the caller might not receive the response.
  caller
    .resume()
    .end(
      `HTTP/1.1 ${status} Refused\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    );
}

function fail(error: unknown): never {
  console.error(messageOf(error));
  process.exit(1);
}

async function open(message: OpenMessage, server: Server): Promise<void> {
  const emulator = await start({ ...message.emulator, onFailure: fail });
  const { address, port } = server.address() as AddressInfo;
  server.on('connection', (caller) => receive(caller, `${address}:${port}`, message));
  process.once('message', (_: StopMessage) => {
    server.close();
    void emulator.stop().then(() => process.exit(), fail);
  });
  process.send?.('ready' satisfies ReadyMessage);
}

process.title = 'database-door';
// Node emits `disconnect` when the parent process has ended. The emulator is killed together with this process (see watched-process.ts).
process.once('disconnect', () => process.exit());
process.once('message', (message: OpenMessage, server: Server) => void open(message, server).catch(fail));
