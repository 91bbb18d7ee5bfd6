import type { FunctionSize } from '../lambdas/contract/endpoint';

/** A function's memory, which also determines its share of a processor, and its timeout. */
export interface Size {
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
}

/** Requests retry a busy table for 5 s, and end their last call 2 s before the timeout. */
const REQUEST_SECONDS = 20;

/** The share of a function's timeout above which an alarm rings. */
export const SLOW = 0.8;

/**
 * More memory means more processor time. Frequent functions, and those that a person waits for, get more, because a cold start mostly loads
 * code.
 */
export const sizes: Readonly<Record<FunctionSize, Size>> = {
  small: { memoryMb: 256, timeoutSeconds: 10 },
  standard: { memoryMb: 512, timeoutSeconds: REQUEST_SECONDS },
  fast: { memoryMb: 1024, timeoutSeconds: REQUEST_SECONDS },
  // For up to 50,000 index rows and a response of 5 MB, which is in memory several times. API Gateway waits at most 29 s.
  large: { memoryMb: 1024, timeoutSeconds: 25 },
};
