import { DAY_MS } from '../time';
import type { Connection, Plan } from './connection';
import { idKey, lineFor, topicOf, WHOLE_ORDER, type Action, type Line, type Notification, type OrderId, type Topic } from './model';

/**
 * What notifications make of an order and its licenses (docs/spec/payments.md, What a notification does). Pure: the caller loads the order,
 * its licenses and the notifications that wait for it, and commits what comes back in one transaction.
 *
 * A mark (a refund, lost dispute or end without an order) is a notification that waits like any other.
 */

/** A sale of more is held: so many licenses fit a transaction (docs/spec/payments.md, Held sales). */
export const MAX_LICENSES = 25;

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
  /** When the latest payment was reported. */
  readonly paidAt: number | null;
  readonly endedAt: number | null;
  /** The time of the newest report on each topic. */
  readonly newest: Readonly<Partial<Record<Topic, number>>>;
  /** What stops the order now, whether or not it suspends licenses. */
  readonly standing: readonly Cause[];
  /** Why nothing is issued for the order any more. */
  readonly closed: 'refunded' | 'dispute_lost' | 'ended' | null;
  /** The lines that licenses were issued for. */
  readonly lines: readonly IssuedLine[];
  readonly customerId: string | null;
  readonly customerEmail: string | null;
}

export interface IssuedLine extends Line {
  readonly licenseTypeId: number;
  readonly mode: Plan['quantity'];
}

/** An order of which nothing is known. */
export const newOrder: Order = {
  ids: [], payments: {}, sequence: null, paidUntil: null, paidAt: null, endedAt: null, newest: {}, standing: [], closed: null, lines: [], customerId: null, customerEmail: null,
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
}

/** The settings of a connection that decide, and its product's license types by id. */
export interface Terms extends Pick<Connection, 'plans' | 'default_license_type_id' | 'grace_days' | 'on_payment_failed' | 'on_dispute' | 'on_partial_refund'> {
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
}

/** One change of a license, with one event. */
export type Step =
  | { readonly do: 'renew'; readonly expiresAt: number }
  | { readonly do: 'suspend'; readonly cause: Cause }
  | { readonly do: 'reinstate' }
  | { readonly do: 'revoke' }
  | { readonly do: 'update'; readonly expiresAt?: number; readonly customerEmail?: string; readonly maxSeats?: number; readonly licenseTypeId?: number };

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

/** The state of a license while notifications are carried out; a new one has no id yet. */
interface Draft {
  readonly license: OrderLicense | null;
  issue: Issue | null;
  readonly line: string;
  readonly oneOff: boolean;
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

/** The order that several turn out to be, once a notification names ids of each. */
export function joined(orders: readonly Order[]): Order {
  // What was issued for decides; the others are not more than ids.
  const [first = newOrder, ...rest] = orders.toSorted((a, b) => b.lines.length - a.lines.length);
  const seen = new Set<string>();
  const latestOf = (pick: (order: Order) => number | null): number | null => orders.reduce<number | null>((best, order) => (best === null ? pick(order) : Math.max(best, pick(order) ?? best)), null);
  return {
    ...first,
    ids: [first, ...rest].flatMap(({ ids }) => ids).filter((id) => !seen.has(idKey(id)) && seen.add(idKey(id))),
    payments: Object.assign({}, ...rest.map(({ payments }) => payments), first.payments) as Order['payments'],
    sequence: latestOf(({ sequence }) => sequence),
    paidUntil: latestOf(({ paidUntil }) => paidUntil),
    paidAt: latestOf(({ paidAt }) => paidAt),
    endedAt: latestOf(({ endedAt }) => endedAt),
    newest: orders.reduce<Order['newest']>(
      (newest, order) => Object.fromEntries((['payment', 'pause', 'dispute', 'lines'] as const).flatMap((topic) => {
        const times = [newest[topic], order.newest[topic]].filter((time) => time !== undefined);
        return times.length > 0 ? [[topic, Math.max(...times)]] : [];
      })),
      {},
    ),
    standing: [...new Set(orders.flatMap(({ standing }) => standing))],
    lines: orders.flatMap(({ lines }) => lines),
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
  const later = received.map((_, index) => index).slice(1).sort((a, b) => timeOf(received[a]!) - timeOf(received[b]!));
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
    const [worst] = (['held', 'waiting', 'done', 'ignored'] as const).filter((status) => results.some((result) => result.status === status));
    const status = worst ?? 'ignored';
    return { status, reason: results.find((result) => result.status === status && result.reason !== null)?.reason ?? null };
  }

  outcome(verdicts: readonly Verdict[]): Outcome {
    const { customerEmail } = this.order;
    const alive = this.drafts.filter(({ issue, status }) => issue !== null && status !== 'revoked');
    const steps = new Map<number, readonly Step[]>();
    for (const { license, steps: made } of this.drafts) {
      if (license === null) continue;
      const filled: readonly Step[] = license.customerEmail === null && customerEmail !== null ? [...made, { do: 'update', customerEmail }] : made;
      if (filled.length > 0) steps.set(license.id, filled);
    }
    return {
      order: this.order,
      issue: alive.map(({ issue, expiresAt, cause }) => ({ ...issue!, expiresAt: expiresAt ?? undefined, customerEmail, suspended: cause === 'operator' ? null : cause })),
      steps,
      verdicts,
    };
  }

  /** Ids, payments and buyer, whatever else a notification does. */
  private learn({ ids, payment, customerId, customerEmail }: Notification): void {
    const known = new Set(this.order.ids.map(idKey));
    const payments: Record<string, number> = { ...this.order.payments };
    const keys = [...new Set((payment?.ids ?? []).flatMap((id) => [idKey(id), ...(this.groups.find((group) => group.has(idKey(id))) ?? [])]))];
    const sequence = payment?.sequence ?? keys.map((key) => payments[key]).find((value) => value !== undefined);
    if (sequence !== undefined) for (const key of keys) payments[key] ??= sequence;
    this.order = {
      ...this.order,
      ids: [...this.order.ids, ...ids.filter((id) => !known.has(idKey(id)))],
      payments,
      customerId: this.order.customerId ?? customerId,
      customerEmail: this.order.customerEmail ?? customerEmail,
    };
  }

  private get isKnown(): boolean {
    return this.drafts.length > 0 || this.order.closed !== null;
  }

  private act(action: Action, received: Received, at: number, verdicts: readonly Verdict[]): Verdict {
    if (action.kind === 'ignored') return { status: 'ignored', reason: action.reason };
    if (action.kind === 'buyer_known') return this.isKnown ? done() : { status: 'ignored', reason: 'The customer has bought nothing yet.' };
    if (action.kind === 'cancellation_announced') return { status: this.isKnown ? 'done' : 'ignored', reason: 'Nothing changes until the subscription ends.' };
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
        return this.refunded(received.notification, this.terms.on_partial_refund === 'revoke');
      case 'ended':
        return this.ended(action.endedAt, at);
      case 'changed':
        return this.changed(action.lines);
    }
  }

