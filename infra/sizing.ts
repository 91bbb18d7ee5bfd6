import type { FunctionSize } from '../lambdas/contract/endpoint';

/** How much memory, and with it how much of a processor, a function has, and how long it may take. */
export interface Size {
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
}

/** A request retries a busy table for 5 s, and ends its last call 2 s before its function is cut off. */
const REQUEST_SECONDS = 20;

/** The share of its timeout that a function may take before an alarm rings. */
export const SLOW = 0.8;

/**
 * Memory buys processor time, so what is called most, and what a person waits for, gets more: a cold start is
 * mostly the loading of code.
 */
export const sizes: Readonly<Record<FunctionSize, Size>> = {
  small: { memoryMb: 256, timeoutSeconds: 10 },
  standard: { memoryMb: 512, timeoutSeconds: REQUEST_SECONDS },
  fast: { memoryMb: 1024, timeoutSeconds: REQUEST_SECONDS },
  // Up to 50,000 index rows and a response of 5 MB, which is held several times over. API Gateway waits 29 s.
  large: { memoryMb: 1024, timeoutSeconds: 25 },
};
