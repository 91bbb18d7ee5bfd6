import { fromUtf8, isObject, parseObject, type JsonObject } from './bytes';
import { parseSeats } from './cache';
import { LATE, within } from './deadline';
import { isStatusName, type RefusalName } from './refusals';
import type { Artifact, Fault, Latest, ListedDevice, Seats, Update } from './state';
import { parseTimestamp } from './timestamp';
import { isCount } from './token';

/** The client routes of the service (docs/spec/activation.md) as calls that give replies or faults, and never throw. */

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
  /** A stream (`ReadableStream`), if the runtime has those: it is read up to the size that a response may have. */
  readonly body?: unknown;
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

/** What an activation or a trial sends, as its fields are named on the wire. */
export type SeatFields = DeviceLabels & {
  readonly key?: string;
  readonly customer_email?: string | undefined;
  readonly replace?: string | undefined;
  readonly release?: object | undefined;
};

/** What comes with a grant unsigned, for information. */
export interface Terms {
  readonly typeName: string | undefined;
  readonly seats: Seats | undefined;
  /** RFC 3339. */
  readonly leaseExpiresAt: string | undefined;
}

/** What the service says about a key and a device. Nothing in it is verified yet. */
export type Reply =
  | { readonly kind: 'granted'; readonly token: string /** In its canonical form. */; readonly key: string; readonly terms: Terms }
  | {
      readonly kind: 'unbound';
      readonly key: string;
      readonly licenseId: string;
      readonly seats: Seats;
      /** The header `X-Svc-Verdict`. */
      readonly verdict: string | null;
    }
  | { readonly kind: 'refused'; readonly name: RefusalName /** The header `X-Svc-Verdict`. */; readonly verdict: string | null };

/** What became of a seat. The service, or something in its place, may not know the key. */
export type Freed = { readonly kind: 'done'; readonly freed: boolean } | { readonly kind: 'unknown_key'; readonly fault: Fault };

type Operation = 'validate' | 'activate' | 'trial' | 'deactivate' | 'devices' | 'releases/latest';
type Fields = Readonly<Record<string, unknown>>;
type Headers = Readonly<Record<string, string>>;
type Offer = Pick<Extract<Latest, { status: 'latest' }>, 'update' | 'newest'>;

/** A response that came, regardless of its content. */
interface Response {
  readonly status: number;
  /** `X-Svc-Error-Code` of an error (docs/spec/service.md, Errors). */
  readonly code: string | null;
  readonly verdict: string | null;
  readonly body: JsonObject;
}

/** Maximum size of a response, in bytes: more than 1,000 devices, or a release with 50 files, take. */
const MAX_RESPONSE_BYTES = 1_048_576;
/** Longest `Retry-After` that is waited for within one call, in seconds. */
const MAX_WAIT_SECONDS = 5;

const faulty = (kind: Fault['kind'], message: string): Fault => ({ kind, message });

/** Node's fetch fails with an error that says nothing; its cause says why. */
const reasonOf = (error: unknown): string => String((error as { readonly cause?: unknown } | undefined)?.cause ?? error);

/** Not `URLSearchParams`, which React Native has only in parts. */
const queryOf = (fields: Fields): string =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&');

/** A response that is not the service's: a captive portal, a proxy. */
const foreign = (status: number): Fault => faulty('malformed', `HTTP ${status} is not a response of the service`);

/** A response that says nothing about the license. */
const unusable = ({ status, code, body: { detail } }: Response): Fault =>
  status < 400 || code === null || typeof detail !== 'string' ? foreign(status) : faulty('rejected', `HTTP ${status} ${code}: ${detail}`);

const textIn = (object: unknown, field: string): string | undefined => {
  const value = isObject(object) ? object[field] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
};

