import { LAST_INSTANT } from '../../contract/text';
import { monthsAfter, DAY_MS } from '../time';
import { overlaps, runOf, withRun, type DisputeFact, type Facts, type PaymentFact, type RefundFact, type Trouble } from './facts';
import { extendsUpdates, onceSoldLines, recurringLines, type LineState } from './lines';
import { seatsOf, type Sold, type SaleTerms } from './sold-as';

/**
 * Derives from the facts about an order which licenses the buyer should have (docs/spec/payments.md, What a notification does). The
 * functions are pure, and the result depends only on the facts. Times are epoch ms.
 */

/** A cause that suspends a license temporarily. */
export type Cause = 'payment' | 'pause' | 'dispute';

/** A cause that applies now. Two periods of the same trouble have different keys. */
export interface ActiveCause {
  readonly key: string;
  readonly cause: Cause;
}

/** A date of a license: a time, or null for never; or the date that the license type gives, counted from `since` or from the issue. */
export type End = { readonly at: number | null } | { readonly since: number | null };

/** What one license of the order should be. */
export interface Slot {
  readonly line: string;
  readonly sold: Sold;
  /** The license's own number of seats; null: the number of its type. */
  readonly seats: number | null;
  readonly expires: End;
  /** Whether the license ends at `expires` because it was given up or its subscription has ended. */
  readonly isEnding: boolean;
  readonly updates: End;
  readonly causes: readonly ActiveCause[];
  readonly revoked: Revoked | null;
}

export type Revoked = 'refunded' | 'dispute_lost';

export interface TargetLine {
  readonly state: LineState;
  /** The licenses of the line, oldest first. Licenses that the buyer has given up come last. */
  readonly slots: readonly Slot[];
  /** The number of licenses that the buyer has. */
  readonly count: number;
  readonly revoked: Revoked | null;
}

export interface Target {
  readonly lines: readonly TargetLine[];
  /** The end of the paid time, without grace; null if no period is known. */
  readonly paidUntil: number | null;
  /** Why nothing more is issued; null if licenses may be issued. */
  readonly closed: Revoked | null;
  readonly customerEmail: string | null;
}

// ── Payments ────────────────────────────────────────────────────────────────────────────────────

/** The payments of one period, or a purchase without a period. */
interface Group {
  readonly payments: readonly PaymentFact[];
  /** The time before which a refund concerns a period that has not begun; null: there is no such time. */
  readonly from: number | null;
  readonly until: number | null;
  /** When the group was refunded in full; null if it was not. */
  readonly refundedAt: number | null;
}

/** The time from which a payment counts. */
const startOf = ({ from, at }: PaymentFact): number | null => from ?? at;

/** The end of the period to which a payment belongs; null if nothing recurs or its period is not known. */
function periodEnd({ at, until, isRecurring, isSale }: PaymentFact, ends: readonly number[]): number | null {
  if (until !== null) return until;
  return at === null || (!isRecurring && !isSale) ? null : (ends.find((end) => end > at) ?? null);
}

function groupsOf(facts: Facts): readonly Group[] {
  const paid = facts.payments.filter(({ isPaid }) => isPaid);
  const ends = [...new Set(paid.flatMap(({ until }) => until ?? []))].sort((a, b) => a - b);
  const byEnd = new Map<number, PaymentFact[]>();
  const single: PaymentFact[][] = [];
  for (const payment of paid) {
    const end = periodEnd(payment, ends);
    if (end === null) single.push([payment]);
    else byEnd.set(end, [...(byEnd.get(end) ?? []), payment]);
  }
  const made = (payments: readonly PaymentFact[], until: number | null): Group => {
    const starts = payments.flatMap((payment) => startOf(payment) ?? []);
    // If the sale is refunded before its period begins, nothing is left that was paid.
    const isFirst = payments.some(({ isSale }) => isSale);
    const from = starts.length > 0 && !isFirst ? Math.min(...starts) : null;
    return { payments, from, until, refundedAt: refundedInFull(facts, payments) };
  };
  return [...[...byEnd].map(([until, payments]) => made(payments, until)), ...single.map((payments) => made(payments, null))].sort(
    (a, b) => (a.until ?? a.from ?? 0) - (b.until ?? b.from ?? 0),
  );
}

/**
 * Whether a payment has an amount of its own. A period that is known only from its subscription is recorded as a payment without an amount.
 */
const isMoney = ({ ids }: PaymentFact): boolean => !ids.every((id) => /^(period|trial):/.test(id));

const refundsOf = (facts: Facts, payment: PaymentFact): readonly RefundFact[] =>
  facts.refunds.filter((refund) => overlaps(refund.payment, payment.ids));

