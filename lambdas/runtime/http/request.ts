import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import { SKIP_WEBHOOK, WEBHOOK_HEADER } from '../../contract/edge';
import { takesBody, takesWebhookHeader, type Credential, type Endpoint } from '../../contract/endpoint';
import { fail, isFailure, type Failure } from '../../contract/errors';
import { describeProblems, wording } from '../../contract/problems';
import { idempotencyKey, MAX_BODY_BYTES } from '../../contract/resources';
import { inexactNumber } from '../../domain/exact-numbers';
import type { App } from '../app';

/** Parses a proxy event with an endpoint's schemas. If the event is invalid, the result is a {@link Failure} that names the field. */

type Parsed<Schema> = Schema extends z.ZodMiniType ? z.output<Schema> : Record<never, never>;

/** A request in the format of API Gateway. */
export type RequestEvent = APIGatewayProxyEvent;

/** A request to an endpoint, before it is parsed. */
export interface ApiRequest<C extends Credential = Credential> {
  readonly row: Endpoint & { readonly credential: C };
  readonly event: RequestEvent;
  readonly app: App;
}

/** The parsed parameters of a request, with the types that its endpoint declares. */
export interface Input<Row extends Endpoint> {
  readonly params: Parsed<Row['params']>;
  readonly query: Parsed<Row['query']>;
  readonly body: Parsed<Row['body']>;
  /** The JSON body as the client sent it: without the schema's default values, and with fields that the endpoint does not declare. */
  readonly sentBody: Readonly<Record<string, unknown>>;
  /** The `Idempotency-Key`; undefined if the client sent none or the endpoint does not support it. */
  readonly idempotencyKey: string | undefined;
  /** Whether the events of this request must not be posted to the webhook. */
  readonly skipsWebhook: boolean;
}

/** The value of a header. The case of the header's name does not matter. */
export function header(event: Pick<APIGatewayProxyEvent, 'headers'>, name: string): string | undefined {
  const headers = event.headers ?? {};
  const direct = headers[name];
  if (direct !== undefined) return direct;
  const wanted = name.toLowerCase();
  for (const key in headers) if (key.toLowerCase() === wanted) return headers[key];
  return undefined;
}

/** Parse options: error messages use the service's own wording instead of zod's. */
const OWN_WORDS = { error: wording };

const refuse = (whole: string, { issues }: Pick<z.core.$ZodError, 'issues'>): Failure =>
  fail('invalid_request', describeProblems(issues, whole));

/** The headers by their names in lower case. */
export const lowerCaseHeaders = ({ headers }: RequestEvent): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));

/** The unchanged bytes of the body. */
export const bodyBytes = ({ body, isBase64Encoded }: RequestEvent): Buffer => Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8');

const bodyText = (event: RequestEvent): string => (event.isBase64Encoded ? bodyBytes(event).toString('utf8') : (event.body ?? ''));

/**
 * Whether the content type is JSON, and its charset UTF-8 or absent. The text is split instead of matched with a pattern, so that the time
 * grows only linearly with the length of the text.
 */
function isJson(contentType: string): boolean {
  const [type, ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  return type === 'application/json' && parameters.every((parameter) => parameter === '' || isUtf8(parameter));
}

/** Whether the parameter is `charset=utf-8`, in upper or lower case, with or without quotes and hyphen. */
function isUtf8(parameter: string): boolean {
  const [name, value, ...rest] = parameter.split('=').map((part) => part.trim());
  return name === 'charset' && value !== undefined && rest.length === 0 && ['utf-8', 'utf8', '"utf-8"', '"utf8"'].includes(value);
}

/** The body as a JSON object. If the endpoint declares the body optional, an absent body counts as `{}`. */
function parseJson(event: APIGatewayProxyEvent, optional: boolean): Failure | Record<string, unknown> {
  const text = bodyText(event);
  if (Buffer.byteLength(text) > MAX_BODY_BYTES) {
    return fail('invalid_request', `body must be at most ${MAX_BODY_BYTES / 1024} KB`);
  }
  if (text === '') return optional ? {} : fail('invalid_request', 'body is required');
  const type = header(event, 'content-type');
  if (type !== undefined && !isJson(type)) return fail('invalid_request', 'Content-Type must be application/json');
  // The gateway replaces bytes that are not UTF-8 with the replacement character U+FFFD.
  if (text.includes('\uFFFD')) return fail('invalid_request', 'body must be UTF-8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fail('invalid_request', 'body must be JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return fail('invalid_request', 'body must be a JSON object');
  }
  return value as Record<string, unknown>;
}

/** The query parameters. If a parameter is repeated, its values are an array, which every schema refuses. */
const queryValues = ({ multiValueQueryStringParameters }: APIGatewayProxyEvent): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(multiValueQueryStringParameters ?? {}).map(([name, all]) => [name, all && all.length > 1 ? all : (all?.[0] ?? '')]),
  );

const refuseQuery = ({ issues }: z.core.$ZodError, values: Readonly<Record<string, unknown>>): Failure =>
  refuse('query', {
    issues: issues.map((issue) => (Array.isArray(values[String(issue.path[0])]) ? { ...issue, message: 'must be given once' } : issue)),
  });

/**
 * Parses a request. The function first checks the format of the body, query and headers (422), then whether the path can identify a
 * resource (404). The body of a POST, PUT or PATCH must be a JSON object. If the endpoint declares no body, the body may also be absent.
 */
export function parseRequest<Row extends Endpoint>(row: Row, event: APIGatewayProxyEvent): Failure | Input<Row> {
  const json = takesBody(row) ? parseJson(event, row.bodyOptional === true || !row.body) : {};
  if (isFailure(json)) return json;
  const body = row.body?.safeParse(json, OWN_WORDS);
  if (body?.error) return refuse('body', body.error);

  // The operator's metadata must be stored exactly as sent, so a number that JSON parsing would round is refused.
  const inexact = body?.data && 'metadata' in body.data ? inexactNumber(bodyText(event), 'metadata') : undefined;
  if (inexact !== undefined)
    return fail('invalid_request', `metadata cannot keep the number ${inexact.slice(0, 40)} exactly: send it as text`);

  const values = row.query ? queryValues(event) : {};
  const query = row.query?.safeParse(values, OWN_WORDS);
  if (query?.error) return refuseQuery(query.error, values);

  const key = z.optional(idempotencyKey).safeParse(row.idempotent ? header(event, 'idempotency-key')?.trim() : undefined, OWN_WORDS);
  if (key.error) return refuse('Idempotency-Key', key.error);

  const webhook = takesWebhookHeader(row) ? header(event, WEBHOOK_HEADER)?.trim() : undefined;
  if (webhook !== undefined && webhook !== SKIP_WEBHOOK) return fail('invalid_request', `${WEBHOOK_HEADER} must be ${SKIP_WEBHOOK}`);

  const params = row.params?.safeParse(event.pathParameters ?? {});
  if (params?.error) return fail('not_found');

  return {
    body: body?.data ?? {},
    sentBody: json,
    query: query?.data ?? {},
    params: params?.data ?? {},
    idempotencyKey: key.data,
    skipsWebhook: webhook !== undefined,
  } as Input<Row>;
}
