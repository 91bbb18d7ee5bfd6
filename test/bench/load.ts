import { quantile } from './rounds';

/** What a load came to. */
export interface Load {
  /** Requests a second. */
  readonly rate: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/**
 * Keeps this number of requests under way for this time, each client starting its next one when it has its answer.
 *
 * @param request gets a number that rises by one; must reject where the answer is not the expected one
 */
export async function load(clients: number, ms: number, request: (place: number) => Promise<unknown>): Promise<Load> {
  const times: number[] = [];
  let place = 0;
  const begun = performance.now();
  const client = async (): Promise<void> => {
    while (performance.now() - begun < ms) {
      const sent = performance.now();
      await request((place += 1));
      times.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return { rate: (times.length / (performance.now() - begun)) * 1000, p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}
