import { parseObject, type JsonObject } from './bytes';
import { LATE, within } from './deadline';
import type { Fault, RefusedStatus } from './state';

/** The three client routes of the service (service.md, "Activation") as calls that answer verdicts or faults, and never throw. */

/** What is needed of `fetch`; the global one fits. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal: AbortSignal;
  readonly redirect: 'error';
}

export interface FetchResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

export interface ServiceOptions {
  readonly baseUrl: string;
  readonly productId: number;
  readonly apiKey: string;
  readonly fetch: Fetch;
  /** For each of the two attempts, in milliseconds. */
  readonly timeoutMs: number;
  /** Before the second attempt, in milliseconds; up to half of it is added by chance. */
  readonly retryDelayMs: number;
}

/** A type, not an interface: its fields are sent as they are. */
export type DeviceLabels = {
  /** For people, such as "Ada's laptop"; at most 200 characters. */
  readonly name?: string;
  /** Such as the operating system; at most 200 characters. */
  readonly platform?: string;
};

/** The service's word on a key and a device. */
export type Verdict =
  | { readonly kind: 'token'; readonly token: string; /** In its canonical form. */ readonly key: string }
  | { readonly kind: 'refused'; readonly status: RefusedStatus };

type Fields = Readonly<Record<string, string | undefined>>;

/** An answer that came, whatever it says. */
interface Answer {
  readonly status: number;
  /** `X-Svc-Error-Code` of an error (decisions.md, "error body"). */
  readonly code: string | null;
  readonly body: JsonObject;
}

const faulty = (kind: Fault['kind'], message: string): Fault => ({ kind, message });

/** All names by which the service refuses a key: error codes, and statuses of a license or validation. */
const refusals = new Map<unknown, RefusedStatus>([
  ['not_found', 'unknown_key'],
  ['invalid', 'unknown_key'],
  ['license_revoked', 'revoked'],
  ['revoked', 'revoked'],
  ['license_expired', 'expired'],
  ['expired', 'expired'],
  ['no_seats', 'no_seats'],
]);

/** What Node's fetch fails with only says so; its cause says why. */
const reasonOf = (error: unknown): string => String((error as { readonly cause?: unknown } | undefined)?.cause ?? error);

/** Not `URLSearchParams`, which React Native has only in parts. */
const queryOf = (fields: Fields): string =>
  Object.entries(fields)
    .map(([name, value = '']) => `${name}=${encodeURIComponent(value)}`)
    .join('&');

/** An answer that somebody else gave: a captive portal, a proxy. */
const foreign = (status: number): Fault => faulty('malformed', `HTTP ${status} is no answer of the service`);

/** An answer that says nothing of the license. */
const unsettled = ({ status, code, body }: Answer): Fault =>
  status < 400 || code === null ? foreign(status) : faulty('rejected', `HTTP ${status} ${code}: ${String(body['detail'])}`);

/**
 * What an answer to an activation or a validation says. An activation may be refused by an error or by a status
 * (service.md, "Errors"); an error of a validation is never a word on the license.
 */
function verdictOf(operation: string, answer: Answer): Verdict | Fault {
  const { license, offline_token: token, status } = answer.body;
  const isSuccess = answer.status === 200;
  const refusal = refusals.get(isSuccess ? status : operation === 'activate' && answer.code);
  if (refusal) return { kind: 'refused', status: refusal };
  const key = (license as JsonObject | null | undefined)?.['key'];
  if (!isSuccess || typeof key !== 'string') return unsettled(answer);
  // A good key on a device that holds no seat brings no token (service.md, "Activation", rule 2).
  return typeof token === 'string' ? { kind: 'token', token, key } : { kind: 'refused', status: 'unbound' };
}

/** Calls of one product's client routes. */
export interface Service {
  /** Validates a key on a device, or activates it there: safe to repeat, since a device that is bound already takes no seat. */
  ask(operation: 'validate' | 'activate', fields: { readonly key: string; readonly fingerprint: string } & DeviceLabels): Promise<Verdict | Fault>;
  /** Frees the device's seat. */
  free(key: string, fingerprint: string): Promise<{ readonly kind: 'done'; readonly freed: boolean } | Fault>;
  /** Ends what is under way and refuses what follows, with the fault `closed`. */
  close(): void;
}

export function createService({ baseUrl, productId, apiKey, fetch, timeoutMs, retryDelayMs }: ServiceOptions): Service {
  let isClosed = false;
  const underWay = new Set<AbortController>();

  async function exchange(operation: string, fields: Fields, signal: AbortSignal): Promise<Answer | Fault> {
    const url = `${baseUrl}/v1/products/${productId}/${operation}`;
    const isQuery = operation === 'validate';
    const response = await fetch(isQuery ? `${url}?${queryOf(fields)}` : url, {
      method: isQuery ? 'GET' : 'POST',
      headers: { 'X-API-Key': apiKey, ...(!isQuery && { 'Content-Type': 'application/json' }) },
      ...(!isQuery && { body: JSON.stringify(fields) }),
      signal,
      // The service never redirects; whoever does must not be handed the key.
      redirect: 'error',
    });
    const { status } = response;
    const code = response.headers.get('X-Svc-Error-Code');
    if (status >= 500 || (status === 429 && code !== 'no_seats')) return faulty('busy', `HTTP ${status}`);
    const body = parseObject(await response.text());
    return body ? { status, code, body } : foreign(status);
  }

  async function attempt(operation: string, fields: Fields): Promise<Answer | Fault> {
    const closed = faulty('closed', 'client closed');
    if (isClosed) return closed;
    const controller = new AbortController();
    underWay.add(controller);
    try {
      return await within(timeoutMs, exchange(operation, fields, controller.signal));
    } catch (error) {
      if (isClosed) return closed;
      return error === LATE ? faulty('timeout', `no answer within ${timeoutMs} ms`) : faulty('unreachable', reasonOf(error));
    } finally {
      underWay.delete(controller);
      // Lets go of a connection whose answer nobody waits for any more.
      controller.abort();
    }
  }

  /** A request with one retry: only what may be better a moment later is tried again. */
  async function call(operation: string, fields: Fields): Promise<Answer | Fault> {
    const first = await attempt(operation, fields);
    if (!('kind' in first) || isClosed) return first;
    await new Promise((resolve) => setTimeout(resolve, retryDelayMs * (1 + Math.random() / 2)));
    return attempt(operation, fields);
  }

  return {
    async ask(operation, fields) {
      const answer = await call(operation, fields);
      return 'kind' in answer ? answer : verdictOf(operation, answer);
    },

    async free(key, fingerprint) {
      const answer = await call('deactivate', { key, fingerprint });
      if ('kind' in answer) return answer;
      const { freed } = answer.body;
      return typeof freed === 'boolean' ? { kind: 'done', freed } : unsettled(answer);
    },

    close() {
      isClosed = true;
      for (const controller of underWay) controller.abort();
    },
  };
}
