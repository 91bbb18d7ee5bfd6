import { DAY_MS } from '../time';
import type { Connection, Plan } from './connection';
import {
  compareLines,
  idKey,
  lineFor,
  topicOf,
  WHOLE_ORDER,
  type Action,
  type Line,
  type Notification,
  type OrderId,
  type RefundedPart,
  type Topic,
} from './model';

/**
 * What notifications make of an order and its licenses (docs/spec/payments.md, What a notification does). Pure: the caller loads the order,
 * its licenses and the notifications that wait for it, and commits what comes back in one transaction.
 *
 * A mark (a refund, lost dispute or end without an order) is a notification that waits like any other.
 */

/**
 * Licenses of one order. A sale of more is held; a change that needs more issues no more than these. (docs/spec/payments.md, Held sales)
 */
export const MAX_LICENSES = 25;

/** Paid periods that an order remembers: a change is seldom reported later than one of them. */
const MAX_PERIODS = 6;

/** Parts of one refund that an order remembers: its row has an end. */
const MAX_PARTS = 1000;

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

/** The settings of a connection that decide, and its product's license types by id. */
export interface Terms
  extends Pick<Connection, 'plans' | 'default_license_type_id' | 'grace_days' | 'on_payment_failed' | 'on_dispute' | 'on_partial_refund'> {
  /** `max_seats` 0 means unlimited. */
  readonly types: ReadonlyMap<number, { readonly max_seats: number; readonly archived: boolean }>;
}

/** A license to be issued. */
export interface Issue {
  readonly line: string;
  /** The ref that chose the type; null if it is the default type. */
  readonly ref: string | null;
  readonly licenseTypeId: number;
  /** Undefined: the type's. */
  readonly maxSeats: number | undefined;
  /** Undefined: as the type computes it. */
  readonly expiresAt: number | undefined;
  readonly customerEmail: string | null;
  /** Null: active. */
  readonly suspended: Cause | null;
  readonly removed: Removal | null;
}

/** One change of a license, with one event. */
export type Step =
  | { readonly do: 'renew'; readonly expiresAt: number }
  | { readonly do: 'suspend'; readonly cause: Cause }
  | { readonly do: 'reinstate' }
  | { readonly do: 'revoke' }
  | LicenseUpdate;

interface LicenseUpdate {
  readonly do: 'update';
  readonly expiresAt?: number;
  readonly customerEmail?: string;
  /** Null: the type's. */
  readonly maxSeats?: number | null;
  readonly licenseTypeId?: number;
  /** What was sold, if it is another plan now. */
  readonly sold?: { readonly ref: string | null; readonly line: string };
}

/** What becomes of a notification. */
export interface Verdict {
  readonly status: 'done' | 'ignored' | 'held' | 'waiting';
  /** A sentence for the operator. */
  readonly reason: string | null;
}

export interface Received {
  readonly notification: Notification;
  /** Epoch milliseconds; used if the notification has no time of its own. */
  readonly receivedAt: number;
}

export interface Outcome {
  readonly order: Order;
  readonly issue: readonly Issue[];
  /** By license id, in the order in which they are to be made. A revoked license gets at most its `customerEmail`, and no mail for it. */
  readonly steps: ReadonlyMap<number, readonly Step[]>;
  /** By license id: its line, and whether the line still has it. */
  readonly places: ReadonlyMap<number, Pick<OrderLicense, 'line' | 'removed'>>;
  /** For each notification that was given, in the same sequence. */
  readonly verdicts: readonly Verdict[];
}

const done = (reason: string | null = null): Verdict => ({ status: 'done', reason });
const waits: Verdict = { status: 'waiting', reason: 'The rest of the order has not arrived yet.' };

const closedReasons: Readonly<Record<NonNullable<Order['closed']>, string>> = {
  refunded: 'The order was refunded: nothing is issued or renewed.',
  dispute_lost: 'A dispute of the order was lost: nothing is issued or renewed.',
  ended: 'The subscription had ended: nothing is issued.',
};

/** What a line is sold as. */
interface Sold {
  /** The plan's; null: of no plan. */
  readonly ref: string | null;
  readonly licenseTypeId: number;
  readonly mode: Plan['quantity'];
}

/** The state of a license while notifications are carried out; a new one has no id yet. */
interface Draft {
  readonly license: OrderLicense | null;
  issue: Issue | null;
  line: string;
  readonly oneOff: boolean;
  removed: Removal | null;
  status: OrderLicense['status'];
  cause: OrderLicense['suspendedCause'];
  /** Undefined: what the type computes. */
  expiresAt: number | null | undefined;
  readonly steps: Step[];
}

