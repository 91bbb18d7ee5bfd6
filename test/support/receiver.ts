import { once } from 'node:events';
import {
  createServer as createHttpServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server as HttpServer,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Certificate } from './certificate';

/** Creates webhook receivers on the loopback address: receivers that work like a product's backend, and faulty receivers. */

/** A webhook delivery that the receiver got. */
export interface Received {
  /** `Date.now()` at the moment when the headers of the request were read. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: Buffer;
  /** The id of the event, which is in the body. */
  readonly id: string;
  readonly event: string;
  readonly sequence: number | undefined;
}

/** Handles a delivery. It either returns the status of the response, or sends the response itself. */
export type Answer = (received: Received, response: ServerResponse) => number | void | Promise<number | void>;

export interface Listening {
  readonly url: string;
  readonly port: number;
  /** The number of connections since the start. */
  readonly connections: () => number;
  close(): Promise<void>;
}

export interface Receiver extends Listening {
  readonly received: Received[];
  /** The ids of all received events, without repetitions, in the order of their first delivery. */
  readonly ids: () => string[];
  answer: Answer;
}

async function listen(server: Server | HttpServer, scheme: string, host?: string): Promise<Listening> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `${scheme}://127.0.0.1:${port}/hook`,
    port,
    connections: () => connections,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

interface Payload {
  readonly id?: string;
  readonly event?: string;
  readonly data?: { readonly license?: { readonly sequence?: number } };
}

/** An HTTP receiver that keeps all deliveries; it uses TLS if it has a certificate. */
export async function startReceiver(answer: Answer = () => 200, tls?: Certificate): Promise<Receiver> {
  const serve: RequestListener = (request, response) => {
    const at = Date.now();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks);
      const { id = '', event = '', data } = JSON.parse(raw.toString() || '{}') as Payload;
      const { method = '', url: path = '', headers } = request;
      const received = { at, method, path, headers, raw, id, event, sequence: data?.license?.sequence };
      receiver.received.push(received);
      void Promise.resolve(receiver.answer(received, response)).then((status) => {
        if (typeof status === 'number') response.writeHead(status).end();
      });
    });
  };
  const server = tls ? createHttpsServer(tls, serve) : createHttpServer(serve);
  const receiver: Receiver = {
    ...(await listen(server, tls ? 'https' : 'http', '127.0.0.1')),
    received: [],
    ids: () => [...new Set(receiver.received.map(({ id }) => id))],
    answer,
  };
  return receiver;
}

/**
 * A TCP receiver on every IP address of this machine. It calls `onRequest` for each complete request. `onRequest` may do anything with the
 * connection, for example close it.
 */
export function startTcp(onRequest: (socket: Socket) => void): Promise<Listening> {
  const server = createTcpServer((socket) => {
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      const [head, body] = text.split('\r\n\r\n', 2);
      const length = Number(/content-length: (\d+)/i.exec(head ?? '')?.[1] ?? 0);
      if (body === undefined || body.length < length) return;
      text = '';
      onRequest(socket);
    });
  });
  return listen(server, 'http');
}
