import { fromUtf8, parseJson } from './bytes';
import { isSameKey, parseSeats, type CacheRecord } from './cache';
import { LATE, within } from './deadline';
import { isRefusedStatus, isStatusName, type RefusalName } from './refusals';
import {
  fits,
  isCount,
  isFilled,
  isObject,
  isText,
  isTimestamp,
  isTruth,
  listOf,
  matching,
  nullable,
  optional,
  shaped,
  type JsonObject,
} from './shape';
import type { Artifact, Fault, Latest, ListedDevice, Meter, Seats, UsageRefusal } from './state';
import { dateOf } from './timestamp';
import { VERSION } from './version';

/** Calls the client routes of the service (docs/spec/activation.md). A call returns a reply or a fault, and never throws. */

/** The part of `fetch` that the client uses. The global `fetch` has this type. */
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
  /**
   * If this is a stream (`ReadableStream`), the client reads it up to the maximum size of a response. Otherwise the client calls `text`.
   */
  readonly body?: unknown;
  text(): Promise<string>;
}

export interface ServiceOptions {
  readonly baseUrl: string;
  readonly productId: number;
  readonly apiKey: string;
  readonly fetch: Fetch;
  /** Time limit of each of the two attempts, in milliseconds. */
  readonly timeoutMs: number;
  /** Pause before the second attempt, in milliseconds; a random time of up to half of the pause is added. */
  readonly retryDelayMs: number;
}

/**
 * Labels that the operator sees. This is a type alias and not an interface, because TypeScript doesn't accept an interface where
 * `Record<string, unknown>` is expected.
 */
export type DeviceLabels = {
  /** A name by which people recognize the device, such as "Ada's laptop"; at most 200 characters. */
  readonly name?: string;
  /** Where the app runs, for example the operating system; at most 200 characters. */
  readonly platform?: string;
};

/** The fields of an activation, trial or validation request, with their names in the API. */
export type SeatFields = DeviceLabels & {
  readonly key?: string;
  readonly customer_email?: string | undefined;
  readonly replace?: string | undefined;
  readonly release?: object | undefined;
  readonly version?: string | undefined;
};

/** The fields of a request that consumes an amount. */
export interface UseFields {
  readonly key: string;
  readonly fingerprint: string;
  readonly meter: string;
  readonly amount: number;
  readonly id: string;
}

/** The content of a reply that grants a license, with the field names of the stored record. Only the token is signed. */
export type Grant = Pick<CacheRecord, 'type_name' | 'seats'> & { readonly key: string; readonly token: string };

/** The response of the service about a key and a device. Nothing in it is verified yet. */
export type Reply =
  | { readonly kind: 'granted'; readonly grant: Grant }
  | {
      readonly kind: 'unbound';
      readonly key: string;
      readonly licenseId: string;
      readonly seats: Seats;
      /** The header `X-Svc-Verdict`. */
      readonly verdict: string | null;
    }
  | { readonly kind: 'refused'; readonly name: RefusalName /** The header `X-Svc-Verdict`. */; readonly verdict: string | null };

/** A request to activate this device, which somebody approves in the browser. */
export interface ActivationRequest {
  /** The secret with which this device asks for the decision. */
  readonly request: string;
  readonly userCode: string;
  readonly url: string;
  /** Seconds to wait before the next question. */
  readonly interval: number;
}

/** The decision about an {@link ActivationRequest}. */
export type Decision =
  | Reply
  | { readonly kind: 'pending'; readonly interval: number }
  | { readonly kind: 'denied' }
  | { readonly kind: 'expired' };

/** The result of freeing a seat. */
export interface Freed {
  readonly freed: boolean;
  /** Why it is not certain that the seat was freed. */
  readonly fault?: Fault | undefined;
  /** True if the response says that the key is unknown. The response is not signed, so it may come from another server. */
  readonly isUnknownKey?: boolean;
}

const REQUESTS = 'activation-requests';
const POLL = 'activation-requests/poll';

type Operation =
  | 'validate'
  | 'activate'
  | 'trial'
  | 'deactivate'
  | 'devices'
  | 'releases/latest'
  | 'consume'
  | 'meters'
  | typeof REQUESTS
  | typeof POLL;
