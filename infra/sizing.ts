import type { FunctionSize } from '../lambdas/contract/endpoint';

/** A function's timeout and memory. The memory also determines the function's share of a processor. */
export interface Size {
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
}

/**
 * Timeout, in seconds, of a function that handles requests. If the table is throttled, the function retries calls to the table during the
 * first 5 s of the request. The last call to the table ends at least 2 s before the timeout.
 */
const REQUEST_SECONDS = 20;

/**
 * If a background function takes more than this share of its timeout, an alarm is triggered. For requests, the alarm uses this share of the
 * shortest timeout.
 */
export const SLOW = 0.8;

/**
 * The sizes of functions. More memory also means more processor time. A cold start mostly loads code, so more processor time makes the cold
 * start shorter. Therefore functions that run frequently, or that a person waits for, get more memory.
 */
export const sizes: Readonly<Record<FunctionSize, Size>> = {
  small: { memoryMb: 256, timeoutSeconds: 10 },
  standard: { memoryMb: 512, timeoutSeconds: REQUEST_SECONDS },
  fast: { memoryMb: 1024, timeoutSeconds: REQUEST_SECONDS },
  // The size `large` suits functions that read up to 50,000 index rows and send a response of 5 MB. The memory must be large enough for
  // several copies of the response. API Gateway waits at most 29 s.
  large: { memoryMb: 1024, timeoutSeconds: 25 },
};
