import { setTimeout as sleep } from 'node:timers/promises';

/** The shortest pause between two checks, in ms. A check may be a request, which takes several ms of processor time. */
const SHORTEST = 20;

/**
 * Polls until a condition returns a value, and returns that value. Fails after a time limit, with the name of the awaited condition. The
 * pauses grow to a tenth of the time waited so far, so a long wait takes little processor time.
 */
export async function until<Value>(what: string, condition: () => Promise<Value> | Value, withinMs = 60_000): Promise<NonNullable<Value>> {
  const start = performance.now();
  for (;;) {
    const value = await condition();
    if (value) return value;
    const waited = performance.now() - start;
    if (waited > withinMs) throw new Error(`Waited ${withinMs / 1000} s, but this has not happened: ${what}`);
    await sleep(Math.max(SHORTEST, waited / 10));
  }
}
