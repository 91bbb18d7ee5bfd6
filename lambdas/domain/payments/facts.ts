import { DAY_MS, monthOf } from '../time';
import type { Connection } from './connection';
import { joinedLedgers, noLedger, withMoney, type Ledger } from './ledger';
import { firstPaid, recurringLines, type Base, type Item, type LineSet, type SoldLine } from './lines';
import { idKey, type Action, type Line, type Notification, type OrderId, type Refund, type RefundedItem } from './model';
import { isArchived, namedPlan, soldAs, type SaleTerms } from './sold-as';

/**
 * The facts that the notifications of an order report, each about one object and with its own time. Merging facts is commutative and
 * idempotent: notifications that arrive late, twice or in any order lead to the same facts. Each fact keeps the settings of the connection
 * with which it was processed. Times are epoch ms. The size is limited: see {@link bounded} for what is kept.
 */
export interface Facts {
  /** All known ids of the order, by the time of the notification that first contained them. */
  readonly ids: readonly KnownId[];
  readonly payments: readonly PaymentFact[];
  /** What remains of payments that are no longer stored. */
  readonly earlier: { readonly ids: readonly string[]; readonly runs: readonly Run[] };
  /** The number of periods that were paid with these payments, by month. */
  readonly earlierPeriods: Readonly<Record<string, number>>;
  readonly ledger: Ledger;
  readonly refunds: readonly RefundFact[];
  readonly disputes: readonly DisputeFact[];
  /** Whether a payment is missing. */
  readonly trouble: Trouble;
  /** Whether the subscription is paused. */
  readonly pause: Trouble;
  readonly ended: { readonly at: number; readonly endedAt: number | null } | null;
  /** Whether all installments were paid. */
  readonly isPaidOff: boolean;
  /** The latest report about a cancellation. If `endsAt` is set, the subscription will end at that time. */
  readonly cancellation: { readonly at: number; readonly endsAt: number | null } | null;
  /** The recurring lines at a time from which the evaluation of `lineSets` starts; null: from the sale. */
  readonly base: Base | null;
  readonly lineSets: readonly LineSet[];
  /** The lines that were sold once. */
  readonly items: readonly Item[];
  readonly checkoutRefs: readonly string[];
  readonly customerId: string | null;
  readonly customerEmail: string | null;
  /** The notification that reported `customerEmail`. The address in the earliest sale has precedence. */
  readonly addressOf: { readonly at: number; readonly isSale: boolean } | null;
  /** The link to the latest receipt. It works until a time. */
  readonly receipt: ReceiptFact | null;
}

export interface ReceiptFact {
  readonly at: number;
  readonly url: string;
  readonly until: number;
}

export interface KnownId extends OrderId {
  readonly at: number;
}

export interface PaymentFact {
  /** All ids of the payment (`idKey`). */
  readonly ids: readonly string[];
  /** Whether the payment was reported as paid. Otherwise only its ids or its refund are known. */
  readonly isPaid: boolean;
  /** Whether it is the payment of the sale. */
  readonly isSale: boolean;
  /** Whether the payment belongs to a subscription although its period may be unknown. */
  readonly isRecurring: boolean;
  readonly isTrial: boolean;
  /** The time of the earliest report; null if no report has a time. */
  readonly at: number | null;
  readonly from: number | null;
  readonly until: number | null;
  readonly grace: number | null;
  readonly amount: number | null;
  readonly items: Readonly<Record<string, { readonly line: string; readonly amount: number | null }>>;
}

/** An uninterrupted paid time. */
export interface Run {
  readonly from: number;
  readonly until: number;
}

export interface RefundFact {
  readonly id: string;
  /** The ids of the refunded payment (`idKey`); empty if the refund is of the whole order. */
  readonly payment: readonly string[];
  /** When the largest amount was reported. */
  readonly at: number;
  /** When any amount was first reported. */
  readonly since: number;
  readonly isFull: boolean;
  readonly amount: number | null;
  readonly ofCharge: number | null;
  readonly items: readonly RefundedItem[] | null;
  /** Whether the refund only names the lines of money that another refund of the payment reports. */
  readonly isDetail: boolean;
  readonly effect: Connection['on_partial_refund'];
}

