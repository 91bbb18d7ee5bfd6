import { readFileSync } from 'node:fs';

/** The admin token of every command line that takes one. Whoever lists the processes of a machine sees its arguments. */

export const adminTokenOptions = { 'admin-token': { type: 'string' }, 'admin-token-file': { type: 'string' } } as const;

/** The part of a command's usage that is about it. */
export const ADMIN_TOKEN_USAGE = `The admin token is taken from the environment's SVC_ADMIN_TOKEN, or
  --admin-token-file  from this file, which holds nothing else
  --admin-token       from here, where other users of this machine can see it in the list of processes`;

export interface AdminTokenValues {
  readonly 'admin-token'?: string | undefined;
  readonly 'admin-token-file'?: string | undefined;
}

/**
 * The admin token that a command was given; what is said on the command line precedes the environment.
 *
 * @returns undefined if there is none, or an empty one
 * @throws the system's error if the file can't be read
 */
export function readAdminToken(
  { 'admin-token': token, 'admin-token-file': file }: AdminTokenValues,
  env: NodeJS.ProcessEnv,
): string | undefined {
  return (token ?? (file === undefined ? env['SVC_ADMIN_TOKEN'] : readFileSync(file, 'utf8').trim())) || undefined;
}
