import * as z from 'zod/mini';
import { fail } from '../../lambdas/contract/errors';
import { adminRoute } from './admin-route';
import { readStored, writeDurably } from './data-dir';
import type { LocalRoute } from './http';

/**
 * The test clock (docs/spec/local-run.md, Test clock). It moves the time that handlers use for their decisions, so that a tester need not
 * wait for expiry, grace periods and leases. It is the port `clock` of the local run; the port `realClock` does not move.
 */

/** The route that reads and moves the clock. */
export const CLOCK_PATH = '/_local/clock';
/**
 * Maximum milliseconds that the clock can be ahead of the real time: a hundred years. This exceeds the term of any license, and all
 * resulting times are valid dates.
 */
const FURTHEST_MS = 100 * 365 * 86_400_000;

const kept = z.object({ advanced_ms: z.int().check(z.minimum(0)) });
const move = z.object({ advance_ms: z.int().check(z.minimum(0)) });

export interface TestClock {
  /** The time of the clock in epoch ms. */
  readonly now: () => number;
  /** The number of milliseconds by which the clock is ahead of the real time. */
  advancedMs(): number;
  /**
   * Moves the clock forward. The clock never moves back, even after a restart, because stored times, such as the time of an activation,
   * must not be in the future.
   *
   * @returns false if the clock would exceed its maximum
   */
  advance(ms: number): boolean;
}

/**
 * Starts the test clock.
 *
 * @param file the file that stores the clock's position; undefined keeps the position in memory
 */
export function start(file: string | undefined): TestClock {
  let advancedMs = readStored(file, kept)?.advanced_ms ?? 0;
  return {
    now: () => Date.now() + advancedMs,
    advancedMs: () => advancedMs,
    advance: (ms) => {
      const moved = advancedMs + ms;
      if (moved > FURTHEST_MS) return false;
      if (file !== undefined && ms > 0) writeDurably(file, JSON.stringify({ advanced_ms: moved }));
      advancedMs = moved;
      return true;
    },
  };
}

/** The route on which callers with the admin token read and move the clock. */
export const route = (clock: TestClock, adminToken: string): LocalRoute =>
  adminRoute(adminToken, ({ method }, body) => {
    if (method === 'POST') {
      const parsed = move.safeParse(body);
      if (!parsed.success) return fail('invalid_request', 'advance_ms must be an integer of at least 0');
      if (!clock.advance(parsed.data.advance_ms))
        return fail('invalid_request', 'advance_ms must not move the clock further than 100 years ahead');
    } else if (method !== 'GET') return undefined;
    return { now: new Date(clock.now()).toISOString(), advanced_ms: clock.advancedMs() };
  });