type Fields = Readonly<Record<string, unknown>>;
type Headers = Readonly<Record<string, string>>;
type Offer = Pick<Extract<Latest, { status: 'latest' }>, 'update' | 'newest'>;

/** A response that was received, regardless of its content. */
interface Response {
  readonly status: number;
  /** The header `X-Svc-Error-Code` of an error (docs/spec/service.md, Errors). */
  readonly code: string | null;
  readonly verdict: string | null;
  readonly body: JsonObject;
}

/** Maximum size of a response, in bytes. A list of 1,000 devices or a release with 50 files is smaller. */
const MAX_RESPONSE_BYTES = 1_048_576;
/** Maximum `Retry-After`, in seconds, for which a call waits before its second attempt. */
const MAX_WAIT_SECONDS = 5;

const faulty = (kind: Fault['kind'], message: string): Fault => ({ kind, message });

/** The reason why a request failed. The error of Node's `fetch` has no useful message, but its `cause` contains the reason. */
const reasonOf = (error: unknown): string => String((error as { readonly cause?: unknown } | undefined)?.cause ?? error);

/** Encodes fields as a query string. It does not use `URLSearchParams`, because React Native implements only parts of it. */
const queryOf = (fields: object): string =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&');

/** Returns the fault for a response that does not come from the service, but from a captive portal or a proxy. */
const foreign = (status: number, size = ''): Fault => faulty('malformed', `not a response of the service: HTTP ${status}${size}`);

/** Returns the fault for a response that contains no decision about the license. */
const unusable = ({ status, code, body: { detail } }: Response): Fault =>
  status < 400 || code === null || !isText(detail) ? foreign(status) : faulty('rejected', `HTTP ${status} ${code}: ${detail}`);

function grantIn({ body: { offline_token: token, license, seats } }: Response): Reply | undefined {
  if (!isFilled(token) || !fits<{ key: string; license_type?: unknown }>(license, { key: isFilled })) return undefined;
  const { key, license_type: type } = license;
  return {
    kind: 'granted',
    grant: {
      key,
      token,
      type_name: fits<{ name: string }>(type, { name: isFilled }) ? type.name : undefined,
      seats: parseSeats(seats),
    },
  };
}

/**
 * Reads the reply in a response to a validation. The result is undefined if the response contains no decision about the license, as in an
 * error response, or if its JSON does not have the form of a reply. A refusal without a verdict has only the fields `valid` and
 * `status`. A refusal with a verdict may have further fields, because the client can verify the verdict.
 */
function validationReply(response: Response): Reply | undefined {
  const { status, body, verdict } = response;
  const { valid, status: name, license, seats: seatsText } = body;
  if (status !== 200 || !isTruth(valid)) return undefined;
  if (valid) {
    const granted = grantIn(response);
    if (granted) return granted;
    // For a valid key on a device without a seat, the response has neither device nor token (docs/spec/activation.md, Validate).
    const seats = parseSeats(seatsText);
    const isWhole = fits<{ key: string; id: number }>(license, { key: isFilled, id: Number.isSafeInteger }) && seats && isStatusName(name);
    return isWhole && !('device' in body) && !('offline_token' in body)
      ? { kind: 'unbound', key: license.key, licenseId: String(license.id), seats, verdict }
      : undefined;
  }
  if (!isRefusedStatus(name) || (verdict === null && Object.keys(body).length !== 2)) return undefined;
  return { kind: 'refused', name: name === 'invalid' ? 'unknown_key' : name, verdict };
}

interface WireDevice {
  readonly ref: string;
  readonly name: string;
  readonly platform: string;
  readonly activated_at: string;
  readonly last_seen_on?: string | null;
  readonly this: boolean;
}

const areDevices = listOf<WireDevice>(
  shaped({
    ref: isFilled,
    name: isText,
    platform: isText,
    activated_at: isTimestamp,
    last_seen_on: optional(nullable(isText)),
    this: isTruth,
  }),
);

