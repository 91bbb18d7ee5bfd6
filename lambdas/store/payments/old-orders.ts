import type { Plan } from '../../domain/payments/connection';
import { noFacts, type DisputeFact, type Facts, type PaymentFact, type RefundFact } from '../../domain/payments/facts';
import { countOf, type LineState } from '../../domain/payments/lines';
import type { Action, Line, Notification, OrderId } from '../../domain/payments';
import { DAY_MS } from '../../domain/time';

/** Converts the rows of orders that earlier versions wrote. They contained conclusions from notifications instead of facts. */

interface OldPeriod {
  readonly at: number;
  readonly until: number;
  readonly sequence?: number | null;
}

interface OldLine extends Line {
  readonly licenseTypeId: number;
  readonly mode: Plan['quantity'];
  readonly extends?: Plan['extends'];
  readonly fallbackMonths?: Plan['fallback_months'];
}

/** The state of an order in an old row. Every field may be missing. */
export interface OldOrder {
  readonly ids?: readonly OrderId[];
  /** Maps each id of each payment to a number that increases from payment to payment. */
  readonly payments?: Readonly<Record<string, number>>;
  readonly periods?: readonly OldPeriod[];
  readonly runs?: readonly OldPeriod[];
  readonly refunds?: Readonly<Record<string, { readonly total: number | null; readonly parts: Readonly<Record<string, number>> }>>;
  readonly refunded?: readonly number[];
  readonly firstSequence?: number | null;
  readonly paidAt?: number | null;
  readonly endedAt?: number | null;
  readonly cancellation?: Facts['cancellation'];
  readonly newest?: Readonly<Partial<Record<'payment' | 'pause' | 'dispute' | 'lines', number>>>;
  readonly standing?: readonly ('payment' | 'pause' | 'dispute')[];
  readonly closed?: 'refunded' | 'dispute_lost' | 'ended' | null;
  readonly lines?: readonly OldLine[];
  readonly unsold?: readonly string[];
  readonly customerId?: string | null;
  readonly customerEmail?: string | null;
}

/** A reference to a license in an old row, oldest first. */
export interface OldLicense {
  readonly line: string;
  readonly issued_expires_at: number | null;
  readonly removed_at: number | null;
}

const MAX_GRACE = 60 * DAY_MS;

export function factsOf(order: OldOrder, licenses: readonly OldLicense[]): Facts {
  const { newest = {}, standing = [], closed = null, customerEmail = null, periods = [] } = order;
  const payments = paymentsOf(order, licenses);
  const known = new Set(payments.flatMap(({ ids }) => ids));
  return {
    ...noFacts,
    ids: (order.ids ?? []).map((id) => ({ ...id, at: 0 })),
    payments,
    earlier: {
      ids: Object.keys(order.payments ?? {}).filter((id) => !known.has(id)),
      runs: (order.runs ?? []).map(({ at, until }) => ({ from: at, until })),
    },
    refunds: refundsOf(order, payments),
    disputes: [
      ...(standing.includes('dispute') ? [disputeOf(payments, 'open', newest.dispute ?? 0)] : []),
      ...(closed === 'dispute_lost' ? [{ ...disputeOf(payments, 'lost', newest.dispute ?? 0), id: 'lost' }] : []),
    ],
    trouble: { on: standing.includes('payment') ? [{ at: newest.payment ?? 0, suspends: true }] : [], off: [] },
    pause: { on: standing.includes('pause') ? [{ at: newest.pause ?? 0, suspends: true }] : [], off: [] },
    ended: order.endedAt == null ? null : { at: order.endedAt, endedAt: periods.length > 0 ? null : order.endedAt },
    cancellation: order.cancellation ?? null,
    ...linesOf(order, licenses, payments),
    customerId: order.customerId ?? null,
    customerEmail,
    addressOf: customerEmail === null ? null : { at: 0, isSale: true },
  };
}

function paymentsOf(
  { payments = {}, periods = [], refunds = {}, firstSequence = null, paidAt = null }: OldOrder,
  licenses: readonly OldLicense[],
) {
  const issued = licenses.flatMap(({ issued_expires_at }) => issued_expires_at ?? []);
  // The grace period was not stored. It is the difference between a license's first expiry and the end of a period.
  const grace = periods
    .flatMap(({ until }) => issued.map((expiry) => expiry - until))
    .filter((difference) => difference >= 0 && difference <= MAX_GRACE)
    .sort((a, b) => a - b)[0];
  const made = (ids: readonly string[], sequence: number | null, period: OldPeriod | undefined): PaymentFact => ({
    ids,
    isPaid: true,
    isSale: sequence === null ? false : sequence === firstSequence,
    isRecurring: period !== undefined,
    isTrial: false,
    at: period?.at ?? paidAt,
    from: null,
    until: period?.until ?? null,
    grace: grace ?? 0,
    amount: ids.flatMap((id) => refunds[id]?.total ?? [])[0] ?? null,
    items: {},
  });
  const sequences = [...new Set(Object.values(payments))];
  const named = sequences.flatMap((sequence) => {
    const ids = Object.keys(payments).filter((id) => payments[id] === sequence);
    const period = periods.find((one) => one.sequence === sequence);
    return period || sequence === firstSequence || periods.length === 0 ? [made(ids, sequence, period)] : [];
  });
  const ends = new Set(named.map(({ until }) => until));
  const unnamed = periods.filter(({ until }) => !ends.has(until)).map((period) => made([`period:${period.until}`], null, period));
  return [...named, ...unnamed];
}

