import type { Cause, Order, OrderLicense, Removal } from '../order';

/** What is planned for an order and its licenses. Times are epoch ms. */

export interface OrderPlan {
  readonly order: Order;
  readonly issue: readonly PlannedIssue[];
  /** By license id, in the order in which they are to be applied. A revoked license gets at most its `customerEmail`, without a mail. */
  readonly steps: ReadonlyMap<number, readonly LicenseStep[]>;
  /** By license id: its line, whether it still belongs to the line, and what the order gave it. */
  readonly places: ReadonlyMap<number, Pick<OrderLicense, 'line' | 'removed' | 'granted'>>;
  /** For each given notification, in the same order. */
  readonly outcomes: readonly Outcome[];
}

/** A license to be issued. */
export interface PlannedIssue {
  readonly line: string;
  /** The ref that selected the type; null if it is the default type. */
  readonly ref: string | null;
  readonly licenseTypeId: number;
  /** Undefined: the type's. */
  readonly maxSeats: number | undefined;
  /** Undefined: as the type computes it; null: never. */
  readonly expiresAt: number | null | undefined;
  /** Undefined: as the type computes it. */
  readonly updatesUntil: number | null | undefined;
  readonly isFallback: boolean;
  readonly customerEmail: string | null;
  /** Null: active. */
  readonly suspended: Cause | null;
  readonly removed: Removal | null;
}

/** One change of a license, with one event. */
export type LicenseStep =
  | { readonly do: 'renew'; readonly expiresAt: number }
  | { readonly do: 'renew_updates'; readonly until: number }
  | { readonly do: 'suspend'; readonly cause: Cause }
  | { readonly do: 'reinstate' }
  | { readonly do: 'revoke' }
  | LicenseUpdate;

export interface LicenseUpdate {
  readonly do: 'update';
  /** Null: never. */
  readonly expiresAt?: number | null;
  /** Null: no such limit. */
  readonly updatesUntil?: number | null;
  readonly customerEmail?: string;
  /** Null: the type's. */
  readonly maxSeats?: number | null;
  readonly licenseTypeId?: number;
  /** What was sold, if it is another plan now. */
  readonly sold?: { readonly ref: string | null; readonly line: string };
}

/** What the payments log shows about a notification. */
export interface Outcome {
  readonly status: 'done' | 'ignored' | 'held' | 'waiting';
  /** A sentence for the operator. */
  readonly reason: string | null;
}

/** Whether the notification is completely processed. */
export const isOver = ({ status }: Pick<Outcome, 'status'>): boolean => status === 'done' || status === 'ignored';

export const done = (reason: string | null = null): Outcome => ({ status: 'done', reason });
export const ignored = (reason: string | null): Outcome => ({ status: 'ignored', reason });
export const held = (reason: string): Outcome => ({ status: 'held', reason });
export const waits = (reason = 'The rest of the order has not arrived yet.'): Outcome => ({ status: 'waiting', reason });

/** Why nothing more is done for an order. */
export const closedReasons: Readonly<Record<NonNullable<Order['closed']>, string>> = {
  refunded: 'The order was refunded: nothing is issued or renewed.',
  dispute_lost: 'A dispute of the order was lost: nothing is issued or renewed.',
  ended: 'The subscription had ended: nothing is issued.',
};
