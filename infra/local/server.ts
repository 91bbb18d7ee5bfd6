import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIP, type AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import type { Duplex } from 'node:stream';
import { codeOf, messageOf, StartError } from './errors';
import { refusal, type HttpResponse, type LocalRoute, type Received } from './http';

/** The HTTP server of the local run. Like API Gateway, it responds to every request that is not valid HTTP with an error of the API. */

/** Maximum size of a request body, in bytes. */
const BODY_LIMIT = 10 * 1024 * 1024;
/**
 * Maximum number of bytes that are read of a body that is too large. These bytes are discarded. They are read so that a client that is still
 * sending can receive the response.
 */
const DRAIN_LIMIT = 10 * BODY_LIMIT;

export interface ServerOptions {
  readonly host: string;
  /** The port; 0 takes any free port. */
  readonly port: number;
  /** Additional host names of the service; `*` allows every name. */
  readonly allowedHosts: readonly string[];
  /** Returns the route that serves a request instead of the API; undefined if the API must serve the request. */
  readonly routeOf: (method: string, path: string) => LocalRoute | undefined;
  readonly api: (received: Received) => Promise<HttpResponse>;
  /** Called with the faults of the local run itself. A fault makes only its request fail. */
  readonly report: (error: unknown) => void;
}

export interface RunningServer {
  readonly baseUrl: string;
  /** Stops accepting connections and waits up to `limit` ms for requests in progress. Then it closes all connections. */
  stop(limit: number): Promise<void>;
}

export async function start(options: ServerOptions): Promise<RunningServer> {
  const server = createServer({
    // Requests without a Host header are refused below, because node's own refusal would have no body.
    requireHostHeader: false,
    headersTimeout: 20_000,
    // The files of releases are uploaded to this server too.
    requestTimeout: 300_000,
    keepAliveTimeout: 65_000,
    connectionsCheckingInterval: 5000,
  });
  // This setting lets a client close its side of the connection after its last request and still receive the responses. `createServer`
  // has no option for it.
  Object.assign(server, { httpAllowHalfOpen: true });
  const isAllowedHost = allowedHosts(options.host, options.allowedHosts);
  /** Resolves when the responses to the requests in progress on a connection are complete. */
  const underWay = new WeakMap<Duplex, Map<IncomingMessage, Promise<void>>>();

  const handle = async (request: IncomingMessage, response: ServerResponse, expectation?: 'continue' | 'unknown'): Promise<void> => {
    const requestId = randomUUID();
    // A client may disconnect at any time, which is not an error of the server.
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    const exchanges = underWay.get(request.socket) ?? new Map<IncomingMessage, Promise<void>>();
    underWay.set(request.socket, exchanges);
    exchanges.set(
      request,
      new Promise<void>((resolve) => response.once('close', resolve)).then(() => void exchanges.delete(request)),
    );
    response.setHeader('X-Request-Id', requestId);
    try {
      const { path, query } = parseTarget(request.url ?? '/');
      const hosts = request.headersDistinct['host'] ?? [];
      if (hosts.length === 1 && !isAllowedHost(request.headers.host)) return send(request, response, refusal(421));
      if (request.httpVersion === '1.1' && hosts.length !== 1) return send(request, response, refusal(400));
      if (expectation === 'unknown') return send(request, response, refusal(417));
      if (expectation === 'continue' && Number(request.headers['content-length'] ?? 0) > BODY_LIMIT)
        return send(request, response, refusal('REQUEST_TOO_LARGE'));
      if (expectation === 'continue') response.writeContinue();
      const route = options.routeOf(request.method ?? '', path);
      if (route) return await route(request, response);
      const body = await readBody(request);
      if (body === undefined) return;
      send(
        request,
        response,
        body === 'too large' ? refusal('REQUEST_TOO_LARGE') : await options.api({ request, requestId, path, query, body }),
      );
    } catch (error) {
      options.report(error);
      if (response.headersSent) return void response.destroy();
      send(request, response, refusal(502));
    }
  };

  server.on('request', (request, response) => void handle(request, response));
  server.on('checkContinue', (request, response) => void handle(request, response, 'continue'));
  server.on('checkExpectation', (request, response) => void handle(request, response, 'unknown'));
  server.on('connect', (_request, socket) => refuseSocket(socket, refusal('MISSING_AUTHENTICATION_TOKEN')));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET') return void socket.destroy();
    const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
    // The invalid bytes belong to the last, incomplete request. The error response must come after the responses to the complete requests.
    const before = [...(underWay.get(socket) ?? [])].filter(([request]) => request.complete).map(([, finished]) => finished);
    void Promise.all(before).then(() => refuseSocket(socket, refusal(status)));
  });
  await listen(server, options);
  const { address, port, family } = server.address() as AddressInfo;
  const reachable = address === '::' || address === '0.0.0.0' ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address;
  return { baseUrl: `http://${reachable}:${port}`, stop: (limit) => close(server, limit) };
}