/** Ids that name the same payment, joined over all notifications; one set for each payment. */
function paymentGroups(received: readonly Received[]): readonly ReadonlySet<string>[] {
  let groups: Set<string>[] = [];
  for (const { notification } of received) {
    const keys = (notification.payment?.ids ?? []).map(idKey);
    if (keys.length === 0) continue;
    const touched = groups.filter((group) => keys.some((key) => group.has(key)));
    groups = [...groups.filter((group) => !touched.includes(group)), new Set([...keys, ...touched.flatMap((group) => [...group])])];
  }
  return groups;
}

/** The periods with one more. One that is reported again was paid when it was reported first. */
function withPeriod(periods: readonly Period[], { at, until }: Period): readonly Period[] {
  const first = Math.min(at, ...periods.filter((period) => period.until === until).map((period) => period.at));
  const others = periods.filter((period) => period.until !== until);
  return [...others, { at: first, until }].sort((a, b) => a.until - b.until).slice(-MAX_PERIODS);
}

/** The order that several turn out to be, once a notification names ids of each. */
export function joined(orders: readonly Order[]): Order {
  // What was issued for decides; the others are not more than ids.
  const [first = newOrder, ...rest] = orders.toSorted((a, b) => b.lines.length - a.lines.length);
  const seen = new Set<string>();
  const latestOf = (pick: (order: Order) => number | null): number | null =>
    orders.reduce<number | null>((best, order) => (best === null ? pick(order) : Math.max(best, pick(order) ?? best)), null);
  return {
    ...first,
    ids: [first, ...rest].flatMap(({ ids }) => ids).filter((id) => !seen.has(idKey(id)) && seen.add(idKey(id))),
    payments: Object.assign({}, ...rest.map(({ payments }) => payments), first.payments) as Order['payments'],
    sequence: latestOf(({ sequence }) => sequence),
    paidUntil: latestOf(({ paidUntil }) => paidUntil),
    periods: orders.flatMap(({ periods }) => periods).reduce(withPeriod, []),
    refunds: Object.assign({}, ...orders.map(({ refunds }) => refunds)) as Order['refunds'],
    paidAt: latestOf(({ paidAt }) => paidAt),
    endedAt: latestOf(({ endedAt }) => endedAt),
    newest: orders.reduce<Order['newest']>(
      (newest, order) =>
        Object.fromEntries(
          (['payment', 'pause', 'dispute', 'lines'] as const).flatMap((topic) => {
            const times = [newest[topic], order.newest[topic]].filter((time) => time !== undefined);
            return times.length > 0 ? [[topic, Math.max(...times)]] : [];
          }),
        ),
      {},
    ),
    standing: [...new Set(orders.flatMap(({ standing }) => standing))],
    lines: orders.flatMap(({ lines }) => lines),
    unsold: [...new Set(orders.flatMap(({ unsold }) => unsold))],
    closed: orders.find(({ closed }) => closed !== null)?.closed ?? null,
    customerId: orders.find(({ customerId }) => customerId !== null)?.customerId ?? null,
    customerEmail: orders.find(({ customerEmail }) => customerEmail !== null)?.customerEmail ?? null,
  };
}

/**
 * Carries out what was received for an order: the new notification first, then what waited for it, as far as it can be now.
 *
 * @param order as it is stored; {@link newOrder} if none of the ids is known, {@link joined} if they belong to several
 * @param received the new notification, then those that wait (or are held) under any of the order's ids
 */
export function carryOut(order: Order, licenses: readonly OrderLicense[], received: readonly Received[], terms: Terms): Outcome {
  const work = new Work(order, licenses, received, terms);
  const verdicts: Verdict[] = received.map(() => waits);
  const timeOf = ({ notification, receivedAt }: Received): number => notification.occurredAt ?? receivedAt;
  const later = received
    .map((_, index) => index)
    .slice(1)
    .sort((a, b) => timeOf(received[a]!) - timeOf(received[b]!));
  let open = [0, ...later].filter((index) => received[index] !== undefined);
  // One may make known what another waits for, whichever comes first.
  for (let progress = true; progress; ) {
    for (const index of open) verdicts[index] = work.notification(received[index]!, verdicts);
    const left = open.filter((index) => ['waiting', 'held'].includes(verdicts[index]!.status));
    progress = left.length > 0 && left.length < open.length;
    open = left;
  }
  return work.outcome(verdicts);
}

class Work {
  private order: Order;
  private readonly drafts: Draft[];
  private readonly groups: readonly ReadonlySet<string>[];

  constructor(
    order: Order,
    licenses: readonly OrderLicense[],
    private readonly received: readonly Received[],
    private readonly terms: Terms,
  ) {
    this.order = order;
    this.groups = paymentGroups(received);
    this.drafts = licenses.map((license) => ({
      license,
      issue: null,
      line: license.line,
      removed: license.removed,
      oneOff: order.lines.find(({ id }) => id === license.line)?.oneOff ?? false,
      status: license.status,
      cause: license.suspendedCause,
      expiresAt: license.expiresAt,
      steps: [],
    }));
    for (const { notification } of received) this.learn(notification);
  }

