import { readFileSync } from 'node:fs';

/**
 * Reads the admin token for the commands in `bin`. Users should pass the token in the environment or in a file. An argument works too, but
 * other users of the computer can list the arguments of running processes.
 */

export interface AdminTokenValues {
  readonly adminToken?: string | undefined;
  readonly adminTokenFile?: string | undefined;
}

/**
 * Reads the admin token that the user gave to a command. The command line takes precedence over the environment.
 *
 * @returns undefined if the token is missing or empty
 * @throws the system's error if the file can't be read
 */
export function readAdminToken({ adminToken, adminTokenFile }: AdminTokenValues, env: NodeJS.ProcessEnv): string | undefined {
  return (adminToken ?? (adminTokenFile === undefined ? env['SVC_ADMIN_TOKEN'] : readFileSync(adminTokenFile, 'utf8').trim())) || undefined;
}
