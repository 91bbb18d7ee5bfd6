import type { Front } from './api';

/** The signed-in buyer, for the parts of the page that make requests. */
export interface Buyer {
  readonly front: Front;
  readonly session: string;
  /** Shows that the session is over if that is the problem. */
  readonly isEnded: (error: unknown) => boolean;
}
