import { DAY_MS } from '../time';
import type { Plan } from './connection';
import type { Line, Notification, OrderId, Topic } from './model';

/** The known facts about an order, and the format in which they are stored. Times are epoch ms. */

/** A cause that suspends a license temporarily. */
export type Cause = 'payment' | 'pause' | 'dispute';

export interface Order {
  /** All known ids of the order; the id that became known first comes first. */
  readonly ids: readonly OrderId[];
  /** Maps each id of each known payment (as `idKey`) to the `sequence` of the payment. */
  readonly payments: Readonly<Record<string, number>>;
  /**
   * The highest `sequence` of the order's payments. This is the `sequence` of the payment for the current period, or of the purchase if no
   * renewal was paid.
   */
  readonly sequence: number | null;
  readonly paidUntil: number | null;
  /** The latest paid periods with the times of their payments, sorted by the end of the period. */
  readonly periods: readonly Period[];
  /**
   * The uninterrupted paid times, oldest first. Each paid time combines consecutive paid periods: `at` is the time of the first payment,
   * and `until` is the end of the last period.
   */
  readonly runs: readonly Period[];
  /**
   * Maps each id of a payment (as `idKey`) to the partial refunds of the payment. The refunds of earlier payments are removed when a later
   * payment is known.
   */
  readonly refunds: Readonly<Record<string, Refunds>>;
  /** The `sequence` of each refunded payment. */
  readonly refunded: readonly number[];
  /** The `sequence` of the sale; null until it is known. */
  readonly firstSequence: number | null;
  /** The time of the latest payment. */
  readonly paidAt: number | null;
  readonly endedAt: number | null;
  /**
   * The latest report about a cancellation. If `endsAt` is set, the subscription will end at that time. If `endsAt` is null, the
   * subscription will continue, or the time of its end is unknown.
   */
  readonly cancellation: { readonly at: number; readonly endsAt: number | null } | null;
  /** For each topic, the time of the newest report. */
  readonly newest: Readonly<Partial<Record<Topic, number>>>;
  /** The causes of suspension that are active now, even if the connection is configured not to suspend licenses for them. */
  readonly standing: readonly Cause[];
  /**
   * The reason why nothing more is issued for the order; null if licenses may be issued. `dispute_lost` also stands for an opened dispute
   * that revoked the licenses.
   */
  readonly closed: 'refunded' | 'dispute_lost' | 'ended' | null;
  /** The lines for which licenses were issued. A removed line has a quantity of 0. */
  readonly lines: readonly IssuedLine[];
  /** The ids of the lines for which nothing was issued. */
  readonly unsold: readonly string[];
  readonly customerId: string | null;
  readonly customerEmail: string | null;
}

export interface Period {
  readonly at: number;
  readonly until: number;
  /** The `sequence` of the period's payment; null if the payment is reported separately (Lemon Squeezy). */
  readonly sequence?: number | null;
}

export interface Refunds {
  /** The total amount of the payment; null if it is unknown. */
  readonly total: number | null;
  /** The refunded amounts, by the ids of the refunds. */
  readonly parts: Readonly<Record<string, number>>;
}

/** Maximum number of paid periods that are stored with an order. A change is seldom reported more than one period late. */
export const MAX_PERIODS = 6;

/** Adds a paid period. If a period is reported twice, the time of the first report counts. */
export function withPeriod(periods: readonly Period[], { at, until, sequence = null }: Period): readonly Period[] {
  const same = periods.filter((period) => period.until === until);
  const first = Math.min(at, ...same.map((period) => period.at));
  const known = sequence ?? same[0]?.sequence ?? null;
  const others = periods.filter((period) => period.until !== until);
  return [...others, { at: first, until, sequence: known }].sort((a, b) => a.until - b.until).slice(-MAX_PERIODS);
}

/**
 * Maximum duration from the end of a paid time to the next payment, in ms. A later payment begins a new paid time. The duration is 31 days,
 * because processors try to collect a payment for up to a month.
 */
const LATEST_PAYMENT = 31 * DAY_MS;
/** Maximum number of uninterrupted paid times that are stored with an order. */
const MAX_RUNS = 12;

/**
 * Adds a paid period to the uninterrupted paid times, and joins two of them if the period closes the gap between them. The result does not depend
 * on the order in which periods are reported.
 */