function grantIn({ body }: Response): Reply | undefined {
  const { license, device, seats } = body;
  const token = textIn(body, 'offline_token');
  const key = textIn(license, 'key');
  if (token === undefined || !isObject(license) || key === undefined) return undefined;
  const lease = textIn(device, 'lease_expires_at');
  return {
    kind: 'granted',
    token,
    key,
    terms: {
      typeName: textIn(license['license_type'], 'name'),
      seats: parseSeats(seats),
      leaseExpiresAt: parseTimestamp(lease) === undefined ? undefined : lease,
    },
  };
}

/**
 * What a response to a validation says. Errors say nothing about the license, and other JSON than the service's is not
 * its word: a refusal is `{"valid": false, "status": …}` and nothing else, unless a verdict proves it.
 */
function validationReply(response: Response): Reply | undefined {
  const { status, body, verdict } = response;
  if (status !== 200) return undefined;
  if (body['valid'] === true) {
    const granted = grantIn(response);
    if (granted) return granted;
    // A good key on a device that holds no seat comes without device and token (docs/spec/activation.md, Validate).
    const { license, seats: seatsText } = body;
    const key = textIn(license, 'key');
    const id = isObject(license) ? license['id'] : undefined;
    const seats = parseSeats(seatsText);
    const isWhole = key !== undefined && Number.isSafeInteger(id) && seats && isStatusName(body['status']);
    return isWhole && !('device' in body) && !('offline_token' in body)
      ? { kind: 'unbound', key, licenseId: String(id), seats, verdict }
      : undefined;
  }
  const { valid, status: name } = body;
  if (valid !== false || !isStatusName(name) || (verdict === null && Object.keys(body).length !== 2)) return undefined;
  return { kind: 'refused', name: name === 'invalid' ? 'unknown_key' : name, verdict };
}

function listedDevice(device: unknown): ListedDevice | undefined {
  if (!isObject(device)) return undefined;
  const { ref, name, platform, activated_at: activatedAt, last_seen_on: lastSeenOn = null, this: isThis } = device;
  const activated = parseTimestamp(activatedAt);
  const areTexts = [ref, name, platform, lastSeenOn ?? ''].every((value) => typeof value === 'string');
  return areTexts && ref !== '' && activated !== undefined && typeof isThis === 'boolean'
    ? ({ ref, name, platform, activatedAt: new Date(activated), lastSeenOn, isThis } as ListedDevice)
    : undefined;
}

const isFilled = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** Null stays; undefined: there is anything else than was expected. */
const orNull = <Value>(value: unknown, read: (object: JsonObject) => Value | undefined): Value | null | undefined =>
  value === null ? null : isObject(value) ? read(value) : undefined;

function artifactIn(artifact: unknown): Artifact | undefined {
  if (!isObject(artifact)) return undefined;
  const { filename, platform, arch, size, sha256, sha512, signature = null, url } = artifact;
  const isWhole = [filename, platform, arch, sha256, sha512, url, signature ?? 'none'].every(isFilled) && isCount(size);
  return isWhole ? ({ filename, platform, arch, size, sha256, sha512, signature, url } as Artifact) : undefined;
}

function releaseIn({ version, released_at: releasedAt }: JsonObject): { version: string; releasedAt: Date } | undefined {
  const released = parseTimestamp(releasedAt);
  return isFilled(version) && released !== undefined ? { version: String(version), releasedAt: new Date(released) } : undefined;
}

function offerIn({ status, body }: Response): Offer | undefined {
  const update = orNull(body['update'], (found) => {
    const { channel, notes = null, artifacts } = found;
    const release = releaseIn(found);
    const files = Array.isArray(artifacts) ? artifacts.map(artifactIn) : [undefined];
    const isWhole = release && isFilled(channel) && (notes === null || typeof notes === 'string') && files.every(Boolean);
    return isWhole ? ({ version: release.version, channel, releasedAt: release.releasedAt, notes, artifacts: files } as Update) : undefined;
  });
  const newest = orNull(body['newest'], (found) => {
    const release = releaseIn(found);
    const { covered } = found;
    return release && typeof covered === 'boolean' ? { ...release, covered } : undefined;
  });
  return status === 200 && update !== undefined && newest !== undefined ? { update, newest } : undefined;
}

