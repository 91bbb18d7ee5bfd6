import type { Cause, Order, OrderLicense, Removal } from '../order';

/** The plan for an order and its licenses. Times are epoch ms. */

export interface OrderPlan {
  readonly order: Order;
  readonly issue: readonly PlannedIssue[];
  /**
   * The steps of each license, by license id, in the order in which they must be applied. If a license was already revoked, its only
   * possible step sets `customerEmail`, and its key is not mailed.
   */
  readonly steps: ReadonlyMap<number, readonly LicenseStep[]>;
  /** For each license id: the license's line, whether the license was removed from the line, and the values that the order set. */
  readonly places: ReadonlyMap<number, Pick<OrderLicense, 'line' | 'removed' | 'granted'>>;
  /** The outcome of each notification, in the order of the notifications. */
  readonly outcomes: readonly Outcome[];
}

/** A license to be issued. */
export interface PlannedIssue {
  readonly line: string;
  /** The ref that selected the license type; null for the default license type. */
  readonly ref: string | null;
  readonly licenseTypeId: number;
  /** The license's own number of seats; undefined: the number of its license type. */
  readonly maxSeats: number | undefined;
  /** The expiry; null: never. If it is undefined, the license type decides. */
  readonly expiresAt: number | null | undefined;
  /** The end of updates. If it is undefined, the license type decides. */
  readonly updatesUntil: number | null | undefined;
  readonly isFallback: boolean;
  readonly customerEmail: string | null;
  /** The cause for which the license is suspended from the beginning; null: the license is active. */
  readonly suspended: Cause | null;
  readonly removed: Removal | null;
}

/** One change of a license, with at most one event. */
export type LicenseStep =
  | { readonly do: 'renew'; readonly expiresAt: number }
  | { readonly do: 'renew_updates'; readonly until: number }
  | { readonly do: 'suspend'; readonly cause: Cause }
  /** The suspension continues for another cause. */
  | { readonly do: 'stay_suspended'; readonly cause: Cause }
  | { readonly do: 'reinstate' }
  | { readonly do: 'revoke' }
  | LicenseUpdate;

export interface LicenseUpdate {
  readonly do: 'update';
  /** The new expiry; null: the license never expires. */
  readonly expiresAt?: number | null;
  /** The new end of updates; null: updates never end. */
  readonly updatesUntil?: number | null;
  readonly customerEmail?: string;
  /** The license's own number of seats; null: the number of its license type. */
  readonly maxSeats?: number | null;
  readonly licenseTypeId?: number;
  /** The ref of the new plan and the id of the order's line, if the license is now sold under another plan. */
  readonly sold?: { readonly ref: string | null; readonly line: string };
}

/** What the payments log shows about a notification: its status and the reason. */
export interface Outcome {
  readonly status: 'done' | 'ignored' | 'held' | 'waiting';
  /** A sentence for the operator. */
  readonly reason: string | null;
}

/** Whether the processing of a notification is complete. */
export const isOver = ({ status }: Pick<Outcome, 'status'>): boolean => status === 'done' || status === 'ignored';

export const done = (reason: string | null = null): Outcome => ({ status: 'done', reason });
export const ignored = (reason: string | null): Outcome => ({ status: 'ignored', reason });
export const held = (reason: string): Outcome => ({ status: 'held', reason });
export const waits = (reason = 'The rest of the order has not arrived yet.'): Outcome => ({ status: 'waiting', reason });

/**
 * The reason why a buyer's e-mail address changes nothing: the customer has no licenses yet, or all the customer's licenses have an address.
 */
export const NO_LICENSE_WAITS = 'No license waits for this e-mail address.';

/** The reason why nothing more is issued or renewed for a closed order. */
export const closedReasons: Readonly<Record<NonNullable<Order['closed']>, string>> = {
  refunded: 'The order was refunded: nothing is issued or renewed.',
  dispute_lost: 'The order was disputed: nothing is issued or renewed.',
  ended: 'The subscription has already ended: nothing is issued.',
};
