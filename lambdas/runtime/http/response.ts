import { createHash } from 'node:crypto';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { EXPOSED_HEADERS, NO_BASE_PATH, UNREADABLE_HEADER, VIEWER_BASE_PATH_HEADER } from '../../contract/edge';
import { isForEveryOrigin, isUncached, type Endpoint, type Route } from '../../contract/endpoint';
import { errors, isFailure, type Failure } from '../../contract/errors';
import { formatOf, listBody } from './formats';
import { Page } from './paging';
import { header } from './request';
import { strip } from './strip';

/** Turns an operation's result into a response for API Gateway. */

/** Whether a request came through the distribution, which serves the pages and the API at the same URL. */
export const isThroughDistribution = (event: Pick<APIGatewayProxyEvent, 'headers'>): boolean =>
  header(event, VIEWER_BASE_PATH_HEADER) === NO_BASE_PATH;

/**
 * The part of the path before the service's own paths. If the API is called directly, this part is the stage of API Gateway. Behind a
 * distribution it is empty.
 */
export function basePath(event: Pick<APIGatewayProxyEvent, 'path' | 'requestContext' | 'headers'>): string {
  if (isThroughDistribution(event)) return '';
  const { path, requestContext } = event;
  const full = requestContext.path;
  return full.endsWith(path) ? full.slice(0, full.length - path.length) : '';
}

/** A result that needs additional headers, or a status that differs from the default status of its endpoint. */
export class Reply<Result> {
  constructor(
    readonly result: Result,
    readonly differences: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> },
  ) {}
}

/** A result that redirects the caller to a URL, with the status 302. */
export class Redirect {
  constructor(readonly url: string) {}
}

/** A result that is a text instead of JSON, because the request prefers `text/plain`. */
export class PlainText {
  constructor(readonly text: string) {}
}

/** The result of an endpoint that has nothing to return: the response has the status `emptyStatus` and no body. */
export const NOTHING = Symbol('nothing');

function headersFor(row: Route, event: APIGatewayProxyEvent): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'X-Request-Id': event.requestContext.requestId,
    'X-Content-Type-Options': 'nosniff',
    ...(isUncached(row) && { 'Cache-Control': 'no-store' }),
    ...(row.columns && { Vary: 'Accept' }),
    ...(isForEveryOrigin(row) && {
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers': EXPOSED_HEADERS,
    }),
  };
}

/** The link to the next page: the URL of this request with another cursor. */
function nextLink(event: APIGatewayProxyEvent, cursor: string): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(event.queryStringParameters ?? {})) query.set(name, value ?? '');
  query.set('cursor', cursor);
  return `<${basePath(event)}${event.path}?${query.toString()}>; rel="next"`;
}

export function failureResponse(row: Route, event: APIGatewayProxyEvent, { failure, detail }: Failure): APIGatewayProxyResult {
  const { status, code } = errors[failure];
  return {
    statusCode: status,
    headers: { ...headersFor(row, event), 'X-Svc-Error-Code': code },
    body: JSON.stringify({ detail }),
  };
}

/**
 * The body of a successful response. A text is returned unchanged. Other results become JSON that contains only the declared fields, and no
 * secrets if the caller may not see them.
 */
export const successBody = (row: Endpoint, result: unknown, withSecrets: boolean): string =>
  row.mediaType !== undefined && typeof result === 'string' ? result : JSON.stringify(strip(row.response, result, withSecrets));

/** A response without a body: a redirect or an empty result. */
function bodiless(
  row: Endpoint,
  event: APIGatewayProxyEvent,
  status: number,
  headers: Readonly<Record<string, string>>,
): APIGatewayProxyResult {
  const { 'Content-Type': _, ...rest } = headersFor(row, event);
  return { statusCode: status, headers: { ...rest, ...headers }, body: '' };
}

/** The `Cache-Control` header, which says who may cache a response and for how long; undefined if nobody may cache the response. */
const cacheControl = ({ maxAgeSeconds, revalidated }: Route): string | undefined =>
  maxAgeSeconds !== undefined ? `public, max-age=${maxAgeSeconds}` : revalidated && 'private, no-cache';

/**
 * A successful response from an existing body. If the response may be cached and the caller already has it, the status is 304 (RFC 9110,
 * 13.1.2).
 */
export function rawResponse(row: Route, event: APIGatewayProxyEvent, body: string): APIGatewayProxyResult {
  const headers = headersFor(row, event);
  const control = cacheControl(row);
  if (control === undefined) return { statusCode: row.status, headers, body };
  const tag = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  const cached = { ...headers, 'Cache-Control': control, ETag: `"${tag}"` };
  // CloudFront adds the prefix `W/` to the tag of each response that it compresses.
  const known = (header(event, 'if-none-match') ?? '').split(',').map((candidate) => candidate.trim().replace(/^W\//, ''));
  return known.includes(`"${tag}"`) || known.includes('*')
    ? { statusCode: 304, headers: cached, body: '' }
    : { statusCode: row.status, headers: cached, body };
}

export function response(row: Endpoint, event: APIGatewayProxyEvent, result: unknown, withSecrets = true): APIGatewayProxyResult {
  if (result instanceof Redirect) return bodiless(row, event, row.status, { Location: result.url });
  if (result === NOTHING) return bodiless(row, event, row.emptyStatus ?? row.status, {});
  if (result instanceof PlainText)
    return {
      statusCode: row.status,
      headers: { ...headersFor(row, event), 'Content-Type': 'text/plain; charset=utf-8' },
      body: result.text,
    };
  if (result instanceof Reply) {
    const { statusCode, ...inner } = response(row, event, result.result, withSecrets);
    const { status, headers } = result.differences;
    return { ...inner, statusCode: status ?? statusCode, headers: { ...inner.headers, ...headers } };
  }
  if (isFailure(result)) return failureResponse(row, event, result);
  if (!(result instanceof Page)) {
    const { headers, ...made } = rawResponse(row, event, successBody(row, result, withSecrets));
    return { ...made, headers: { ...headers, ...(row.mediaType && { 'Content-Type': `${row.mediaType}; charset=utf-8` }) } };
  }
  const format = formatOf(row, event);
  const page = rawResponse(
    row,
    event,
    format ? listBody(row, format, result.rows, withSecrets) : successBody(row, result.rows, withSecrets),
  );
  return {
    ...page,
    headers: {
      ...page.headers,
      ...(format && { 'Content-Type': format.contentType }),
      ...(result.next !== undefined && { Link: nextLink(event, result.next) }),
      ...(result.unreadable > 0 && { [UNREADABLE_HEADER]: String(result.unreadable) }),
    },
  };
}