  notification(received: Received, verdicts: readonly Verdict[]): Verdict {
    const at = received.notification.occurredAt ?? received.receivedAt;
    const results = received.notification.actions.map((action) => this.act(action, received, at, verdicts));
    const [worst] = (['held', 'waiting', 'done', 'ignored'] as const).filter((status) =>
      results.some((result) => result.status === status),
    );
    const status = worst ?? 'ignored';
    return { status, reason: results.find((result) => result.status === status && result.reason !== null)?.reason ?? null };
  }

  outcome(verdicts: readonly Verdict[]): Outcome {
    const { customerEmail } = this.order;
    const alive = this.drafts.filter(({ issue, status }) => issue !== null && status !== 'revoked');
    const steps = new Map<number, readonly Step[]>();
    const places = new Map<number, Pick<OrderLicense, 'line' | 'removed'>>();
    for (const { license, steps: made, line, removed } of this.drafts) {
      if (license === null) continue;
      places.set(license.id, { line, removed });
      const filled: readonly Step[] = license.customerEmail === null && customerEmail !== null ? withUpdate(made, { customerEmail }) : made;
      if (filled.length > 0) steps.set(license.id, filled);
    }
    return {
      order: this.order,
      issue: alive.map(({ issue, line, removed, expiresAt, cause }) => ({
        ...issue!,
        line,
        removed,
        expiresAt: expiresAt ?? undefined,
        customerEmail,
        suspended: cause === 'operator' ? null : cause,
      })),
      steps,
      places,
      verdicts,
    };
  }

  /** Ids, payments and buyer, whatever else a notification does. */
  private learn({ ids, payment, customerId, customerEmail, actions }: Notification): void {
    const known = new Set(this.order.ids.map(idKey));
    const payments: Record<string, number> = { ...this.order.payments };
    const keys = [
      ...new Set((payment?.ids ?? []).flatMap((id) => [idKey(id), ...(this.groups.find((group) => group.has(idKey(id))) ?? [])])),
    ];
    const sequence = payment?.sequence ?? keys.map((key) => payments[key]).find((value) => value !== undefined);
    if (sequence !== undefined) for (const key of keys) payments[key] ??= sequence;
    const parts = actions.flatMap((action) => (action.kind === 'refunded_in_part' && action.part ? [action.part] : []));
    this.order = {
      ...this.order,
      refunds:
        payment && (parts.length > 0 || payment.total != null)
          ? this.refundsWith(payment.ids, payment.total ?? null, parts)
          : this.order.refunds,
      ids: [...this.order.ids, ...ids.filter((id) => !known.has(idKey(id)))],
      payments,
      customerId: this.order.customerId ?? customerId,
      customerEmail: this.order.customerEmail ?? customerEmail,
    };
  }

  private refundsWith(ids: readonly OrderId[], total: number | null, parts: readonly RefundedPart[]): Order['refunds'] {
    const refunds = { ...this.order.refunds };
    for (const key of ids.map(idKey)) {
      const known = refunds[key];
      refunds[key] = {
        total: known?.total ?? total,
        parts: Object.fromEntries(
          Object.entries({ ...known?.parts, ...Object.fromEntries(parts.map(({ id, amount }) => [id, amount])) }).slice(0, MAX_PARTS),
        ),
      };
    }
    return refunds;
  }

  /** Whether the parts that were refunded of a payment are all of it. */
  private isAllRefunded(payment: Notification['payment']): boolean {
    return (payment?.ids ?? []).some((id) => {
      const { total = null, parts = {} } = this.order.refunds[idKey(id)] ?? {};
      return total !== null && total > 0 && Object.values(parts).reduce((sum, part) => sum + part, 0) >= total;
    });
  }

  private get isKnown(): boolean {
    return this.drafts.length > 0 || this.order.closed !== null;
  }

