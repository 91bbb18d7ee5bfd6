import { quantile } from './rounds';

/** The results of a load test. */
export interface Load {
  /** The number of requests a second. */
  readonly rate: number;
  /** The median duration of a request, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/**
 * Keeps a given number of requests in progress for a given time. Each client starts its next request after the previous response.
 *
 * @param request sends a request, and rejects if the response is wrong. Its argument is the number of the request, starting at 1
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
