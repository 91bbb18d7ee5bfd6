import { existsSync, readFileSync } from 'node:fs';
import * as z from 'zod';
import { fail } from '../../lambdas/contract/errors';
import { adminRoute } from './admin-route';
import { writeDurably } from './data-dir';
import type { LocalRoute } from './gateway';

/**
 * The test clock (docs/spec/local-run.md, Test clock). It moves the time that all functions use for their decisions, so that expiry, grace
 * and leases can be seen in a second. Only the local run has one: it replaces `Date.now` in the functions, which don't know about it. `new
 * Date()` stays real. The delivery of webhooks uses it, because its delays, leases and timestamps must be real.
 */

/** The route that reads and moves the clock. */
export const CLOCK_PATH = '/_local/clock';
/** A hundred years: longer than any license, and within the range of dates. */
const FURTHEST_MS = 100 * 365 * 86_400_000;

const kept = z.object({ advanced_ms: z.number().int().min(0) });
const move = z.object({ advance_ms: z.number().int().min(0) });

export interface TestClock {
  /** How far the clock is ahead of the real time, in ms. */
  advancedMs(): number;
  /**
   * Moves the clock forward. It never moves back, also after a restart, so that stored times stay in its past.
   *
   * @returns false if that exceeds the maximum
   */
  advance(ms: number): boolean;
}

/** @param file stores the clock's position; undefined keeps it in memory */
export function start(file: string | undefined): TestClock {
  let advancedMs = file !== undefined && existsSync(file) ? kept.parse(JSON.parse(readFileSync(file, 'utf8'))).advanced_ms : 0;
  return {
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

/** Serves the clock to callers with the admin token. */
export const route = (clock: TestClock, adminToken: string): LocalRoute =>
  adminRoute(adminToken, ({ method }, body) => {
    if (method === 'POST') {
      const parsed = move.safeParse(body);
      if (!parsed.success) return fail('invalid_request', 'advance_ms must be an integer of at least 0');
      if (!clock.advance(parsed.data.advance_ms))
        return fail('invalid_request', 'advance_ms must not move the clock further than 100 years ahead');
    } else if (method !== 'GET') return undefined;
    return { now: new Date(Date.now() + clock.advancedMs()).toISOString(), advanced_ms: clock.advancedMs() };
  });
