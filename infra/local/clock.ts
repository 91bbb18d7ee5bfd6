import { existsSync, readFileSync } from 'node:fs';
import * as z from 'zod';
import { fail } from '../../lambdas/contract/errors';
import { adminRoute } from './admin-route';
import { writeDurably } from './data-dir';
import type { LocalRoute } from './gateway';

/**
 * The clock to test with (docs/spec/local-run.md, Test clock): moves the time by which every function judges, so that expiry, grace and
 * leases can be seen in a second. Only the local run has one: the functions are given their `Date.now` by it, and
 * don't know that it is moved. `new Date()` stays real: what sends webhooks goes by it, because the delays, leases and
 * timestamps of deliveries are of the real world.
 */

/** Where the clock is read and moved. */
export const CLOCK_PATH = '/_local/clock';
/** A hundred years: further than any license runs, and short of where dates end. */
const FURTHEST_MS = 100 * 365 * 86_400_000;

const kept = z.object({ advanced_ms: z.number().int().min(0) });
const move = z.object({ advance_ms: z.number().int().min(0) });

export interface TestClock {
  /** How far ahead of the real time it is, in ms. */
  advancedMs(): number;
  /**
   * Moves it. It never goes back: what is stored is in its past, also after a restart.
   *
   * @returns false if that is further than it goes
   */
  advance(ms: number): boolean;
}

/** @param file where its position is kept; undefined keeps it in memory */
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
