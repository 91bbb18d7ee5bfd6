import type { Plan } from './connection';
import type { Line, Notification, OrderId, Topic } from './model';

/** The known state of an order, and what is stored of it. Times are epoch ms. */

/** A reason that suspends a license without ending it. */
export type Cause = 'payment' | 'pause' | 'dispute';

export interface Order {
  /** All known ids, in the order in which they became known. */
  readonly ids: readonly OrderId[];
  /** The `sequence` of each known payment, by the key of each of its ids. */
  readonly payments: Readonly<Record<string, number>>;
  /** The highest of them: the purchase, or the current period. */
  readonly sequence: number | null;
  readonly paidUntil: number | null;
  /** The latest paid periods with the times of their payments; sorted by the end of the period. */
  readonly periods: readonly Period[];
  /** Partial refunds, by the key of any id of the payment; only for the current payment and for payments that are not known yet. */
  readonly refunds: Readonly<Record<string, Refunds>>;
  /** When the latest payment was reported. */
  readonly paidAt: number | null;
  readonly endedAt: number | null;
  /** The time of the newest report on each topic. */
  readonly newest: Readonly<Partial<Record<Topic, number>>>;
  /** Causes that are active now, whether or not they suspend licenses. */
  readonly standing: readonly Cause[];
  /** Why nothing more is issued for the order. */
  readonly closed: 'refunded' | 'dispute_lost' | 'ended' | null;
  /** The lines for which licenses were issued. A removed line has the quantity 0. */
  readonly lines: readonly IssuedLine[];
  /** The ids of lines for which nothing was issued. */
  readonly unsold: readonly string[];
  readonly customerId: string | null;
  readonly customerEmail: string | null;
}

export interface Period {
  readonly at: number;
  readonly until: number;
}

export interface Refunds {
  /** The amount of the payment; null if it is not known. */
  readonly total: number | null;
  /** The refunded amounts, by the id of the refund. */
  readonly parts: Readonly<Record<string, number>>;
}

/** Number of paid periods that an order keeps. A change is seldom reported more than one period late. */
const MAX_PERIODS = 6;

/** The periods with one more. If a period is reported twice, the time of the first report counts. */
export function withPeriod(periods: readonly Period[], { at, until }: Period): readonly Period[] {
  const first = Math.min(at, ...periods.filter((period) => period.until === until).map((period) => period.at));
  const others = periods.filter((period) => period.until !== until);
  return [...others, { at: first, until }].sort((a, b) => a.until - b.until).slice(-MAX_PERIODS);
}

/** The removal of a license by a smaller quantity, or by the removal of its line. */
export interface Removal {
  /** When it was reported. */
  readonly at: number;
  /** The end of the period that was paid at that time; null as long as it is not known. */
  readonly until: number | null;
}

export interface IssuedLine extends Line {
  readonly licenseTypeId: number;
  readonly mode: Plan['quantity'];
}

/** An order about which nothing is known. */
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

/** The fields of a license that payments use. */
export interface OrderLicense {
  readonly id: number;
  /** The id of its line. */
  readonly line: string;
  readonly status: 'active' | 'expired' | 'suspended' | 'revoked';
  readonly suspendedCause: Cause | 'operator' | null;
  readonly expiresAt: number | null;
  /** The expiry with which it was issued; an operator may have changed it since. */
  readonly issuedExpiresAt: number | null;
  readonly customerEmail: string | null;
  /** Null: the buyer still has it. */
  readonly removed: Removal | null;
}

/** A reference to a license of an order, with what it was issued for. */
export interface OrderLicenseRef {
  readonly id: number;
  /** Its key at the time when the order was last stored. */
  readonly key: string;
  /** True: the license has a different key now than the one that was issued for the order. */
  readonly reissued: boolean;
  /** The id of its order line. */
  readonly line: string;
  readonly issued_expires_at: number | null;
  /** Null: the buyer still has it. */
  readonly removed: Removal | null;
}

/** A notification that was received. */
export interface Received {
  readonly notification: Notification;
  readonly received_at: number;
}

/** The time of a notification: when it occurred, or if that is not known, when it was received. */
export const timeOf = ({ notification, received_at }: Received): number => notification.occurredAt ?? received_at;

/** A notification that cannot be processed yet, with its row in the log. */
export interface WaitingNotification extends Received {
  readonly payment_id: string;
  readonly status: 'held' | 'waiting';
}

/** An order as it is stored. */
export interface StoredOrder {
  readonly uid: string;
  /** Increases with each change. 0: not stored yet. */
  readonly version: number;
  readonly order: Order;
  readonly licenses: readonly OrderLicenseRef[];
  readonly waiting: readonly WaitingNotification[];
  readonly issued_at: number | null;
  /** Orders that turned out to be the same as this one; rows of the log may still refer to them. */
  readonly joined: readonly string[];
}

/** The order of a notification whose ids are all unknown. */
export const unknownOrder = (uid: string): StoredOrder => ({
  uid,
  version: 0,
  order: newOrder,
  licenses: [],
  waiting: [],
  issued_at: null,
  joined: [],
});
