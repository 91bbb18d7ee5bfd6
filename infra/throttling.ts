import type { Endpoint } from '../lambdas/contract/endpoint';

/** Requests a second, and how many may come at once, that API Gateway lets through to a route. */
export interface Throttle {
  readonly rate: number;
  readonly burst: number;
}

/** For each method without a row, which is a preflight. Nothing but the account's own limit counts all routes together. */
export const preflight: Throttle = { rate: 2000, burst: 2000 };

/** Routes whose limit has a reason of its own. */
const special: Readonly<Record<string, Throttle>> = {
  // The hot path: every start of an app may come here.
  validate: { rate: 2000, burst: 2000 },
  // Once in a device's life; more than this is somebody who tries keys, or needs a higher limit.
  activate: { rate: 200, burst: 400 },
  deactivate: { rate: 200, burst: 400 },
  // Each sends a real message, or a request to somebody's server.
  sendTestMail: { rate: 1, burst: 5 },
  testWebhook: { rate: 5, burst: 10 },
};

/** The limit of a route. It counts all callers together; limits for each address are the firewall's. */
export function throttleOf(row: Endpoint): Throttle {
  const own = special[row.name];
  if (own) return own;
  // Enough for an operator's import, too few to guess a token of 48 characters.
  return row.credential === 'admin' ? { rate: 100, burst: 200 } : { rate: 500, burst: 500 };
}
