import { AdminApiError, createAdminClient, dataOf, type AdminClient } from '@license-key-service/admin';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Creates the admin client for commands that call a running service. The client limits the request rate. Once the service has responded
 * for the first time, the client retries each failed request for several minutes.
 */

/** The command can't do its work; the message says why. */
export class ServiceError extends Error {}

/**
 * How long a failed request is retried, in milliseconds, before the command fails. The time is shorter before the first response, because
 * the service's URL may be wrong.
 */
const PATIENCE_MS = 300_000;
const FIRST_PATIENCE_MS = 5000;
const TIMEOUT_MS = 60_000;

export interface Target {
  readonly baseUrl: string;
  readonly adminToken: string;
  /** Maximum number of requests per second. */
  readonly rate: number;
}

/** Creates a fetch function that starts at most `rate` requests per second. */
function paced(rate: number): (request: Request) => Promise<Response> {
  let nextAt = 0;
  return async (request) => {
    const now = performance.now();
    const at = Math.max(now, nextAt);
    nextAt = at + 1000 / rate;
    if (at > now) await sleep(at - now);
    return fetch(request);
  };
}

/**
 * Creates the admin client of a command.
 *
 * @throws if there is no service at `baseUrl`, or if the service refuses the token
 */
export async function connect({ baseUrl, adminToken, rate }: Target): Promise<AdminClient> {
  const options = { baseUrl, token: adminToken, timeoutMs: TIMEOUT_MS, fetch: paced(rate) };
  const result = await createAdminClient({ ...options, retryForMs: FIRST_PATIENCE_MS }).GET('/v1/tokens/current');
  if (result.response.status === 404) throw new ServiceError(`${baseUrl} is not the address of this service: the status is 404.`);
  dataOf(result);
  return createAdminClient({ ...options, retryForMs: PATIENCE_MS });
}

/** Whether every further request would fail in the same way, because of the token, the service or the rate limit. */
const isFatal = ({ status }: Response): boolean => status === 401 || status === 429 || status >= 500;

/**
 * Returns undefined if the request succeeded. Returns the error if the service refused only this request, for example because of an
 * invalid field, and other requests may succeed.
 *
 * @throws AdminApiError if other requests would fail too, for example because the token was revoked
 */
export function refusalOf(result: { readonly error?: unknown; readonly response: Response }): AdminApiError | undefined {
  if (result.response.ok) return undefined;
  const error = new AdminApiError(result.response, result.error);
  if (isFatal(result.response)) throw error;
  return error;
}

/** Explains a failed request to the user of a command in one sentence; undefined if the error did not come from a request. */
export function sentenceOf(error: unknown, baseUrl: string): string | undefined {
  if (error instanceof ServiceError) return error.message;
  if (error instanceof AdminApiError) {
    if (error.status === 401) return 'The service does not accept this admin token.';
    return error.status >= 500 ? `The service responds with status ${error.status}: ${error.message}` : error.message;
  }
  if (error instanceof SyntaxError) return `The response from ${baseUrl} is not JSON, so it did not come from the service.`;
  // fetch throws a TypeError if the connection fails, and a DOMException after a timeout.
  if (!(error instanceof TypeError && error.message === 'fetch failed') && !(error instanceof DOMException)) return undefined;
  const { cause, message } = error;
  return `There is no response from ${baseUrl}: ${cause instanceof Error && cause.message !== '' ? cause.message : message}`;
}