/** Whether a refund is of the whole payment, and not only of one of several charges. */
const isWhole = ({ isFull, ofCharge }: RefundFact, { amount }: PaymentFact): boolean =>
  isFull && (ofCharge === null || amount === null || ofCharge >= amount);

/** The sum of all paid amounts; null if one of them is unknown. */
const sumOf = (payments: readonly PaymentFact[]): number | null =>
  payments.reduce<number | null>((sum, { amount }) => (sum === null || amount === null ? null : sum + amount), 0);

/** When the refunds of payments reached what was paid with them; null if they did not. */
function refundedInFull(facts: Facts, all: readonly PaymentFact[]): number | null {
  const payments = all.filter(isMoney);
  const parts = payments.flatMap((payment) => refundsOf(facts, payment).map((refund) => ({ payment, refund })));
  parts.sort((a, b) => a.refund.at - b.refund.at);
  const total = sumOf(payments);
  const whole = new Set<PaymentFact>();
  let sum = 0;
  for (const { payment, refund } of parts) {
    const isOfWhole = isWhole(refund, payment);
    if (isOfWhole) whole.add(payment);
    if (!refund.isDetail) sum += (isOfWhole ? payment.amount : null) ?? refund.amount ?? 0;
    const isAdded = total !== null && total > 0 && sum >= total;
    if (isAdded || (whole.size > 0 && payments.every((one) => whole.has(one) || one.amount === 0))) return refund.at;
  }
  return null;
}

/** Whether the time of a refund is before, within or after the period. A purchase without a period always counts as running. */
type Phase = 'future' | 'running' | 'past';
function phaseOf({ from, until }: Pick<Group, 'from' | 'until'>, at: number): Phase {
  if (until === null) return 'running';
  if (at >= until) return 'past';
  return from !== null && at < from ? 'future' : 'running';
}

// ── Suspensions ─────────────────────────────────────────────────────────────────────────────────

/** The time of the last of the payments that ends trouble with payments. */
const paidAt = (payments: Facts['payments']): number =>
  Math.max(
    -Infinity,
    ...payments.flatMap(({ isPaid, at, isRecurring, isSale }) => (isPaid && at !== null && (isRecurring || isSale) ? [at] : [])),
  );

/**
 * Whether the subscription has ended and was not paid again. A late payment for a time before the end, such as an open invoice or a final
 * invoice for usage, does not continue the subscription.
 */
export function isEnded({ ended, payments }: Facts): boolean {
  if (ended === null) return false;
  return paidAt(payments.filter(({ until }) => until === null || until > ended.at)) <= ended.at;
}

/** When the open trouble began, and its key; undefined if there is none. */
function openTrouble(
  { on, off }: Trouble,
  endsAt: number,
): { readonly at: number; readonly key: string; readonly suspends: boolean } | undefined {
  const lastOff = off.at(-1) ?? -Infinity;
  const reports = on.filter(({ at }) => at >= lastOff && at > endsAt);
  const [first, last] = [reports[0], reports.at(-1)];
  return first && last && { at: first.at, key: String(Math.max(lastOff, endsAt)), suspends: last.suspends };
}

const endOfSubscription = (facts: Facts): number => (isEnded(facts) ? Infinity : (facts.ended?.at ?? -Infinity));

/** The open lack of a payment; undefined if nothing is unpaid. */
export const missingPayment = (facts: Facts) => openTrouble(facts.trouble, Math.max(paidAt(facts.payments), endOfSubscription(facts)));
export const openPause = (facts: Facts) => openTrouble(facts.pause, endOfSubscription(facts));

/** The disputes that are still open. */
export function openDisputes({ disputes }: Facts): readonly DisputeFact[] {
  // Old rows don't contain the ids of disputes. Such a dispute is over when a later report about a dispute arrives.
  const isReplaced = ({ id, at }: DisputeFact): boolean => id === '' && disputes.some((other) => other.id !== '' && other.at >= at);
  let open = disputes.filter((one) => one.state === 'open' && !one.isReversal && !isReplaced(one)).sort((a, b) => a.at - b.at);
  for (const reversal of disputes.filter(({ isReversal }) => isReversal).sort((a, b) => a.at - b.at)) {
    const ended = open.find(({ payment, at }) => overlaps(payment, reversal.payment) && at <= reversal.at);
    open = open.filter((one) => one !== ended);
  }
  return open;
}

