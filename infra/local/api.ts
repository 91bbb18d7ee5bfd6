import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { createRequire } from 'node:module';
import { fileName, sizeOf, type Endpoint } from '../../lambdas/contract/endpoint';
import type { App, Invocation } from '../../lambdas/runtime/app';
import { preflightHeaders } from '../preflight';
import { sizes } from '../sizing';
import { refusal, type HttpResponse, type Received } from './http';
import { createRouter, type Match } from './router';

/** Serves the routes of the contract with the same handlers that a deployment bundles as functions. */

type Handler = (event: APIGatewayProxyEvent, invocation: Invocation) => Promise<APIGatewayProxyResult>;

/** Maximum size, in bytes, of the event and of the response of a Lambda function. */
const PAYLOAD_LIMIT = 6 * 1024 * 1024;

/** Runs the handler of an endpoint. */
type Run = (row: Endpoint, event: APIGatewayProxyEvent, invocation: Required<Invocation>) => Promise<APIGatewayProxyResult>;

export interface ApiOptions {
  readonly app: App;
  /** Whether the request limits of a deployment apply. */
  readonly throttle: boolean;
  /** By default the handler is loaded when it is first needed, which makes the start faster. */
  readonly run?: Run;
}

/** Returns a function that responds to a request. */
export function createApi({ app, throttle, run = runHandler }: ApiOptions): (received: Received) => Promise<HttpResponse> {
  const route = createRouter();
  return async (received) => {
    const match = route(received.request.method ?? '', received.path);
    if (!match) return refusal('MISSING_AUTHENTICATION_TOKEN');
    const { row, isPreflight, bucket } = match.route;
    if (throttle && !bucket.take()) return refusal('THROTTLED');
    if (isPreflight) return { status: 204, headers: { 'Content-Type': 'application/json', ...preflightHeaders(row) }, body: '' };
    if (received.body.length > PAYLOAD_LIMIT) return refusal('REQUEST_TOO_LARGE');
    const outcome = await invoke(run, row, gatewayEvent(match, received), app);
    return outcome === 'late' ? refusal('INTEGRATION_TIMEOUT') : toResponse(outcome);
  };
}

const load = createRequire(__filename);

const runHandler: Run = (row, event, invocation) =>
  (load(`../../lambdas/api/${fileName(row)}`) as { handler: Handler }).handler(event, invocation);

/** Runs a handler. As in a deployment, the caller waits only until the function's timeout. */
async function invoke(run: Run, row: Endpoint, event: APIGatewayProxyEvent, app: App): Promise<APIGatewayProxyResult | 'late'> {
  const limit = sizes[sizeOf(row)].timeoutSeconds * 1000;
  const until = performance.now() + limit;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, limit, 'late');
  });
  try {
    return await Promise.race([run(row, event, { app, getRemainingTimeInMillis: () => until - performance.now() }), late]);
  } finally {
    clearTimeout(timer);
  }
}

function toResponse({ statusCode, headers = {}, body }: APIGatewayProxyResult): HttpResponse {
  if (body.length > PAYLOAD_LIMIT / 4 && Buffer.byteLength(body) > PAYLOAD_LIMIT) return refusal(502);
  return {
    status: statusCode,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    body,
  };
}

/** Adds an entry to an object without a prototype, so that any name is possible, such as `__proto__`. */
const emptyMap = <Value>(): Record<string, Value> => Object.create(null) as Record<string, Value>;

/** The headers of a request with their names in lower case. If a header occurs several times, its last value counts, as on AWS. */
function lastHeaders(raw: readonly string[]): Record<string, string> {
  const headers = emptyMap<string>();
  for (let i = 0; i < raw.length; i += 2) headers[raw[i]!.toLowerCase()] = raw[i + 1]!;
  return headers;
}

function queryOf(query: string): Pick<APIGatewayProxyEvent, 'queryStringParameters' | 'multiValueQueryStringParameters'> {
  if (query === '') return { queryStringParameters: null, multiValueQueryStringParameters: null };
  const last = emptyMap<string>();
  const all = emptyMap<string[]>();
  for (const [name, value] of new URLSearchParams(query)) {
    last[name] = value;
    (all[name] ??= []).push(value);
  }
  return { queryStringParameters: last, multiValueQueryStringParameters: all };
}

/** Creates the parts of API Gateway's event (payload version 1.0) that handlers use. */
function gatewayEvent({ route, pathParameters }: Match, { request, requestId, path, query, body }: Received): APIGatewayProxyEvent {
  const event: Omit<APIGatewayProxyEvent, 'multiValueHeaders' | 'requestContext'> & { readonly requestContext: object } = {
    resource: route.row.path,
    path,
    httpMethod: route.row.method,
    headers: lastHeaders(request.rawHeaders),
    ...queryOf(query),
    pathParameters,
    stageVariables: null,
    requestContext: {
      requestId,
      path,
      identity: { sourceIp: (request.socket.remoteAddress ?? '127.0.0.1').replace(/^::ffff:/, '') },
    },
    body: body.length === 0 ? null : body.toString('utf8'),
    isBase64Encoded: false,
  };
  return event as APIGatewayProxyEvent;
}
