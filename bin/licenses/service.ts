import { setTimeout as sleep } from 'node:timers/promises';
import type { Endpoint } from '../../lambdas/contract/endpoint';
import { credentialHeaders } from '../../lambdas/contract/endpoint';

/** A client of any running service. It limits its own rate, and waits when the service asks it to. */

/** The service cannot be used: every further request would fail in the same way. */
export class ServiceError extends Error {}

export interface ServiceResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface Call {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How long the service may fail or not respond before the run ends, in ms; shorter before its first response. */
const PATIENCE_MS = 300_000;
const FIRST_PATIENCE_MS = 5000;
const TIMEOUT_MS = 60_000;
const LONGEST_WAIT_MS = 30_000;
const MAY_PASS = [429, 500, 502, 503, 504];

/** How long a response asks the client to wait, in ms; undefined if it doesn't say. (RFC 9110, Retry-After) */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

export class Service {
  /** When the next request may be sent, by `performance.now()`. */
  private nextAt = 0;
  private hasResponded = false;

  /** @param rate maximum number of requests per second */
  constructor(
    private readonly baseUrl: string,
    private readonly adminToken: string,
    private readonly rate: number,
  ) {}

  /** Calls an endpoint. Temporary failures are retried; a refusal is returned to the caller. */
  call(
    { method, path }: Pick<Endpoint, 'method' | 'path'>,
    { params = {}, query = {}, body, headers = {} }: Call,
  ): Promise<ServiceResponse> {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
    const asked = new URLSearchParams(query).toString();
    return this.send(method, `${this.baseUrl}${filled}${asked === '' ? '' : `?${asked}`}`, body, headers);
  }

  /** The pages of a list, one after another. */
  async *pages(row: Pick<Endpoint, 'method' | 'path'>, call: Call): AsyncGenerator<ServiceResponse> {
    let response = await this.call(row, call);
    for (;;) {
      if (response.status !== 200) throw new ServiceError(`The service refused the list: ${detailOf(response)}`);
      yield response;
      const next = /<([^<>]+)>;\s*rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
      if (next === undefined) return;
      response = await this.send('GET', new URL(next, `${this.baseUrl}/`).href, undefined, call.headers ?? {});
    }
  }

  private async send(method: string, url: string, body: unknown, headers: Readonly<Record<string, string>>): Promise<ServiceResponse> {
    const begun = performance.now();
    for (let attempt = 1; ; attempt += 1) {
      await this.turn();
      const response = await this.attempt(method, url, body, headers).catch((error: Error) => error);
      const failed = response instanceof Error;
      if (!failed && response.status === 401) throw new ServiceError('The service does not accept this admin token.');
      if (!failed && !MAY_PASS.includes(response.status)) return response;
      // Before the first response, the address may simply be wrong.
      if (performance.now() - begun > (this.hasResponded ? PATIENCE_MS : FIRST_PATIENCE_MS)) {
        throw new ServiceError(
          failed
            ? `There is no response from ${this.baseUrl}: ${reasonOf(response)}`
            : `The service responds with status ${response.status}: ${detailOf(response)}`,
        );
      }
      const asked = failed ? undefined : retryAfterMs(response.headers.get('retry-after'), Date.now());
      this.pause(asked ?? Math.min(LONGEST_WAIT_MS, 500 * 2 ** Math.min(attempt, 10)) * (0.5 + Math.random() / 2));
    }
  }

  private async attempt(method: string, url: string, body: unknown, headers: Readonly<Record<string, string>>): Promise<ServiceResponse> {
    const response = await fetch(url, {
      method,
      headers: {
        [credentialHeaders.admin]: this.adminToken,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    this.hasResponded = true;
    return { status: response.status, headers: response.headers, text };
  }

  /** Waits until the rate allows one more request. */
  private async turn(): Promise<void> {
    const now = performance.now();
    const at = Math.max(now, this.nextAt);
    this.nextAt = at + 1000 / this.rate;
    if (at > now) await sleep(at - now);
  }

  /** Pauses all requests, because the service is busy. */
  private pause(ms: number): void {
    this.nextAt = Math.max(this.nextAt, performance.now() + ms);
  }
}

const reasonOf = (error: Error): string =>
  error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;

/** The service's own sentence about a refusal. */
export function detailOf({ status, text }: ServiceResponse): string {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown };
    if (typeof detail === 'string') return detail;
  } catch {
    // Not a response of the service: only the status is useful.
  }
  return `status ${status}`;
}

/** The JSON of a response that is not a refusal. */
export function jsonOf<Body>(response: ServiceResponse): Body {
  if (response.status >= 300) throw new ServiceError(detailOf(response));
  try {
    return JSON.parse(response.text) as Body;
  } catch {
    throw new ServiceError('The response is not JSON, so it did not come from the service.');
  }
}