export interface DisputeFact {
  readonly id: string;
  readonly payment: readonly string[];
  readonly state: 'open' | 'won' | 'lost';
  /** The time of the state. */
  readonly at: number;
  /** When the dispute was first reported as open or lost. A later state doesn't erase this. */
  readonly openedAt: number | null;
  readonly lostAt: number | null;
  /** Whether this is no dispute, but ends one open dispute of its payment. */
  readonly isReversal: boolean;
  readonly effect: Connection['on_dispute'];
}

/** When trouble was reported, and when its end was reported; the latest times, oldest first. */
export interface Trouble {
  readonly on: readonly { readonly at: number; readonly suspends: boolean }[];
  readonly off: readonly number[];
}

const NO_TROUBLE: Trouble = { on: [], off: [] };

/** An order about which nothing is known yet. */
export const noFacts: Facts = {
  ids: [],
  payments: [],
  earlier: { ids: [], runs: [] },
  earlierPeriods: {},
  ledger: noLedger,
  refunds: [],
  disputes: [],
  trouble: NO_TROUBLE,
  pause: NO_TROUBLE,
  ended: null,
  isPaidOff: false,
  cancellation: null,
  base: null,
  lineSets: [],
  items: [],
  checkoutRefs: [],
  customerId: null,
  customerEmail: null,
  addressOf: null,
  receipt: null,
};

/** When the first notification about an order occurred. Every order has an id. */
export const orderedAt = ({ ids }: Pick<Facts, 'ids'>): number => Math.min(...ids.map(({ at }) => at));

/** A notification with the time at which the service received it. */
export interface Received {
  readonly notification: Notification;
  readonly received_at: number;
}

/** The time at which the event of a notification occurred; if it is unknown, the time at which the service received the notification. */
export const timeOf = ({ notification, received_at }: Received): number => notification.occurredAt ?? received_at;

/** The time of a refund, which may differ from the time of its notification. */
export const timeOfRefund = (refund: Refund | undefined, received: Received): number =>
  refund?.at === undefined ? timeOf(received) : (refund.at ?? received.received_at);

const union = <T>(a: readonly T[], b: readonly T[]): readonly T[] => [...new Set([...a, ...b])];
export const overlaps = (a: readonly string[], b: readonly string[]): boolean => a.some((one) => b.includes(one));
const least = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : Math.min(a, b));
const most = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : Math.max(a, b));

/** The id of the order's first payment, which several objects of the processor may report. */
const FIRST = 'first';

// ── Merging ─────────────────────────────────────────────────────────────────────────────────────

const mergedPayment = (a: PaymentFact, b: PaymentFact): PaymentFact => ({
  ids: union(a.ids, b.ids).toSorted(),
  isPaid: a.isPaid || b.isPaid,
  isSale: a.isSale || b.isSale,
  isRecurring: a.isRecurring || b.isRecurring,
  isTrial: a.isTrial || b.isTrial,
  at: least(a.at, b.at),
  from: least(a.from, b.from),
  until: most(a.until, b.until),
  grace: a.grace ?? b.grace,
  amount: most(a.amount, b.amount),
  items: { ...b.items, ...a.items },
});

function withPayment(facts: Facts, one: PaymentFact): Facts {
  if (one.ids.length === 0 || overlaps(one.ids, facts.earlier.ids)) return facts;
  const same = facts.payments.filter(({ ids }) => overlaps(ids, one.ids));
  const others = facts.payments.filter((other) => !same.includes(other));
  return { ...facts, payments: [...others, same.reduce((joined, next) => mergedPayment(next, joined), one)] };
}

/** Of two reports of one refund, the larger amount counts. */
function mergedRefund(a: RefundFact, b: RefundFact): RefundFact {
  const size = ({ isFull, amount }: RefundFact): number => (isFull ? Infinity : (amount ?? -1));
  const isSecond = size(b) > size(a) || (size(b) === size(a) && b.at < a.at);
  const main = isSecond ? b : a;
  return {
    ...main,
    since: Math.min(a.since, b.since),
    payment: union(a.payment, b.payment).toSorted(),
    amount: most(a.amount, b.amount),
    items: a.items ?? b.items,
    effect: a.effect,
  };
}

