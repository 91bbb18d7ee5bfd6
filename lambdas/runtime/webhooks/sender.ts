import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import * as http from 'node:http';
import * as https from 'node:https';
import { isNativeError } from 'node:util/types';
import { isAccepted, type PostResult } from '../../domain/delivery';
import { isPrivateHost, isPublicAddress } from './public-address';
import { SERVICE, VERSION } from '../version';

/** Posts events to webhooks. Time and response size are limited, and IP addresses that are not public are refused. */

/** The limits of a delivery attempt (docs/spec/events.md, Delivery rules). */
export const LIMITS = {
  /** Maximum time of a whole attempt, including the response's body, in ms. */
  attemptMs: 10_000,
  /** Maximum number of bytes of a response that are read. */
  responseBytes: 64 * 1024,
  /** Number of bytes of the response to a failed attempt that are kept. */
  keptBytes: 1024,
  /**
   * Maximum time, in ms, for which an idle connection is kept for further requests. This time is shorter than the time for which servers
   * usually keep a connection open. If the function was frozen for a longer time, it opens new connections, because servers may have closed
   * the old ones.
   */
  keepAliveMs: 3000,
};

type LookupCallback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;
export type Lookup = (hostname: string, options: LookupOptions, callback: LookupCallback) => void;

export interface SenderOptions {
  /** Whether webhooks may use private IP addresses. */
  readonly allowPrivate: boolean;
  /** Whether webhooks may use `http:`. The default is the value of `allowPrivate`. */
  readonly allowHttp?: boolean;
  /** Resolves host names. Only tests replace the system's resolver. */
  readonly lookup?: Lookup;
  readonly clock: () => number;
  /** Certificates to trust instead of the system's certificates. */
  readonly ca?: string;
  readonly limits?: Partial<typeof LIMITS>;
}

export interface Sender {
  /** Posts a body to a URL. The function never throws, because a failure is part of the result. */
  post(url: string, headers: Record<string, string>, body: string): Promise<PostResult>;
  close(): void;
}

class TooSlow extends Error {
  constructor(ms: number) {
    super(`no complete response within ${ms / 1000} s`);
  }
}

class NotEncrypted extends Error {
  constructor() {
    super('http: is not allowed here, set an https: URL');
  }
}

class NotPublic extends Error {
  constructor(host: string) {
    super(`${host} is not a public address`);
  }
}

/**
 * Resolves a host name, and refuses the name if any of its IP addresses is not public. The connection uses exactly the addresses that were
 * checked.
 */
const guarded =
  (lookup: Lookup): Lookup =>
  (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const addresses = Array.isArray(found) ? found : [{ address: found, family: 4 }];
      const refused = addresses.find(({ address }) => !isPublicAddress(address));
      const [first] = addresses;
      if (refused || !first) return callback(new NotPublic(hostname), []);
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };

/** The system's name lookup, extended to refuse names whose addresses are not all public. */
export const guardedLookup: Lookup = guarded(systemLookup);

/**
 * Shares a lookup among concurrent callers that ask for the same name. A lookup cannot be cancelled and occupies one of the process's few
 * threads. Without sharing, a name server that does not respond for one name would delay the lookups of other names.
 */
function merged(lookup: Lookup): Lookup {
  const waiting = new Map<string, LookupCallback[]>();
  return (hostname, options, callback) => {
    const key = JSON.stringify([hostname, options]);
    const others = waiting.get(key);
    if (others) return void others.push(callback);
    const callbacks = [callback];
    waiting.set(key, callbacks);
    lookup(hostname, options, (...found) => {
      waiting.delete(key);
      for (const one of callbacks) one(...found);
    });
  };
}

/** Describes a failure in one sentence, for an operator who can fix its cause. */
function reasonOf(error: unknown): string {
  if (!isNativeError(error)) return String(error);
  const inner: unknown = 'errors' in error ? (error as AggregateError).errors[0] : error.cause;
  if (isNativeError(inner) && !error.message) return reasonOf(inner);
  const { code } = error as NodeJS.ErrnoException;
  return code && !error.message.includes(code) ? `${error.message} (${code})` : error.message || error.name;
}