/** Error codes by which an activation or a trial is refused, besides the statuses of a license (`license_…`). */
const refusalCodes: { readonly [code: string]: RefusalName | undefined } = {
  'no_seats 429': 'no_seats',
  'too_many_devices 429': 'too_many_devices',
  'release_not_covered 403': 'not_covered',
};

/** What a response to an activation or a trial says. */
function activationReply(operation: 'activate' | 'trial', response: Response): Reply | undefined {
  const { status, code, body, verdict } = response;
  if (status === 200 || status === 201) return grantIn(response);
  if (code === null || typeof body['detail'] !== 'string') return undefined;
  const licenseStatus = status === 403 ? /^license_(.+)$/.exec(code)?.[1] : undefined;
  const isNotFound = status === 404 && code === 'not_found';
  const name = licenseStatus ?? (isNotFound ? (operation === 'trial' ? 'no_trial' : 'unknown_key') : refusalCodes[`${code} ${status}`]);
  return isStatusName(name) ? { kind: 'refused', name, verdict } : undefined;
}

/** The text of a response; undefined if it is too large. */
async function readText(response: FetchResponse): Promise<string | undefined> {
  if (Number(response.headers.get('Content-Length')) > MAX_RESPONSE_BYTES) return undefined;
  const stream = response.body as
    | { getReader?(): { read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array }>; cancel(): Promise<unknown> } }
    | null
    | undefined;
  if (typeof stream?.getReader !== 'function') {
    const whole = await response.text();
    return whole.length > MAX_RESPONSE_BYTES ? undefined : whole;
  }
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done || !value) {
      const bytes = new Uint8Array(size);
      for (const chunk of chunks.reverse()) bytes.set(chunk, (size -= chunk.length));
      return fromUtf8(bytes) ?? '';
    }
    if (size + value.length > MAX_RESPONSE_BYTES) {
      // The connection is of no use any more; how its end goes doesn't matter.
      reader.cancel().catch(() => undefined);
      return undefined;
    }
    chunks.push(value);
    size += value.length;
  }
}

/** Seconds to wait by `Retry-After` (RFC 9110, section 10.2.3), if it is a number: at most a day. A date is ignored. */
function retryAfterOf(header: string | null): { readonly retryAfter?: number } {
  return header !== null && /^\d{1,9}$/.test(header) ? { retryAfter: Math.min(Number(header), 86_400) } : {};
}

/** Calls of one product's client routes. */
export interface Service {
  /** Safe to repeat: a device that is bound already takes no second seat. */
  ask(operation: 'validate' | 'activate' | 'trial', fields: { readonly fingerprint: string } & SeatFields): Promise<Reply | Fault>;
  /** The devices of a license. */
  devices(key: string, fingerprint: string): Promise<readonly ListedDevice[] | Fault>;
  /** The newest release that a license covers, and the headers by which it was asked. Fields that are undefined are left out. */
  latest(license: { readonly key?: string | undefined; readonly token?: string | undefined }, fields: Fields): Promise<Latest>;
  /** Frees the seat of the device with that fingerprint, or ref. */
  free(key: string, device: { readonly fingerprint: string } | { readonly device: string }): Promise<Freed | Fault>;
  /** Ends what is under way and refuses what follows, with the fault `closed`. */
  close(): void;
}