const listedDevice = ({
  ref,
  name,
  platform,
  activated_at: activatedAt,
  last_seen_on: lastSeenOn = null,
  this: isThis,
}: WireDevice): ListedDevice => ({
  ref,
  name,
  platform,
  activatedAt: dateOf(activatedAt),
  lastSeenOn,
  isThis,
});

interface WireRelease {
  readonly version: string;
  readonly released_at: string;
}

interface WireOffer {
  readonly update:
    | (WireRelease & { readonly channel: string; readonly notes?: string | null; readonly artifacts: readonly Partial<Artifact>[] })
    | null;
  readonly newest: (WireRelease & { readonly covered: boolean }) | null;
}

const releaseRules = { version: isFilled, released_at: isTimestamp };
const artifactRules = {
  filename: isFilled,
  platform: isFilled,
  arch: isFilled,
  size: isCount,
  sha256: isFilled,
  sha512: isFilled,
  signature: optional(nullable(isFilled)),
  url: isFilled,
};
const offerRules = {
  update: nullable(
    shaped({ ...releaseRules, channel: isFilled, notes: optional(nullable(isText)), artifacts: listOf(shaped(artifactRules)) }),
  ),
  newest: nullable(shaped({ ...releaseRules, covered: isTruth })),
};

function offerIn({ status, body }: Response): Offer | undefined {
  if (status !== 200 || !fits<WireOffer>(body, offerRules)) return undefined;
  const { update, newest } = body;
  return {
    update: update && {
      version: update.version,
      channel: update.channel,
      releasedAt: dateOf(update.released_at),
      notes: update.notes ?? null,
      artifacts: update.artifacts.map(
        (artifact) =>
          Object.fromEntries(
            Object.keys(artifactRules).map((name) => [name, artifact[name as keyof Artifact] ?? null]),
          ) as unknown as Artifact,
      ),
    },
    newest: newest && { version: newest.version, releasedAt: dateOf(newest.released_at), covered: newest.covered },
  };
}

/**
 * The name of the refusal for each error code and status of an activation or a trial. Codes for the status of a license (`license_…`) are
 * not in this table.
 */
const refusalCodes: { readonly [code: string]: RefusalName | undefined } = {
  'no_seats 429': 'no_seats',
  'too_many_devices 429': 'too_many_devices',
  'release_not_covered 403': 'not_covered',
  'sign_in_required 403': 'sign_in_required',
};

interface WireMeter {
  readonly meter: string;
  readonly used: number;
  readonly included: number;
  readonly remaining: number;
  readonly period: string;
  readonly resets_at: string | null;
}

const meterRules = {
  meter: isFilled,
  used: isCount,
  included: isCount,
  remaining: isCount,
  period: isFilled,
  resets_at: nullable(isTimestamp),
};
const areMeters = listOf<WireMeter>(shaped(meterRules));

const readMeter = ({ meter, used, included, remaining, period, resets_at: resetsAt }: WireMeter): Meter => ({
  name: meter,
  used,
  included,
  remaining,
  period,
  resetsAt: resetsAt === null ? null : dateOf(resetsAt),
});

/** Error codes with which the service refuses `consume` and `meters`, with their statuses, and the name of the refusal. */
const usageCodes: { readonly [code: string]: string | undefined } = {
  'not_found 404': 'unknown_key',
  'not_activated 403': 'not_activated',
  'sign_in_required 403': 'sign_in_required',
  'unknown_meter 404': 'unknown_meter',
  'idempotency_mismatch 409': 'idempotency_mismatch',
  'invalid_request 422': 'invalid_request',
  'meter_exhausted 429': 'meter_exhausted',
};

/** Reads a refusal of `consume` or `meters`. */
function usageRefusal({ status, code, body: { detail } }: Response): UsageRefusal | undefined {
  if (code === null || !isText(detail)) return undefined;
  const reason = licenseStatusIn(status, code) ?? usageCodes[`${code} ${status}`];
  return reason === undefined ? undefined : { status: 'refused', reason, message: detail };
}

/** The status of the license in an error code such as `license_revoked`. */
function licenseStatusIn(status: number, code: string): RefusalName | undefined {
  const name = status === 403 ? /^license_(.+)$/.exec(code)?.[1] : undefined;
  return isRefusedStatus(name) ? name : undefined;
}