/** Sends a request. The promise resolves to the response when its headers have arrived. */
function exchange(url: URL, options: http.RequestOptions, body: string): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? https : http).request(url, { ...options, method: 'POST' });
    request.once('response', resolve).on('error', reject);
    // A response that switches to another protocol causes neither `response` nor `error`, so the close of the connection is the only
    // signal.
    request.once('close', () => reject(new Error('the connection was closed without a response')));
    request.end(body);
  });
}

/** Reads a response to its end or to the maximum length. Returns its first bytes. */
async function drain(response: http.IncomingMessage, limit: number, kept: number): Promise<Buffer> {
  let read = 0;
  let first = Buffer.alloc(0);
  for await (const chunk of response) {
    read += (chunk as Buffer).length;
    first = Buffer.concat([first, (chunk as Buffer).subarray(0, kept - first.length)]);
    if (read >= limit) break;
  }
  return first;
}

/** The beginning of a response as text, without control characters except line breaks and tabs, and without a character that is cut off. */
const textOf = (bytes: Buffer): string =>
  new TextDecoder()
    .decode(bytes, { stream: true })
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .trim();

/**
 * Runs `work` with a signal that aborts after `ms`. After that time, the function rejects at once instead of waiting for `work`, because a
 * name lookup ignores the signal.
 */
async function within<Result>(ms: number, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new TooSlow(ms);
      abort.abort(error);
      reject(error);
    }, ms);
  });
  try {
    return await Promise.race([work(abort.signal), end]);
  } finally {
    clearTimeout(timer);
  }
}

/** Closes the idle connections of an agent. */
function dropIdle({ freeSockets }: http.Agent): void {
  for (const socket of Object.values(freeSockets).flatMap((sockets) => sockets ?? [])) socket.destroy();
}

export function createSender({ allowPrivate, allowHttp = allowPrivate, lookup = systemLookup, clock, ca, limits }: SenderOptions): Sender {
  const { attemptMs, responseBytes, keptBytes, keepAliveMs } = { ...LIMITS, ...limits };
  // The agent needs no further time limits: the abort signal limits the whole attempt, and the socket's timeout limits the idle time of a
  // connection.
  const connection = { keepAlive: true, timeout: keepAliveMs, lookup: allowPrivate ? merged(lookup) : guarded(merged(lookup)) };
  const agents = { http: new http.Agent(connection), https: new https.Agent({ ...connection, ...(ca !== undefined && { ca }) }) };
  let used = clock();

  const agentOf = ({ protocol }: URL): http.Agent => {
    const idle = clock() - used;
    used = clock();
    // The function may have been frozen, and servers may have closed its idle connections. Connections in use are not closed here, because
    // each of them is closed at the latest when the time limit of its attempt is reached.
    if (idle > keepAliveMs) for (const agent of Object.values(agents)) dropIdle(agent);
    return protocol === 'https:' ? agents.https : agents.http;
  };

  return {
    async post(url, headers, body) {
      const at = clock();
      const done = (status: number | null, error: string | null, response = ''): PostResult => ({
        at,
        durationMs: Math.max(0, clock() - at),
        status,
        error,
        ...(response !== '' && { response }),
      });
      let status: number | null = null;
      try {
        const first = await within(attemptMs, async (signal) => {
          const target = new URL(url);
          // The check is repeated here, because the URL may have been set when the deployment still allowed HTTP or private IP addresses.
          if (!allowHttp && target.protocol !== 'https:') throw new NotEncrypted();
          // A literal address is never looked up, so the guarded lookup does not check it.
          if (!allowPrivate && isPrivateHost(target.hostname)) throw new NotPublic(target.hostname);
          const response = await exchange(
            target,
            { headers: { 'User-Agent': `${SERVICE}/${VERSION}`, ...headers }, agent: agentOf(target), signal },
            body,
          );
          status = response.statusCode ?? 0;
          return drain(response, responseBytes, keptBytes);
        });
        if (status !== null && isAccepted(status)) return done(status, null);
        return done(status, `the receiver responded with ${status}`, textOf(first));
      } catch (error) {
        return done(status, reasonOf(error));
      }
    },
    close: () => Object.values(agents).forEach((agent) => agent.destroy()),
  };
}
