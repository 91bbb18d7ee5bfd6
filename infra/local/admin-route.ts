import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { errors, fail, isFailure, type Failure } from '../../lambdas/contract/errors';
import { sendJson, type LocalRoute } from './http';

/** Routes that only the local run has. A caller needs the admin token. Errors have the same format as the API's errors. */

/** Maximum length of a request body, in characters. The longest body is a file with signing keys. */
const BODY_LIMIT = 100_000;

const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
/** Compares a caller's credential in constant time. */
export const isSame = (sent: unknown, credential: string): boolean =>
  typeof sent === 'string' && timingSafeEqual(hash(sent), hash(credential));

/** Whether a request contains the local run's admin token. */
export const isAdmin = ({ headers }: IncomingMessage, adminToken: string): boolean => isSame(headers['x-svc-admin-token'], adminToken);

/**
 * Creates a route for callers with the admin token.
 *
 * @param serve receives a request and its parsed JSON body, and returns the response. The body is undefined if the request has no valid
 * JSON body. The response is undefined if the route doesn't support the request's method.
 */
export const adminRoute =
  (
    adminToken: string,
    serve: (request: IncomingMessage, body: unknown) => object | Failure | undefined | Promise<object | Failure | undefined>,
  ): LocalRoute =>
  async (request, response) => {
    const text = await readText(request);
    const result = isAdmin(request, adminToken) ? ((await serve(request, parseJson(text))) ?? fail('not_found')) : fail('unauthorized');
    if (!isFailure(result)) return sendJson(response, 200, result);
    const { status, code } = errors[result.failure];
    response.setHeader('X-Svc-Error-Code', code);
    sendJson(response, status, { detail: result.detail });
  };

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The body is missing or not JSON. If a route needs a body, it refuses undefined as invalid.
    return undefined;
  }
}

/** Reads the body of a request. Returns an empty text if the body is too long to be valid. */
async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) if (text.length <= BODY_LIMIT) text += chunk as string;
  return text.length <= BODY_LIMIT ? text : '';
}
