import type { Stack } from '../../infra/local/stack';

/** What another process needs to know of a local stack. */
export type StackAddresses = Pick<Stack, 'baseUrl' | 'endpoints' | 'sessionToken' | 'tableNames' | 'env'> & {
  readonly adminToken: string;
  /** Its process. What it runs besides are threads and children of it. */
  readonly pid: number;
};

/**
 * The environment of the function of an endpoint or worker, by its name in the contract, for a process of its own: the local services accept a
 * function's credential only from its worker, and the run's credential from everyone.
 */
export function environmentOf({ env, sessionToken }: StackAddresses, name: string): Readonly<Record<string, string>> {
  const pattern = new RegExp(`^(Http|Workers)${name}[0-9A-F]{8}$`, 'i');
  const [id, ...others] = Object.keys(env).filter((logicalId) => pattern.test(logicalId));
  if (id === undefined || others.length > 0) throw new Error(`There is not just one function for ${name}`);
  return { ...env[id], AWS_SESSION_TOKEN: sessionToken };
}
