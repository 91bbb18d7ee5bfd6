import { setTimeout as sleep } from 'node:timers/promises';

/** Polls until a condition returns a value, and returns that value. Fails after a time limit, with the name of the awaited condition. */
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
    if (performance.now() > deadline) throw new Error(`Waited ${withinMs / 1000} s, but this has not happened: ${what}`);
    await sleep(everyMs);
  }
}