/**
 * Adds a refund. All reports about refunds of the first payment are one refund: the order and the first invoice of Lemon Squeezy report the
 * same sum with different ids.
 */
function withRefund(refunds: readonly RefundFact[], one: RefundFact): readonly RefundFact[] {
  const isSame = ({ id, payment }: RefundFact): boolean => id === one.id || (payment.includes(FIRST) && one.payment.includes(FIRST));
  const others = refunds.filter((other) => !isSame(other));
  return [...others, refunds.filter(isSame).reduce((joined, next) => mergedRefund(next, joined), one)];
}

/** Of two states at the same time, the later one in this order counts. */
const RANK = { open: 0, won: 1, lost: 2 };
function mergedDispute(a: DisputeFact, b: DisputeFact): DisputeFact {
  const isSecond = b.at > a.at || (b.at === a.at && RANK[b.state] > RANK[a.state]);
  const { state, at } = isSecond ? b : a;
  return {
    ...a,
    state,
    at,
    payment: union(a.payment, b.payment).toSorted(),
    openedAt: least(a.openedAt, b.openedAt),
    lostAt: least(a.lostAt, b.lostAt),
    effect: a.openedAt === null && b.openedAt !== null ? b.effect : a.effect,
  };
}

function withDispute(disputes: readonly DisputeFact[], one: DisputeFact): readonly DisputeFact[] {
  const isKnown = disputes.some(({ id }) => id === one.id);
  return isKnown ? disputes.map((other) => (other.id === one.id ? mergedDispute(other, one) : other)) : [...disputes, one];
}

/** Maximum number of reports about trouble, and about its end, that are stored. */
const MAX_REPORTS = 12;
const withReport = ({ on, off }: Trouble, at: number, suspends: boolean | null): Trouble => ({
  on:
    suspends === null || on.some((one) => one.at === at)
      ? on
      : [...on, { at, suspends }].toSorted((a, b) => a.at - b.at).slice(-MAX_REPORTS),
  off:
    suspends === null
      ? union(off, [at])
          .toSorted((a, b) => a - b)
          .slice(-MAX_REPORTS)
      : off,
});

/** Of two reports the newer one, or at equal times the preferred one. */
const newer = <T extends { readonly at: number }>(a: T | null, b: T, isPreferred: (b: T, a: T) => boolean): T =>
  a === null || b.at > a.at || (b.at === a.at && isPreferred(b, a)) ? b : a;

/** Of two cancellations at the same time, the one that ends later counts. A withdrawn cancellation has no end. */
const newerCancellation = (a: Facts['cancellation'], b: NonNullable<Facts['cancellation']>) =>
  newer(a, b, (second, first) => (second.endsAt ?? 0) > (first.endsAt ?? 0));

/** Of two ends that were reported at the same time, the earlier one counts. */
const newerEnd = (a: Facts['ended'], b: NonNullable<Facts['ended']>) =>
  newer(a, b, (second, first) => (second.endedAt ?? 0) < (first.endedAt ?? 0));

const newerReceipt = (a: ReceiptFact | null, b: ReceiptFact): ReceiptFact => newer(a, b, (second, first) => second.url > first.url);

const withLineSet = (facts: Facts, set: LineSet): Facts =>
  facts.lineSets.some((one) => one.id === set.id) ? facts : { ...facts, lineSets: [...facts.lineSets, set] };

// ── Adding a notification ───────────────────────────────────────────────────────────────────────

/**
 * Adds the facts of a notification that are true regardless of the rest of the order: its ids, the refs of its checkout, the buyer, the
 * money and the receipt. These facts are recorded even if the notification itself must wait.
 */