/** Whether a response with status 429 asks the client to wait. With another code it is a refusal, which must not be retried. */
const isThrottling = (code: string | null): boolean => code === null || code === 'rate_limited';

/** Reads the reply in a response to an activation or a trial. */
function activationReply(operation: 'activate' | 'trial', response: Response): Reply | undefined {
  const { status, code, body, verdict } = response;
  if (status === 200 || status === 201) return grantIn(response);
  if (code === null || !isText(body['detail'])) return undefined;
  const isNotFound = status === 404 && code === 'not_found';
  const otherName = isNotFound ? (operation === 'trial' ? 'no_trial' : 'unknown_key') : refusalCodes[`${code} ${status}`];
  const name = licenseStatusIn(status, code) ?? otherName;
  return name ? { kind: 'refused', name, verdict } : undefined;
}

const requestRules = {
  request: isFilled,
  user_code: isFilled,
  // The app opens this address, so it must not be one that starts a program.
  url: matching(/^https?:\/\/\S+$/i),
  interval: isCount,
};

interface WireRequest {
  readonly request: string;
  readonly user_code: string;
  readonly url: string;
  readonly interval: number;
}

/** Reads the decision about an activation request. */
function decisionIn(response: Response): Decision | undefined {
  const { status, body } = response;
  const { status: name, interval, activation } = body;
  // A refusal of the approved license has the form of a refused activation. An unknown request is `expired`, and never 404.
  if (status !== 200) return status === 404 ? undefined : activationReply('activate', response);
  if (name === 'pending') return isCount(interval) ? { kind: name, interval } : undefined;
  if (name === 'denied') return { kind: name };
  if (name === 'expired') return { kind: name };
  return name === 'approved' && isObject(activation) ? grantIn({ ...response, body: activation }) : undefined;
}

/** Whether JSON in UTF-8 can be an object or a list, according to its first bytes, which may be byte order marks. */
const mayBeJson = (bytes: Uint8Array): boolean => /^(\xEF\xBB\xBF)*\s*[[{]/.test(String.fromCharCode(...bytes.subarray(0, 64)));

interface Reader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array }>;
  cancel(): Promise<unknown>;
}

/**
 * The reader of a response's body, if the body is a stream. The signal cancels the stream, too: after a garbage collection Node's `fetch` may
 * ignore the signal, and a server that never ends its response would keep the connection and the process.
 */
function readerOf({ body }: FetchResponse, signal: AbortSignal): Reader | undefined {
  const stream = body as { getReader?(): Reader } | null | undefined;
  const reader = stream?.getReader?.();
  // The connection is no longer used, so a failure to close it doesn't matter.
  const cancel = (): void => void reader?.cancel().catch(() => undefined);
  signal.addEventListener('abort', cancel);
  if (signal.aborted) cancel();
  return reader;
}

/** The text of a response; undefined if it is too large. The page of a captive portal is not decoded, because that would take long. */
async function readText(response: FetchResponse, reader: Reader | undefined): Promise<string | undefined> {
  if (Number(response.headers.get('Content-Length')) > MAX_RESPONSE_BYTES) return undefined;
  if (!reader) {
    const whole = await response.text();
    return whole.length > MAX_RESPONSE_BYTES ? undefined : whole;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done || !value) {
      const bytes = new Uint8Array(size);
      for (const chunk of chunks.reverse()) bytes.set(chunk, (size -= chunk.length));
      return (mayBeJson(bytes) && fromUtf8(bytes)) || '';
    }
    if (size + value.length > MAX_RESPONSE_BYTES) return undefined;
    chunks.push(value);
    size += value.length;
  }
}

/** Seconds to wait according to the header `Retry-After` (RFC 9110, section 10.2.3), at most a day. A header with a date or 0 is ignored. */
function retryAfterOf(header: string | null): { readonly retryAfter?: number } {
  return /^0*[1-9]\d*$/.test(header ?? '') ? { retryAfter: Math.min(Number(header), 86_400) } : {};
}