export function withRun(runs: readonly Period[], { at, until }: Period): readonly Period[] {
  const from = Math.min(at, until);
  const touches = (run: Period): boolean => from <= run.until + LATEST_PAYMENT && run.at <= until + LATEST_PAYMENT;
  const touching = runs.filter(touches);
  const joined = { at: Math.min(from, ...touching.map((run) => run.at)), until: Math.max(until, ...touching.map((run) => run.until)) };
  return [...runs.filter((run) => !touches(run)), joined].sort((a, b) => a.at - b.at).slice(-MAX_RUNS);
}

/** Adds a refunded payment. Only the payments with the highest `sequence` numbers are kept. */
export const withRefunded = (refunded: readonly number[], sequence: number): readonly number[] =>
  [...new Set([...refunded, sequence])].sort((a, b) => a - b).slice(-MAX_REFUNDED);
const MAX_REFUNDED = 100;

/** The removal of a license because the quantity was reduced or the line was removed. */
export interface Removal {
  /** When the processor reported that the license was removed. */
  readonly at: number;
  /** The end of the period that was paid at the time of the removal; null until it is known. */
  readonly until: number | null;
}

export interface IssuedLine extends Line {
  readonly licenseTypeId: number;
  readonly mode: Plan['quantity'];
  readonly extends: Plan['extends'];
  readonly fallbackMonths: Plan['fallback_months'];
}

/** An order about which nothing is known yet. */
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

/** The fields of a license that the planning of payments uses. */
export interface OrderLicense {
  readonly id: number;
  /** The id of the license's line in the order. */
  readonly line: string;
  readonly status: 'active' | 'expired' | 'suspended' | 'revoked';
  readonly suspendedCause: Cause | 'operator' | null;
  readonly expiresAt: number | null;
  /** The expiry with which the license was issued. An operator may have changed the expiry later. */
  readonly issuedExpiresAt: number | null;
  readonly updatesUntil: number | null;
  /** The end of updates that the license type sets, counted from the creation of the license; null: updates never end. */
  readonly typeUpdatesUntil: number | null;
  readonly granted: Granted;
  readonly customerEmail: string | null;
  /** The removal of the license; null if the buyer still has the license. */
  readonly removed: Removal | null;
}

/** The values that the order last set on a license. An operator may have changed them later. */
export interface Granted {
  /**
   * The last value that the order gave to the license's end of updates. Before the first change, this is the value with which the license
   * was issued.
   */
  readonly updatesUntil: number | null;
  /** Whether the license is valid forever because its subscription ended after enough payments. */
  readonly isFallback: boolean;
}

/** A reference from an order to one of its licenses, with facts about the sale. */
export interface OrderLicenseRef {
  readonly id: number;
  /** The license's key when the order was last stored. */
  readonly key: string;
  /** Whether the license's key differs from the key that was issued for the order. */
  readonly reissued: boolean;
  /** The id of the license's line in the order. */
  readonly line: string;
  readonly issued_expires_at: number | null;
  readonly granted: Granted;
  /** The removal of the license; null if the buyer still has the license. */
  readonly removed: Removal | null;
}

/** A notification with the time at which the service received it. */
export interface Received {
  readonly notification: Notification;
  readonly received_at: number;
}

/**
 * The time at which the event of a notification occurred. If that time is unknown, the result is the time at which the service received the
 * notification.
 */
export const timeOf = ({ notification, received_at }: Received): number => notification.occurredAt ?? received_at;

/** A notification that cannot be processed yet, with the id and status of its row in the log. */
export interface WaitingNotification extends Received {
  readonly payment_id: string;
  readonly status: 'held' | 'waiting';
}

/** An order as it is stored. */
export interface StoredOrder {
  readonly uid: string;
  /** A counter that each change increases; 0 if the order is not stored yet. */
  readonly version: number;
  readonly order: Order;
  readonly licenses: readonly OrderLicenseRef[];
  readonly waiting: readonly WaitingNotification[];
  readonly issued_at: number | null;
  /** The ids of orders that were joined with this order. Rows of the payments log may still refer to these ids. */
  readonly joined: readonly string[];
}

/** A new order, for a notification whose ids are all unknown. */
export const unknownOrder = (uid: string): StoredOrder => ({
  uid,
  version: 0,
  order: newOrder,
  licenses: [],
  waiting: [],
  issued_at: null,
  joined: [],
});
