import type { IncomingMessage, ServerResponse } from 'node:http';
import { gatewayResponses } from '../gateway-responses';

/** A complete HTTP response. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** A request that the server has received completely. */
export interface Received {
  readonly request: IncomingMessage;
  readonly requestId: string;
  /** The path of the request, unchanged and without the query. */
  readonly path: string;
  /** The query of the request, unchanged and without the question mark. */
  readonly query: string;
  readonly body: Buffer;
}

/** Serves a request that does not belong to the API. It reads the body itself. */
export type LocalRoute = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/**
 * The response with which the gateway refuses a request.
 *
 * @param type a type of API Gateway, or the status of an error for which API Gateway has no type
 */
export function refusal(type: string | number): HttpResponse {
  const status = typeof type === 'number' ? type : undefined;
  const defined = gatewayResponses.get(status === undefined ? String(type) : status < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX');
  if (!defined) throw new Error(`The gateway has no response of the type ${type}`);
  return {
    status: defined.status ?? status ?? 500,
    headers: { 'Content-Type': 'application/json', ...defined.headers },
    body: defined.body,
  };
}

/** Sends a JSON document that must not be cached. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }).end(JSON.stringify(body));
}