export function withIdsAndBuyer(facts: Facts, received: Received, terms: Pick<SaleTerms, 'plans' | 'types'>): Facts {
  const { ids, checkoutRefs, customerId, customerEmail, receipt, actions } = received.notification;
  const at = timeOf(received);
  const known = new Map(facts.ids.map((id) => [idKey(id), id]));
  const isNew = ids.some((id) => (known.get(idKey(id))?.at ?? Infinity) > at);
  for (const id of ids) known.set(idKey(id), { ...id, at: Math.min(at, known.get(idKey(id))?.at ?? at) });
  const address = { at, isSale: actions.some(({ kind }) => kind === 'sale') };
  const { addressOf } = facts;
  const isBetter =
    customerEmail !== null &&
    (facts.customerEmail === null ||
      (address.isSale && addressOf !== null && (!addressOf.isSale || at < addressOf.at)) ||
      (!address.isSale && addressOf !== null && !addressOf.isSale && at < addressOf.at));
  const refs = checkoutRefs.filter((ref) => !facts.checkoutRefs.includes(ref));
  const next: Facts = {
    ...facts,
    // Several ids of one notification keep their order, which is the order in which they are shown.
    ids: isNew ? [...known.values()].toSorted((a, b) => a.at - b.at) : facts.ids,
    customerId: facts.customerId ?? customerId,
    ...(isBetter && { customerEmail, addressOf: address }),
    checkoutRefs: union(facts.checkoutRefs, refs),
    ledger: withMoney(facts.ledger, received.notification, at),
    ...(receipt && { receipt: newerReceipt(facts.receipt, { at, url: receipt.url, until: at + receipt.validMs }) }),
  };
  return refs.length > 0 ? withCheckoutRefs(next, terms) : next;
}

/** Applies the plans of newly reported refs of the checkout to the lines of the sale for which no own ref has a plan. */
function withCheckoutRefs(facts: Facts, terms: Pick<SaleTerms, 'plans' | 'types'>): Facts {
  if (!namedPlan(terms, facts.checkoutRefs)) return facts;
  const again = <T extends SoldLine>(line: T): T => {
    const isOwn = line.sold !== null && line.sold.ref !== null;
    return isOwn ? line : { ...line, sold: soldAs({ ...terms, default_license_type_id: null }, facts.checkoutRefs) ?? line.sold };
  };
  return {
    ...facts,
    base: facts.base && { ...facts.base, lines: facts.base.lines.map(again) },
    lineSets: facts.lineSets.map((set) => (set.of === 'change' ? set : { ...set, lines: set.lines.map(again) })),
    items: facts.items.map(again),
  };
}

/** How a line is sold. If the order already has a line with the same refs, the line is sold in the same way, even if the plan was edited. */
function soldLine(facts: Facts, line: Line, terms: SaleTerms, isOfSale: boolean): SoldLine {
  const known = [...(facts.base?.lines ?? []), ...facts.lineSets.flatMap(({ lines }) => lines), ...facts.items].find(
    ({ sold, id, refs }) => sold !== null && (line.refs.length === 0 ? id === line.id : refs.join('\n') === line.refs.join('\n')),
  );
  const sold = known?.sold ?? soldAs(terms, isOfSale ? [...line.refs, ...facts.checkoutRefs] : line.refs);
  return {
    id: line.id,
    refs: line.refs,
    quantity: line.quantity,
    oneOff: line.oneOff,
    sold: sold && !isArchived(terms, sold) ? sold : null,
  };
}

/** Adds all facts of a notification. The settings of the connection are kept with the facts. */
export function withNotification(before: Facts, received: Received, terms: SaleTerms): Facts {
  const { notification } = received;
  let facts = withIdsAndBuyer(before, received, terms);
  for (const action of notification.actions) facts = withAction(facts, action, received, terms);
  const { payment } = notification;
  // A notification about another object may show further ids of the payment.
  if (payment)
    facts = withPayment(facts, {
      ids: paymentIds(notification),
      isPaid: false,
      isSale: false,
      isRecurring: false,
      isTrial: false,
      at: null,
      from: payment.period?.from ?? null,
      until: payment.period?.until ?? null,
      grace: payment.period ? terms.grace_days * DAY_MS : null,
      amount: payment.amount ?? null,
      items: payment.items ?? {},
    });
  return bounded(facts);
}

export const paymentIds = ({ payment }: Pick<Notification, 'payment'>): readonly string[] =>
  payment ? [...payment.ids.map(idKey), ...(payment.isFirst ? [FIRST] : [])] : [];

