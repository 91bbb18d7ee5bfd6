import type { APIGatewayProxyEvent } from 'aws-lambda';
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ACCOUNT } from './aws';
import type { Match, RestApi } from './gateway-routes';

type Multi = Record<string, string[]>;

/**
 * Adds a value to a list of values. `defineProperty` is needed because a client may send any name, such as `__proto__` or `constructor`.
 */
function append(values: Multi, name: string, value: string): void {
  if (!Object.hasOwn(values, name)) Object.defineProperty(values, name, { value: [], enumerable: true });
  values[name]!.push(value);
}

const last = (values: Multi): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, all]) => [name, all.at(-1)!]));

/**
 * Collects the values of headers by name, ignoring case. A name is spelled as in its first occurrence, and its values are those of all
 * occurrences.
 */
export function multiValueHeaders(rawHeaders: readonly string[]): Multi {
  const spelling = new Map<string, string>();
  const headers: Multi = {};
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    const first = spelling.get(name.toLowerCase()) ?? name;
    spelling.set(name.toLowerCase(), first);
    append(headers, first, rawHeaders[i + 1]!);
  }
  return headers;
}

function multiValueQuery(query: string): Multi | null {
  const values: Multi = {};
  for (const [name, value] of new URLSearchParams(query)) append(values, name, value);
  return Object.keys(values).length > 0 ? values : null;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Formats a time like `20/Nov/2026:13:52:00 +0000`. */
const commonLogTime = (date: Date): string => {
  const [, year, month, day, time] = /^(\d+)-(\d+)-(\d+)T([\d:]+)/.exec(date.toISOString())!;
  return `${day}/${MONTHS[Number(month) - 1]}/${year}:${time} +0000`;
};

/** Whether the API passes a request of this media type to functions as bytes. */
const isBinary = (contentType: string | undefined, binaryMediaTypes: readonly string[]): boolean => {
  const [type = ''] = (contentType ?? '').toLowerCase().split(';');
  return binaryMediaTypes.some(
    (pattern) => pattern === '*/*' || pattern === type.trim() || (pattern.endsWith('/*') && type.trim().startsWith(pattern.slice(0, -1))),
  );
};

export interface Received {
  readonly request: IncomingMessage;
  readonly requestId: string;
  /** The path of the request, unchanged and without the query. */
  readonly path: string;
  /** The query of the request, unchanged and without the question mark. */
  readonly query: string;
  readonly body: Buffer;
}

/**
 * Creates the event that API Gateway's REST proxy integration passes to a function (payload version 1.0). The event's path does not contain
 * the stage, because the local base URL contains no stage.
 */
export function proxyEvent(
  api: RestApi,
  { route, pathParameters }: Match,
  { request, requestId, path, query, body }: Received,
): APIGatewayProxyEvent {
  const { socket, headers, method } = request;
  const now = new Date();
  const sourceIp = (socket.remoteAddress ?? '127.0.0.1').replace(/^::ffff:/, '');
  const traceId = `Root=1-${Math.floor(now.getTime() / 1000).toString(16)}-${randomBytes(12).toString('hex')}`;
  const multi = multiValueHeaders([
    ...request.rawHeaders,
    'X-Amzn-Trace-Id',
    traceId,
    'X-Forwarded-For',
    sourceIp,
    'X-Forwarded-Port',
    String(socket.localPort ?? ''),
    'X-Forwarded-Proto',
    'http',
  ]);
  const multiQuery = multiValueQuery(query);
  const binary = isBinary(headers['content-type'], api.binaryMediaTypes);
  const domainName = headers.host ?? 'localhost';
  return {
    resource: route.resourcePath,
    path,
    httpMethod: method!,
    headers: last(multi),
    multiValueHeaders: multi,
    queryStringParameters: multiQuery && last(multiQuery),
    multiValueQueryStringParameters: multiQuery,
    pathParameters: pathParameters && { ...pathParameters },
    stageVariables: null,
    requestContext: {
      accountId: ACCOUNT,
      apiId: api.id,
      authorizer: null,
      domainName,
      domainPrefix: domainName.split(/[.:]/)[0]!,
      extendedRequestId: requestId,
      httpMethod: method!,
      identity: {
        accessKey: null,
        accountId: null,
        apiKey: null,
        apiKeyId: null,
        caller: null,
        clientCert: null,
        cognitoAuthenticationProvider: null,
        cognitoAuthenticationType: null,
        cognitoIdentityId: null,
        cognitoIdentityPoolId: null,
        principalOrgId: null,
        sourceIp,
        user: null,
        userAgent: headers['user-agent'] ?? null,
        userArn: null,
      },
      path,
      protocol: `HTTP/${request.httpVersion}`,
      requestId,
      requestTime: commonLogTime(now),
      requestTimeEpoch: now.getTime(),
      resourceId: route.resourceId,
      resourcePath: route.resourcePath,
      stage: api.stage,
    },
    body: body.length === 0 ? null : body.toString(binary ? 'base64' : 'utf8'),
    isBase64Encoded: binary && body.length > 0,
  };
}
