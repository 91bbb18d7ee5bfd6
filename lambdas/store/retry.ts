import { backoff, retryLimit, StoreUnavailable, type Table } from './table';

/** The result of an attempt that lost a race against another request. The attempt is repeated. */
export const TRY_AGAIN = Symbol('try again');

/** The result of an attempt that has committed a part of its work. The next attempt follows at once, because no race was lost. */
export const PROGRESS = Symbol('progress');

/** Facts about the previous attempts, which each attempt receives. */
export interface Attempt {
  /** Number of races that were lost since the start, or since the last attempt that resulted in {@link PROGRESS}. */
  readonly tries: number;
  /** The time at which the request must stop retrying, in epoch ms. */
  readonly retryUntil: number;
}

/** Number of retries without a wait. They are enough for two or three competing requests. */
const FAST_RETRIES = 2;

/**
 * Repeats `attempt` while the result is {@link TRY_AGAIN} and the request may retry. The first {@link FAST_RETRIES} retries follow at once.
 * Before each further retry the function waits for a random time, because many competing requests then conflict less often. After the
 * result {@link PROGRESS} the function counts lost races from 0 again.
 *
 * @param subject the entity that the requests compete for, such as `The license`
 * @throws StoreUnavailable if the time for retries has ended
 */
export async function retry<Result>(
  table: Table,
  subject: string,
  attempt: (made: Attempt) => Promise<Result | typeof TRY_AGAIN | typeof PROGRESS>,
): Promise<Result> {
  const retryUntil = retryLimit(table);
  for (let tries = 0; ; ) {
    const result = await attempt({ tries, retryUntil });
    if (result === PROGRESS) {
      tries = 0;
    } else if (result === TRY_AGAIN) {
      if (table.realClock() >= retryUntil) throw new StoreUnavailable(`${subject} changed faster than this request`);
      if (tries >= FAST_RETRIES) await backoff(table, tries - FAST_RETRIES + 1, retryUntil);
      tries += 1;
    } else {
      return result;
    }
  }
}
