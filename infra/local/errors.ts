import { isNativeError } from 'node:util/types';

/** The local run cannot start; the message is for the person at the terminal. */
export class StartError extends Error {}

/** An error's message. `instanceof Error` would miss errors of another realm, such as jest's. */
export const messageOf = (error: unknown): string => (isNativeError(error) ? error.message : String(error));

/** The code of a system error, such as `EADDRINUSE`. */
export const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
