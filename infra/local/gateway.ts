import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import * as z from 'zod/mini';
import { codeOf, messageOf, StartError } from './errors';
import { proxyEvent, type Received } from './gateway-event';
import { headerValues, type HttpResponse, type GatewayResponseType } from './gateway-responses';
import { allowedHosts, type Hosts } from './gateway-hosts';
import { readRestApi, type Match, type RestApi } from './gateway-routes';
import { readThrottles, type Throttles } from './gateway-throttles';
import { THROTTLED, TOO_LARGE, type Functions } from './lambda';
import type { Template } from './template';

/** Maximum size of a request body, in bytes. */
const BODY_LIMIT = 10 * 1024 * 1024;
/**
 * Maximum bytes that the gateway reads of a request body that is too large. The gateway discards these bytes. It reads them so that a
 * client that is still sending can receive the response.
 */
const DRAIN_LIMIT = 10 * BODY_LIMIT;
/** Maximum milliseconds until a request's headers are complete. `REQUEST_LIMIT` applies to the whole request. */
const HEADERS_LIMIT = 20_000;
const REQUEST_LIMIT = 60_000;
const KEEP_ALIVE = 65_000;

/** A handler that serves a request instead of the API. */
export type LocalRoute = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

export interface GatewayOptions {
  readonly functions: Functions;
  readonly host: string;
  /** The port; 0 takes any free port. */
  readonly port: number;
  /** Returns the handler that serves a request instead of the API, or undefined if the API must serve the request. */
  readonly routes?: (request: IncomingMessage) => LocalRoute | undefined;
  /** Additional host names of the gateway; `*` allows every name. */
  readonly allowedHosts?: readonly string[];
  /** Whether the stage's request limits apply, as on AWS; true by default. */
  readonly throttle?: boolean;
}

export interface Gateway {
  readonly baseUrl: string;
  /** Stops accepting connections and waits up to `limit` milliseconds for requests in progress. Then it closes all connections. */
  stop(limit?: number): Promise<void>;
}

/** Serves the template's REST API over HTTP. */
export async function start(template: Template, options: GatewayOptions): Promise<Gateway> {
  const api = readRestApi(template);
  const throttles = options.throttle === false ? () => true : readThrottles(template);
  const handler = new Handler(api, throttles, options);
  const server = createServer({
    // The handler below refuses requests without a Host header, because node's own refusal would have no body.
    requireHostHeader: false,
    headersTimeout: HEADERS_LIMIT,
    requestTimeout: REQUEST_LIMIT,
    keepAliveTimeout: KEEP_ALIVE,
    connectionsCheckingInterval: 5000,
  });
  // This setting lets a client close its side of the connection after its last request and still receive the responses. `createServer`
  // has no option for the setting.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('request', (request, response) => void handler.handle(request, response));
  server.on('checkContinue', (request, response) => void handler.handle(request, response, 'continue'));
  server.on('checkExpectation', (request, response) => void handler.handle(request, response, 'unknown'));
  server.on('connect', (_request, socket) => handler.refuseSocket(socket, 'MISSING_AUTHENTICATION_TOKEN'));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => handler.clientError(error, socket));
  await listen(server, options);
  const { address, port, family } = server.address() as AddressInfo;
  const reachable = address === '::' || address === '0.0.0.0' ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address;
  return {
    baseUrl: `http://${reachable}:${port}`,
    stop: (limit = 5000) => close(server, limit),
  };
}

