import { setTimeout as sleep } from 'node:timers/promises';

export interface RetryOptions {
  readonly fetch: (request: Request) => Promise<Response>;
  /** How long one attempt may take, in milliseconds. */
  readonly timeoutMs: number;
  /** How long failed attempts of a request are repeated, in milliseconds from the start of the request. */
  readonly retryForMs: number;
  /** Whether a request may be sent again although the service may already have carried it out. */
  readonly isRepeatable: (request: Request) => boolean;
}

const FAULTS = [500, 502, 503, 504];
/** The shortest wait before a repetition. Without it, a server that sends `Retry-After: 0` would get requests without a pause. */
const SHORTEST_WAIT_MS = 100;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

/**
 * The time to wait according to the header `Retry-After` (RFC 9110), in milliseconds, but at least {@link SHORTEST_WAIT_MS}. Undefined if
 * the header is missing or invalid.
 */
function retryAfterMs(header: string | null): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(SHORTEST_WAIT_MS, ms);
}

/**
 * True if the service refused a request because of a rate limit. Such a request had no effect and may be repeated. Other errors with status
 * 429, such as `no_seats`, are refusals by a limit of the license and must not be repeated.
 */
const isThrottled = ({ status, headers }: Response): boolean =>
  status === 429 && (headers.get('x-svc-error-code') ?? 'rate_limited') === 'rate_limited';

/** Reads the whole response, so that a connection which breaks within the body counts as a failed attempt. */
async function whole(response: Response): Promise<Response> {
  const body = await response.arrayBuffer();
  return new Response(body.byteLength === 0 ? null : body, response);
}

/**
 * Returns a fetch function that repeats requests after temporary failures. A throttled request is always repeated. After a fault of the
 * service or the network, a request is repeated only if that is safe. Before each repetition, the function waits as long as the response
 * requires. If the response requires no wait, the wait grows with each attempt. If too little time is left for another attempt, the
 * function returns the last response or throws the last error.
 */
export function retrying({ fetch, timeoutMs, retryForMs, isRepeatable }: RetryOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    const begun = performance.now();
    for (let attempt = 0; ; attempt += 1) {
      const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
      const outcome = await fetch(new Request(request.clone(), { signal }))
        .then(whole)
        .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
      request.signal.throwIfAborted();
      const isTemporary =
        outcome instanceof Error
          ? isRepeatable(request)
          : isThrottled(outcome) || (FAULTS.includes(outcome.status) && isRepeatable(request));
      const asked = outcome instanceof Error ? undefined : retryAfterMs(outcome.headers.get('retry-after'));
      const wait = asked ?? Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempt, 10)) * (0.5 + Math.random() / 2);
      if (isTemporary && performance.now() - begun + wait <= retryForMs) {
        await sleep(wait, undefined, { signal: request.signal });
        continue;
      }
      if (outcome instanceof Error) throw outcome;
      return outcome;
    }
  };
}
