import type { IncomingMessage, ServerResponse } from 'node:http';
import { errors, fail, isFailure, type Failure } from '../../lambdas/contract/errors';
import { isSame } from './door';
import type { LocalRoute } from './gateway';

/** Routes that only the local run has, for callers with its admin token. Errors have the same form as the API's. */

/** Maximum length of a request body, in characters. */
const BODY_LIMIT = 1000;

/** Whether a request carries the admin token. */
export const isAdmin = ({ headers }: IncomingMessage, adminToken: string): boolean => isSame(headers['x-svc-admin-token'], adminToken);

/**
 * @param serve takes a request and its JSON body (undefined if it has none), and returns the response, or undefined if the route doesn't
 * have the method
 */
export const adminRoute =
  (adminToken: string, serve: (request: IncomingMessage, body: unknown) => object | Failure | undefined): LocalRoute =>
  async (request, response) => {
    const text = await readText(request);
    const result = isAdmin(request, adminToken) ? (serve(request, parseJson(text)) ?? fail('not_found')) : fail('unauthorized');
    if (!isFailure(result)) return send(response, 200, result);
    const { status, code } = errors[result.failure];
    response.setHeader('X-Svc-Error-Code', code);
    send(response, status, { detail: result.detail });
  };

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The route refuses undefined like any other invalid body.
    return undefined;
  }
}

/** The body of a request; empty if it is too long to be valid. */
async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) if (text.length <= BODY_LIMIT) text += chunk as string;
  return text.length <= BODY_LIMIT ? text : '';
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }).end(JSON.stringify(body));
}
