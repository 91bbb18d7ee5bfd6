import { backoff, retryLimit, StoreUnavailable, type Table } from './table';

/** What an attempt gives that lost a race against another request: it is made again. */
export const TRY_AGAIN = Symbol('try again');

/** What an attempt gives that has committed a part of its work: the rest is attempted at once, as no race was lost. */
export const PROGRESS = Symbol('progress');

/** What an attempt knows about itself. */
export interface Attempt {
  /** How many attempts were made before this one. */
  readonly tries: number;
  /** True if there was a wait before this attempt: what was read earlier may be out of date. */
  readonly hasWaited: boolean;
  /** Until when the request may retry, in epoch ms. */
  readonly retryUntil: number;
}

/** Races that a request may lose before it makes room for the others: two or three succeed soon. */
const FAST_RETRIES = 2;

/**
 * Makes an attempt, and again as long as it gives {@link TRY_AGAIN}, until the request may retry no longer. After two
 * lost races it waits for a random time before each further attempt: with many requests, this causes fewer conflicts.
 * After {@link PROGRESS} it counts lost races anew.
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