type PaidAction = Pick<Extract<Action, { kind: 'renewal' }>, 'lines' | 'paidUntil' | 'paidFrom' | 'isTrial'> & {
  readonly kind: 'sale' | 'renewal' | 'charged';
};

function withPaid(before: Facts, action: PaidAction, notification: Notification, at: number, terms: SaleTerms): Facts {
  const { kind, lines, paidUntil, paidFrom = null, isTrial = false } = action;
  const { payment, eventId } = notification;
  // A period that is reported without its payment is an object of its own.
  const own = paymentIds(notification);
  const ids = own.length > 0 ? own : paidUntil === null ? [] : [`${isTrial ? 'trial' : 'period'}:${paidUntil}`];
  let facts = withPayment(before, {
    ids,
    isPaid: true,
    isSale: kind === 'sale',
    isRecurring: kind === 'charged' ? lines.length === 0 : kind === 'renewal' || paidUntil !== null,
    isTrial,
    at,
    from: paidFrom,
    until: paidUntil,
    grace: terms.grace_days * DAY_MS,
    amount: payment?.amount ?? null,
    items: payment?.items ?? {},
  });
  if (lines.length === 0) return facts;
  const sold = lines.map((line) => soldLine(facts, line, terms, true));
  const recurring = sold.filter(({ oneOff }) => !oneOff);
  if (recurring.length > 0 && kind !== 'charged')
    facts = withLineSet(facts, { at, of: kind, isComplete: true, id: `${kind}:${eventId}`, lines: recurring });
  for (const line of sold.filter(({ oneOff }) => oneOff)) {
    const item: Item = { ...line, at, isOfSale: kind === 'sale', payment: ids };
    const isKnown = facts.items.some((one) => one.id === item.id && one.isOfSale === item.isOfSale && overlaps(one.payment, ids));
    if (!isKnown) facts = { ...facts, items: [...facts.items, item] };
  }
  return facts;
}

function withAction(facts: Facts, action: Action, received: Received, terms: SaleTerms): Facts {
  const { notification } = received;
  const at = timeOf(received);
  const payment = paymentIds(notification);
  switch (action.kind) {
    case 'sale':
    case 'renewal':
    case 'charged':
      return withPaid(facts, action, notification, at, terms);
    case 'oversized':
      return action.of === 'changed'
        ? facts
        : withPaid(facts, { kind: action.of, lines: [], paidUntil: action.paidUntil }, notification, at, terms);
    case 'payment_failed':
      return { ...facts, trouble: withReport(facts.trouble, at, terms.on_payment_failed === 'suspend') };
    case 'paid_again':
      return { ...facts, trouble: withReport(facts.trouble, at, null) };
    case 'paused':
      return { ...facts, pause: withReport(facts.pause, at, true) };
    case 'resumed':
      return {
        ...facts,
        pause: withReport(facts.pause, at, null),
        // When a cancellation is withdrawn, some processors report only that the subscription is active.
        cancellation: newerCancellation(facts.cancellation, { at, endsAt: null }),
      };
    case 'cancellation_announced':
      return { ...facts, cancellation: newerCancellation(facts.cancellation, { at, endsAt: action.endsAt }) };
    case 'ended':
      return { ...facts, ended: newerEnd(facts.ended, { at, endedAt: action.endedAt }) };
    case 'paid_off':
      return { ...facts, isPaidOff: true };
    case 'refunded':
    case 'refunded_in_part': {
      const { refund } = action;
      const refundedAt = timeOfRefund(refund, received);
      const fact: RefundFact = {
        id: refund?.id ?? payment[0] ?? '',
        payment,
        at: refundedAt,
        since: refundedAt,
        isFull: action.kind === 'refunded',
        amount: refund?.amount ?? null,
        ofCharge: refund?.ofCharge ?? null,
        items: refund?.items ?? null,
        isDetail: refund?.isDetail ?? false,
        effect: terms.on_partial_refund,
      };
      return { ...facts, refunds: withRefund(facts.refunds, fact) };
    }
    case 'dispute_opened':
    case 'dispute_won':
    case 'dispute_lost': {
      const state = action.kind === 'dispute_opened' ? 'open' : action.kind === 'dispute_won' ? 'won' : 'lost';
      const fact: DisputeFact = {
        id: action.id ?? payment[0] ?? '',
        payment,
        state,
        at,
        openedAt: state === 'open' ? at : null,
        lostAt: state === 'lost' ? at : null,
        isReversal: action.kind === 'dispute_won' && action.isReversal === true,
        effect: terms.on_dispute,
      };
      return { ...facts, disputes: withDispute(facts.disputes, fact) };
    }
    case 'changed': {
      const lines = action.lines.filter(({ oneOff }) => !oneOff).map((line) => soldLine(facts, line, terms, false));
      return withLineSet(facts, { at, of: 'change', isComplete: action.complete ?? false, id: `change:${notification.eventId}`, lines });
    }
    case 'linked':
    case 'buyer_known':
    case 'untrusted':
    case 'ignored':
      return facts;
  }
}