  private act(action: Action, received: Received, at: number, verdicts: readonly Verdict[]): Verdict {
    if (action.kind === 'ignored') return { status: 'ignored', reason: action.reason };
    if (action.kind === 'oversized') {
      // What was bought matters for the first payment only.
      const isFurther = this.drafts.length > 0 && action.of !== 'changed';
      return isFurther
        ? this.act({ kind: 'renewal', lines: [], paidUntil: action.paidUntil }, received, at, verdicts)
        : { status: 'held', reason: action.reason };
    }
    if (action.kind === 'buyer_known') return this.isKnown ? done() : { status: 'ignored', reason: 'The customer has bought nothing yet.' };
    if (action.kind === 'cancellation_announced')
      return { status: this.isKnown ? 'done' : 'ignored', reason: 'Nothing changes until the subscription ends.' };
    if ((action.kind === 'sale' || action.kind === 'renewal') && action.lines.length > 0) return this.paid(action, received, at, verdicts);
    if (!this.isKnown) return waits;
    const topic = topicOf(action.kind);
    if (topic !== undefined && action.kind !== 'renewal') {
      if (at < (this.order.newest[topic] ?? at)) return done('A newer state was reported before.');
      this.order = { ...this.order, newest: { ...this.order.newest, [topic]: at } };
    }
    switch (action.kind) {
      case 'sale':
      case 'renewal':
        return this.paid(action, received, at, verdicts);
      case 'linked':
        return done();
      case 'payment_failed':
        return this.begin('payment', this.terms.on_payment_failed === 'suspend' ? 'suspend' : 'nothing');
      case 'paid_again':
        return this.end('payment');
      case 'paused':
        return this.begin('pause', 'suspend');
      case 'resumed':
        return this.end('pause');
      case 'dispute_opened':
        return this.begin('dispute', this.terms.on_dispute);
      case 'dispute_won':
        return this.end('dispute');
      case 'dispute_lost':
        return this.close('dispute_lost');
      case 'refunded':
        return this.refunded(received.notification, true);
      case 'refunded_in_part':
        return this.refunded(
          received.notification,
          this.terms.on_partial_refund === 'revoke' || this.isAllRefunded(received.notification.payment),
        );
      case 'ended':
        return this.ended(action.endedAt, at);
      case 'changed':
        return this.changed(action.lines, action.complete ?? false, at);
    }
  }

  /** Sale and renewal. */
  private paid(
    action: Extract<Action, { kind: 'sale' | 'renewal' }>,
    { notification }: Received,
    at: number,
    verdicts: readonly Verdict[],
  ): Verdict {
    if (this.order.closed === 'ended' && this.order.endedAt !== null && at > this.order.endedAt)
      this.order = { ...this.order, closed: null };
    if (this.order.closed !== null) return done(closedReasons[this.order.closed]);
    const issued = this.issue(action, notification, at, verdicts);
    if (issued.status !== 'done' || this.order.closed !== null) return issued;

    const { sequence, paidUntil, endedAt, newest } = this.order;
    const moved = action.paidUntil !== null && paidUntil !== null && action.paidUntil > paidUntil;
    const reached = notification.payment?.sequence ?? (notification.payment === null && action.kind === 'renewal' && moved ? 1 : null);
    const isNewest = newest.payment === undefined || at >= newest.payment;
    const isOver = endedAt !== null && at <= endedAt;
    this.order = {
      ...this.order,
      sequence: reached === null ? sequence : Math.max(sequence ?? reached, reached),
      paidUntil: paidUntil === null ? action.paidUntil : Math.max(paidUntil, action.paidUntil ?? paidUntil),
      periods: action.paidUntil === null ? this.order.periods : withPeriod(this.order.periods, { at, until: action.paidUntil }),
      paidAt: Math.max(this.order.paidAt ?? at, at),
      endedAt: isOver ? endedAt : null,
      newest: { ...newest, payment: Math.max(newest.payment ?? at, at) },
    };
    this.forgetRefunds();
    if (action.paidUntil !== null) this.extend(action.paidUntil + (isOver ? 0 : this.terms.grace_days * DAY_MS), paidUntil === null);
    this.moveRemovals();
    if (isNewest) this.end('payment');
    return this.drafts.every(({ status }) => status === 'revoked') ? done('The license is revoked, and is not renewed.') : issued;
  }