function causesOf(facts: Facts): readonly (ActiveCause & { readonly at: number })[] {
  const [payment, pause] = [missingPayment(facts), openPause(facts)];
  return [
    ...(payment?.suspends ? [{ cause: 'payment' as const, key: `payment:${payment.key}`, at: payment.at }] : []),
    ...(pause ? [{ cause: 'pause' as const, key: `pause:${pause.key}`, at: pause.at }] : []),
    ...openDisputes(facts)
      .filter(({ effect }) => effect === 'suspend')
      .map(({ id, openedAt, at }) => ({ cause: 'dispute' as const, key: `dispute:${id}`, at: openedAt ?? at })),
  ].sort((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1));
}

// ── Revocations ─────────────────────────────────────────────────────────────────────────────────

/** Why the licenses of a line are revoked; null if they are not. */
function revokedBy(facts: Facts, groups: readonly Group[], line: LineState): Revoked | null {
  const isLost = facts.disputes.some(({ lostAt, openedAt, effect }) => lostAt !== null || (openedAt !== null && effect === 'revoke'));
  if (isLost) return 'dispute_lost';
  const isRefunded =
    isRefundedAsAWhole(facts, groups, line) ||
    (line.oneOff ? purchasesOf(facts, line) : groups.filter(isOfOrder)).some((group) => isGroupRefunded(facts, group, line));
  return isRefunded ? 'refunded' : null;
}

/** Whether a group contains a payment for the recurring lines of the order. */
const isOfOrder = ({ payments }: Group): boolean => payments.some(({ isRecurring, isSale }) => isRecurring || isSale);

/** The payments with which a line was sold once, as groups without a period. */
const purchasesOf = (facts: Facts, { payment: ids }: LineState): readonly Group[] =>
  facts.payments
    .filter((payment) => payment.isPaid && (ids.length > 0 ? overlaps(payment.ids, ids) : payment.isSale))
    .map((payment) => ({ payments: [payment], from: null, until: null, refundedAt: refundedInFull(facts, [payment]) }));

function isGroupRefunded(facts: Facts, group: Group, line: LineState): boolean {
  // If payments extend only the updates of a license, only the refund of the sale revokes the license.
  const counts = (at: number, payments: readonly PaymentFact[]): boolean =>
    extendsUpdates(line, at) ? payments.some(({ isSale }) => isSale) : phaseOf(group, at) === 'running';
  if (group.refundedAt !== null && counts(group.refundedAt, group.payments)) return true;
  return group.payments.some((payment) => {
    const refunds = refundsOf(facts, payment);
    return refunds.some((refund) => counts(refund.since, [payment]) && revokesPart(refund, refunds, payment, line));
  });
}

/**
 * Whether a refund of a part of a period revokes the licenses of a line. If it names lines, or other notifications name the lines of the
 * same money, it concerns only their licenses.
 */
function revokesPart(
  { items, effect, amount }: RefundFact,
  all: readonly RefundFact[],
  payment: Pick<PaymentFact, 'items'>,
  line: LineState,
): boolean {
  const named = all.reduce((sum, refund) => sum + (refund.isDetail ? (refund.amount ?? 0) : 0), 0);
  if (items === null) return effect === 'revoke' && (amount === null || named === 0 || amount > named);
  const own = items.filter(({ id }) => {
    const of = payment.items[id]?.line ?? id;
    return of === line.id || line.formerly.includes(of);
  });
  const isInFull = (id: string): boolean => {
    const total = payment.items[id]?.amount ?? null;
    const parts = all.flatMap((refund) => (refund.items ?? []).flatMap((item) => (item.id === id ? (item.amount ?? 0) : [])));
    return total !== null && total > 0 && parts.reduce((sum, part) => sum + part, 0) >= total;
  };
  return own.some(({ id, inFull }) => inFull || effect === 'revoke' || isInFull(id));
}

/** Whether refunds that name no payment concern a line: they name the line, or cover everything that was paid for the order. */
function isRefundedAsAWhole({ refunds, payments }: Facts, groups: readonly Group[], line: LineState): boolean {
  const unnamed = refunds.filter(({ payment }) => payment.length === 0).sort((a, b) => a.at - b.at);
  if (unnamed.length === 0) return false;
  const periods = groups.filter(({ until }) => until !== null);
  const isRunning = (at: number): boolean =>
    line.oneOff || periods.length === 0 || periods.some((group) => phaseOf(group, at) === 'running');
  const total = sumOf(payments.filter((payment) => payment.isPaid && isMoney(payment)));
  let sum = 0;
  for (const refund of unnamed) {
    const { isFull, amount, at, since, items } = refund;
    if (items === null) sum += amount ?? 0;
    const isAll = items === null && (isFull || (total !== null && total > 0 && sum >= total));
    if ((isAll && isRunning(at)) || (isRunning(since) && revokesPart(refund, [], { items: {} }, line))) return true;
  }
  return false;
}

