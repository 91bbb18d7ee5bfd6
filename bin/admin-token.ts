import { readFileSync } from 'node:fs';

/**
 * The admin token of every command line that takes one. The environment or a file is safer than an argument: other users can list the
 * arguments of running processes.
 */

export const adminTokenOptions = { 'admin-token': { type: 'string' }, 'admin-token-file': { type: 'string' } } as const;

/** How a command's usage describes the admin token. */
export const ADMIN_TOKEN_USAGE = `The admin token is taken from the environment's SVC_ADMIN_TOKEN, or
  --admin-token-file  from this file, which holds nothing else
  --admin-token       from here, where other users of this machine can see it in the list of processes`;

export interface AdminTokenValues {
  readonly 'admin-token'?: string | undefined;
  readonly 'admin-token-file'?: string | undefined;
}

/**
 * The admin token that a command was given. The command line takes precedence over the environment.
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