  /** Issues the lines that have no license yet, if a payment of this kind may. */
  private issue(
    action: Extract<Action, { kind: 'sale' | 'renewal' }>,
    notification: Notification,
    at: number,
    verdicts: readonly Verdict[],
  ): Verdict {
    // A subscription is issued once; what is added to it later is a change.
    const further = action.kind === 'sale' && action.paidUntil === null && this.order.paidUntil === null;
    const missing =
      this.drafts.length === 0 || further ? action.lines.filter((line) => !lineFor(this.order.lines, line, action.lines)) : [];
    if (missing.length === 0) return done();

    const closing = this.drafts.length === 0 ? this.mark(notification, at, verdicts) : undefined;
    if (closing) {
      this.order = { ...this.order, closed: closing };
      return done(closedReasons[closing]);
    }
    const chosen = missing.map((line) => ({ line, plan: this.planFor(line) }));
    const sold = chosen.filter((one): one is { line: Line; plan: Plan } => one.plan !== undefined);
    if (sold.length === 0)
      return this.drafts.length > 0 ? done(unmapped(missing)) : { status: 'held', reason: this.unsoldReason(missing, notification) };
    const counted = sold.map(({ line, plan }) => ({ line, plan, count: plan.quantity === 'licenses' ? line.quantity : 1 }));
    const total = this.drafts.length + counted.reduce((sum, { count }) => sum + count, 0);
    if (total > MAX_LICENSES)
      return { status: 'held', reason: `The order would issue ${total} licenses; at most ${MAX_LICENSES} are issued at once.` };
    const archived = sold.find(({ plan }) => this.isArchived(soldBy(plan)));
    if (archived) return { status: 'held', reason: archivedType(soldBy(archived.plan)) };

    for (const { line, plan, count } of counted) this.add(line, soldBy(plan), count, undefined);
    const rest = chosen.filter(({ plan }) => plan === undefined).map(({ line }) => line);
    this.order = {
      ...this.order,
      lines: [
        ...this.order.lines,
        ...sold.map(({ line, plan }) => ({ ...line, licenseTypeId: plan.license_type_id, mode: plan.quantity })),
      ],
      unsold: [...new Set([...this.order.unsold, ...rest.map(({ id }) => id)])],
      // What an older change says of the lines is over.
      newest: { ...this.order.newest, lines: Math.max(this.order.newest.lines ?? at, at) },
    };
    return done(rest.length > 0 ? unmapped(rest) : null);
  }

  /** New licenses of a line. */
  private add(line: Line, { ref, licenseTypeId, mode }: Sold, count: number, expiresAt: number | undefined): void {
    const issue: Issue = {
      line: line.id,
      ref,
      licenseTypeId,
      maxSeats: mode === 'seats' ? this.seats(licenseTypeId, line.quantity) : undefined,
      expiresAt: undefined,
      customerEmail: null,
      suspended: null,
      removed: null,
    };
    for (let made = 0; made < count; made += 1) {
      this.drafts.push({
        license: null,
        issue,
        line: line.id,
        oneOff: line.oneOff,
        removed: null,
        status: 'active',
        cause: null,
        expiresAt,
        steps: [],
      });
    }
  }

  /** Why nothing may be issued: a refund, lost dispute or end that came before the sale. */
  private mark({ payment }: Notification, at: number, verdicts: readonly Verdict[]): NonNullable<Order['closed']> | undefined {
    const own = new Set((payment?.ids ?? []).flatMap((id) => [...(this.groups.find((group) => group.has(idKey(id))) ?? [idKey(id)])]));
    for (const [index, { notification, receivedAt }] of this.received.entries()) {
      if (verdicts[index]?.status !== 'waiting') continue;
      const concerns = payment === null || (notification.payment?.ids ?? []).some((id) => own.has(idKey(id)));
      for (const { kind } of notification.actions) {
        const isRefund =
          kind === 'refunded' ||
          (kind === 'refunded_in_part' && (this.terms.on_partial_refund === 'revoke' || this.isAllRefunded(notification.payment)));
        if (isRefund && concerns) return 'refunded';
        if (kind === 'dispute_lost' && concerns) return 'dispute_lost';
        if (kind === 'ended') {
          const endedAt = notification.occurredAt ?? receivedAt;
          if (at > endedAt) continue;
          this.order = { ...this.order, endedAt };
          return 'ended';
        }
      }
    }
    return undefined;
  }

  private namedPlan({ refs }: Pick<Line, 'refs'>): Plan | undefined {
    for (const ref of refs) {
      const plan = this.terms.plans.find((one) => one.ref === ref);
      if (plan) return plan;
    }
    return undefined;
  }

  private planFor(line: Line): Plan | undefined {
    const { default_license_type_id: type } = this.terms;
    return this.namedPlan(line) ?? (type === null ? undefined : { ref: '', license_type_id: type, quantity: 'licenses' });
  }

  private unsoldReason(lines: readonly Line[], { needs }: Notification): string {
    if (!lines.every(({ id }) => id === WHOLE_ORDER)) return unmapped(lines);
    return needs.some(({ fills }) => fills === 'lines')
      ? 'The notification does not say what was bought: that takes an api_key with which the processor can be asked, or a default license type.'
      : 'The notification does not say what was bought, and there is no default license type.';
  }

  /** n times the seats of the type; n if those are unlimited. */
  private seats(licenseTypeId: number, quantity: number): number {
    return quantity * (this.terms.types.get(licenseTypeId)?.max_seats || 1);
  }

  /** Moves the expiry of what recurs: never back, but the first period that becomes known sets it. */
  private extend(target: number, isFirst: boolean): void {
    for (const draft of this.drafts) {
      if (draft.oneOff || draft.removed !== null || draft.status === 'revoked') continue;
      const { expiresAt, license } = draft;
      const isAsIssued = license !== null && expiresAt === license.issuedExpiresAt;
      if (expiresAt === undefined || (isFirst && isAsIssued)) {
        draft.expiresAt = target;
        if (license !== null && expiresAt !== target)
          draft.steps.push(
            typeof expiresAt === 'number' && target < expiresAt ? { do: 'update', expiresAt: target } : { do: 'renew', expiresAt: target },
          );
      } else if (expiresAt !== null && target > expiresAt) {
        draft.expiresAt = target;
        draft.steps.push({ do: 'renew', expiresAt: target });
      }
      if (draft.status === 'expired') draft.status = 'active';
    }
  }

