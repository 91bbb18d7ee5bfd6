import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { Agent, buildConnector, request, type Dispatcher } from 'undici';
import { isAccepted, type PostResult } from '../domain/delivery';
import { isLocalName, isPublicAddress, literalAddress } from './public-address';
import { SERVICE, VERSION } from './version';

/** Posts events to webhooks: bounded in time and size, guarded against addresses that are not public. */

/** A whole attempt, the answer's body included, in ms. */
export const ATTEMPT_MS = 10_000;
/** Most of an answer that is read, in bytes. */
const MAX_ANSWER_BYTES = 64 * 1024;
/**
 * An idle connection is used again for so long, in ms: less than servers commonly keep one open. A function
 * that was frozen in between makes new ones, because its old ones died unseen.
 */
const KEEP_ALIVE_MS = 3000;

type LookupCallback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;
export type Lookup = (hostname: string, options: LookupOptions, callback: LookupCallback) => void;

export interface SenderOptions {
  /** Private addresses may be reached. */
  readonly allowPrivate: boolean;
  /** Resolves names; the system's resolver unless a test brings its own. */
  readonly lookup?: Lookup;
  readonly clock: () => number;
}

export interface Sender {
  /** Posts a body; never throws. */
  post(url: string, headers: Record<string, string>, body: string): Promise<PostResult>;
  close(): Promise<void>;
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

/** Connects, but never to an address that is not public. Literal addresses are not looked up, so they are judged here. */
function guardedConnector(lookup: Lookup): buildConnector.connector {
  const connect = buildConnector({ timeout: ATTEMPT_MS, lookup: guarded(lookup) as never });
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
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return `no complete answer within ${ATTEMPT_MS / 1000} s`;
  const inner = error instanceof AggregateError ? (error.errors[0] as unknown) : error.cause;
  if (inner instanceof Error && !error.message) return reasonOf(inner);
  const { code } = error as NodeJS.ErrnoException;
  return code && !error.message.includes(code) ? `${error.message} (${code})` : error.message || error.name;
}

/** Reads the answer to its end or its allowed length. */
async function drain(body: Dispatcher.ResponseData['body']): Promise<void> {
  let read = 0;
  for await (const chunk of body) {
    read += (chunk as Buffer).length;
    if (read >= MAX_ANSWER_BYTES) break;
  }
}

export function createSender({ allowPrivate, lookup = systemLookup as Lookup, clock }: SenderOptions): Sender {
  const newAgent = (): Agent =>
    new Agent({
      connect: allowPrivate ? { timeout: ATTEMPT_MS } : guardedConnector(lookup),
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      // The signal bounds the whole attempt.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  let agent = newAgent();
  let used = clock();

  const currentAgent = (): Agent => {
    const idle = clock() - used;
    used = clock();
    if (idle > KEEP_ALIVE_MS) {
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
        const answer = await request(url, {
          method: 'POST',
          headers: { 'User-Agent': `${SERVICE}/${VERSION}`, ...headers },
          body,
          dispatcher: currentAgent(),
          signal: AbortSignal.timeout(ATTEMPT_MS),
        });
        status = answer.statusCode;
        await drain(answer.body);
        return done(status, isAccepted(status) ? null : `the receiver answered ${status}`);
      } catch (error) {
        return done(status, reasonOf(error));
      }
    },
    close: () => agent.destroy(),
  };
}