// ── Dates ───────────────────────────────────────────────────────────────────────────────────────

/** The dates that follow from all payments of an order. */
interface Dates {
  /** The paid periods that were not refunded before they began. */
  readonly periods: readonly { readonly at: number; readonly until: number }[];
  readonly paidUntil: number | null;
  /** The end of the paid time plus the grace period. */
  readonly graced: number | null;
  /** The end of the latest period that was not refunded; or the beginning of the first period if all were. */
  readonly updatesUntil: number | null;
  /** The last uninterrupted paid time. */
  readonly from: number | null;
}

function datesOf(facts: Facts, groups: readonly Group[]): Dates {
  const known = groups.filter((group): group is Group & { until: number } => group.until !== null);
  const counted = known.filter((group) => group.refundedAt === null || phaseOf(group, group.refundedAt) !== 'future');
  const unrefunded = known.filter(({ refundedAt }) => refundedAt === null);
  const graced = counted.map(({ payments, until }) =>
    Math.min(LAST_INSTANT, until + Math.max(0, ...payments.map(({ grace }) => grace ?? 0))),
  );
  const runs = unrefunded
    .filter(({ payments }) => !payments.some(({ isTrial }) => isTrial))
    .flatMap(({ payments, until }) => payments.flatMap((payment) => runOf({ ...payment, until }) ?? []))
    .reduce(withRun, facts.earlier.runs);
  const maximum = (all: readonly number[]): number | null => (all.length > 0 ? Math.max(...all) : null);
  const before = facts.earlier.runs.map(({ until }) => until);
  return {
    periods: counted.map(({ payments, until }) => ({
      at: Math.min(...payments.flatMap(({ at }) => at ?? until)),
      until,
    })),
    paidUntil: maximum([...counted.map(({ until }) => until), ...before]),
    graced: maximum([...graced, ...before]),
    updatesUntil: maximum([...unrefunded.map(({ until }) => until), ...before]) ?? beginOf(known[0]),
    from: runs.at(-1)?.from ?? null,
  };
}

const beginOf = (group: Group | undefined): number | null => {
  const starts = (group?.payments ?? []).flatMap((payment) => startOf(payment) ?? []);
  return starts.length > 0 ? Math.min(...starts) : null;
};

/** The end of the period that was paid before a time. A payment at this time does not count. */
const paidEndAt = ({ periods, paidUntil }: Dates, at: number): number | null => {
  const before = periods.filter((period) => period.at < at).map(({ until }) => until);
  return before.length > 0 ? Math.max(...before) : periods.length > 0 ? Math.min(...periods.map(({ until }) => until)) : paidUntil;
};

/** Months have different lengths. With this tolerance, a period from 28 February continues a period that began on 31 January. */
const MONTH_TOLERANCE = 3 * DAY_MS;

/** The end of updates of a license that stays valid after its subscription ended; null if it does not stay valid. */
function fallbackUntil(facts: Facts, { from, paidUntil }: Dates, months: number | null): number | null {
  if (months === null || from === null || paidUntil === null || facts.isPaidOff || !isEnded(facts)) return null;
  return monthsAfter(from, months) <= paidUntil + MONTH_TOLERANCE ? monthsAfter(paidUntil, -months) : null;
}

// ── The target ──────────────────────────────────────────────────────────────────────────────────

/** All lines of the order; undefined if no payment has shown them yet. */
export function linesOf(facts: Facts): readonly LineState[] | undefined {
  const recurring = recurringLines(facts.base, facts.lineSets)?.lines;
  const once = onceSoldLines(facts.items, recurring !== undefined);
  return recurring || once.length > 0 ? [...(recurring ?? []), ...once] : undefined;
}

/** The licenses that the buyer should have. */
export function target(facts: Facts, terms: Pick<SaleTerms, 'types'>): Target {
  const groups = groupsOf(facts);
  const dates = datesOf(facts, groups);
  const causes = causesOf(facts);
  const lines = (linesOf(facts) ?? []).map((state): TargetLine => {
    const revoked = revokedBy(facts, groups, state);
    const { sold } = state;
    const slots =
      sold === null ? [] : state.slots.map((removedAt) => slotOf(facts, dates, causes, { ...state, sold }, removedAt, revoked, terms));
    return { state, slots, count: state.slots.filter((removedAt) => removedAt === null).length, revoked };
  });
  return {
    lines,
    paidUntil: dates.paidUntil,
    closed: lines.length > 0 && lines.every(({ revoked }) => revoked !== null) ? (lines[0]?.revoked ?? null) : null,
    customerEmail: facts.customerEmail,
  };
}