function refundsOf({ payments = {}, refunds = {}, refunded = [], closed = null }: OldOrder, known: readonly PaymentFact[]): RefundFact[] {
  const refund = (id: string, payment: readonly string[], at: number, amount: number | null): RefundFact => ({
    id,
    payment,
    at,
    since: at,
    isFull: amount === null,
    amount,
    ofCharge: null,
    items: null,
    isDetail: false,
    effect: 'nothing',
  });
  const parts = Object.entries(refunds).flatMap(([key, { parts: all }]) =>
    Object.entries(all).map(([id, amount]) => refund(id, [key], known.find(({ ids }) => ids.includes(key))?.at ?? 0, amount)),
  );
  const whole = refunded.flatMap((sequence) => {
    const payment = known.find(({ ids }) => ids.some((id) => payments[id] === sequence));
    // A refund that closed the order was for the period that ran.
    return payment
      ? [refund(`refund:${sequence}`, payment.ids, closed === 'refunded' ? (payment.at ?? 0) : (payment.until ?? 0), null)]
      : [];
  });
  const isUnnamed = closed === 'refunded' && whole.length === 0;
  return [...parts, ...whole, ...(isUnnamed ? [refund('refund', [], known.at(-1)?.at ?? 0, null)] : [])];
}

/** A dispute whose id was not stored. Every later report about a dispute of the order replaces it. */
const disputeOf = (payments: readonly PaymentFact[], state: 'open' | 'lost', at: number): DisputeFact => ({
  id: '',
  payment: payments.flatMap(({ ids }) => ids),
  state,
  at,
  openedAt: at,
  lostAt: state === 'lost' ? at : null,
  isReversal: false,
  effect: 'suspend',
});

function linesOf(
  { lines = [], unsold = [], newest = {} }: OldOrder,
  licenses: readonly OldLicense[],
  payments: readonly PaymentFact[],
): Pick<Facts, 'base' | 'items'> {
  if (lines.length === 0) return { base: null, items: [] };
  const states = lines.map((line): LineState => {
    const { id, refs, quantity, oneOff, licenseTypeId, mode, fallbackMonths = null } = line;
    const sold = { ref: refs[0] ?? null, licenseTypeId, mode, extends: line.extends ?? ('license' as const), fallbackMonths };
    const given = licenses.filter((license) => license.line === id).map(({ removed_at }) => removed_at);
    const kept = given.filter((at) => at === null);
    const count = Math.max(kept.length, countOf({ sold, quantity }));
    const slots = [...Array.from({ length: count }, () => null), ...given.filter((at) => at !== null)];
    return { id, refs, quantity, oneOff, sold, formerly: [], switchedAt: [], slots, payment: [] };
  });
  const sales = payments.filter(({ isSale }) => isSale).flatMap(({ ids }) => ids);
  const others = unsold.map(
    (id): LineState => ({ id, refs: [], quantity: 1, oneOff: false, sold: null, formerly: [], switchedAt: [], slots: [], payment: [] }),
  );
  const at = newest.lines ?? 0;
  const recurring = [...states.filter(({ oneOff }) => !oneOff), ...others];
  return {
    base: recurring.length > 0 ? { at, lines: recurring } : null,
    items: states
      .filter(({ oneOff }) => oneOff)
      .map(({ id, refs, quantity, sold }) => ({ id, refs, quantity, oneOff: true, sold, at, isOfSale: true, payment: sales })),
  };
}

/** A waiting notification of an old row. */
export function notificationOf(old: Notification): Notification {
  const payment: (Notification['payment'] & { readonly total?: number | null }) | null = old.payment;
  return {
    ...old,
    checkoutRefs: old.checkoutRefs ?? [],
    payment: payment && { ...payment, amount: payment.amount ?? payment.total ?? null },
    actions: old.actions.map(actionOf) as unknown as Notification['actions'],
  };
}

function actionOf(action: Action & { readonly part?: { readonly id: string; readonly amount: number } }): Action {
  return action.kind === 'refunded_in_part' && action.part ? { kind: action.kind, refund: action.part } : action;
}