async function listen(server: Server, { host, port }: ServerOptions): Promise<void> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EADDRINUSE')
      throw new StartError(`Port ${port} on ${host} is in use: stop the program that listens there, or set PORT to another port.`);
    if (code === 'EACCES') throw new StartError(`Port ${port} on ${host} is not allowed: set PORT to 1024 or higher.`);
    throw new StartError(`Cannot listen on ${host}:${port}: ${messageOf(error)}.`);
  }
}

async function close(server: Server, limit: number): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  const hard = setTimeout(() => server.closeAllConnections(), limit);
  // A connection with a request in progress becomes idle after its response. Therefore the idle connections are closed every 10 ms.
  const idle = setInterval(() => server.closeIdleConnections(), 10);
  await closed;
  clearTimeout(hard);
  clearInterval(idle);
}

function send(request: IncomingMessage, response: ServerResponse, { status, headers, body }: HttpResponse): void {
  const length = status === 204 || status === 304 ? undefined : Buffer.byteLength(body);
  response.writeHead(status, {
    ...headers,
    ...(length !== undefined && { 'Content-Length': length }),
    // The unread rest of a refused body must not be parsed as the next request.
    ...(!request.complete && { Connection: 'close' }),
  });
  response.end(body);
}

/** Refuses a request for which node provides no response object: writes the response to the socket and ends the connection. */
function refuseSocket(socket: Duplex, { status, headers, body }: HttpResponse): void {
  // The socket of a CONNECT request has no other error listener, and an unhandled error would end the process.
  socket.on('error', () => undefined);
  if (!socket.writable) return void socket.destroy();
  const all = { ...headers, 'X-Request-Id': randomUUID(), 'Content-Length': String(Buffer.byteLength(body)), Connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${String(body)}`);
}

/** Splits a request target of any form into its path and query. */
function parseTarget(url: string): { path: string; query: string } {
  const [, origin = ''] = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)/i.exec(url) ?? [];
  const [target = ''] = url.slice(origin.length).split('#');
  const at = target.indexOf('?');
  return { path: (at < 0 ? target : target.slice(0, at)) || '/', query: at < 0 ? '' : target.slice(at + 1) };
}

/** Reads the body of a request. Returns undefined if the client disconnected first. */
function readBody(request: IncomingMessage): Promise<Buffer | 'too large' | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= BODY_LIMIT) chunks.push(chunk);
      else chunks.length = 0;
      if (size > DRAIN_LIMIT) resolve('too large');
    });
    request.once('end', () => resolve(size > BODY_LIMIT ? 'too large' : Buffer.concat(chunks, size)));
    // The connection broke, or the client sent invalid bytes. If the socket is still writable, `clientError` sends an error response.
    request.once('close', () => resolve(undefined));
  });
}

/**
 * Returns whether the `Host` header of a request names this computer. This protects against DNS rebinding: a web page can have a host name
 * that resolves to this computer, and its browser would then let it read all responses. The requests of such a page contain the page's host
 * name. IP addresses, names without a dot (which nobody can own in public DNS) and this computer's own names are accepted.
 */
function allowedHosts(bound: string, others: readonly string[]): (host: string | undefined) => boolean {
  const names = new Set([bound, hostname(), ...others].map((name) => name.toLowerCase()));
  return (host) => {
    if (host === undefined || names.has('*')) return true;
    const name = host
      .toLowerCase()
      .replace(/:\d*$/, '')
      .replace(/^\[(.*)\]$/, '$1')
      .replace(/\.$/, '');
    return isIP(name) !== 0 || !name.includes('.') || name.endsWith('.localhost') || names.has(name);
  };
}