// ── Limits ──────────────────────────────────────────────────────────────────────────────────────

const MAX_PAYMENTS = 24;
const MAX_EARLIER = 500;
const MAX_LINE_SETS = 24;
const MAX_OTHERS = 200;
/**
 * Maximum duration from the end of a paid time to the next payment, in ms. A later payment begins a new paid time. The duration is 31 days,
 * because processors try to collect a payment for up to a month.
 */
const LATEST_PAYMENT = 31 * DAY_MS;
const MAX_RUNS = 12;

/** Adds a paid period to the uninterrupted paid times. The result does not depend on the order in which periods are added. */
export function withRun(runs: readonly Run[], { from, until }: Run): readonly Run[] {
  const touches = (run: Run): boolean => from <= run.until + LATEST_PAYMENT && run.from <= until + LATEST_PAYMENT;
  const touching = runs.filter(touches);
  const joined = { from: Math.min(from, ...touching.map((run) => run.from)), until: Math.max(until, ...touching.map((run) => run.until)) };
  return [...runs.filter((run) => !touches(run)), joined].sort((a, b) => a.from - b.from).slice(-MAX_RUNS);
}

/** The paid time of a payment; undefined if it has no period or is a trial. */
export const runOf = ({ isPaid, isTrial, at, from, until }: PaymentFact): Run | undefined =>
  isPaid && !isTrial && until !== null ? { from: from ?? Math.min(at ?? until, until), until } : undefined;

type Periods = Readonly<Record<string, number>>;
const addedPeriods = (a: Periods, b: Periods): Periods =>
  Object.entries(b).reduce((sums, [month, count]) => ({ ...sums, [month]: (sums[month] ?? 0) + count }), a);

/** Adds the number of periods that payments paid, by the month of the payment (UTC). Free trials are not paid. */
export function periodsByMonth(payments: readonly PaymentFact[], before: Periods): Periods {
  const paidAt = new Map<number, number>();
  for (const { isPaid, isTrial, until, at, from } of payments)
    if (isPaid && !isTrial && until !== null) paidAt.set(until, Math.min(paidAt.get(until) ?? Infinity, at ?? from ?? until));
  return [...paidAt.values()].reduce((sums, at) => addedPeriods(sums, { [monthOf(at)]: 1 }), before);
}

/**
 * Limits the size of the facts. At most 24 payments are kept: that of the sale and the latest ones. Of earlier payments the ids, the
 * uninterrupted paid times and the number of periods are kept. If there are more than 24 reports of lines, all but the latest 12 are
 * evaluated. The last 200 refunds, disputes and items that were reported are kept.
 */