/** Calls the client routes of the service for one product. */
export interface Service {
  /**
   * Sends a request that is safe to repeat, because a device that already has a seat takes no second seat.
   *
   * @param token the device's token, with which the service can sign that the license no longer exists
   */
  ask(
    operation: 'validate' | 'activate' | 'trial',
    fields: { readonly fingerprint: string } & SeatFields,
    token?: string,
  ): Promise<Reply | Fault>;
  /** The devices of a license. */
  devices(key: string, fingerprint: string): Promise<readonly ListedDevice[] | Fault>;
  /**
   * Requests the newest release that a license covers. The result also has the headers that a download needs: the API key, and the license
   * key or the token. Undefined fields are not sent.
   */
  latest(license: { readonly key?: string | undefined; readonly token?: string | undefined }, fields: Fields): Promise<Latest>;
  /** Consumes an amount of a meter. A request with the same `id` consumes nothing more, so it is safe to repeat. */
  consume(fields: UseFields): Promise<Meter | UsageRefusal | Fault>;
  meters(key: string, fingerprint: string): Promise<readonly Meter[] | UsageRefusal | Fault>;
  /** Creates a request that somebody approves in the browser. It ends the previous request of this device. */
  requestActivation(fields: { readonly fingerprint: string } & SeatFields): Promise<ActivationRequest | Fault>;
  /** Asks once for the decision about a request. */
  poll(request: string, fingerprint: string, signal?: AbortSignal): Promise<Decision | Fault>;
  /** Frees the seat of the device with that fingerprint or ref. */
  free(key: string, device: { readonly fingerprint: string | undefined } | { readonly device: string }): Promise<Freed>;
  /** Stops requests in progress and refuses later calls, with the fault `closed`. */
  close(): void;
}

const { process } = globalThis as { readonly process?: { readonly versions?: { readonly node?: string } } };
/** Names the client's version, like the clients in other languages. Browsers send their own `User-Agent`, and CORS would refuse another. */
const userAgent: Headers =
  process?.versions?.node && !('document' in globalThis) ? { 'User-Agent': `license-key-client-typescript/${VERSION}` } : {};

