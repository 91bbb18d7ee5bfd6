import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Sends bytes over a socket, and reads the responses. */

/** A response in the form in which it was received. */
export interface Answer {
  readonly status: number;
  /** Headers by lower-case name; repeated headers are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Time limit of a connection, in ms. Only a connection that hangs reaches it. */
const HUNG = 25_000;

/**
 * Sends the parts with pauses of a few ms, ends the sending, and reads until the other side closes the connection.
 * @throws Error if the other side doesn't close it
 */
export function exchange(baseUrl: string, parts: readonly Buffer[]): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    const chunks: Buffer[] = [];
    const limit = setTimeout(
      () =>
        socket.destroy(new Error(`The connection hung after ${JSON.stringify(Buffer.concat(chunks).toString('latin1').slice(0, 500))}`)),
      HUNG,
    );
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.once('end', () => socket.destroy());
    // The other side may reset the connection instead of reading further; its earlier response still counts.
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EPIPE' || error.code === 'ECONNRESET' ? undefined : reject(error),
    );
    socket.once('close', () => {
      clearTimeout(limit);
      resolve(Buffer.concat(chunks).toString('latin1'));
    });
    const write = async (): Promise<void> => {
      for (const [place, part] of parts.entries()) {
        if (place > 0) await sleep(5);
        if (!socket.writable) return;
        socket.write(part);
      }
      socket.end();
    };
    void write();
  });
}

/** Sends a part of a request and closes the connection. */
export function leave(baseUrl: string, bytes: Buffer): Promise<void> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes, () => socket.resetAndDestroy()));
    socket.on('error', () => undefined);
    socket.once('close', () => resolve());
  });
}

/**
 * Reads the responses of a connection, without interim responses (1xx).
 * @throws Error if they are not HTTP, or if a length is wrong
 */
export function readAnswers(text: string): Answer[] {
  const answers: Answer[] = [];
  for (let rest = text; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n');
    const [start = '', ...lines] = rest.slice(0, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(start)?.[1]);
    if (end < 0 || !status) throw new Error(`No HTTP: ${JSON.stringify(rest.slice(0, 300))}`);
    const headers: Record<string, string> = {};
    for (const line of lines) {
      const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?(.*)$/s.exec(line) ?? [];
      if (name === '') throw new Error(`No header: ${JSON.stringify(line)}`);
      headers[name.toLowerCase()] = name.toLowerCase() in headers ? `${headers[name.toLowerCase()]}, ${value}` : value;
    }
    const after = rest.slice(end + 4);
    if (status < 200) {
      rest = after;
      continue;
    }
    // The response to a HEAD request has a Content-Length but no body: its headers are followed by the next response, or by nothing. The
    // body of a response without Content-Length contains all remaining bytes.
    const length = after === '' || after.startsWith('HTTP/1.1 ') ? 0 : Number(headers['content-length'] ?? after.length);
    if (after.length < length) throw new Error(`The response is shorter than its Content-Length: ${JSON.stringify(rest.slice(0, 500))}`);
    answers.push({ status, headers, body: Buffer.from(after.slice(0, length), 'latin1').toString() });
    rest = after.slice(length);
  }
  return answers;
}