function bounded(facts: Facts): Facts {
  let { payments, earlier, earlierPeriods, base, lineSets } = facts;
  if (payments.length > MAX_PAYMENTS) {
    const place = ({ until, at }: PaymentFact): number => until ?? at ?? Infinity;
    const sorted = payments.filter(({ isSale }) => !isSale).sort((a, b) => place(a) - place(b));
    const old = sorted.slice(0, Math.max(0, payments.length - MAX_PAYMENTS));
    const runs = old.flatMap((payment) => runOf(payment) ?? []);
    payments = payments.filter((payment) => !old.includes(payment));
    const kept = new Set(payments.map(({ until }) => until));
    earlierPeriods = periodsByMonth(
      old.filter(({ until }) => !kept.has(until)),
      earlierPeriods,
    );
    earlier = {
      ids: union(
        earlier.ids,
        old.flatMap(({ ids }) => ids),
      ).slice(-MAX_EARLIER),
      runs: runs.reduce(withRun, earlier.runs),
    };
  }
  // Only the first report of a payment shows the lines of the order.
  const first = base ? undefined : firstPaid(lineSets);
  lineSets = lineSets.filter((set) => set.of === 'change' || set === first);
  if (lineSets.length > MAX_LINE_SETS) {
    const sorted = lineSets.toSorted((a, b) => a.at - b.at);
    const evaluated = sorted.slice(0, sorted.length - MAX_LINE_SETS / 2);
    base = recurringLines(base, evaluated) ?? base;
    lineSets = sorted.filter((set) => !evaluated.includes(set));
  }
  return {
    ...facts,
    payments,
    earlier,
    earlierPeriods,
    base,
    lineSets,
    refunds: facts.refunds.slice(-MAX_OTHERS),
    disputes: facts.disputes.slice(-MAX_OTHERS),
    items: facts.items.slice(-MAX_OTHERS),
  };
}

/** Combines the facts of several orders that turned out to be the same order. */
export function joinedFacts(orders: readonly Facts[]): Facts {
  const [first = noFacts, ...rest] = orders;
  return bounded(rest.reduce(joinedPair, first));
}

function joinedPair(a: Facts, b: Facts): Facts {
  const ids = new Map(a.ids.map((id) => [idKey(id), id]));
  for (const id of b.ids) ids.set(idKey(id), { ...id, at: Math.min(id.at, ids.get(idKey(id))?.at ?? id.at) });
  const trouble = (x: Trouble, y: Trouble): Trouble =>
    [...y.on.map(({ at, suspends }) => [at, suspends] as const), ...y.off.map((at) => [at, null] as const)].reduce<Trouble>(
      (all, [at, suspends]) => withReport(all, at, suspends),
      x,
    );
  const isSecondAddress =
    a.customerEmail === null ||
    (b.addressOf !== null &&
      (a.addressOf === null ||
        Number(b.addressOf.isSale) > Number(a.addressOf.isSale) ||
        (b.addressOf.isSale === a.addressOf.isSale && b.addressOf.at < a.addressOf.at)));
  const joined: Facts = {
    ...a,
    ids: [...ids.values()].toSorted((x, y) => x.at - y.at),
    earlier: { ids: union(a.earlier.ids, b.earlier.ids), runs: b.earlier.runs.reduce(withRun, a.earlier.runs) },
    earlierPeriods: addedPeriods(a.earlierPeriods, b.earlierPeriods),
    ledger: joinedLedgers(a.ledger, b.ledger),
    refunds: b.refunds.reduce(withRefund, a.refunds),
    disputes: b.disputes.reduce(withDispute, a.disputes),
    trouble: trouble(a.trouble, b.trouble),
    pause: trouble(a.pause, b.pause),
    ended: b.ended ? newerEnd(a.ended, b.ended) : a.ended,
    isPaidOff: a.isPaidOff || b.isPaidOff,
    cancellation: b.cancellation ? newerCancellation(a.cancellation, b.cancellation) : a.cancellation,
    base: a.base && b.base ? { at: Math.max(a.base.at, b.base.at), lines: [...a.base.lines, ...b.base.lines] } : (a.base ?? b.base),
    lineSets: b.lineSets.reduce(withLineSet, a).lineSets,
    items: [...a.items, ...b.items],
    checkoutRefs: union(a.checkoutRefs, b.checkoutRefs),
    customerId: a.customerId ?? b.customerId,
    ...(isSecondAddress && { customerEmail: b.customerEmail, addressOf: b.addressOf }),
    receipt: b.receipt ? newerReceipt(a.receipt, b.receipt) : a.receipt,
  };
  return b.payments.reduce(withPayment, joined);
}
