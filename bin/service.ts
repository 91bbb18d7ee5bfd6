import { AdminApiError, createAdminClient, dataOf, type AdminClient } from '@license-key-service/admin';
import { setTimeout as sleep } from 'node:timers/promises';

/** How command lines use any running service: by the typed client, within a rate, and patiently once the service has responded. */

/** The work can't be done; the message says why. */
export class ServiceError extends Error {}

/** How long the service may fail or not respond before the run ends, in ms; shorter before its first response: the address may be wrong. */
const PATIENCE_MS = 300_000;
const FIRST_PATIENCE_MS = 5000;
const TIMEOUT_MS = 60_000;

export interface Target {
  readonly baseUrl: string;
  readonly adminToken: string;
  /** Maximum number of requests per second. */
  readonly rate: number;
}

/** A fetch that starts at most this number of requests per second. */
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

/** The admin client of a command line. @throws if there is no service at the address, or it refuses the token */
export async function connect({ baseUrl, adminToken, rate }: Target): Promise<AdminClient> {
  const options = { baseUrl, token: adminToken, timeoutMs: TIMEOUT_MS, fetch: paced(rate) };
  dataOf(await createAdminClient({ ...options, retryForMs: FIRST_PATIENCE_MS }).GET('/v1/tokens/current'));
  return createAdminClient({ ...options, retryForMs: PATIENCE_MS });
}

/** Whether an error says that every further request would fail in the same way: the token, the service or the connection. */
const isFatal = ({ status }: Response): boolean => status === 401 || status === 429 || status >= 500;

/**
 * The error of a request that was refused for its content; undefined if it was carried out.
 *
 * @throws AdminApiError if the service refuses every request at present
 */
export function refusalOf(result: { readonly error?: unknown; readonly response: Response }): AdminApiError | undefined {
  if (result.response.ok) return undefined;
  const error = new AdminApiError(result.response, result.error);
  if (isFatal(result.response)) throw error;
  return error;
}

/** A sentence that explains a failed request to the user of a command; undefined if the error did not come from a request. */
export function sentenceOf(error: unknown, baseUrl: string): string | undefined {
  if (error instanceof ServiceError) return error.message;
  if (error instanceof AdminApiError) {
    if (error.status === 401) return 'The service does not accept this admin token.';
    return error.status >= 500 ? `The service responds with status ${error.status}: ${error.message}` : error.message;
  }
  if (error instanceof SyntaxError) return `The response of ${baseUrl} is not JSON, so it did not come from the service.`;
  // What fetch throws: its own error, or that of a timeout.
  if (!(error instanceof TypeError && error.message === 'fetch failed') && !(error instanceof DOMException)) return undefined;
  const { cause, message } = error;
  return `There is no response from ${baseUrl}: ${cause instanceof Error && cause.message !== '' ? cause.message : message}`;
}