  /** "The earlier of itself and the end of what is paid, without grace"; a null that the operator set stays. */
  private ended(endedAt: number | null, at: number): Verdict {
    const { paidAt, paidUntil } = this.order;
    if (paidAt !== null && paidAt > at) return done('It was paid again since.');
    this.order = { ...this.order, endedAt: at };
    const until = paidUntil ?? endedAt ?? at;
    for (const draft of this.drafts) this.expireBy(draft, until);
    return done();
  }

  /** "The earlier of itself" and an instant. */
  private expireBy(draft: Draft, until: number): void {
    const { expiresAt, license } = draft;
    const isOperators = expiresAt === null && license !== null && license.issuedExpiresAt !== null;
    if (draft.oneOff || draft.status === 'revoked' || isOperators || (typeof expiresAt === 'number' && expiresAt <= until)) return;
    this.update(draft, { expiresAt: until });
  }

  private update(draft: Draft, change: Omit<LicenseUpdate, 'do'>): void {
    if (change.expiresAt !== undefined) draft.expiresAt = change.expiresAt;
    if (draft.license !== null) draft.steps.splice(0, Infinity, ...withUpdate(draft.steps, change));
  }

  private begin(cause: Cause, effect: 'nothing' | 'suspend' | 'revoke'): Verdict {
    this.order = { ...this.order, standing: [...new Set([...this.order.standing, cause])] };
    if (effect === 'nothing') return done('The connection is set to do nothing about this.');
    if (effect === 'revoke') return this.revoke();
    for (const draft of this.drafts) this.suspend(draft, cause);
    return done();
  }

  /** Ends a cause: only what it suspended is reinstated, and stays suspended if another cause stands. */
  private end(cause: Cause): Verdict {
    this.order = { ...this.order, standing: this.order.standing.filter((one) => one !== cause) };
    for (const draft of this.drafts) {
      if (draft.status !== 'suspended' || draft.cause !== cause) continue;
      draft.status = 'active';
      draft.cause = null;
      if (draft.license !== null) draft.steps.push({ do: 'reinstate' });
      this.suspendIfStopped(draft);
    }
    return done();
  }

  private suspendIfStopped(draft: Draft): void {
    const cause = this.order.standing.find(
      (one) => one === 'pause' || (one === 'dispute' ? this.terms.on_dispute : this.terms.on_payment_failed) === 'suspend',
    );
    if (cause !== undefined) this.suspend(draft, cause);
  }

  private suspend(draft: Draft, cause: Cause): void {
    if (draft.status !== 'active' && draft.status !== 'expired') return;
    draft.status = 'suspended';
    draft.cause = cause;
    if (draft.license !== null) draft.steps.push({ do: 'suspend', cause });
  }

  private refunded(notification: Notification, revokes: boolean): Verdict {
    if (!revokes) return done('The connection is set to do nothing about partial refunds.');
    const { payment } = notification;
    const sequence =
      payment?.sequence ?? (payment?.ids ?? []).map((id) => this.order.payments[idKey(id)]).find((value) => value !== undefined);
    if (sequence === undefined) return { status: 'waiting', reason: 'The payment that was refunded is not known yet.' };
    if (this.order.sequence !== null && sequence < this.order.sequence)
      return done('An earlier period was refunded: the one that runs is paid.');
    return this.close('refunded');
  }

  private close(closed: 'refunded' | 'dispute_lost'): Verdict {
    this.order = { ...this.order, closed };
    return this.revoke();
  }

  private revoke(): Verdict {
    for (const draft of this.drafts) {
      if (draft.status === 'revoked') continue;
      draft.status = 'revoked';
      if (draft.license !== null) draft.steps.push({ do: 'revoke' });
    }
    return done();
  }

  /** Another plan, another quantity, lines that were added or removed: all of it makes the licenses of a line fit what it sells now. */
  private changed(lines: readonly Line[], complete: boolean, at: number): Verdict {
    if (this.order.closed !== null) return done(closedReasons[this.order.closed]);
    const { kept, added, removed } = compareLines(this.order.lines, lines, complete, this.order.unsold);
    const unissued = added.filter((line) => this.planFor(line) === undefined);
    const reasons = [
      ...kept.map(({ known, line }) => this.changeLine(known, line, at)),
      ...added.filter((line) => !unissued.includes(line)).map((line) => this.addLine(line, at)),
      unissued.length > 0 ? unmapped(unissued) : null,
    ];
    for (const line of removed) this.fit(line, { ...line, quantity: 0 }, this.present(line), at);
    this.order = { ...this.order, unsold: [...new Set([...(complete ? [] : this.order.unsold), ...unissued.map(({ id }) => id)])] };
    const given = reasons.filter((reason) => reason !== null);
    return done(given.length > 0 ? given.join(' ') : null);
  }