export function createService({ baseUrl, productId, apiKey, fetch, timeoutMs, retryDelayMs }: ServiceOptions): Service {
  let isClosed = false;
  /** Ends of what is under way: requests and pauses. */
  const aborts = new Set<() => void>();

  async function exchange(operation: Operation, fields: Fields, credential: Headers, signal: AbortSignal): Promise<Response | Fault> {
    const url = `${baseUrl}/v1/products/${productId}/${operation}`;
    const isQuery = operation === 'validate' || operation === 'releases/latest';
    const response = await fetch(isQuery ? `${url}?${queryOf(fields)}` : url, {
      method: isQuery ? 'GET' : 'POST',
      headers: { 'X-API-Key': apiKey, ...(!isQuery && { 'Content-Type': 'application/json' }), ...credential },
      ...(!isQuery && { body: JSON.stringify(fields) }),
      signal,
      // The service never redirects, and nobody else must be given the key.
      redirect: 'error',
    });
    const { status, headers } = response;
    const code = headers.get('X-Svc-Error-Code');
    const isRefusedSeat = status === 429 && code !== null && refusalCodes[`${code} ${status}`] !== undefined;
    if (status >= 500 || (status === 429 && !isRefusedSeat))
      return { ...faulty('busy', `HTTP ${status}`), ...retryAfterOf(headers.get('Retry-After')) };
    const text = await readText(response);
    if (text === undefined)
      return faulty('malformed', `HTTP ${status} with more than ${MAX_RESPONSE_BYTES} bytes is not a response of the service`);
    // The list of devices is the one response that is no object.
    const body = parseObject(operation === 'devices' && status === 200 ? `{"devices":${text}}` : text);
    return body ? { status, code, verdict: headers.get('X-Svc-Verdict'), body } : foreign(status);
  }

  const closed = faulty('closed', 'client closed');

  async function attempt(operation: Operation, fields: Fields, credential: Headers = {}): Promise<Response | Fault> {
    if (isClosed) return closed;
    const controller = new AbortController();
    const abort = (): void => controller.abort();
    aborts.add(abort);
    try {
      return await within(timeoutMs, exchange(operation, fields, credential, controller.signal));
    } catch (error) {
      if (isClosed) return closed;
      return error === LATE ? faulty('timeout', `no response within ${timeoutMs} ms`) : faulty('unreachable', reasonOf(error));
    } finally {
      aborts.delete(abort);
      // Lets go of a connection whose response nobody waits for any more.
      abort();
    }
  }

  /** Resolves after a time, or when the client is closed. */
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

  /** A request with one retry: only what may be better a moment later is tried again. */
  async function call(operation: Operation, fields: Fields, credential?: Headers): Promise<Response | Fault> {
    const first = await attempt(operation, fields, credential);
    if (!('kind' in first) || isClosed) return first;
    const { retryAfter = 0 } = first;
    if (retryAfter > MAX_WAIT_SECONDS) return first;
    await pause(Math.max(retryDelayMs * (1 + Math.random() / 2), retryAfter * 1000));
    return attempt(operation, fields, credential);
  }

  return {
    async ask(operation, fields) {
      const response = await call(operation, fields);
      if ('kind' in response) return response;
      return (operation === 'validate' ? validationReply(response) : activationReply(operation, response)) ?? unusable(response);
    },

    async devices(key, fingerprint) {
      const response = await call('devices', { key, fingerprint });
      if ('kind' in response) return response;
      const { devices } = response.body;
      const found = Array.isArray(devices) ? devices.map(listedDevice) : [undefined];
      return found.every((device) => device !== undefined) ? found : unusable(response);
    },

    async latest({ key, token }, fields) {
      const license: Headers = key !== undefined ? { 'x-license-key': key } : token !== undefined ? { 'x-license-token': token } : {};
      const response = await call('releases/latest', fields, license);
      if ('kind' in response) return { status: 'failed', fault: response };
      const offer = offerIn(response);
      return offer
        ? { status: 'latest', ...offer, headers: { 'x-api-key': apiKey, ...license } }
        : { status: 'failed', fault: unusable(response) };
    },

    async free(key, device) {
      const response = await call('deactivate', { key, ...device });
      if ('kind' in response) return response;
      const { freed } = response.body;
      if (response.status === 200 && typeof freed === 'boolean') return { kind: 'done', freed };
      const fault = unusable(response);
      return fault.kind === 'rejected' && response.code === 'not_found' ? { kind: 'unknown_key', fault } : fault;
    },

    close() {
      isClosed = true;
      for (const abort of aborts) abort();
    },
  };
}
