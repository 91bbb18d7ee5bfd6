import { isNativeError } from 'node:util/types';

/** The local run cannot start. The message is printed in the terminal. */
export class StartError extends Error {}

/**
 * Returns the message of an error. If the host name of a failed connection has several IP addresses, the error has no message and contains
 * one error for each address; the result then contains their messages. Does not use `instanceof Error`, which is false for errors of another
 * realm, such as jest's.
 */
export function messageOf(error: unknown): string {
  if (!isNativeError(error)) return String(error);
  return 'errors' in error && Array.isArray(error.errors) ? error.errors.map(messageOf).join(', ') : error.message;
}

/** The code of a system error, such as `EADDRINUSE`. */
export const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