async function listen(server: Server, { host, port }: GatewayOptions): Promise<void> {
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

const proxyResponse = z.object({
  statusCode: z.coerce.number().check(z.multipleOf(1), z.minimum(200), z.maximum(599)),
  headers: z.nullish(z.record(z.string(), z.coerce.string())),
  multiValueHeaders: z.nullish(z.record(z.string(), z.array(z.coerce.string()))),
  body: z.nullish(z.string()),
  isBase64Encoded: z.nullish(z.boolean()),
});

/** Headers that describe the connection. A function must not set them. */
const CONNECTION_HEADERS = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding', 'upgrade', 'trailer']);

class Handler {
  /**
   * The requests in progress on each connection. The promise of a request resolves when its response is closed. The response to a parse
   * error waits for these promises.
   */
  private readonly underWay = new WeakMap<Duplex, Map<IncomingMessage, Promise<void>>>();
  private readonly hosts: Hosts;

  constructor(
    private readonly api: RestApi,
    private readonly throttles: Throttles,
    private readonly options: GatewayOptions,
  ) {
    this.hosts = allowedHosts(options.host, options.allowedHosts ?? []);
  }

  async handle(request: IncomingMessage, response: ServerResponse, expectation?: 'continue' | 'unknown'): Promise<void> {
    const requestId = randomUUID();
    // A client may disconnect at any time, which is not an error of the gateway.
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    this.track(request, response);
    try {
      // HTTP/1.1 requests without a Host header, or with two Host headers, are refused below with a gateway response.
      if (request.headersDistinct['host']?.length === 1 && !this.hosts(request.headers.host)) {
        return this.send(request, response, requestId, this.api.gatewayResponse('UNKNOWN_HOST', { requestId }));
      }
      const local = this.options.routes?.(request);
      if (local) {
        response.setHeader('X-Request-Id', requestId);
        return await local(request, response);
      }
      const outcome = await this.respond(request, response, requestId, expectation);
      if (outcome) this.send(request, response, requestId, outcome);
    } catch (error) {
      // A fault in the code of the local run must make only this request fail. It must not end the process.
      console.error(error);
      if (response.headersSent) return void response.destroy();
      this.send(request, response, requestId, this.api.gatewayResponse('MALFORMED_PROXY_RESPONSE', { requestId }));
    }
  }

  private track(request: IncomingMessage, response: ServerResponse): void {
    const exchanges = this.underWay.get(request.socket) ?? new Map<IncomingMessage, Promise<void>>();
    this.underWay.set(request.socket, exchanges);
    const finished = new Promise<void>((resolve) => response.once('close', resolve));
    exchanges.set(
      request,
      finished.then(() => void exchanges.delete(request)),
    );
  }

  /** Refuses a request for which node provides no response object: writes the response to the socket and ends the connection. */
  refuseSocket(socket: Duplex, type: GatewayResponseType): void {
    // The socket of a CONNECT request has no other error listener, and an unhandled error would end the process.
    socket.on('error', () => undefined);
    if (!socket.writable) return void socket.destroy();
    const requestId = randomUUID();
    const { status, headers, body } = this.api.gatewayResponse(type, { requestId });
    const lines = Object.entries({
      ...headers,
      'X-Request-Id': requestId,
      'Content-Length': String(Buffer.byteLength(body)),
      Connection: 'close',
    });
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.map(([name, value]) => `${name}: ${String(value)}\r\n`).join('')}\r\n${String(body)}`,
    );
  }

  /** Responds to bytes that are not an HTTP request, after the responses to earlier requests on the same connection. */
  clientError(error: NodeJS.ErrnoException, socket: Duplex): void {
    const type: GatewayResponseType =
      error.code === 'HPE_HEADER_OVERFLOW'
        ? 'HEADERS_TOO_LARGE'
        : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
          ? 'REQUEST_TIMEOUT'
          : 'BAD_REQUEST';
    if (error.code === 'ECONNRESET') return void socket.destroy();
    // The invalid bytes belong to the last, incomplete request. The error response must come after the responses to the complete requests.
    const before = [...(this.underWay.get(socket) ?? [])].filter(([request]) => request.complete).map(([, finished]) => finished);
    void Promise.all(before).then(() => this.refuseSocket(socket, type));
  }

  /**
   * Determines the response to a request.
   *
   * @returns undefined if the client disconnected before it had sent its whole request
   */
  private async respond(
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    expectation?: 'continue' | 'unknown',
  ): Promise<HttpResponse | undefined> {
    const refuse = (type: GatewayResponseType) => this.api.gatewayResponse(type, { requestId });
    const target = parseTarget(request.url ?? '/');
    if (expectation === 'unknown') return refuse('EXPECTATION_FAILED');
    if (request.httpVersion === '1.1' && request.headersDistinct['host']?.length !== 1) return refuse('BAD_REQUEST');
    if (Number(request.headers['content-length'] ?? 0) > BODY_LIMIT && expectation === 'continue') return refuse('REQUEST_TOO_LARGE');
    if (expectation === 'continue') response.writeContinue();
    const body = await readBody(request);
    if (body === undefined) return undefined;
    if (body === 'too large') return refuse('REQUEST_TOO_LARGE');
    const match = this.api.router(request.method!, target.path);
    if (!match) return refuse('MISSING_AUTHENTICATION_TOKEN');
    if (!this.throttles(request.method!, match.route.resourcePath)) return refuse('THROTTLED');
    const { integration } = match.route;
    if (integration.type === 'mock') {
      return {
        status: integration.status,
        headers: { 'Content-Type': 'application/json', ...headerValues(integration.headers, { requestId }) },
        body: integration.body,
      };
    }
    return this.invoke(match, integration, { request, requestId, ...target, body }, refuse);
  }

  private async invoke(
    match: Match,
    { functionArn, timeout }: { functionArn: string; timeout: number },
    received: Received,
    refuse: (type: GatewayResponseType) => HttpResponse,
  ): Promise<HttpResponse> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), timeout);
    });
    const outcome = await Promise.race([this.options.functions.invoke(functionArn, proxyEvent(this.api, match, received), timeout), late]);
    clearTimeout(timer);
    if (outcome === 'late') return refuse('INTEGRATION_TIMEOUT');
    if ('error' in outcome) {
      const { errorType } = outcome.error;
      return refuse(
        errorType === TOO_LARGE ? 'REQUEST_TOO_LARGE' : errorType === THROTTLED ? 'THROTTLED_FUNCTION' : 'MALFORMED_PROXY_RESPONSE',
      );
    }
    const parsed = proxyResponse.safeParse(JSON.parse(outcome.payload));
    return parsed.success ? functionResponse(parsed.data) : refuse('MALFORMED_PROXY_RESPONSE');
  }

  private send(request: IncomingMessage, response: ServerResponse, requestId: string, outcome: HttpResponse): void {
    const { status, headers, body } = isSendable(outcome) ? outcome : this.api.gatewayResponse('MALFORMED_PROXY_RESPONSE', { requestId });
    response.statusCode = status;
    response.setHeader('X-Request-Id', requestId);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (status !== 204 && status !== 304) response.setHeader('Content-Length', Buffer.byteLength(body));
    // The unread rest of a refused body must not be parsed as the next request.
    if (!request.complete) response.setHeader('Connection', 'close');
    response.end(body);
  }
}

function functionResponse({ statusCode, headers, multiValueHeaders, body, isBase64Encoded }: z.infer<typeof proxyResponse>): HttpResponse {
  const merged = new Map<string, { name: string; values: string[] }>();
  const all = [
    ...Object.entries(headers ?? {}).map(([name, value]) => [name, [value]] as const),
    ...Object.entries(multiValueHeaders ?? {}),
  ];
  for (const [name, values] of all) {
    const key = name.toLowerCase();
    if (CONNECTION_HEADERS.has(key)) continue;
    const before = merged.get(key);
    merged.set(key, { name, values: before ? [...new Set([...before.values, ...values])] : [...values] });
  }
  if (!merged.has('content-type')) merged.set('content-type', { name: 'Content-Type', values: ['application/json'] });
  return {
    status: statusCode,
    headers: Object.fromEntries([...merged.values()].map(({ name, values }) => [name, values.length === 1 ? values[0]! : values])),
    body: isBase64Encoded ? Buffer.from(body ?? '', 'base64') : (body ?? ''),
  };
}

/** Whether HTTP allows the names and values of all headers. */
const isSendable = ({ headers }: HttpResponse): boolean =>
  Object.entries(headers).every(
    ([name, value]) =>
      /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name) && [value].flat().every((text) => /^[\t\x20-\x7e\x80-\xff]*$/.test(text)),
  );

/** Splits a request target of any form into its path and query. */
function parseTarget(url: string): { path: string; query: string } {
  const [, origin = ''] = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)/i.exec(url) ?? [];
  const [target = ''] = url.slice(origin.length).split('#');
  const at = target.indexOf('?');
  return { path: (at < 0 ? target : target.slice(0, at)) || '/', query: at < 0 ? '' : target.slice(at + 1) };
}

/**
 * Reads the body of a request.
 *
 * @returns undefined if the client disconnected first
 */
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
