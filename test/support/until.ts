import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until a condition holds, and gives what it held with. Fails, naming what was awaited, when that takes too long. */
export async function until<Value>(
  what: string,
  condition: () => Promise<Value> | Value,
  withinMs = 60_000,
  everyMs = 5,
): Promise<NonNullable<Value>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (performance.now() > deadline) throw new Error(`Waited ${withinMs / 1000} s, but not yet:  ${what}`);
    await sleep(everyMs);
  }
}
