import type { Stack } from '../../infra/local/stack';

/** The URLs and names of a local stack that another process needs. */
export type StackAddresses = Pick<Stack, 'baseUrl' | 'endpoints' | 'sessionToken' | 'tableNames' | 'env'> & {
  readonly adminToken: string;
  /** The process id of the stack. Everything else that the stack runs is a thread or a child of this process. */
  readonly pid: number;
};

/**
 * The environment with which a separate process can act as the function of an endpoint or worker. `name` is the name of the endpoint or
 * worker in the contract. The environment contains the run's credential, because the local services require it. A function in the stack
 * doesn't know this credential: the thread of the function adds it to each request.
 */
export function environmentOf({ env, sessionToken }: StackAddresses, name: string): Readonly<Record<string, string>> {
  const pattern = new RegExp(`^(Http|Workers)${name}[0-9A-F]{8}$`, 'i');
  const [id, ...others] = Object.keys(env).filter((logicalId) => pattern.test(logicalId));
  if (id === undefined || others.length > 0) throw new Error(`Expected exactly one function for ${name}`);
  return { ...env[id], AWS_SESSION_TOKEN: sessionToken };
}
