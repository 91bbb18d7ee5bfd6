import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { isNativeError } from 'node:util/types';
import { Agent, buildConnector, request, type Dispatcher } from 'undici';
import { isAccepted, type PostResult } from '../domain/delivery';
import { isLocalName, isPublicAddress, literalAddress } from './public-address';
import { SERVICE, VERSION } from './version';

/** Posts events to webhooks: bounded in time and size, guarded against addresses that are not public. */

/** The limits of decisions.md, Events. */
export const LIMITS = {
  /** A whole attempt, the answer's body included, in ms. */
  attemptMs: 10_000,
  /** Most of an answer that is read, in bytes. */
  answerBytes: 64 * 1024,
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
  /** Resolves names; the system's resolver unless a test brings its own. */
  readonly lookup?: Lookup;
  readonly clock: () => number;
  /** Certificates to trust instead of the usual ones. */
  readonly ca?: string;
  readonly limits?: Partial<typeof LIMITS>;
}

export interface Sender {
  /** Posts a body; never throws. */
  post(url: string, headers: Record<string, string>, body: string): Promise<PostResult>;
  close(): Promise<void>;
}

class TooSlow extends Error {
  constructor(ms: number) {
    super(`no complete answer within ${ms / 1000} s`);
  }
}

class NotPublic extends Error {
  constructor(host: string) {
    super(`${host} is not a public address`);
  }
}

/** Resolves a name, and refuses it where any of its addresses is not public. What is checked is what is connected to. */
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

type ConnectOptions = buildConnector.BuildOptions & { readonly lookup: Lookup };

/** Connects, but never to an address that is not public. Literal addresses are not looked up, so they are judged here. */
function guardedConnector({ lookup, ...options }: ConnectOptions): buildConnector.connector {
  const connect = buildConnector({ ...options, lookup: guarded(lookup) });
  return (options, callback) => {
    const address = literalAddress(options.hostname);
    if (address === undefined ? isLocalName(options.hostname) : !isPublicAddress(address)) {
      return callback(new NotPublic(options.hostname), null);
    }
    return connect(options, callback);
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

/** Reads the answer to its end or its allowed length. */
async function drain(body: Dispatcher.ResponseData['body'], limit: number): Promise<void> {
  let read = 0;
  for await (const chunk of body) {
    read += (chunk as Buffer).length;
    if (read >= limit) break;
  }
}

/** Runs `work` with a signal that tells it when its time is up, and waits no longer: a look-up of a name heeds no signal. */
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

export function createSender({ allowPrivate, lookup = systemLookup, clock, ca, limits }: SenderOptions): Sender {
  const { attemptMs, answerBytes, keepAliveMs } = { ...LIMITS, ...limits };
  const connect = { timeout: attemptMs, lookup, ...(ca !== undefined && { ca }) };
  const newAgent = (): Agent =>
    new Agent({
      connect: allowPrivate ? connect : guardedConnector(connect),
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      // The signal bounds the whole attempt.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  let agent = newAgent();
  let used = clock();

  const currentAgent = (): Agent => {
    const idle = clock() - used;
    used = clock();
    if (idle > keepAliveMs) {
      // The connections of a thawed function; what is under way on them ends by its own signal.
      void agent.close();
      agent = newAgent();
    }
    return agent;
  };

  return {
    async post(url, headers, body) {
      const at = clock();
      const done = (status: number | null, error: string | null): PostResult => ({ at, durationMs: Math.max(0, clock() - at), status, error });
      let status: number | null = null;
      try {
        const answered = await within(attemptMs, async (signal) => {
          const answer = await request(url, {
            method: 'POST',
            headers: { 'User-Agent': `${SERVICE}/${VERSION}`, ...headers },
            body,
            dispatcher: currentAgent(),
            signal,
          });
          status = answer.statusCode;
          await drain(answer.body, answerBytes);
          return status;
        });
        return done(answered, isAccepted(answered) ? null : `the receiver answered ${answered}`);
      } catch (error) {
        return done(status, reasonOf(error));
      }
    },
    close: () => agent.destroy(),
  };
}