  /** Sale and renewal. */
  private paid(action: Extract<Action, { kind: 'sale' | 'renewal' }>, { notification }: Received, at: number, verdicts: readonly Verdict[]): Verdict {
    if (this.order.closed === 'ended' && this.order.endedAt !== null && at > this.order.endedAt) this.order = { ...this.order, closed: null };
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
      paidAt: Math.max(this.order.paidAt ?? at, at),
      endedAt: isOver ? endedAt : null,
      newest: { ...newest, payment: Math.max(newest.payment ?? at, at) },
    };
    if (action.paidUntil !== null) this.extend(action.paidUntil + (isOver ? 0 : this.terms.grace_days * DAY_MS), paidUntil === null);
    if (isNewest) this.end('payment');
    return this.drafts.every(({ status }) => status === 'revoked') ? done('The license is revoked, and is not renewed.') : issued;
  }

  /** Issues the lines that have no license yet, if a payment of this kind may. */
  private issue(action: Extract<Action, { kind: 'sale' | 'renewal' }>, notification: Notification, at: number, verdicts: readonly Verdict[]): Verdict {
    // A subscription is issued once; what is added to it later is a change.
    const further = action.kind === 'sale' && action.paidUntil === null && this.order.paidUntil === null;
    const missing = this.drafts.length === 0 || further ? action.lines.filter((line) => !lineFor(this.order.lines, line, action.lines)) : [];
    if (missing.length === 0) return done();

    const closing = this.drafts.length === 0 ? this.mark(notification, at, verdicts) : undefined;
    if (closing) {
      this.order = { ...this.order, closed: closing };
      return done(closedReasons[closing]);
    }
    const chosen = missing.map((line) => ({ line, plan: this.planFor(line) }));
    const sold = chosen.filter((one): one is { line: Line; plan: Plan } => one.plan !== undefined);
    if (sold.length === 0) return this.drafts.length > 0 ? done(unmapped(missing)) : { status: 'held', reason: this.unsold(missing, notification) };
    const counted = sold.map(({ line, plan }) => ({ line, plan, count: plan.quantity === 'licenses' ? line.quantity : 1 }));
    const total = this.drafts.length + counted.reduce((sum, { count }) => sum + count, 0);
    if (total > MAX_LICENSES) return { status: 'held', reason: `The order would issue ${total} licenses; at most ${MAX_LICENSES} are issued at once.` };
    const archived = sold.find(({ plan }) => this.terms.types.get(plan.license_type_id)?.archived !== false);
    if (archived) return { status: 'held', reason: `License type ${archived.plan.license_type_id} is archived or does not exist.` };

    for (const { line, plan, count } of counted) {
      const issue: Issue = {
        line: line.id,
        ref: plan.ref === '' ? null : plan.ref,
        licenseTypeId: plan.license_type_id,
        maxSeats: plan.quantity === 'seats' ? this.seats(plan.license_type_id, line.quantity) : undefined,
        expiresAt: undefined,
        customerEmail: null,
        suspended: null,
      };
      for (let made = 0; made < count; made += 1) {
        this.drafts.push({ license: null, issue, line: line.id, oneOff: line.oneOff, status: 'active', cause: null, expiresAt: undefined, steps: [] });
      }
    }
    this.order = { ...this.order, lines: [...this.order.lines, ...sold.map(({ line, plan }) => ({ ...line, licenseTypeId: plan.license_type_id, mode: plan.quantity }))] };
    const rest = chosen.filter(({ plan }) => plan === undefined).map(({ line }) => line);
    return done(rest.length > 0 ? unmapped(rest) : null);
  }

  /** Why nothing may be issued: a refund, lost dispute or end that came before the sale. */
  private mark({ payment }: Notification, at: number, verdicts: readonly Verdict[]): NonNullable<Order['closed']> | undefined {
    const own = new Set((payment?.ids ?? []).flatMap((id) => [...(this.groups.find((group) => group.has(idKey(id))) ?? [idKey(id)])]));
    for (const [index, { notification, receivedAt }] of this.received.entries()) {
      if (verdicts[index]?.status !== 'waiting') continue;
      const concerns = payment === null || (notification.payment?.ids ?? []).some((id) => own.has(idKey(id)));
      for (const { kind } of notification.actions) {
        if ((kind === 'refunded' || (kind === 'refunded_in_part' && this.terms.on_partial_refund === 'revoke')) && concerns) return 'refunded';
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

  private planFor({ refs }: Line): Plan | undefined {
    for (const ref of refs) {
      const plan = this.terms.plans.find((one) => one.ref === ref);
      if (plan) return plan;
    }
    const { default_license_type_id: type } = this.terms;
    return type === null ? undefined : { ref: '', license_type_id: type, quantity: 'licenses' };
  }

  private unsold(lines: readonly Line[], { needs }: Notification): string {
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
      if (draft.oneOff || draft.status === 'revoked') continue;
      const { expiresAt, license } = draft;
      const isAsIssued = license !== null && expiresAt === license.issuedExpiresAt;
      if (expiresAt === undefined || (isFirst && isAsIssued)) {
        draft.expiresAt = target;
        if (license !== null && expiresAt !== target) draft.steps.push(typeof expiresAt === 'number' && target < expiresAt ? { do: 'update', expiresAt: target } : { do: 'renew', expiresAt: target });
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
    for (const draft of this.drafts) {
      const { expiresAt, license } = draft;
      const isOperators = expiresAt === null && license !== null && license.issuedExpiresAt !== null;
      if (draft.oneOff || draft.status === 'revoked' || isOperators || (typeof expiresAt === 'number' && expiresAt <= until)) continue;
      draft.expiresAt = until;
      if (license !== null) draft.steps.push({ do: 'update', expiresAt: until });
    }
    return done();
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
      const next = this.order.standing.find((one) => one === 'pause' || (one === 'dispute' ? this.terms.on_dispute : this.terms.on_payment_failed) === 'suspend');
      if (next !== undefined) this.suspend(draft, next);
    }
    return done();
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
    const sequence = payment?.sequence ?? (payment?.ids ?? []).map((id) => this.order.payments[idKey(id)]).find((value) => value !== undefined);
    if (sequence === undefined) return { status: 'waiting', reason: 'The payment that was refunded is not known yet.' };
    if (this.order.sequence !== null && sequence < this.order.sequence) return done('An earlier period was refunded: the one that runs is paid.');
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

  /** In `seats` mode the seats follow, and the type if the new ref is mapped. */
  private changed(lines: readonly Line[]): Verdict {
    let reason: string | null = null;
    for (const line of lines) {
      const known = lineFor(this.order.lines, line, lines);
      if (!known) {
        reason = 'What was added to a subscription is not issued by itself.';
        continue;
      }
      const mapped = this.terms.plans.find(({ ref }) => line.refs.includes(ref));
      const licenseTypeId = mapped?.license_type_id ?? known.licenseTypeId;
      const isMoved = licenseTypeId !== known.licenseTypeId;
      if (!isMoved && line.quantity === known.quantity) continue;
      if (known.mode !== 'seats') {
        reason = 'The plan does not sell seats: a change of quantity or plan changes no license.';
        continue;
      }
      const maxSeats = this.seats(licenseTypeId, line.quantity);
      for (const draft of this.drafts) {
        if (draft.line !== known.id || draft.status === 'revoked') continue;
        if (draft.issue !== null) draft.issue = { ...draft.issue, maxSeats, licenseTypeId };
        else draft.steps.push({ do: 'update', maxSeats, ...(isMoved && { licenseTypeId }) });
      }
      const { id } = known;
      this.order = { ...this.order, lines: this.order.lines.map((one) => (one.id === id ? { ...one, refs: line.refs, quantity: line.quantity, licenseTypeId } : one)) };
    }
    return done(reason);
  }
}

const unmapped = (lines: readonly Line[]): string => {
  const refs = lines.map(({ refs }) => refs[0] ?? 'what is not named').slice(0, 5);
  return `No plan names ${refs.join(', ')}, and there is no default license type.`;
};
