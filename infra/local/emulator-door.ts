/**
 * Runs in a process of its own: starts a database emulator, which checks no caller, and stands before it. The process
 * may be in another network than its callers (see emulator.ts). Bundled on its own.
 */
import { connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { accessDenied } from './aws-calls';
import { refusal } from './door';
import { messageOf } from './errors';
import { start, type WatchedOptions } from './watched-process';

/** What the process is told first, with the server to which callers connect. */
export interface OpenMessage {
  readonly emulator: Omit<WatchedOptions, 'onFailure'>;
  /** The credential that callers must send. */
  readonly token: string;
}

/** What it is told when the emulator is to end. */
export type StopMessage = 'stop';
/** What it reports when the emulator serves. */
export type ReadyMessage = 'ready';

/** Bytes and milliseconds in which a caller must have shown its credential. */
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
 * The headers of a connection's first request show who is at its other end, and that stays so: what follows is
 * passed on as it comes. To parse every request once more would cost processor time with every call of a function.
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
  // What the caller still sends is read, or it would not see the response.
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
// Whoever started this process is gone. The emulator is killed with this process (see watched-process.ts).
process.once('disconnect', () => process.exit());
process.once('message', (message: OpenMessage, server: Server) => void open(message, server).catch(fail));