function slotOf(
  facts: Facts,
  dates: Dates,
  causes: readonly ActiveCause[],
  { id, sold, quantity, switchedAt, oneOff }: LineState & { readonly sold: Sold },
  removedAt: number | null,
  revoked: Revoked | null,
  terms: Pick<SaleTerms, 'types'>,
): Slot {
  const isUpdates = sold.extends === 'updates';
  const gone = removedAt === null ? null : paidEndAt(dates, removedAt);
  const fallback = oneOff || isUpdates || gone !== null ? null : fallbackUntil(facts, dates, sold.fallbackMonths);
  const byType: End = { since: switchedAt.at(-1) ?? null };
  const common = {
    line: id,
    sold,
    seats: sold.mode === 'seats' && quantity > 0 ? seatsOf(terms, sold.licenseTypeId, quantity) : null,
    causes: causes
      .filter(({ cause }) => cause === 'dispute' || (!oneOff && !isUpdates && fallback === null))
      .map(({ cause, key }) => ({ cause, key })),
    revoked,
  };
  if (oneOff) return { ...common, expires: { since: null }, isEnding: false, updates: { since: null } };
  if (isUpdates) {
    const { updatesUntil } = dates;
    const end = updatesUntil === null ? null : gone === null ? updatesUntil : Math.min(gone, updatesUntil);
    return { ...common, expires: byType, isEnding: false, updates: end === null ? { since: null } : { at: end } };
  }
  if (fallback !== null) return { ...common, expires: { at: null }, isEnding: false, updates: { at: fallback } };
  return { ...common, ...expiryOf(facts, dates, gone), updates: byType };
}

/** The expiry of a license whose payments extend it. `gone` is the end of the paid time of a license that was given up. */
function expiryOf(facts: Facts, { paidUntil, graced }: Dates, gone: number | null): Pick<Slot, 'expires' | 'isEnding'> {
  if (gone !== null) return { expires: { at: gone }, isEnding: true };
  if (facts.isPaidOff) return { expires: { since: null }, isEnding: false };
  if (facts.ended && isEnded(facts)) return { expires: { at: paidUntil ?? facts.ended.endedAt ?? facts.ended.at }, isEnding: true };
  return graced === null ? { expires: { since: null }, isEnding: false } : { expires: { at: graced }, isEnding: false };
}

/** The end of the paid time, without grace; null if no period is known. */
export const paidUntilOf = (facts: Facts): number | null => datesOf(facts, groupsOf(facts)).paidUntil;

/**
 * The starts of the paid periods, which begin terms of meters (docs/spec/meters.md, Periods). A period whose start was not reported begins
 * at the end of the previous one; the first one begins with the issue, so it is left out. Refunds and free trials change nothing.
 */
export function termStartsOf(facts: Facts): readonly number[] {
  const paid = groupsOf(facts).flatMap(({ payments, until }) => {
    const counted = payments.filter(({ isTrial }) => !isTrial);
    return until === null || counted.length === 0 ? [] : [{ until, starts: counted.flatMap(({ from }) => from ?? []) }];
  });
  const ends = [...facts.earlier.runs, ...paid].map(({ until }) => until);
  return paid.flatMap(({ until, starts }) => {
    const before = ends.filter((end) => end < until);
    return starts.length > 0 ? [Math.min(...starts)] : before.length > 0 ? [Math.max(...before)] : [];
  });
}

/** What is known about the refunded payment of a notification. */
export interface RefundedPayment {
  /** The part of the order's time to which the refund belongs; undefined: the period of the payment is not known yet. */
  readonly phase: Phase | undefined;
  readonly isInFull: boolean;
}

/** What is known about a refunded payment; undefined if the payment itself is not known yet. */
export function refundedPayment(facts: Facts, ids: readonly string[], at: number): RefundedPayment | undefined {
  if (overlaps(ids, facts.earlier.ids)) return { phase: 'past', isInFull: false };
  const isOwn = (payment: PaymentFact): boolean => overlaps(payment.ids, ids);
  const group = groupsOf(facts).find(({ payments }) => payments.some(isOwn));
  const payment = group?.payments.find(isOwn);
  if (!group || !payment) return undefined;
  const isPeriodUnknown = group.until === null && payment.isRecurring && !payment.isSale;
  return { phase: isPeriodUnknown ? undefined : phaseOf(group, at), isInFull: group.refundedAt !== null };
}
