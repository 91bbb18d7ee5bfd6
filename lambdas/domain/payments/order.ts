import { DAY_MS } from '../time';
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
  /** The paid time without its gaps, oldest first: from the first payment to the end of the last period. */
  readonly runs: readonly Period[];
  /** Partial refunds, by the key of any id of the payment; only for the current payment and for payments that are not known yet. */
  readonly refunds: Readonly<Record<string, Refunds>>;
  /** The `sequence` of each payment that was refunded. */
  readonly refunded: readonly number[];
  /** The `sequence` of the sale; null as long as it is not known. */
  readonly firstSequence: number | null;
  /** When the latest payment was reported. */
  readonly paidAt: number | null;
  readonly endedAt: number | null;
  /** The latest report that the subscription will end, or (without `endsAt`) will not. */
  readonly cancellation: { readonly at: number; readonly endsAt: number | null } | null;
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
  /** That of its payment; null if the payment is reported separately (Lemon Squeezy). */
  readonly sequence?: number | null;
}

export interface Refunds {
  /** The amount of the payment; null if it is not known. */
  readonly total: number | null;
  /** The refunded amounts, by the id of the refund. */
  readonly parts: Readonly<Record<string, number>>;
}

/** Number of paid periods that an order keeps. A change is seldom reported more than one period late. */
export const MAX_PERIODS = 6;

/** The periods with one more. If a period is reported twice, the time of the first report counts. */
export function withPeriod(periods: readonly Period[], { at, until, sequence = null }: Period): readonly Period[] {
  const same = periods.filter((period) => period.until === until);
  const first = Math.min(at, ...same.map((period) => period.at));
  const known = sequence ?? same[0]?.sequence ?? null;
  const others = periods.filter((period) => period.until !== until);
  return [...others, { at: first, until, sequence: known }].sort((a, b) => a.until - b.until).slice(-MAX_PERIODS);
}

/** A payment that is at most this late continues the paid time: processors try again for up to a month. */
const LATEST_PAYMENT = 31 * DAY_MS;
/** Number of uninterrupted paid times that an order keeps. */
const MAX_RUNS = 12;

/** The paid times with one more period. The result does not depend on the order in which periods become known. */
export function withRun(runs: readonly Period[], { at, until }: Period): readonly Period[] {
  const from = Math.min(at, until);
  const touches = (run: Period): boolean => from <= run.until + LATEST_PAYMENT && run.at <= until + LATEST_PAYMENT;
  const touching = runs.filter(touches);
  const joined = { at: Math.min(from, ...touching.map((run) => run.at)), until: Math.max(until, ...touching.map((run) => run.until)) };
  return [...runs.filter((run) => !touches(run)), joined].sort((a, b) => a.at - b.at).slice(-MAX_RUNS);
}

/** The payments that were refunded, with one more: as many as an order keeps of refunded parts. */
export const withRefunded = (refunded: readonly number[], sequence: number): readonly number[] =>
  [...new Set([...refunded, sequence])].sort((a, b) => a - b).slice(-MAX_REFUNDED);
const MAX_REFUNDED = 100;

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
  readonly extends: Plan['extends'];
  readonly fallbackMonths: Plan['fallback_months'];
}

/** An order about which nothing is known. */
export const newOrder: Order = {
  ids: [],
  payments: {},
  sequence: null,
  paidUntil: null,
  periods: [],
  runs: [],
  refunds: {},
  refunded: [],
  firstSequence: null,
  paidAt: null,
  endedAt: null,
  cancellation: null,
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
  readonly updatesUntil: number | null;
  /** The end of updates by the terms of its type. */
  readonly typeUpdatesUntil: number | null;
  readonly granted: Granted;
  readonly customerEmail: string | null;
  /** Null: the buyer still has it. */
  readonly removed: Removal | null;
}

/** What the order last gave a license; an operator may have changed it since. */
export interface Granted {
  /** The end of updates; at first as issued. */
  readonly updatesUntil: number | null;
  /** Whether its subscription has ended and it is valid forever. */
  readonly isFallback: boolean;
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
  readonly granted: Granted;
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
