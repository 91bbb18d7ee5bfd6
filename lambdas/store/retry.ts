import { backoff, retryLimit, StoreUnavailable, type Table } from './table';

/** The result of an attempt that lost a race against another request: it is made again. */
export const TRY_AGAIN = Symbol('try again');

/** The result of an attempt that has committed a part of its work: the rest is attempted at once, because no race was lost. */
export const PROGRESS = Symbol('progress');

/** What an attempt gets to know about previous ones. */
export interface Attempt {
  /** Number of previous attempts. */
  readonly tries: number;
  /** True if there was a wait before this attempt: data that was read earlier may be out of date. */
  readonly hasWaited: boolean;
  /** When the request must stop retrying, in epoch ms. */
  readonly retryUntil: number;
}

/** Number of races that a request may lose before it waits: two or three contending requests succeed soon. */
const FAST_RETRIES = 2;

/**
 * Makes an attempt, and repeats it as long as it returns {@link TRY_AGAIN} and the request may retry. After two lost
 * races it waits for a random time before each further attempt: with many requests, this causes fewer conflicts. After
 * {@link PROGRESS} it counts lost races from 0 again.
 *
 * @param subject what the requests contend for, such as `The license`
 * @throws StoreUnavailable when the time is up
 */
export async function retry<Result>(
  table: Table,
  subject: string,
  attempt: (made: Attempt) => Promise<Result | typeof TRY_AGAIN | typeof PROGRESS>,
): Promise<Result> {
  const retryUntil = retryLimit(table);
  for (let tries = 0; ; ) {
    const result = await attempt({ tries, hasWaited: tries > FAST_RETRIES, retryUntil });
    if (result === PROGRESS) {
      tries = 0;
    } else if (result === TRY_AGAIN) {
      if (table.clock() >= retryUntil) throw new StoreUnavailable(`${subject} changed faster than this request`);
      if (tries >= FAST_RETRIES) await backoff(table, tries - FAST_RETRIES + 1);
      tries += 1;
    } else {
      return result;
    }
  }
}
