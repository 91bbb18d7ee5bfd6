import type { Endpoint } from '../lambdas/contract/endpoint';

/** How much memory, and with it how much of a processor, a function has, and how long it may take. */
export interface Size {
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
}

/** A request retries a busy table for 5 s, and each call it makes waits 3 s three times at the most. */
const REQUEST_SECONDS = 20;

/** The share of its timeout that a function may take before an alarm rings. */
export const SLOW = 0.8;

/** Longest that any endpoint may take: API Gateway waits 29 s. */
export const LONGEST_REQUEST_SECONDS = 25;

/**
 * The size of an endpoint's function. Memory buys processor time, so what is called most, and what a person
 * waits for, gets more: a cold start is mostly the loading of code.
 */
export function sizeOf(row: Endpoint): Size {
  // Client apps wait for these at their start. Most of their time is DynamoDB's, but a cold start is theirs.
  if (row.credential === 'product') return { memoryMb: 1024, timeoutSeconds: REQUEST_SECONDS };
  // Up to 50,000 index rows and an answer of 5 MB, which is held several times over.
  if (row.name.startsWith('list')) return { memoryMb: 1024, timeoutSeconds: LONGEST_REQUEST_SECONDS };
  // These touch nothing outside of the function.
  if (row.credential === 'none' && Object.keys(row.store).length === 0) return { memoryMb: 256, timeoutSeconds: 10 };
  return { memoryMb: 512, timeoutSeconds: REQUEST_SECONDS };
}
