import type { Front, License } from './api';

/** The signed-in buyer, for the parts of the page that make requests. */
export interface Buyer {
  readonly front: Front;
  readonly session: string;
  /** If the error means that the session has ended, shows the sign-in form and returns true. */
  readonly isEnded: (error: unknown) => boolean;
}

/** What each part of a license's card needs. */
export interface CardProps {
  readonly buyer: Buyer;
  readonly license: License;
  readonly onChange: (license: License) => void;
  /** The buyer does not see the license any more. */
  readonly onLeft: () => void;
}
