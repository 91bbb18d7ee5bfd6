import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import * as http from 'node:http';
import * as https from 'node:https';
import { isNativeError } from 'node:util/types';
import { isAccepted, type PostResult } from '../../domain/delivery';
import { isPrivateHost, isPublicAddress } from './public-address';
import { SERVICE, VERSION } from '../version';

/** Posts events to webhooks: bounded in time and size, guarded against addresses that are not public. */

/** The limits of docs/spec/events.md, Delivery rules. */
export const LIMITS = {
  /** A whole attempt, including the response's body, in ms. */
  attemptMs: 10_000,
  /** Maximum of a response that is read, in bytes. */
  responseBytes: 64 * 1024,
  /**
   * An idle connection is used again for so long, in ms: less than servers commonly keep one open. A function
   * that was frozen in between makes new ones, because its old ones died unseen.
   */
  keepAliveMs: 3000,
};

type LookupCallback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;
export type Lookup = (hostname: string, options: LookupOptions, callback: LookupCallback) => void;

export interface SenderOptions {
  /** Private addresses may be reached. */
  readonly allowPrivate: boolean;
  /** `http:` may be used; by default, if private addresses may be reached. */
  readonly allowHttp?: boolean;
  /** Resolves names; the system's resolver unless a test passes its own. */
  readonly lookup?: Lookup;
  readonly clock: () => number;
  /** Certificates to trust instead of the usual ones. */
  readonly ca?: string;
  readonly limits?: Partial<typeof LIMITS>;
}

export interface Sender {
  /** Posts a body; never throws. */
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

/** Resolves a name, and refuses it if any of its addresses is not public. What is checked is what is connected to. */
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

/** The system's look-up, which refuses names whose addresses are not all public. */
export const guardedLookup: Lookup = guarded(systemLookup);

/**
 * Looks each name up once at a time, however many wait for it. A look-up can't be ended and holds one of the
 * process's few threads: a name server that is silent about one name must not keep all others waiting.
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

/** One sentence about a failure that a person can act on. */
function reasonOf(error: unknown): string {
  if (!isNativeError(error)) return String(error);
  const inner: unknown = 'errors' in error ? (error as AggregateError).errors[0] : error.cause;
  if (isNativeError(inner) && !error.message) return reasonOf(inner);
  const { code } = error as NodeJS.ErrnoException;
  return code && !error.message.includes(code) ? `${error.message} (${code})` : error.message || error.name;
}

/** Sends a request and resolves to the response once its head has arrived. */
function exchange(url: URL, options: http.RequestOptions, body: string): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? https : http).request(url, { ...options, method: 'POST' });
    request.once('response', resolve).on('error', reject);
    // A switch to another protocol is not a response, and ends without an error.
    request.once('close', () => reject(new Error('the connection was closed without a response')));
    request.end(body);
  });
}

/** Reads the response to its end or its maximum length. */
async function drain(response: http.IncomingMessage, limit: number): Promise<void> {
  let read = 0;
  for await (const chunk of response) {
    read += (chunk as Buffer).length;
    if (read >= limit) break;
  }
}

/** Runs `work` with a signal that aborts when its time is up, and waits no longer: a name look-up ignores the signal. */
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

/** Closes the connections that an agent keeps for later. */
function dropIdle({ freeSockets }: http.Agent): void {
  for (const socket of Object.values(freeSockets).flatMap((sockets) => sockets ?? [])) socket.destroy();
}

export function createSender({ allowPrivate, allowHttp = allowPrivate, lookup = systemLookup, clock, ca, limits }: SenderOptions): Sender {
  const { attemptMs, responseBytes, keepAliveMs } = { ...LIMITS, ...limits };
  // No limits of its own: the signal bounds the whole attempt, and an idle connection the timeout of its socket.
  const connection = { keepAlive: true, timeout: keepAliveMs, lookup: allowPrivate ? merged(lookup) : guarded(merged(lookup)) };
  const agents = { http: new http.Agent(connection), https: new https.Agent({ ...connection, ...(ca !== undefined && { ca }) }) };
  let used = clock();

  const agentOf = ({ protocol }: URL): http.Agent => {
    const idle = clock() - used;
    used = clock();
    // The connections of a thawed function. Those in use continue: their own signals end them.
    if (idle > keepAliveMs) for (const agent of Object.values(agents)) dropIdle(agent);
    return protocol === 'https:' ? agents.https : agents.http;
  };

  return {
    async post(url, headers, body) {
      const at = clock();
      const done = (status: number | null, error: string | null): PostResult => ({
        at,
        durationMs: Math.max(0, clock() - at),
        status,
        error,
      });
      let status: number | null = null;
      try {
        const received = await within(attemptMs, async (signal) => {
          const target = new URL(url);
          // The URL may have been set while the deployment allowed more.
          if (!allowHttp && target.protocol !== 'https:') throw new NotEncrypted();
          // A literal address is never looked up, so it is judged here.
          if (!allowPrivate && isPrivateHost(target.hostname)) throw new NotPublic(target.hostname);
          const response = await exchange(
            target,
            { headers: { 'User-Agent': `${SERVICE}/${VERSION}`, ...headers }, agent: agentOf(target), signal },
            body,
          );
          status = response.statusCode ?? 0;
          await drain(response, responseBytes);
          return status;
        });
        return done(received, isAccepted(received) ? null : `the receiver responded with ${received}`);
      } catch (error) {
        return done(status, reasonOf(error));
      }
    },
    close: () => Object.values(agents).forEach((agent) => agent.destroy()),
  };
}
