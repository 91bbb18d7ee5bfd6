import type { Stack } from '../../infra/local/stack';

/** The addresses of a local stack that another process needs. */
export type StackAddresses = Pick<Stack, 'baseUrl' | 'endpoints' | 'sessionToken' | 'tableNames' | 'env'> & {
  readonly adminToken: string;
  /** The id of the stack's process. Everything else that it runs are its threads and children. */
  readonly pid: number;
};

/**
 * The environment that a separate process needs to act as the function of an endpoint or worker with this name in the contract. The local
 * services accept a function's credential only from its worker, and the run's credential from everyone.
 */
export function environmentOf({ env, sessionToken }: StackAddresses, name: string): Readonly<Record<string, string>> {
  const pattern = new RegExp(`^(Http|Workers)${name}[0-9A-F]{8}$`, 'i');
  const [id, ...others] = Object.keys(env).filter((logicalId) => pattern.test(logicalId));
  if (id === undefined || others.length > 0) throw new Error(`Expected exactly one function for ${name}`);
  return { ...env[id], AWS_SESSION_TOKEN: sessionToken };
}