  /** What a line is sold as before it changes. */
  private present(known: IssuedLine): Sold {
    return { ref: this.namedPlan(known)?.ref ?? null, licenseTypeId: known.licenseTypeId, mode: known.mode };
  }

  /** A line that is sold under another plan, or in another quantity. Returns why not all of it is done. */
  private changeLine(known: IssuedLine, line: Line, at: number): string | null {
    const present = this.present(known);
    const [ref] = line.refs;
    if (ref === undefined || known.refs.includes(ref)) return this.fit(known, { ...line, refs: known.refs }, present, at);
    const plan = this.namedPlan(line);
    if (!plan) {
      const reason = `No plan names ${ref}: the change of plan changes no license.`;
      const isDefault = this.namedPlan(known) === undefined && known.licenseTypeId === this.terms.default_license_type_id;
      return (isDefault ? this.fit(known, line, present, at) : null) ?? reason;
    }
    const sold = soldBy(plan);
    if (this.isArchived(sold)) return `${archivedType(sold)} The change of plan changes no license.`;
    return this.fit(known, line, sold, at);
  }

  private isArchived({ licenseTypeId }: Pick<Sold, 'licenseTypeId'>): boolean {
    return this.terms.types.get(licenseTypeId)?.archived !== false;
  }

  /** Why licenses of a line are missing. */
  private missing(sold: Sold): string {
    return this.isArchived(sold) ? `${archivedType(sold)} Nothing new is issued of it.` : TOO_MANY;
  }

  /** A line that was added to a subscription: issued as in a sale, for the period that runs. Returns why not all of it is. */
  private addLine(line: Line, at: number): string | null {
    const plan = this.planFor(line);
    if (!plan) return unmapped([line]);
    const sold = soldBy(plan);
    if (this.isArchived(sold)) return archivedType(sold);
    const wanted = sold.mode === 'licenses' ? line.quantity : 1;
    const missing = this.grow(line, sold, wanted, at);
    if (missing < wanted)
      this.order = { ...this.order, lines: [...this.order.lines, { ...line, licenseTypeId: sold.licenseTypeId, mode: sold.mode }] };
    return missing > 0 ? this.missing(sold) : null;
  }

  /** Makes the licenses of a line as many as it sells, and of its type. Returns why not all of it is done. */
  private fit(known: IssuedLine, line: Line, sold: Sold, at: number): string | null {
    const { licenseTypeId, mode } = sold;
    const isMoved = licenseTypeId !== known.licenseTypeId || mode !== known.mode;
    const isRestored = known.quantity === 0 && line.quantity > 0;
    const count = mode === 'licenses' ? line.quantity : Math.min(1, line.quantity);
    const own = this.drafts.filter((draft) => draft.line === known.id).sort(byAge);
    for (const draft of own) draft.line = line.id;

    const has = own.filter(({ removed }) => removed === null);
    const stay = has.slice(0, count);
    for (const draft of has.slice(count)) this.remove(draft, at);
    if (isMoved || sold.ref !== this.present(known).ref || (mode === 'seats' && line.quantity !== known.quantity && line.quantity > 0))
      for (const draft of stay) this.sell(draft, line, sold, known.mode);
    const missing = this.grow({ ...line, oneOff: known.oneOff }, sold, count - stay.length, at);

    const present: IssuedLine = { ...line, oneOff: known.oneOff, licenseTypeId, mode };
    this.order = {
      ...this.order,
      lines: this.order.lines
        .map((one) => (one === known ? present : one))
        .filter(({ id, quantity }) => quantity > 0 || this.drafts.some((draft) => draft.line === id)),
    };
    if (missing > 0) return this.missing(sold);
    const isOne = mode === 'one' && !isMoved && !isRestored && line.quantity > 0 && line.quantity !== known.quantity;
    return isOne ? 'The plan sells one license for any quantity: the change of quantity changes no license.' : null;
  }

  /** The type and the seats of a license of a line. */
  private sell(draft: Draft, line: Line, { ref, licenseTypeId, mode }: Sold, before: Plan['quantity']): void {
    const maxSeats = mode === 'seats' ? this.seats(licenseTypeId, line.quantity) : undefined;
    if (draft.issue !== null) draft.issue = { ...draft.issue, maxSeats, licenseTypeId, ref: ref ?? draft.issue.ref };
    if (draft.status === 'revoked') return;
    // Seats of its own end with the mode that gave them.
    this.update(draft, {
      licenseTypeId,
      ...(mode === 'seats' ? { maxSeats } : before === 'seats' && { maxSeats: null }),
      ...(ref !== null && { sold: { ref, line: line.id } }),
    });
  }

