import type { Front } from './api';

/** The signed-in buyer, for the parts of the page that make requests. */
export interface Buyer {
  readonly front: Front;
  readonly session: string;
  /** Returns true if the error means that the session has ended, and then shows the sign-in. */
  readonly isEnded: (error: unknown) => boolean;
}
