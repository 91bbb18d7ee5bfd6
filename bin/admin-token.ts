import { readFileSync } from 'node:fs';

/**
 * Reads the admin token for the commands in `bin`. Users should pass the token in the environment or in a file. An argument works too, but
 * other users of the computer can list the arguments of running processes.
 */

export const adminTokenOptions = { 'admin-token': { type: 'string' }, 'admin-token-file': { type: 'string' } } as const;

/** The part of a command's usage text that explains how to pass the admin token. */
export const ADMIN_TOKEN_USAGE = `The admin token is taken from the environment's SVC_ADMIN_TOKEN, or
  --admin-token-file  from this file, which holds nothing else
  --admin-token       from here, where other users of this machine can see it in the list of processes`;

export interface AdminTokenValues {
  readonly 'admin-token'?: string | undefined;
  readonly 'admin-token-file'?: string | undefined;
}

/**
 * Reads the admin token that the user gave to a command. The command line takes precedence over the environment.
 *
 * @returns undefined if the token is missing or empty
 * @throws the system's error if the file can't be read
 */
export function readAdminToken(
  { 'admin-token': token, 'admin-token-file': file }: AdminTokenValues,
  env: NodeJS.ProcessEnv,
): string | undefined {
  return (token ?? (file === undefined ? env['SVC_ADMIN_TOKEN'] : readFileSync(file, 'utf8').trim())) || undefined;
}