  private remove(draft: Draft, at: number): void {
    const until = this.paidEndAt(at);
    draft.removed = { at, until };
    if (until !== null) this.expireBy(draft, until);
  }

  /**
   * So many licenses more of a line: first those that were removed and have not ended yet, then new ones. An order that has all
   * that it may have gets back those that have ended. Returns how many are missing.
   */
  private grow(line: Line, sold: Sold, wanted: number, at: number): number {
    let missing = wanted;
    const { paidUntil, endedAt } = this.order;
    const end = paidUntil === null || line.oneOff ? undefined : paidUntil + (endedAt === null ? this.terms.grace_days * DAY_MS : 0);
    const hasEnded = ({ removed }: Draft): boolean => removed?.until != null && removed.until <= at;
    const removed = this.drafts.filter((draft) => draft.removed !== null).sort(byAge);
    const restore = (draft: Draft): void => {
      if (missing === 0) return;
      missing -= 1;
      draft.removed = null;
      draft.line = line.id;
      this.sell(draft, line, sold, sold.mode);
      const isOperators = draft.expiresAt === null;
      const target = end ?? draft.license?.issuedExpiresAt ?? null;
      if (draft.status === 'revoked' || isOperators || target === null || target <= (draft.expiresAt ?? target)) return;
      this.update(draft, { expiresAt: target });
      if (draft.status === 'expired') draft.status = 'active';
    };
    for (const draft of removed) if (draft.line === line.id && !hasEnded(draft)) restore(draft);
    const made = this.isArchived(sold) ? 0 : Math.max(0, Math.min(missing, MAX_LICENSES - this.drafts.length));
    this.add(line, sold, made, end);
    for (const draft of this.drafts.slice(this.drafts.length - made)) this.suspendIfStopped(draft);
    missing -= made;
    for (const draft of removed) if (draft.removed !== null && hasEnded(draft) && draft.status !== 'revoked') restore(draft);
    return missing;
  }

  /** The end of the time that was paid at an instant; the first that is known, if that was paid later. */
  private paidEndAt(at: number): number | null {
    const { periods, paidUntil } = this.order;
    return periods.findLast((period) => period.at <= at)?.until ?? periods[0]?.until ?? paidUntil;
  }

  /** A payment that is reported later than a removal may be of the period that it ends with. */
  private moveRemovals(): void {
    for (const draft of this.drafts) {
      const { removed, expiresAt } = draft;
      const until = removed && this.paidEndAt(removed.at);
      if (!removed || until === null || until === removed.until) continue;
      draft.removed = { ...removed, until };
      if (expiresAt !== removed.until) this.expireBy(draft, until);
      else if (draft.status !== 'revoked') this.update(draft, { expiresAt: until });
    }
  }

  /** What is refunded of earlier payments changes nothing any more. */
  private forgetRefunds(): void {
    const { refunds, payments, sequence } = this.order;
    const isPast = (key: string): boolean => sequence !== null && (payments[key] ?? sequence) < sequence;
    this.order = { ...this.order, refunds: Object.fromEntries(Object.entries(refunds).filter(([key]) => !isPast(key))) };
  }
}

/** The oldest first; what is not issued yet is the newest. */
const byAge = (a: Draft, b: Draft): number => (a.license?.id ?? Infinity) - (b.license?.id ?? Infinity) || 0;

/** Steps with one more change of terms, which is one event with another right before it. */
function withUpdate(steps: readonly Step[], change: Omit<LicenseUpdate, 'do'>): readonly Step[] {
  const last = steps.at(-1);
  return last?.do === 'update' ? [...steps.slice(0, -1), { ...last, ...change }] : [...steps, { do: 'update', ...change }];
}

const TOO_MANY = `An order has at most ${MAX_LICENSES} licenses: not all that were bought are issued.`;
const archivedType = ({ licenseTypeId }: Pick<Sold, 'licenseTypeId'>): string =>
  `License type ${licenseTypeId} is archived or does not exist.`;

/** What a plan sells. */
const soldBy = ({ ref, license_type_id, quantity }: Plan): Sold => ({
  ref: ref === '' ? null : ref,
  licenseTypeId: license_type_id,
  mode: quantity,
});

const unmapped = (lines: readonly Line[]): string => {
  const refs = lines.map(({ refs }) => refs[0] ?? 'what is not named').slice(0, 5);
  return `No plan names ${refs.join(', ')}, and there is no default license type.`;
};
