import type { APIGatewayProxyEvent } from 'aws-lambda';
import type * as z from 'zod';
import type { Endpoint } from '../../contract/endpoint';
import { fail, isFailure, type Failure } from '../../contract/errors';
import { idempotencyKey, MAX_BODY_BYTES } from '../../contract/resources';

/** Reads a proxy event by an endpoint's schemas. What does not fit is a {@link Failure} that names the field. */

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : Record<never, never>;

/** The parameters of a request, as its row declares them. */
export interface Input<Row extends Endpoint> {
  readonly params: Parsed<Row['params']>;
  readonly query: Parsed<Row['query']>;
  readonly body: Parsed<Row['body']>;
  /** The `Idempotency-Key`; undefined where the client gave none or the row honours none. */
  readonly idempotencyKey: string | undefined;
}

/** A header's value, whatever the case of its name. */
export function header(event: Pick<APIGatewayProxyEvent, 'headers'>, name: string): string | undefined {
  const headers = event.headers ?? {};
  const direct = headers[name];
  if (direct !== undefined) return direct;
  for (const key in headers) if (key.toLowerCase() === name) return headers[key];
  return undefined;
}

const describe = (where: string, { issues }: z.ZodError): Failure => {
  const [issue] = issues;
  const field = issue?.path.join('.');
  return fail('invalid_request', `${where}${field ? ` ${field}` : ''}: ${issue?.message ?? 'is not valid'}`);
};

function bodyText({ body, isBase64Encoded }: APIGatewayProxyEvent): string {
  if (body === null || body === undefined) return '';
  return isBase64Encoded ? Buffer.from(body, 'base64').toString('utf8') : body;
}

/** JSON, in UTF-8 where a character set is named. */
const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-?8"?\s*)?;?\s*$/i;

/** The body as a JSON object; an absent one is `{}` where it may be absent. */
function parseJson(event: APIGatewayProxyEvent, optional: boolean): Failure | Record<string, unknown> {
  const text = bodyText(event);
  if (Buffer.byteLength(text) > MAX_BODY_BYTES) {
    return fail('invalid_request', `body: must be at most ${MAX_BODY_BYTES / 1024} KB`);
  }
  if (text === '') return optional ? {} : fail('invalid_request', 'body: is required');
  const type = header(event, 'content-type');
  if (type !== undefined && !JSON_TYPE.test(type)) return fail('invalid_request', 'body: Content-Type must be application/json');
  // The gateway replaces bytes that are not UTF-8 by this character.
  if (text.includes('\uFFFD')) return fail('invalid_request', 'body: must be UTF-8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fail('invalid_request', 'body: must be JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return fail('invalid_request', 'body: must be a JSON object');
  }
  return value as Record<string, unknown>;
}

/**
 * The first number of a JSON text that would come back as another one: an integer beyond 2^53 − 1, or more than a
 * double holds. Strings are skipped, whatever they look like.
 */
function inexactNumber(text: string): string | undefined {
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g)) {
    const isInteger = /^-?\d+$/.test(token);
    if (!token.startsWith('"') && !(isInteger ? Number.isSafeInteger(Number(token)) : Number.isFinite(Number(token)))) return token;
  }
  return undefined;
}

/** Query parameters; the values of one that is given several times as an array, which no schema takes. */
const queryValues = ({ multiValueQueryStringParameters }: APIGatewayProxyEvent): Record<string, unknown> =>
  Object.fromEntries(Object.entries(multiValueQueryStringParameters ?? {}).map(([name, all]) => [name, all && all.length > 1 ? all : (all?.[0] ?? '')]));

const describeQuery = (error: z.ZodError, values: Readonly<Record<string, unknown>>): Failure => {
  const name = error.issues[0]?.path[0];
  return typeof name === 'string' && Array.isArray(values[name]) ? fail('invalid_request', `query ${name}: must be given once`) : describe('query', error);
};

/**
 * Parses a request in the order of the checks: its shape (422), then whether its path can name anything (404).
 * A POST carries a JSON object, or nothing where its row asks for none.
 */
export function parseRequest<Row extends Endpoint>(row: Row, event: APIGatewayProxyEvent): Failure | Input<Row> {
  const json = row.method === 'POST' ? parseJson(event, row.bodyOptional === true || !row.body) : {};
  if (isFailure(json)) return json;
  const body = row.body?.safeParse(json);
  if (body?.error) return describe('body', body.error);

  // What is kept for the operator must not change silently on its way.
  const inexact = body?.data && 'metadata' in body.data ? inexactNumber(bodyText(event)) : undefined;
  if (inexact !== undefined) return fail('invalid_request', `body metadata: cannot keep the number ${inexact.slice(0, 40)} exactly; send it as text`);

  const values = row.query ? queryValues(event) : {};
  const query = row.query?.safeParse(values);
  if (query?.error) return describeQuery(query.error, values);

  const key = idempotencyKey.optional().safeParse(row.idempotent ? header(event, 'idempotency-key')?.trim() : undefined);
  if (key.error) return describe('Idempotency-Key', key.error);

  const params = row.params?.safeParse(event.pathParameters ?? {});
  if (params?.error) return fail('not_found');

  return { body: body?.data ?? {}, query: query?.data ?? {}, params: params?.data ?? {}, idempotencyKey: key.data } as Input<Row>;
}
