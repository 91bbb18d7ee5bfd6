import type { Plan } from './connection';
import type { Line, Notification, OrderId, Topic } from './model';

/** What is known of an order, and what is kept of it. Times are epoch ms. */

/** What stops a license without ending it. */
export type Cause = 'payment' | 'pause' | 'dispute';

export interface Order {
  /** All that are known, in the sequence in which they became known. */
  readonly ids: readonly OrderId[];
  /** Which payments are known: their `sequence`, by the key of each of their ids. */
  readonly payments: Readonly<Record<string, number>>;
  /** The highest of them: the purchase, or the period that runs. */
  readonly sequence: number | null;
  readonly paidUntil: number | null;
  /** The latest periods that were paid, and when, the earliest first. */
  readonly periods: readonly Period[];
  /**
   * What was refunded in parts, by the key of any id of the payment; only of the payment that runs, and of those that are not known yet.
   */
  readonly refunds: Readonly<Record<string, Refunds>>;
  /** When the latest payment was reported. */
  readonly paidAt: number | null;
  readonly endedAt: number | null;
  /** The time of the newest report on each topic. */
  readonly newest: Readonly<Partial<Record<Topic, number>>>;
  /** What stops the order now, whether or not it suspends licenses. */
  readonly standing: readonly Cause[];
  /** Why nothing is issued for the order any more. */
  readonly closed: 'refunded' | 'dispute_lost' | 'ended' | null;
  /** The lines that licenses were issued for. A line that was removed has the quantity 0. */
  readonly lines: readonly IssuedLine[];
  /** The ids of lines that nothing was issued for. */
  readonly unsold: readonly string[];
  readonly customerId: string | null;
  readonly customerEmail: string | null;
}

export interface Period {
  readonly at: number;
  readonly until: number;
}

export interface Refunds {
  /** What was paid; null if it is not known. */
  readonly total: number | null;
  /** What was given back, by the id of the refund. */
  readonly parts: Readonly<Record<string, number>>;
}

/** Paid periods that an order remembers: a change is seldom reported later than one of them. */
const MAX_PERIODS = 6;

/** The periods with one more. One that is reported again was paid when it was reported first. */
export function withPeriod(periods: readonly Period[], { at, until }: Period): readonly Period[] {
  const first = Math.min(at, ...periods.filter((period) => period.until === until).map((period) => period.at));
  const others = periods.filter((period) => period.until !== until);
  return [...others, { at: first, until }].sort((a, b) => a.until - b.until).slice(-MAX_PERIODS);
}

/** A license that a smaller quantity, or the removal of its line, has ended. */
export interface Removal {
  /** When it was reported. */
  readonly at: number;
  /** The end of the time that was paid then; null as long as it is not known. */
  readonly until: number | null;
}

export interface IssuedLine extends Line {
  readonly licenseTypeId: number;
  readonly mode: Plan['quantity'];
}

/** An order of which nothing is known. */
export const newOrder: Order = {
  ids: [],
  payments: {},
  sequence: null,
  paidUntil: null,
  periods: [],
  refunds: {},
  paidAt: null,
  endedAt: null,
  newest: {},
  standing: [],
  closed: null,
  lines: [],
  unsold: [],
  customerId: null,
  customerEmail: null,
};

/** A license of an order, as far as payments look at it. */
export interface OrderLicense {
  readonly id: number;
  /** The id of its line. */
  readonly line: string;
  readonly status: 'active' | 'expired' | 'suspended' | 'revoked';
  readonly suspendedCause: Cause | 'operator' | null;
  readonly expiresAt: number | null;
  /** The expiry that it was issued with: an operator may have changed it since. */
  readonly issuedExpiresAt: number | null;
  readonly customerEmail: string | null;
  /** Null: it is part of what the buyer has now. */
  readonly removed: Removal | null;
}

/** A license of an order, and what it was issued with. */
export interface OrderLicenseRef {
  readonly id: number;
  /** Its key when the order was last stored. */
  readonly key: string;
  /** True: that is no longer the key that was issued for the order. */
  readonly reissued: boolean;
  /** The id of its order line. */
  readonly line: string;
  readonly issued_expires_at: number | null;
  /** Null: it is part of what the buyer has now. */
  readonly removed: Removal | null;
}

/** A notification that was received. */
export interface Received {
  readonly notification: Notification;
  readonly received_at: number;
}

/** When a notification was reported: if it has no time of its own, when it was received. */
export const timeOf = ({ notification, received_at }: Received): number => notification.occurredAt ?? received_at;

/** A notification that cannot be carried out yet, with its row in the log. */
export interface WaitingNotification extends Received {
  readonly payment_id: string;
  readonly status: 'held' | 'waiting';
}

/** An order as it is stored. */
export interface StoredOrder {
  readonly uid: string;
  /** Raised with each change. 0: not stored yet. */
  readonly version: number;
  readonly order: Order;
  readonly licenses: readonly OrderLicenseRef[];
  readonly waiting: readonly WaitingNotification[];
  readonly issued_at: number | null;
  /** The orders that turned out to be this one: rows of the log name them still. */
  readonly joined: readonly string[];
}

/** The order of a notification none of whose ids is known. */
export const unknownOrder = (uid: string): StoredOrder => ({
  uid,
  version: 0,
  order: newOrder,
  licenses: [],
  waiting: [],
  issued_at: null,
  joined: [],
});
