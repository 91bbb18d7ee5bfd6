import { TransactionCanceledException, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { AuditTrail } from './audit-trail';
import { within } from './time-limit';
import type { WithLock } from './locks';

/** The time limits of a request for its calls to the table, in epoch ms of the real clock. */
export interface TimeLimits {
  /** After this time no call is retried. All calls of a request share this retry budget. */
  readonly retryUntil: number;
  /** Every call ends before this time, so that the response is sent before the function times out. */
  readonly deadline: number;
}

/** The table and the services that the store needs to use it. The caller provides the clock, the randomness and the function that waits. */
export interface Table {
  readonly client: Pick<DynamoDBClient, 'send' | 'middlewareStack'>;
  readonly name: string;
  /** Returns the time, in epoch ms, that is stored and that decides for example whether a row has expired. */
  readonly clock: () => number;
  /** Returns the real time in epoch ms, which limits how long a request works. It does not move with the test clock of a local run. */
  readonly realClock: () => number;
  readonly random: (bytes: number) => Uint8Array;
  readonly sleep: (ms: number) => Promise<void>;
  /** Maximum time of one call, in ms. A call that takes longer is repeated. A Lambda function uses {@link CALL_LIMIT_MS}. */
  readonly callLimitMs: number;
  /** Serializes the changes of a license, so that the changes run one after another. */
  readonly withLock: WithLock;
  /** The limits of the request that uses the table. Without limits, each operation has its own retry budget. */
  readonly limits?: TimeLimits;
  /** The audit entry that the request's first transaction writes, if the request is an admin write. */
  readonly audit?: AuditTrail;
}

/** The table could not be reached or was too busy until the retry budget ended. The last call may or may not have changed data. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/** Maximum time for which a request may keep retrying, in ms. After this time the response is 503. */
export const RETRY_BUDGET_MS = 5000;

/** Maximum time of a call in a Lambda function, in ms. This time is so short that a request can repeat a call that took too long. */
export const CALL_LIMIT_MS = 3000;

/** The time at which an operation that starts now must stop retrying, in epoch ms. */
export const retryLimit = ({ limits, realClock }: Pick<Table, 'limits' | 'realClock'>): number =>
  limits?.retryUntil ?? realClock() + RETRY_BUDGET_MS;

/**
 * Waits for a random time between 0 and a maximum (exponential backoff with full jitter). The maximum begins at 10 ms and doubles with each
 * attempt, up to 320 ms. It is at most a sixteenth of the time until `retryUntil` (but never below 20 ms), so that in a crowd those that have
 * waited longest try most often.
 */
export function backoff(table: Table, attempt: number, retryUntil: number): Promise<void> {
  const ceiling = Math.min(10 * 2 ** Math.min(attempt, 5), Math.max(20, (retryUntil - table.realClock()) / 16));
  const [a = 0, b = 0] = table.random(2);
  return table.sleep(((a * 256 + b) / 65_536) * ceiling);
}

/** Names and codes of temporary errors, and temporary reasons for which a transaction is cancelled. */
const TRANSIENT = new Set([
  'TransactionConflict',
  'TransactionConflictException',
  'TransactionInProgressException',
  'ThrottlingError',
  'ThrottlingException',
  'ProvisionedThroughputExceeded',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'TimeoutError',
  'RequestTimeout',
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  // The name of an AWS endpoint cannot be resolved while the resolver is busy or restarting.
  'EAI_AGAIN',
  'ENOTFOUND',
]);

/** Whether an error is temporary, so that the same call can be repeated. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof TransactionCanceledException) {
    return (error.CancellationReasons ?? []).some(({ Code = '' }) => TRANSIENT.has(Code));
  }
  const { code = '', $metadata } = error as { code?: string; $metadata?: { httpStatusCode?: number } };
  return TRANSIENT.has(error.name) || TRANSIENT.has(code) || ($metadata?.httpStatusCode ?? 0) >= 500;
}

/**
 * Makes a call that is safe to repeat, and repeats it after temporary errors, with random waits, until `retryUntil` (epoch ms). No call
 * takes longer than `callLimitMs` or than the request's deadline allows.
 *
 * @throws StoreUnavailable if the time for retries has ended
 */
export async function retryTransient<Result>(
  table: Table,
  call: () => Promise<Result>,
  retryUntil: number = retryLimit(table),
): Promise<Result> {
  const deadline = table.limits?.deadline ?? Number.POSITIVE_INFINITY;
  for (let attempt = 0; ; attempt += 1) {
    const left = deadline - table.realClock();
    if (left <= 0) throw new StoreUnavailable('The time of the request has ended');
    try {
      return await within(Math.min(table.callLimitMs, left), call());
    } catch (error) {
      if (!isTransient(error)) throw error;
      if (table.realClock() >= Math.min(retryUntil, deadline))
        throw new StoreUnavailable('Every call to the table failed', { cause: error });
      await backoff(table, attempt, retryUntil);
    }
  }
}