export function createService({ baseUrl, productId, apiKey, fetch, timeoutMs, retryDelayMs }: ServiceOptions): Service {
  let isClosed = false;
  /** Each of these functions ends one request or pause that is in progress. `close` calls all of them. */
  const aborts = new Set<() => void>();

  async function exchange(operation: Operation, fields: object, credential: Headers, signal: AbortSignal): Promise<Response | Fault> {
    const url = `${baseUrl}/v1/products/${productId}/${operation}`;
    const isQuery = operation === 'validate' || operation === 'releases/latest';
    const response = await fetch(isQuery ? `${url}?${queryOf(fields)}` : url, {
      method: isQuery ? 'GET' : 'POST',
      headers: { 'X-API-Key': apiKey, ...userAgent, ...(!isQuery && { 'Content-Type': 'application/json' }), ...credential },
      ...(!isQuery && { body: JSON.stringify(fields) }),
      signal,
      // These routes of the service never redirect, and no other server may receive the key.
      redirect: 'error',
    });
    const reader = readerOf(response, signal);
    const { status, headers } = response;
    // Not every HTTP library removes the white space around a value.
    const header = (name: string): string | null => headers.get(name)?.trim() ?? null;
    const code = header('X-Svc-Error-Code') || null;
    if (status >= 500 || (status === 429 && isThrottling(code)))
      return { ...faulty('busy', `HTTP ${status}`), ...retryAfterOf(header('Retry-After')) };
    const text = await readText(response, reader);
    if (text === undefined) return foreign(status, ` with more than ${MAX_RESPONSE_BYTES} bytes`);
    const parsed = parseJson(text);
    // These are the only responses that are not an object.
    const isList = (operation === 'devices' || operation === 'meters') && status === 200;
    const body = isList ? { list: parsed } : parsed;
    const isWhole = isObject(body) && parsed !== undefined;
    return isWhole ? { status, code, verdict: header('X-Svc-Verdict'), body } : foreign(status);
  }

  const closed = faulty('closed', 'client closed');

  async function attempt(operation: Operation, fields: object, credential: Headers = {}, signal?: AbortSignal): Promise<Response | Fault> {
    if (isClosed) return closed;
    const controller = new AbortController();
    const abort = (): void => controller.abort();
    aborts.add(abort);
    signal?.addEventListener('abort', abort);
    try {
      return await within(timeoutMs, () => exchange(operation, fields, credential, controller.signal));
    } catch (error) {
      if (isClosed) return closed;
      return error === LATE ? faulty('timeout', `no response within ${timeoutMs} ms`) : faulty('unreachable', reasonOf(error));
    } finally {
      aborts.delete(abort);
      signal?.removeEventListener('abort', abort);
      // Closes a connection whose response is no longer needed.
      abort();
    }
  }

  /** Resolves after some milliseconds, or when the client is closed. */
  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        aborts.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      aborts.add(end);
    });

  /** Sends a request. After a fault that may be temporary, the request is sent a second time. */
  async function call(operation: Operation, fields: object, credential?: Headers): Promise<Response | Fault> {
    const first = await attempt(operation, fields, credential);
    if (!('kind' in first) || isClosed) return first;
    const { retryAfter = 0 } = first;
    if (retryAfter > MAX_WAIT_SECONDS) return first;
    await pause(Math.max(retryDelayMs * (1 + Math.random() / 2), retryAfter * 1000));
    return attempt(operation, fields, credential);
  }

  return {
    async ask(operation, fields, token) {
      const response = await call(operation, fields, token ? { 'x-svc-token': token } : {});
      if ('kind' in response) return response;
      const reply = operation === 'validate' ? validationReply(response) : activationReply(operation, response);
      if (reply?.kind !== 'granted' || !fields.key || isSameKey(reply.grant.key, fields.key)) return reply ?? unusable(response);
      // The key in the response differs from the key in the request. The token doesn't prove which key is right, so the client keeps the
      // key that it sent. Otherwise a server that pretends to be the service could replace the license's key.
      return { ...reply, grant: { ...reply.grant, key: fields.key } };
    },

    async devices(key, fingerprint) {
      const response = await call('devices', { key, fingerprint });
      if ('kind' in response) return response;
      const { list } = response.body;
      return areDevices(list) ? list.map(listedDevice) : unusable(response);
    },

    async requestActivation(fields) {
      const response = await call(REQUESTS, fields);
      if ('kind' in response) return response;
      const { status, body } = response;
      if (status !== 201 || !fits<WireRequest>(body, requestRules)) return unusable(response);
      const { request, user_code: userCode, url, interval } = body;
      return { request, userCode, url, interval };
    },

    async poll(request, fingerprint, signal) {
      const response = await attempt(POLL, { request, fingerprint }, {}, signal);
      return 'kind' in response ? response : (decisionIn(response) ?? unusable(response));
    },

    async consume(fields) {
      const response = await call('consume', fields);
      if ('kind' in response) return response;
      const { status, body } = response;
      return status === 200 && fits<WireMeter>(body, meterRules) ? readMeter(body) : (usageRefusal(response) ?? unusable(response));
    },

    async meters(key, fingerprint) {
      const response = await call('meters', { key, fingerprint });
      if ('kind' in response) return response;
      const { list } = response.body;
      return areMeters(list) ? list.map(readMeter) : (usageRefusal(response) ?? unusable(response));
    },

    async latest({ key, token }, fields) {
      const license: Headers = key ? { 'x-license-key': key } : token ? { 'x-license-token': token } : {};
      const response = await call('releases/latest', fields, license);
      if ('kind' in response) return { status: 'failed', fault: response };
      const offer = offerIn(response);
      return offer
        ? { status: 'latest', ...offer, headers: { 'x-api-key': apiKey, ...license } }
        : { status: 'failed', fault: unusable(response) };
    },

    async free(key, device) {
      const response = await call('deactivate', { key, ...device });
      if ('kind' in response) return { freed: false, fault: response };
      const { freed } = response.body;
      if (response.status === 200 && isTruth(freed)) return { freed };
      const fault = unusable(response);
      return { freed: false, fault, isUnknownKey: fault.kind === 'rejected' && response.code === 'not_found' };
    },

    close() {
      isClosed = true;
      for (const abort of aborts) abort();
    },
  };
}
