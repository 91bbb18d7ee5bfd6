import { isNativeError } from 'node:util/types';

/** The local run cannot start. The message is printed in the terminal. */
export class StartError extends Error {}

/** Returns the message of an error. Does not use `instanceof Error`, which is false for errors of another realm, such as jest's. */
export const messageOf = (error: unknown): string => (isNativeError(error) ? error.message : String(error));

/** The code of a system error, such as `EADDRINUSE`. */
export const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
